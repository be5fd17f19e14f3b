/* The beginnings of lines, in blocks of any size, the bytes of an index, and the check of an index. */

#include "check.h"
#include "hashing.h"
#include "line_index.h"

static void test_lines_begin_after_newlines_whatever_the_blocks_are(void) {
  enum { SIZE = 3000 };
  static const int64_t blocks[] = {1, 2, 7, 1000, SIZE};
  uint64_t dice = 5;
  uint8_t *text = new_array(SIZE, 1);
  for (int i = 0; i < SIZE; i++) text[i] = (uint8_t)"\n\r\0a\xE9"[some_number(&dice, 5)];
  for (size_t i = 0; i < LENGTH(blocks); i++) {
    int64_t place = 0;
    for (int64_t read = 0; read < SIZE; read += blocks[i]) {
      int64_t size = SIZE - read < blocks[i] ? SIZE - read : blocks[i];
      uint8_t *block = new_array(size, 1);
      memcpy(block, text + read, (size_t)size);
      int64_t count = count_line_ends(block, size);
      int64_t *begins = new_array(count, sizeof *begins);
      CHECK_EQUAL(find_line_begins(block, size, read, begins), count);
      for (int64_t k = 0; k < count; k++) {
        while (text[place] != '\n') place++;
        CHECK_EQUAL(begins[k], ++place);
      }
      free(begins);
      free(block);
    }
    while (place < SIZE) CHECK(text[place++] != '\n');
  }
  free(text);
}

static void test_places_beyond_32_bits(void) {
  int64_t begins[2];
  CHECK_EQUAL(find_line_begins((const uint8_t *)"\na\n", 3, INT64_C(1) << 40, begins), 2);
  CHECK_EQUAL(begins[0], (INT64_C(1) << 40) + 1);
  CHECK_EQUAL(begins[1], (INT64_C(1) << 40) + 3);
}

static void test_what_a_line_is(void) {
  static const struct {
    const char *text;
    int64_t size, length;
  } cases[] = {
      {"", 0, 0},      {"a", 1, 1},      {"\n", 1, 0},       {"a\n", 2, 1},   {"\r\n", 2, 0},
      {"a\r\n", 3, 1}, {"a\r\r\n", 4, 2}, {"a\r", 2, 2}, {"a\rb\n", 4, 3}, {"\r", 1, 1},
  };
  for (size_t i = 0; i < LENGTH(cases); i++) {
    uint8_t *line = new_array(cases[i].size, 1);
    memcpy(line, cases[i].text, (size_t)cases[i].size);
    CHECK_EQUAL(line_length(line, cases[i].size), cases[i].length);
    free(line);
  }
}

static void test_a_head_is_read_as_it_was_written(void) {
  const IndexHead written = {
      INT64_C(0x0102030405060708), INT64_C(1700000000123456789), UINT64_MAX, 3, 5, UINT64_MAX - 1
  };
  IndexHead head;
  uint8_t bytes[INDEX_HEAD_SIZE];
  int64_t size = INDEX_HEAD_SIZE + 4 * INDEX_NUMBER_SIZE;
  write_index_head(&written, bytes);
  CHECK(memcmp(bytes, "pystrat lines 2\n\x08\x07\x06\x05\x04\x03\x02\x01", 24) == 0);
  CHECK(read_index_head(bytes, size, &head));
  CHECK(head.size == written.size && head.modified == written.modified && head.inode == written.inode);
  CHECK(head.text_hash == written.text_hash && head.number_hash == written.number_hash);
  CHECK_EQUAL(head.n_lines, 3);
  for (int64_t other = -8; other <= size + 8; other++) {
    CHECK_EQUAL(read_index_head(bytes, other, &head), other == size);
  }
  bytes[14] = '1';
  CHECK(!read_index_head(bytes, size, &head));
  write_index_head(&(IndexHead){1, 2, 3, -1, 0, 0}, bytes);
  CHECK(!read_index_head(bytes, INDEX_HEAD_SIZE, &head));
}

enum { N_NUMBERS = 5 };

/* Return what is known of numbers of which the first ones are looked at one by one, and the others at once. */
static IndexCheck checked(const int64_t *numbers, int64_t first) {
  static uint8_t bytes[N_NUMBERS * INDEX_NUMBER_SIZE];
  IndexCheck check = new_index_check();
  for (int i = 0; i < N_NUMBERS; i++) write_index_number((uint64_t)numbers[i], bytes + i * INDEX_NUMBER_SIZE);
  for (int64_t i = 0; i < first; i++) check_index_numbers(bytes + i * INDEX_NUMBER_SIZE, 1, &check);
  if (first < N_NUMBERS) check_index_numbers(bytes + first * INDEX_NUMBER_SIZE, N_NUMBERS - first, &check);
  return check;
}

static void test_an_index_is_whole_if_its_numbers_rise_to_the_size_of_the_text(void) {
  static const struct {
    int64_t numbers[N_NUMBERS];
    bool is_whole;
  } cases[] = {
      {{0, 1, 5, 6, 9}, true},  {{0, 1, 5, 6, 8}, false},         {{1, 2, 5, 6, 9}, false},  {{0, 1, 1, 6, 9}, false},
      {{0, 5, 1, 6, 9}, false}, {{0, 1, 5, 9, 9}, false},         {{0, 0, 5, 6, 9}, false},  {{-1, 1, 5, 6, 9}, false},
      {{0, 1, -5, 6, 9}, false}, {{0, 1, INT64_C(1) << 62, 6, 9}, false}, {{0, 1, 5, INT64_MAX, 9}, false},
      {{0, 1, 5, 6, INT64_MIN}, false},
  };
  for (size_t i = 0; i < LENGTH(cases); i++) {
    for (int64_t first = 0; first <= N_NUMBERS; first++) {
      IndexCheck check = checked(cases[i].numbers, first);
      IndexHead head = {9, 0, 0, N_NUMBERS - 1, 0, check.hash};
      CHECK_EQUAL(index_is_whole(&head, &check), cases[i].is_whole);
      head.size = INT64_MAX; /* what a check has as its last number once they do not rise */
      CHECK(!index_is_whole(&head, &check));
    }
  }
}

static void test_any_bit_that_was_altered_shows_in_the_hash(void) {
  int64_t numbers[N_NUMBERS] = {0, 1, 5, 6, 9};
  uint64_t hash = checked(numbers, 2).hash;
  for (int i = 0; i < N_NUMBERS; i++) {
    for (int bit = 0; bit < 63; bit++) {
      numbers[i] ^= INT64_C(1) << bit;
      CHECK(checked(numbers, 3).hash != hash);
      numbers[i] ^= INT64_C(1) << bit;
    }
  }
  const int64_t other_order[N_NUMBERS] = {0, 5, 1, 6, 9};
  CHECK(checked(other_order, 0).hash != hash);
  CHECK(checked(numbers, 5).hash == hash);
}

static void test_known_hashes(void) {
  CHECK(hash_of_bytes((const uint8_t *)"", 0) == UINT64_C(0xCBF29CE484222325));
  CHECK(hash_of_bytes((const uint8_t *)"a", 1) == UINT64_C(0xAF63DC4C8601EC8C));
  CHECK(hash_of_bytes((const uint8_t *)"foobar", 6) == UINT64_C(0x85944171F73967E8));
}

int main(void) {
  test_lines_begin_after_newlines_whatever_the_blocks_are();
  test_places_beyond_32_bits();
  test_what_a_line_is();
  test_a_head_is_read_as_it_was_written();
  test_an_index_is_whole_if_its_numbers_rise_to_the_size_of_the_text();
  test_any_bit_that_was_altered_shows_in_the_hash();
  test_known_hashes();
  return 0;
}
