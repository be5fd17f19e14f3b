/* The digest of named vectors. */

#include "core/digest_parts.h"
#include "core/functions.h"

/* Make "digest" the result: that of all parts, in their order. */
static bool call_digest_parts(const Parts *request, Host *host) {
  Digest digest = {0};
  for (int64_t i = 0; i < request->n_parts; i++) {
    if (!digest_part(&digest, &request->parts[i], host)) return false;
  }
  return give_digest(&digest, host);
}

const Function digest_parts_function = {"digest_parts", call_digest_parts};
