/* The function "corpus_plan". */
#include "core/functions/corpus_plan.h"
