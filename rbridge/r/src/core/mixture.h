/* The lines that an epoch takes of several files, file after file: all lines of a file, or drawn ones.
 *
 * Lines are numbered from 0 over all files. The numbers go to a block of the caller's, because a vector of all of them
 * may have 32 or 64 bits.
 */

#ifndef PYSTRAT_MIXTURE_H
#define PYSTRAT_MIXTURE_H

#include <stdint.h>

#include "prefetch.h"
#include "random.h"
#include "stream.h"
#include "subsets.h"

typedef struct {
  int64_t n_files;
  const int64_t *lines; /* of each file, together at most 2^53 */
  const int64_t *drawn; /* the number of lines drawn from each file; 0 for empty files */
  const int64_t *kept;  /* the number of lines taken from each file, in order, before those that are drawn */
  SubsetScratch *scratch; /* for draws without replacement, enough for all files; NULL for draws with replacement */
} Mixture;

/* The number of drawn lines of a file beyond whole passes through it, if lines are drawn without replacement. */
static inline int64_t rest_of_passes(int64_t lines, int64_t drawn) { return drawn > 0 ? drawn % lines : 0; }

/* How far the lines of an epoch have been taken. Begin with zeros. */
typedef struct {
  int64_t file;
  int64_t taken; /* of this file */
  int64_t first; /* the number of its first line */
} MixtureProgress;

/* Draw the lines from `begin` to before `end` of those that are drawn from a file. */
static inline void draw_lines_of_file(
    Generator *generator, const Mixture *mixture, int64_t file, int64_t begin, int64_t end, int64_t *block
) {
  int64_t lines = mixture->lines[file], drawn = mixture->drawn[file];
  if (mixture->scratch == NULL) {
    draw_numbers(generator, (uint64_t)lines, end - begin, block);
    return;
  }
  int64_t rest = rest_of_passes(lines, drawn);
  int64_t passed = drawn - rest; /* lines in order, pass after pass */
  for (; begin < end && begin < passed; begin++) *block++ = begin % lines;
  if (begin < end) {
    draw_subset_within(generator, mixture->scratch, 0, lines, rest, begin - passed, end - passed, block);
  }
}

/* Take the next lines of the epoch, at most BLOCK_SIZE; return their number, which is 0 at the end.
 *
 * The lines of a file are drawn like R's sample.int(lines, drawn, replace = TRUE); or, without replacement, all lines
 * once per whole pass, and then like sample.int(lines, rest).
 */
static inline int64_t take_lines(
    Generator *generator, const Mixture *mixture, MixtureProgress *progress, int64_t *block
) {
  while (progress->file < mixture->n_files) {
    int64_t file = progress->file;
    int64_t kept = mixture->kept[file];
    int64_t count = (progress->taken < kept ? kept : kept + mixture->drawn[file]) - progress->taken;
    if (count > BLOCK_SIZE) count = BLOCK_SIZE;
    if (count > 0) {
      if (progress->taken < kept) {
        for (int64_t i = 0; i < count; i++) block[i] = progress->taken + i;
      } else {
        int64_t begin = progress->taken - kept;
        draw_lines_of_file(generator, mixture, file, begin, begin + count, block);
      }
      for (int64_t i = 0; i < count; i++) block[i] += progress->first;
      progress->taken += count;
      return count;
    }
    progress->first += mixture->lines[file];
    progress->file += 1;
    progress->taken = 0;
  }
  return 0;
}

#endif
