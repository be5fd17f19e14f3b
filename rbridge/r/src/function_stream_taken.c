/* The functions of streams whose epochs take rows less or more often than once. */
#include "core/functions/stream_taken.h"
