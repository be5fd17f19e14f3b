/* The functions of sharded plans. */
#include "core/functions/sharded_plan.h"
