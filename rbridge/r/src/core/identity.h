/* What of a recipe determines the batches: all of it, as long as its kind says nothing else. Samplers that agree in it
 * can continue each other's states.
 */

#ifndef PYSTRAT_IDENTITY_H
#define PYSTRAT_IDENTITY_H

#include "fingerprint.h"

typedef struct {
  Digest n_batches;       /* a kind adds them if no part is their number */
  bool has_unused_seed;   /* no batch depends on the seed */
  bool has_unused_shares; /* no batch depends on "num_replicas" beyond the numbers of batches */
  const char *only;       /* the fingerprint of what stands for all parts, or NULL */
} Identity;

#endif
