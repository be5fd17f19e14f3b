/* A fingerprint: text that is equal for samplers with the same batches, in every language, and otherwise shows what
 * differs, such as "kind=uniform seed=1 n_rows=24". A whole number is written out, and of other values a digest.
 */

#ifndef PYSTRAT_FINGERPRINT_H
#define PYSTRAT_FINGERPRINT_H

#include "digest_parts.h"

typedef struct {
  char *text;
  int64_t size;
} Fingerprint;

/* Begin a fingerprint of at most `n_entries` entries, and of `n_further` characters besides them. */
static inline bool begin_fingerprint(Fingerprint *fingerprint, int64_t n_entries, int64_t n_further, Host *host) {
  fingerprint->size = 0;
  fingerprint->text = host->memory(host, FOR_THE_CALL, n_entries * NUMBER + n_further + 1);
  return fingerprint->text != NULL;
}

static inline void add_text(Fingerprint *fingerprint, const char *text) {
  int64_t size = (int64_t)strlen(text);
  memcpy(fingerprint->text + fingerprint->size, text, (size_t)size);
  fingerprint->size += size;
}

static inline void add_entry(Fingerprint *fingerprint, const char *name, const char *value) {
  if (fingerprint->size > 0) add_text(fingerprint, " ");
  add_text(fingerprint, name);
  add_text(fingerprint, "=");
  add_text(fingerprint, value);
}

static inline void add_digest(Fingerprint *fingerprint, const char *name, const Digest *digest) {
  char value[NUMBER];
  snprintf(value, NUMBER, "%016llx", (unsigned long long)digest->hash);
  add_entry(fingerprint, name, value);
}

/* Add a part, unless it has no value; return whether it succeeded. */
static inline bool add_part(Fingerprint *fingerprint, const Part *part, Host *host) {
  Part number_part = *part;
  if (part->type == FLAG) number_part.type = INTEGERS;
  double number;
  bool is_number = is_one_number(&number_part, &number);
  if (is_number && floor(number) == number && fabs(number) <= LARGEST_EXACT) {
    char value[NUMBER];
    snprintf(value, NUMBER, "%.0f", number + 0.0); /* -0 becomes 0 */
    add_entry(fingerprint, part->name, value);
  } else if (part->type != NOTHING) {
    Digest digest = {0};
    if (!digest_part(&digest, part, host)) return false;
    add_digest(fingerprint, part->name, &digest);
  }
  return true;
}

/* Return the number of characters of the names of parts. */
static inline int64_t size_of_names(const Parts *parts) {
  int64_t size = 0;
  for (int64_t i = 0; i < parts->n_parts; i++) size += (int64_t)strlen(parts->parts[i].name);
  return size;
}

/* Make the result "fingerprint" of it. */
static inline bool give_fingerprint(const Fingerprint *fingerprint, Host *host) {
  uint8_t *text = host->vector(host, "fingerprint", BYTES, fingerprint->size);
  if (text != NULL) memcpy(text, fingerprint->text, (size_t)fingerprint->size);
  return text != NULL;
}

#endif
