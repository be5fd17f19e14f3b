/* The kind "mixture", in a file of its own: compilers make slower loops of all kinds together. */
#include "core/kinds/mixture.h"
