/* The kind "strata_subset", in a file of its own: compilers make slower loops of all kinds together. */
#include "core/kinds/strata_subset.h"
