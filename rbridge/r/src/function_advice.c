/* The function "advice". */
#include "core/functions/advice.h"
