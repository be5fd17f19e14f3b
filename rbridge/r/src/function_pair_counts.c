/* The function "pair_counts". */
#include "core/functions/pair_counts.h"
