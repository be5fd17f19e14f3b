/* Digests: by value, whatever the type; all that differs in anything differs; and the same on every machine. */

#include "digest.h"
#include "function_digest_parts.c"
#include "identity.h"
#include "plain_host.h"

static uint64_t digest_of(const Part *parts, int64_t n_parts) {
  Parts request = {.parts = parts, .n_parts = n_parts};
  PlainHost host = new_host(&request, NULL, 0, -1);
  CHECK(digest_parts_function.call(&request, &host.host));
  const uint8_t *bytes = given_as(&host, "digest")->values;
  uint64_t digest = 0;
  CHECK_EQUAL(given_as(&host, "digest")->count, DIGEST_SIZE);
  for (int i = 0; i < DIGEST_SIZE; i++) digest |= (uint64_t)bytes[i] << 8 * i;
  free_host(&host);
  return digest;
}

static uint64_t digest_of_one(const char *name, PartType type, int64_t length, const void *values) {
  const Part part = {.name = name, .type = type, .length = length, .values = values};
  return digest_of(&part, 1);
}

/* A number counts by its value, text by its bytes. */
static void test_types(void) {
  const int32_t integers[] = {3, 0, -1};
  const double doubles[] = {3, -0.0, -1}, not_a_number[] = {NAN}, other_nan[] = {-NAN};
  const char *const texts[] = {"ab"};
  CHECK(digest_of_one("x", INTEGERS, 3, integers) == digest_of_one("x", DOUBLES, 3, doubles));
  CHECK(digest_of_one("x", FLAG, 1, integers) == digest_of_one("x", DOUBLES, 1, doubles));
  CHECK(digest_of_one("x", DOUBLES, 1, not_a_number) == digest_of_one("x", DOUBLES, 1, other_nan));
  CHECK(digest_of_one("x", TEXT, 1, "ab") == digest_of_one("x", TEXTS, 1, texts));
  CHECK(digest_of_one("x", NOTHING, 0, NULL) == digest_of(NULL, 0));
}

static void test_differences(void) {
  const uint8_t bytes[] = {1, 2, 0, 0, 0, 0, 0, 0, 0, 0};
  const double numbers[] = {1, 2, 0};
  const char *const texts[] = {"a", "bc"}, *const others[] = {"ab", "c"};
  const Part two[] = {
      {.name = "x", .type = DOUBLES, .length = 1, .values = numbers},
      {.name = "y", .type = DOUBLES, .length = 1, .values = numbers + 1},
  };
  const Part turned[] = {two[1], two[0]};
  const uint64_t found[] = {
      digest_of(NULL, 0),
      digest_of(two, 1),
      digest_of(two, 2),
      digest_of(turned, 2),
      digest_of_one("x", DOUBLES, 0, numbers),
      digest_of_one("x", DOUBLES, 2, numbers),
      digest_of_one("x", DOUBLES, 3, numbers),
      digest_of_one("y", DOUBLES, 2, numbers),
      digest_of_one("x", BYTES, 2, bytes),
      digest_of_one("x", BYTES, 8, bytes),
      digest_of_one("x", BYTES, 9, bytes),
      digest_of_one("x", BYTES, 10, bytes),
      digest_of_one("x", TEXTS, 2, texts),
      digest_of_one("x", TEXTS, 2, others),
      digest_of_one("x", TEXT, 1, "abc"),
  };
  for (size_t one = 0; one < LENGTH(found); one++) {
    for (size_t other = 0; other < one; other++) CHECK(found[one] != found[other]);
  }
}

/* Every bit of a long vector counts. */
static void test_every_bit(void) {
  enum { N_BYTES = 3 * GO_ON_ROWS + 5 };
  uint8_t *bytes = new_array(N_BYTES, 1);
  uint64_t whole = digest_of_one("x", BYTES, N_BYTES, bytes);
  for (int64_t place = 0; place < N_BYTES; place += 4099) {
    for (int bit = 0; bit < 8; bit++) {
      bytes[place] ^= (uint8_t)(1 << bit);
      CHECK(digest_of_one("x", BYTES, N_BYTES, bytes) != whole);
      bytes[place] ^= (uint8_t)(1 << bit);
    }
  }
  CHECK(digest_of_one("x", BYTES, N_BYTES, bytes) == whole);
  free(bytes);
}

int main(void) {
  const double seed = 1;
  test_types();
  test_differences();
  test_every_bit();
  CHECK(digest_of_one("seed", DOUBLES, 1, &seed) == UINT64_C(0x0BD17B074C31569C)); /* on every machine */
  return 0;
}
