/* The function "group_plan". */
#include "core/functions/group_plan.h"
