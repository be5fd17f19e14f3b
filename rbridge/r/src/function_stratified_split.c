/* The function "stratified_split". */
#include "core/functions/stratified_split.h"
