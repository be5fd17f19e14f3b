/* The largest numbers, as in pystrat/limits.py and R/base_limits.R. */

#ifndef PYSTRAT_LARGEST_NUMBERS_H
#define PYSTRAT_LARGEST_NUMBERS_H

#include <stdint.h>

enum {
  LARGEST_COUNT = 2147483647, /* of rows, draws, batches, codes or repeats, which R and Python number in 32 bits */
  LARGEST_SEED = 2147483646,  /* seeds are remainders modulo the next number, a prime */
  LARGEST_EPOCH = 6700000,    /* up to it, R's doubles hold the products of epochs and their step exactly */
  SAMPLE_EPOCH = LARGEST_EPOCH + 1 /* what samplers draw outside epochs comes from the stream of this one */
};

#define LARGEST_EXACT 9007199254740992.0 /* doubles hold all integers up to it */

/* A number of at least 1 as an integer; one that exceeds all counts as the next one. */
static inline int64_t limited(double number) {
  return number <= (double)LARGEST_COUNT ? (int64_t)number : INT64_C(1) + LARGEST_COUNT;
}

#endif
