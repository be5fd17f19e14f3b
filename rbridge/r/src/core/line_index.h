/* The beginnings of the lines of a text, found in blocks of its bytes, and the index that stores them in a file.
 *
 * Only a newline ends a line. One carriage return before it is not part of the line. A last line without a newline
 * counts. The caller reads the text and the index, and writes the index.
 *
 * An index begins with INDEX_HEAD_SIZE bytes that identify a version of a text, followed by n_lines + 1 numbers: where
 * each line begins, and where the last one ends. All numbers have 64 bits, lowest byte first. Anyone may have written
 * or damaged an index, so its numbers are used only after index_is_whole() has approved all of them.
 */

#ifndef PYSTRAT_LINE_INDEX_H
#define PYSTRAT_LINE_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
  INDEX_MAGIC_SIZE = 16,
  INDEX_HEAD_SIZE = 64,
  INDEX_NUMBER_SIZE = 8,
  TEXT_END_SIZE = 4096 /* bytes at each end of a text that its hash covers */
};

#define INDEX_MAGIC "pystrat lines 2\n"

typedef struct {
  int64_t size;         /* of the text, in bytes */
  int64_t modified;     /* modification time in nanoseconds */
  uint64_t inode;       /* the identity of the file */
  int64_t n_lines;
  uint64_t text_hash;   /* hash_of_bytes() of the first and the last TEXT_END_SIZE bytes, or of the whole text twice */
  uint64_t number_hash; /* the hash of an IndexCheck after all numbers */
} IndexHead;

/* The result of checking the numbers of an index so far. */
typedef struct {
  int64_t count;
  int64_t last; /* INT64_MAX, above all sizes of texts, once the numbers do not rise from 0 */
  uint64_t hash;
} IndexCheck;

static inline void write_index_number(uint64_t number, uint8_t *bytes) {
  for (int i = 0; i < INDEX_NUMBER_SIZE; i++) bytes[i] = (uint8_t)(number >> (8 * i));
}

static inline uint64_t read_index_number(const uint8_t *bytes) {
  return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24 |
         (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 | (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
}

/* Write INDEX_HEAD_SIZE bytes. */
static inline void write_index_head(const IndexHead *head, uint8_t *bytes) {
  const uint64_t numbers[] = {
      (uint64_t)head->size,    (uint64_t)head->modified, head->inode,
      (uint64_t)head->n_lines, head->text_hash,          head->number_hash,
  };
  memcpy(bytes, INDEX_MAGIC, INDEX_MAGIC_SIZE);
  for (int i = 0; i < 6; i++) write_index_number(numbers[i], bytes + INDEX_MAGIC_SIZE + i * INDEX_NUMBER_SIZE);
}

/* Read INDEX_HEAD_SIZE bytes; return whether they are the head of an index of `index_size` bytes. */
static inline bool read_index_head(const uint8_t *bytes, int64_t index_size, IndexHead *head) {
  uint64_t numbers[6];
  for (int i = 0; i < 6; i++) numbers[i] = read_index_number(bytes + INDEX_MAGIC_SIZE + i * INDEX_NUMBER_SIZE);
  head->size = (int64_t)numbers[0];
  head->modified = (int64_t)numbers[1];
  head->inode = numbers[2];
  head->n_lines = (int64_t)numbers[3];
  head->text_hash = numbers[4];
  head->number_hash = numbers[5];
  if (memcmp(bytes, INDEX_MAGIC, INDEX_MAGIC_SIZE) != 0 || head->n_lines < 0) return false;
  int64_t n_numbers = (index_size - INDEX_HEAD_SIZE) / INDEX_NUMBER_SIZE;
  return index_size > INDEX_HEAD_SIZE && index_size % INDEX_NUMBER_SIZE == 0 && head->n_lines == n_numbers - 1;
}

static inline IndexCheck new_index_check(void) {
  const IndexCheck none = {0, -1, 0};
  return none;
}

/* Mix a number and its place in an index to 64 bits that look random; different numbers give different bits. */
static inline uint64_t mix_index_number(uint64_t number, uint64_t place) {
  uint64_t bits = (number ^ place * UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xBF58476D1CE4E5B9);
  return (bits ^ bits >> 31) * UINT64_C(0x94D049BB133111EB);
}

/* Check the next `count` numbers of an index. Its hash is a sum, so that no number waits for the one before it. */
static inline void check_index_numbers(const uint8_t *bytes, int64_t count, IndexCheck *check) {
  uint64_t place = (uint64_t)check->count;
  int64_t last = check->last;
  uint64_t hash = check->hash;
  bool is_rising = true;
  for (int64_t i = 0; i < count; i++) {
    uint64_t number = read_index_number(bytes + i * INDEX_NUMBER_SIZE);
    is_rising &= (int64_t)number > last && (number == 0) == (place == 0);
    last = (int64_t)number;
    hash += mix_index_number(number, place++);
  }
  check->count += count;
  check->last = is_rising ? last : INT64_MAX;
  check->hash = hash;
}

/* Whether the checked numbers are all those of an index with this head: they rise from 0 to the size of the text, and
 * none was altered.
 */
static inline bool index_is_whole(const IndexHead *head, const IndexCheck *check) {
  return check->count == head->n_lines + 1 && check->last == head->size && check->last < INT64_MAX &&
         check->hash == head->number_hash;
}

/* The number of newlines in eight bytes: bytes that are 0 after comparing their bits. */
static inline int64_t count_in_word(const uint8_t *bytes) {
  const uint64_t ones = UINT64_C(0x0101010101010101), low_bits = ones * 0x7F;
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  word ^= ones * '\n';
  uint64_t others = ((word & low_bits) + low_bits) | word | low_bits; /* the high bit of each byte that is not 0 */
  return (int64_t)((~others >> 7) * ones >> 56);
}

/* The number of lines that end in a block of a text. */
static inline int64_t count_line_ends(const uint8_t *block, int64_t size) {
  int64_t count = 0;
  int64_t i = 0;
  for (; i + 8 <= size; i += 8) count += count_in_word(block + i);
  for (; i < size; i++) count += block[i] == '\n';
  return count;
}

/* Find the beginnings of lines: after each of the count_line_ends() newlines of the block, which follows `read` bytes
 * of the text. Return their number; `begins` has room for them.
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
