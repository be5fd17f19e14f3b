/* The largest number of rows, draws, batches, codes or repeats: R and Python number them in 32 bits. */

#ifndef PYSTRAT_LARGEST_COUNT_H
#define PYSTRAT_LARGEST_COUNT_H

enum { LARGEST_COUNT = 2147483647 };

#endif
