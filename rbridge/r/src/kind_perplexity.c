/* The kind "perplexity", in a file of its own: compilers make slower loops of all kinds together. */
#include "core/kinds/perplexity.h"
