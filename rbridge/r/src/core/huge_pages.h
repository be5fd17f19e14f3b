/* Large pages for large blocks of memory, for hosts. Random access to them then takes up to a third less time. */

#ifndef PYSTRAT_HUGE_PAGES_H
#define PYSTRAT_HUGE_PAGES_H

#include <stdint.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

enum {
  HUGE_FROM = 1 << 22,   /* bytes: numpy requests large pages from this size on, too */
  LARGEST_PAGE = 1 << 16 /* bytes of an ordinary page, at most */
};

/* Ask the system to use large pages for new memory. It may decline. */
static inline void ask_for_huge_pages(void *memory, int64_t bytes) {
#ifdef MADV_HUGEPAGE
  int64_t skipped = (int64_t)(-(uintptr_t)memory % LARGEST_PAGE);
  if (bytes >= HUGE_FROM) madvise((char *)memory + skipped, (size_t)(bytes - skipped), MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}

#endif
