/* The kind "no_duplicates", in a file of its own: compilers make slower loops of all kinds together. */
#include "core/kinds/no_duplicates.h"
