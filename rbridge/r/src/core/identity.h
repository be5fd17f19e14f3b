/* What of a recipe determines the batches: all of it, as long as its kind says nothing else. Samplers that agree in it
 * can continue each other's states.
 */

#ifndef PYSTRAT_IDENTITY_H
#define PYSTRAT_IDENTITY_H

#include "digest_parts.h"

typedef struct {
  Digest digest;          /* a kind may add what else does, or what stands for parts that are left out */
  bool has_unused_seed;   /* no batch depends on the seed */
  bool has_unused_shares; /* no batch depends on "num_replicas" beyond what was added to the digest */
  const char *only;       /* the part that stands for all others, or NULL */
} Identity;

#endif
