/* The lines that an epoch takes of several files, file after file: all lines of a file, or drawn ones.
 *
 * Lines are numbered from 0 on over all files. The numbers go to a block of the caller's, since one vector of all of
 * them may be of 32 or 64 bits.
 */

#ifndef PYSTRAT_MIXTURE_H
#define PYSTRAT_MIXTURE_H

#include <stdint.h>

#include "prefetch.h"
#include "random.h"
#include "stream.h"

typedef struct {
  int64_t n_files;
  const int64_t *lines; /* of each file, together at most 2^53 */
  const int64_t *drawn; /* how many lines are drawn of each file, with replacement; 0 if it has none */
  const int64_t *kept;  /* how many lines are taken of each file, in order, before those that are drawn */
} Mixture;

/* How far the lines of an epoch are taken. Begin with zeros. */
typedef struct {
  int64_t file;
  int64_t taken; /* of this file */
  int64_t first; /* the number of its first line */
} MixtureProgress;

/* Take the next lines of the epoch, at most BLOCK_SIZE; return how many, which is 0 at the end.
 *
 * Drawn are the lines of a file as R's sample.int(lines, drawn, replace = TRUE) draws them.
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
        draw_numbers(generator, (uint64_t)mixture->lines[file], count, block);
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
