/* cycles.h: numbers are taken equally often, never twice in a take, and the same from any take on. */

#include "check.h"
#include "cycles.h"

enum { MOST_NUMBERS = 9, CYCLES = 4 };

typedef struct {
  int32_t order[MOST_NUMBERS], pool[MOST_NUMBERS];
  uint8_t marks[MOST_NUMBERS];
} Memory;

static Cycles new_cycles(int64_t n, int64_t size, uint32_t seed, Memory *memory) {
  *memory = (Memory){.order = {0}};
  return (Cycles){
      .seed = seed, .n = n, .size = size, .first = 3, .step = 5, .order = memory->order, .pool = memory->pool,
      .marks = memory->marks,
  };
}

/* Check all takes of some cycles, and each of them from a fresh start. */
static void check_takes(int64_t n, int64_t size, uint32_t seed) {
  Memory memory, other;
  Cycles cycles = new_cycles(n, size, seed, &memory);
  int64_t counts[MOST_NUMBERS] = {0};
  go_to_take(&cycles, 0);
  for (int64_t take = 0; take < CYCLES * n; take++) {
    int32_t taken[MOST_NUMBERS] = {0}, again[MOST_NUMBERS] = {0};
    bool seen[MOST_NUMBERS] = {false};
    take_numbers(&cycles, taken);
    for (int64_t i = 0; i < size; i++) {
      CHECK(taken[i] >= 0 && taken[i] < n && !seen[taken[i]]);
      seen[taken[i]] = true;
      counts[taken[i]] += 1;
    }
    for (int64_t number = 0; number < n; number++) {
      int64_t low = (take + 1) * size / n, high = ((take + 1) * size + n - 1) / n;
      CHECK(low <= counts[number] && counts[number] <= high);
    }
    Cycles begun = new_cycles(n, size, seed, &other);
    go_to_take(&begun, take);
    take_numbers(&begun, again);
    CHECK(memcmp(taken, again, sizeof taken) == 0);
  }
}

static void test_all_small_numbers_and_takes(void) {
  for (int64_t n = 2; n <= MOST_NUMBERS; n++) {
    for (int64_t size = 1; 2 * size <= n; size++) {
      for (uint32_t seed = 0; seed < 20; seed++) check_takes(n, size, seed);
    }
  }
}

int main(void) {
  test_all_small_numbers_and_takes();
  return 0;
}
