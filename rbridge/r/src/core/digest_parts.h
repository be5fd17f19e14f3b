/* The digest of parts. */

#ifndef PYSTRAT_DIGEST_PARTS_H
#define PYSTRAT_DIGEST_PARTS_H

#include "digest.h"
#include "recipe.h"

/* Add the values from `begin` to before `end` of a part. */
static inline void digest_values(Digest *digest, const Part *part, int64_t begin, int64_t end) {
  switch (part->type) {
    case BYTES: digest_bytes(digest, (const uint8_t *)part->values + begin, end - begin); break;
    case FLAG:
    case INTEGERS:
      for (int64_t i = begin; i < end; i++) digest_number(digest, ((const int32_t *)part->values)[i]);
      break;
    case FRACTION:
    case DOUBLES:
      for (int64_t i = begin; i < end; i++) digest_number(digest, ((const double *)part->values)[i]);
      break;
    case TEXT:
    case TEXTS:
      for (int64_t i = begin; i < end; i++) digest_text(digest, text_at(part, i));
      break;
    default: break;
  }
}

/* Add a part, unless it has no value: its name, the kind of its values, their number, and they. Return whether it
 * succeeded.
 */
static inline bool digest_part(Digest *digest, const Part *part, Host *host) {
  if (part->type == NOTHING) return true;
  digest_text(digest, part->name);
  digest_word(digest, part->type == BYTES ? 0 : are_texts(part) ? 1 : 2);
  digest_word(digest, (uint64_t)part->length);
  for (int64_t begin = 0; begin < part->length; begin += GO_ON_ROWS) {
    digest_values(digest, part, begin, smaller(begin + GO_ON_ROWS, part->length));
    if (!host->go_on(host)) return false;
  }
  return true;
}

#endif
