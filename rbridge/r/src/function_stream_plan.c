/* The functions of the plans of streams. */
#include "core/functions/stream_plan.h"
