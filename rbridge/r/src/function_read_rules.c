/* The function "read_rules". */
#include "core/functions/read_rules.h"
