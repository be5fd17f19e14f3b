/* The function "number_values". */
#include "core/functions/number_values.h"
