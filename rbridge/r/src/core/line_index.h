/* Where the lines of a text begin, found in blocks of its bytes, and the index that keeps it in a file.
 *
 * Only a newline ends a line. One carriage return before it is no part of the line. A last line without a newline
 * counts. The caller reads the text and the index, and writes the index.
 *
 * An index has INDEX_HEAD_SIZE bytes that say for which version of which text it is, and then n_lines + 1 numbers:
 * where each line begins, and where the last one ends. All numbers are of 64 bits, the lowest byte first.
 */

#ifndef PYSTRAT_LINE_INDEX_H
#define PYSTRAT_LINE_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
  INDEX_MAGIC_SIZE = 16,
  INDEX_HEAD_SIZE = 48,
  INDEX_NUMBER_SIZE = 8
};

#define INDEX_MAGIC "pystrat lines 1\n"

typedef struct {
  int64_t size;     /* of the text, in bytes */
  int64_t modified; /* when, in nanoseconds */
  uint64_t inode;   /* which file it is */
  int64_t n_lines;
} IndexHead;

static inline void write_index_number(uint64_t number, uint8_t *bytes) {
  for (int i = 0; i < INDEX_NUMBER_SIZE; i++) bytes[i] = (uint8_t)(number >> (8 * i));
}

static inline uint64_t read_index_number(const uint8_t *bytes) {
  uint64_t number = 0;
  for (int i = 0; i < INDEX_NUMBER_SIZE; i++) number |= (uint64_t)bytes[i] << (8 * i);
  return number;
}

/* Write INDEX_HEAD_SIZE bytes. */
static inline void write_index_head(const IndexHead *head, uint8_t *bytes) {
  memcpy(bytes, INDEX_MAGIC, INDEX_MAGIC_SIZE);
  write_index_number((uint64_t)head->size, bytes + INDEX_MAGIC_SIZE);
  write_index_number((uint64_t)head->modified, bytes + INDEX_MAGIC_SIZE + INDEX_NUMBER_SIZE);
  write_index_number(head->inode, bytes + INDEX_MAGIC_SIZE + 2 * INDEX_NUMBER_SIZE);
  write_index_number((uint64_t)head->n_lines, bytes + INDEX_MAGIC_SIZE + 3 * INDEX_NUMBER_SIZE);
}

/* Read INDEX_HEAD_SIZE bytes; return whether they are the head of an index that has `index_size` bytes. */
static inline bool read_index_head(const uint8_t *bytes, int64_t index_size, IndexHead *head) {
  head->size = (int64_t)read_index_number(bytes + INDEX_MAGIC_SIZE);
  head->modified = (int64_t)read_index_number(bytes + INDEX_MAGIC_SIZE + INDEX_NUMBER_SIZE);
  head->inode = read_index_number(bytes + INDEX_MAGIC_SIZE + 2 * INDEX_NUMBER_SIZE);
  head->n_lines = (int64_t)read_index_number(bytes + INDEX_MAGIC_SIZE + 3 * INDEX_NUMBER_SIZE);
  if (memcmp(bytes, INDEX_MAGIC, INDEX_MAGIC_SIZE) != 0 || head->n_lines < 0) return false;
  int64_t n_numbers = (index_size - INDEX_HEAD_SIZE) / INDEX_NUMBER_SIZE;
  return index_size > INDEX_HEAD_SIZE && index_size % INDEX_NUMBER_SIZE == 0 && head->n_lines == n_numbers - 1;
}

/* How many of eight bytes are newlines: those that are 0 after their bits were compared. */
static inline int64_t count_in_word(const uint8_t *bytes) {
  const uint64_t ones = UINT64_C(0x0101010101010101), low_bits = ones * 0x7F;
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  word ^= ones * '\n';
  uint64_t others = ((word & low_bits) + low_bits) | word | low_bits; /* the high bit of a byte that is not 0 */
  return (int64_t)((~others >> 7) * ones >> 56);
}

/* How many lines end in a block of a text. */
static inline int64_t count_line_ends(const uint8_t *block, int64_t size) {
  int64_t count = 0;
  int64_t i = 0;
  for (; i + 8 <= size; i += 8) count += count_in_word(block + i);
  for (; i < size; i++) count += block[i] == '\n';
  return count;
}

/* Find where lines begin: after each of the count_line_ends() newlines of the block, before which `read` bytes of the
 * text were read. Return how many they are; `begins` has room for them.
 */
static inline int64_t find_line_begins(const uint8_t *block, int64_t size, int64_t read, int64_t *begins) {
  int64_t count = 0;
  const uint8_t *end = block + size;
  for (const uint8_t *place = block; place < end; place++) {
    place = memchr(place, '\n', (size_t)(end - place));
    if (place == NULL) break;
    begins[count++] = read + (place - block) + 1;
  }
  return count;
}

/* The length of a line without the newline that ends it and one carriage return before that. */
static inline int64_t line_length(const uint8_t *line, int64_t size) {
  if (size == 0 || line[size - 1] != '\n') return size;
  return size > 1 && line[size - 2] == '\r' ? size - 2 : size - 1;
}

#endif
