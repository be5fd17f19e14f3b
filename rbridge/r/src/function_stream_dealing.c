/* The functions of rows that are dealt to the batches of streams. */
#include "core/functions/stream_dealing.h"
