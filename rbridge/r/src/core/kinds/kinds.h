/* The kinds of samplers. Each has a header of its own, which defines a Kind and is included in one source file only. */

#ifndef PYSTRAT_KINDS_H
#define PYSTRAT_KINDS_H

#include "../random.h"
#include "../recipe.h"

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
} Kind;

extern const Kind uniform_kind;
extern const Kind strata_subset_kind;
extern const Kind epoch_subset_kind;
extern const Kind rare_events_kind;
extern const Kind pairs_kind;
extern const Kind triples_kind;
extern const Kind tree_kind;
extern const Kind stratified_kind;
extern const Kind downsampled_kind;

/* Return the kind of this name, or NULL. */
static inline const Kind *find_kind(const char *name) {
  static const Kind *const kinds[] = {
      &uniform_kind, &strata_subset_kind, &epoch_subset_kind, &rare_events_kind, &pairs_kind,
      &triples_kind, &tree_kind,          &stratified_kind,   &downsampled_kind,
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
  }
  return NULL;
}

static inline bool draw_epoch(const Kind *kind, void *self, uint32_t seed, uint32_t epoch, Host *host) {
  Generator generator;
  seed_generator(&generator, epoch_seed(seed, epoch));
  return kind->draw(self, &generator, epoch, host);
}

#endif
