/* Memory of any size and alignment for which large pages were requested is ordinary memory. */

#define _DEFAULT_SOURCE /* for madvise() */

#include "check.h"
#include "huge_pages.h"

int main(void) {
  static const int64_t sizes[] = {0, 1, HUGE_FROM - 1, HUGE_FROM, 5 * (int64_t)HUGE_FROM + 12345};
  for (size_t size = 0; size < LENGTH(sizes); size++) {
    for (int64_t skipped = 0; skipped < 3; skipped++) {
      char *block = new_array(sizes[size] + skipped, 1), *memory = block + skipped;
      ask_for_huge_pages(memory, sizes[size]);
      for (int64_t i = 0; i < sizes[size]; i++) memory[i] = (char)(i % 127);
      for (int64_t i = 0; i < sizes[size]; i++) CHECK_EQUAL(memory[i], i % 127);
      free(block);
    }
  }
  return 0;
}
