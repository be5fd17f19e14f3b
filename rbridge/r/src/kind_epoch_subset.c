/* The kind "epoch_subset", in a file of its own: compilers make slower loops of all kinds together. */
#include "core/kinds/epoch_subset.h"
