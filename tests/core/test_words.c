/* Words of lines, in a text that is cut into blocks anywhere. */

#include <string.h>

#include "check.h"
#include "words.h"

enum { MOST_LINES = 16 };

/* Count in blocks of so many bytes; a line that no newline ends counts. Return the number of lines. */
static int64_t count_in_blocks(const char *text, int64_t block_size, int32_t *counts) {
  int64_t size = (int64_t)strlen(text), n_lines = 0;
  LineWords line = {0};
  for (int64_t begin = 0; begin < size; begin += block_size) {
    int64_t end = size - begin < block_size ? size : begin + block_size;
    uint8_t *block = new_array(end - begin, 1);
    memcpy(block, text + begin, (size_t)(end - begin));
    count_words(block, end - begin, &line, counts + n_lines);
    for (int64_t i = begin; i < end; i++) n_lines += text[i] == '\n';
    free(block);
  }
  if (line.has_begun) counts[n_lines++] = line.words;
  return n_lines;
}

static void check_words(const char *text, int64_t n_lines, const int32_t *expected) {
  for (int64_t block_size = 1; block_size < 20; block_size++) {
    int32_t counts[MOST_LINES];
    CHECK_EQUAL(count_in_blocks(text, block_size, counts), n_lines);
    for (int64_t i = 0; i < n_lines; i++) CHECK_EQUAL(counts[i], expected[i]);
  }
}

int main(void) {
  static const int32_t mixed[] = {2, 3, 0, 0, 1};
  check_words("a b\n\tone  two\v\fthree \r\n\n \r\n\xc3\xa4\xc2\xa0z", 5, mixed);
  static const int32_t one[] = {1, 1};
  check_words("word\nword\n", 2, one);
  check_words("", 0, one);
  LineWords line = {.words = INT32_MAX, .has_begun = true};
  int32_t counts[1];
  count_words((const uint8_t *)" a\n", 3, &line, counts);
  CHECK_EQUAL(counts[0], INT32_MAX);
  CHECK_EQUAL(line.words, 0);
  CHECK(!line.has_begun);
  return 0;
}
