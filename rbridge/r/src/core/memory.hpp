/* Hints about memory, which do not change results: that it will be used soon, and that large pages suit it. */

#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace pystrat {

/* Prefetch the memory some bytes beyond an object, which may be outside the array. */
inline void prefetch_beyond(const void *object, size_t bytes) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(reinterpret_cast<const void *>(reinterpret_cast<uintptr_t>(object) + bytes));
#else
  static_cast<void>(object), static_cast<void>(bytes);
#endif
}

inline void prefetch(const void *object) { prefetch_beyond(object, 0); }

/* Ask the system to use large pages for new memory, with which random access takes up to a third less time. */
inline void ask_for_huge_pages(void *memory, int64_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr int64_t HUGE_FROM = 1 << 22;      /* bytes: numpy requests large pages from this size on, too */
  constexpr uintptr_t LARGEST_PAGE = 1 << 16; /* bytes of an ordinary page, at most */
  int64_t skipped = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(memory) % LARGEST_PAGE);
  if (bytes >= HUGE_FROM) madvise(static_cast<char *>(memory) + skipped, size_t(bytes - skipped), MADV_HUGEPAGE);
#else
  static_cast<void>(memory), static_cast<void>(bytes);
#endif
}

}  // namespace pystrat
