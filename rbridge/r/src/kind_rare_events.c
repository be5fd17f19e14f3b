/* The kind "rare_events", in a file of its own: compilers make slower loops of all kinds together. */
#include "core/kinds/rare_events.h"
