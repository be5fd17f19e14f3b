/* The kind "stratified_group", in a file of its own: compilers make slower loops of all kinds together. */
#include "core/kinds/stratified_group.h"
