/* The kind "one_stratum", in a file of its own: compilers make slower loops of all kinds together. */
#include "core/kinds/one_stratum.h"
