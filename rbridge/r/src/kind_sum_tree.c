/* The kind "sum_tree", in a file of its own: compilers make slower loops of all kinds together. */
#include "core/kinds/sum_tree.h"
