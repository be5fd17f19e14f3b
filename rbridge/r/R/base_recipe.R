# Recipes: what samplers draw, as plain vectors, the same in Python and in R.
# A recipe is list(kind, version, seed, parts, state, labels):
# * `kind`: the name of a kind of samplers, defined by the function kind_<name>();
# * `version`: the version of the format;
# * `seed`: a number, or NULL if each instance draws one;
# * `parts`: the data and the parameters that, together with the seed, determine the batches of all epochs;
# * `state`: what feedback has changed so far, for kinds with feedback;
# * `labels`: what is only shown, such as the names of strata.
# Parts, state and labels are raw, integer, double and character vectors without attributes; flags are integers. Whoever
# wrote them, nothing in them is evaluated, and the core checks the parts and the state whenever it plans.
# Instead of parts, a recipe may have `open`, a list of settings, from which the kind makes the parts once it has a
# dataset.

recipe_version = 1L

new_recipe = function(kind, seed, parts, state = list(), labels = list()) {
  force(parts) # before the seed
  list(
    kind = kind, version = recipe_version, seed = if (!is.null(seed)) check_range(seed, "seed", largest_seed),
    parts = Filter(Negate(is.null), parts), state = state, labels = Filter(Negate(is.null), labels)
  )
}

# The recipe of a sampler whose strata are in the dataset.
open_recipe = function(kind, seed, settings, labels = list()) {
  c(new_recipe(kind, seed, list(), labels = labels), list(open = settings))
}

# Codes of strata in the form of recipes: from 0, with the number of strata for rows that are in no batch, in the
# smallest type.
recipe_codes = function(codes, n_strata) {
  codes = codes - 1L
  codes[is.na(codes)] = n_strata
  if (n_strata < 256L) as.raw(codes) else codes
}
