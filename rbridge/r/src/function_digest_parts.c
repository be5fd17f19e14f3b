/* The function that makes digests. */
#include "core/functions/digest_parts.h"
