/* The functions of parts that are shuffled one by one. */
#include "core/functions/part_order.h"
