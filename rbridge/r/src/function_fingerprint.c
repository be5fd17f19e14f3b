/* The fingerprint of named values. */

#include "core/fingerprint.h"
#include "core/functions.h"

static bool call_fingerprint(const Parts *request, Host *host) {
  Fingerprint fingerprint;
  if (!begin_fingerprint(&fingerprint, request->n_parts, size_of_names(request), host)) return false;
  for (int64_t i = 0; i < request->n_parts; i++) {
    if (!add_part(&fingerprint, &request->parts[i], host)) return false;
  }
  return give_fingerprint(&fingerprint, host);
}

const Function fingerprint_function = {"fingerprint", call_fingerprint};
