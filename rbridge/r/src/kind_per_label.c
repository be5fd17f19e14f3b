/* The kind "per_label", in a file of its own: compilers make slower loops of all kinds together. */
#include "core/kinds/per_label.h"
