/* The function "density_weights". */
#include "core/functions/density_weights.h"
