/* The functions of the core. */
#include "core/functions/batch_plan.h"
