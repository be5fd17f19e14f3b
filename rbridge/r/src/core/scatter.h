/* The scatter of an epoch's order into its batches.
 *
 * The layout determines where the row of each stratum and rank goes. So an epoch is drawn in one pass, without storing
 * its order: each row that comes out of the pool goes to the place of the next row of its stratum. The functions are
 * those of scatter_template.h, for codes of three widths; their names end in _uint8, _uint16 and _int32.
 */

#ifndef PYSTRAT_SCATTER_H
#define PYSTRAT_SCATTER_H

#include <stddef.h>
#include <stdint.h>

#include "permutation.h"
#include "prefetch.h"
#include "random.h"

enum {
  LINE_BYTES = 64, /* in a cache line, usually */
  WRITE_LAG = 64   /* rows between the prefetch of a place and its write */
};

#define CODE uint8_t
#define NAME(name) name##_uint8
#include "scatter_template.h"
#undef CODE
#undef NAME

#define CODE uint16_t
#define NAME(name) name##_uint16
#include "scatter_template.h"
#undef CODE
#undef NAME

#define CODE int32_t
#define NAME(name) name##_int32
#include "scatter_template.h"
#undef CODE
#undef NAME

#endif
