/* The kinds of samplers. Each is a source file of its own, ../kind_<kind>.c, because compilers make slower loops of all
 * kinds together.
 */

#ifndef PYSTRAT_KINDS_H
#define PYSTRAT_KINDS_H

#include "identity.h"
#include "random.h"
#include "recipe.h"

/* What changes the state of a sampler whose batches depend on feedback.
 *
 * The state is vectors, as parts, that the host owns and the core changes in place. A call that fails leaves them as
 * they were. `self` is what prepare() began.
 */
typedef struct {
  /* Check the state of a recipe, as far as that needs no memory. */
  bool (*check)(const void *self, const Parts *given, Host *host);
  /* Check the state of a recipe, or what plan() made of a request, and make the vectors: the results. */
  bool (*begin)(const void *self, const Parts *given, Host *host);
  /* Draw "rows": "count" batches, or "count" times "k" rows outside of epochs. Nothing but the generator changes.
   * NULL for kinds whose epochs begin as a whole: tell() begins one, and ask() gives its batches.
   */
  bool (*draw_more)(const void *self, const Parts *state, const Parts *wanted, Generator *generator, Host *host);
  /* Change the state as the method of this name does. */
  bool (*tell)(const void *self, const Parts *state, const char *method, const Parts *told, Host *host);
  /* Give the values of this name, or the "state" of a recipe. */
  bool (*ask)(const void *self, const Parts *state, const char *name, const Parts *asked, Host *host);
} Feedback;

/* A kind: what makes a recipe, and what draws batches from it. All functions return whether they succeeded. */
typedef struct {
  const char *name;
  int64_t instance_bytes; /* of what an instance works with, zeros at first */

  /* Make the parts of a recipe from a request; if it lacks the data, its checked parameters. */
  bool (*plan)(const Parts *request, Host *host);
  /* Check a recipe, whose values must outlive the instance, and begin the instance. */
  bool (*prepare)(void *self, const Parts *recipe, uint32_t seed, Host *host);
  /* Draw an epoch: "rows", "offsets" and further results. The generator begins the stream of the epoch. */
  bool (*draw)(void *self, Generator *generator, uint32_t epoch, Host *host);
  /* Return the number of batches of an epoch, 0 if only its draw tells; NULL if a part of the recipe is the number. */
  int64_t (*count_batches)(const void *self, uint32_t epoch);
  /* Say what of the recipe determines the batches; NULL if that is all of it. */
  void (*identify)(const void *self, const Parts *recipe, Identity *identity);
  /* NULL without feedback; else draw() is NULL. */
  const Feedback *feedback;
} Kind;

/* All kinds are in C++. */
static inline const Kind *find_kind(const char *name) {
  (void)name;
  return NULL;
}

/* Make "fingerprint" a result: that of what determines the batches of a recipe. */
static inline bool identify_recipe(const Kind *kind, const void *self, const Parts *recipe, uint32_t seed, Host *host) {
  Identity identity = {.only = NULL};
  Fingerprint fingerprint;
  double number = seed;
  Part seed_part = {.name = "seed", .type = DOUBLES, .length = 1, .values = &number};
  if (kind->identify != NULL) kind->identify(self, recipe, &identity);
  const char *only = identity.only == NULL ? "" : identity.only;
  int64_t n_further = size_of_names(recipe) + (int64_t)(strlen(kind->name) + strlen(only));
  if (!begin_fingerprint(&fingerprint, recipe->n_parts + 4, n_further, host)) return false;
  add_entry(&fingerprint, "kind", kind->name);
  if (!identity.has_unused_seed && !add_part(&fingerprint, &seed_part, host)) return false;
  for (int64_t i = 0; identity.only == NULL && i < recipe->n_parts; i++) {
    const Part *part = &recipe->parts[i];
    if (identity.has_unused_shares && strcmp(part->name, "num_replicas") == 0) continue;
    if (!add_part(&fingerprint, part, host)) return false;
  }
  if (identity.only != NULL) {
    add_text(&fingerprint, " ");
    add_text(&fingerprint, identity.only);
  }
  if (identity.n_batches.hash != 0) add_digest(&fingerprint, "n_batches", &identity.n_batches);
  return give_fingerprint(&fingerprint, host);
}

static inline bool draw_epoch(const Kind *kind, void *self, uint32_t seed, uint32_t epoch, Host *host) {
  Generator generator;
  seed_generator(&generator, epoch_seed(seed, epoch));
  return kind->draw(self, &generator, epoch, host);
}

#endif
