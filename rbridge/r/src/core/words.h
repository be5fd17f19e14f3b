/* The number of words in the lines of a text.
 *
 * A word is a run of bytes without ASCII whitespace: space, tab, vertical tab, form feed and carriage return. Only "\n"
 * ends a line. A text may come in blocks that are cut anywhere.
 */

#ifndef PYSTRAT_WORDS_H
#define PYSTRAT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* The line in which a block of text ended. Begin with zeros. */
typedef struct {
  int32_t words; /* that have begun, at most 2^31 - 1 */
  bool is_in_word;
  bool has_begun; /* whether it has any bytes */
} LineWords;

static inline bool is_blank_byte(uint8_t byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

/* Count the words of each line that ends in a block; the caller knows the number of these lines.
 *
 * `line` holds the part of a line before the block, and afterwards that of the line that continues after it.
 */
static inline void count_words(const uint8_t *block, int64_t size, LineWords *line, int32_t *counts) {
  int64_t n_lines = 0;
  int32_t words = line->words;
  bool is_in_word = line->is_in_word;
  for (int64_t i = 0; i < size; i++) {
    if (block[i] == '\n') {
      counts[n_lines++] = words;
      words = 0;
      is_in_word = false;
      continue;
    }
    bool is_blank = is_blank_byte(block[i]);
    if (!is_blank && !is_in_word && words < INT32_MAX) words += 1;
    is_in_word = !is_blank;
  }
  if (size > 0) line->has_begun = block[size - 1] != '\n';
  line->words = words;
  line->is_in_word = is_in_word;
}

#endif
