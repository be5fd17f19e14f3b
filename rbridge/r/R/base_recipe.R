# Recipes: what samplers draw, as plain vectors, the same in Python and in R.
# A recipe is list(kind, version, seed, parts, state, labels):
# * `kind`: the name of a kind of samplers, defined by the function kind_<name>();
# * `version`: the version of the format;
# * `seed`: a number, or NULL if each instance draws one;
# * `parts`: the data and the parameters that, together with the seed, determine the batches of all epochs;
# * `state`: what feedback has changed so far, for kinds with feedback;
# * `labels`: what is only shown, such as the names of strata.
# Parts, state and labels are raw, integer, double and character vectors without attributes; flags are integers.
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

# A setting, or the numbers of classes or strata with their names, as text.
show_setting = function(value) {
  if (is.null(names(value)) || !(is.numeric(value) || is.list(value))) {
    return(show_value(value))
  }
  paste(sprintf("'%s': %s", names(value), vapply(unname(value), show_value, "")), collapse = ", ")
}

# The recipe of a sampler whose strata are in the dataset.
open_recipe = function(kind, seed, settings, labels) {
  c(new_recipe(kind, seed, list(), labels = labels), list(open = settings))
}

# Recipes may come from files that anyone can write. Nothing in them is evaluated: a recipe is a list of lists of plain
# vectors, without attributes, so no method of a class is called.
check_recipe = function(recipe) {
  entries = c("kind", "version", "seed", recipe_entries)
  if (!is_plain_list(recipe) || !identical(names(recipe), entries)) {
    stop_parameter("recipe", paste("have the entries", show_names(entries)), show_value(recipe))
  }
  if (!identical(recipe$version, recipe_version)) {
    stop_parameter("recipe", sprintf("be of version %d", recipe_version), show_value(recipe$version))
  }
  if (!is_plain_vector(recipe$kind) || length(recipe$kind) != 1L || !recipe$kind %in% recipe_kinds()) {
    stop_parameter("recipe", paste("be of a kind of", show_names(recipe_kinds(), Inf)), show_value(recipe$kind))
  }
  if (!is.null(recipe$seed)) {
    check_plain_vector(recipe$seed, "seed")
    check_range(recipe$seed, "seed", largest_seed)
  }
  kind = sampler_kind(recipe$kind)
  for (entry in recipe_entries) {
    check_vectors(recipe[[entry]], entry, kind$vectors[[entry]], recipe$kind)
  }
  core_check(recipe)
  if (!is.null(kind$inside)) {
    check_recipe(kind$inside(recipe))
  }
  kind$check(recipe)
  invisible(recipe)
}

check_vectors = function(vectors, entry, known, kind) {
  is_named = is_plain_list(vectors) && length(names(vectors)) == length(vectors) && !anyDuplicated(names(vectors))
  if (!is_named) {
    stop_parameter("recipe", sprintf("have named vectors in '%s'", entry), show_value(vectors))
  }
  unknown = if (!identical(known, NA)) setdiff(names(vectors), known)
  if (length(unknown) > 0L) {
    stop_parameter("recipe", sprintf("have the vectors of the kind '%s' in '%s'", kind, entry), show_value(unknown[1L]))
  }
  for (name in names(vectors)) {
    check_plain_vector(vectors[[name]], name)
  }
}

check_plain_vector = function(vector, name) {
  if (!is_plain_vector(vector)) {
    stop_parameter("recipe", sprintf("have a plain vector as '%s'", name), show_value(vector))
  }
  if (is.character(vector) && (anyNA(vector) || !all(validUTF8(vector)))) {
    stop_parameter("recipe", sprintf("have text in UTF-8 as '%s'", name), "other text")
  }
}

is_plain_vector = function(value) {
  typeof(value) %in% c("raw", "integer", "double", "character") && is.null(attributes(value)) && !isS4(value)
}

is_plain_list = function(value) {
  typeof(value) == "list" && all(names(attributes(value)) == "names") && !isS4(value)
}

# The memory in bytes that a recipe, an instance of it and an epoch need, at most.
recipe_bytes = function(recipe) {
  as.double(utils::object.size(recipe)) + sampler_kind(recipe$kind)$bytes(recipe) + 2^22
}

check_recipe_bytes = function(needed, max_bytes) {
  if (!isTRUE(needed <= max_bytes)) {
    stop_parameter("file", sprintf("hold a recipe that needs at most %.0f bytes of memory, 'max_bytes'", max_bytes),
      sprintf("one that needs %.0f", needed), "Raise 'max_bytes' if you expect so much data.")
  }
}

# Codes of strata in the form of recipes: from 0, with the number of strata for rows that are in no batch, in the
# smallest type.
recipe_codes = function(codes, n_strata) {
  codes = codes - 1L
  codes[is.na(codes)] = n_strata
  if (n_strata < 256L) as.raw(codes) else codes
}
