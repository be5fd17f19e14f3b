# A recipe that somebody edited is refused when its file is read, or at the latest when it draws. The message names the
# part that is wrong. test-base_recipe_file.R changes files in other ways.

# The refusal of a recipe by one of the public calls, or NULL.
refusal_of_recipe = function(recipe) {
  file = recipe_file(recipe, withr::local_tempfile())
  tryCatch({
    generator = read_batch_sampler(file)
    sampler = generator(NULL)
    if (!is.na(sampler$.length())) {
      sampler$batches(sampler$epoch)
    }
    NULL
  }, rbridge_refusal = identity)
}

# Changes vectors of a recipe: its parts, or those named such as "state.weights".
edited = function(recipe, edits) {
  for (name in names(edits)) {
    place = if (grepl(".", name, fixed = TRUE)) strsplit(name, ".", fixed = TRUE)[[1L]] else c("parts", name)
    recipe[[place]] = edits[[name]]
  }
  recipe
}

expect_refused = function(recipe, edits, message, info = deparse1(edits), ...) {
  refusal = refusal_of_recipe(edited(recipe, edits))
  if (is.null(refusal)) {
    return(fail(paste("accepted:", info)))
  }
  expect_match(conditionMessage(refusal), message, info = info, ...)
  expect_in(deparse1(conditionCall(refusal)),
    c("read_batch_sampler(file)", "generator(NULL)", "sampler$batches(sampler$epoch)"))
}

numbers = 0:23

# Generators, and edits of their recipes that contradict the other parts. The name of an edit is its message, from
# "must" to "instead", if the parameter is 'recipe'.
cases = list(
  list(batch_sampler_one_stratum(2, strata = list(rep(c("b", "a"), 3)), seed = 1),
    "have 2 names of strata. Got 'a'" = list(labels.names = "a")),
  list(batch_sampler_multilabel(data.frame(a = c(1, 0, 1, 0), b = c(1, 1, 0, 0)), 1, max_batches = 1, seed = 1),
    "have 2 names of labels. Got 'a'" = list(labels.names = "a")),
  list(batch_sampler_no_duplicates(1, list(c(1, 2, 2, 2, 3, 4)), seed = 1),
    "have 1 text as 'frequent'. Got 2 values" = list(labels.frequent = c("1", "2"))),
  list(batch_sampler_pairs(c("a", "b"), 1:2, 0.5, 4, seed = 1),
    "have 2 texts as 'user_ids'. Got 'a'" = list(labels.user_ids = "a")),
  list(batch_sampler_corpus_mixture(corpus_of(a = 30, b = 60), 8, 20, suffixes = ".txt", seed = 1),
    "have whole numbers as 'lines'. Got others" = list(lines = c(1.5, 2)),
    "have a name, a path and a version of each file. Got others" = list(labels.paths = as.raw(1))),
  list(batch_sampler_tree(turns, 4, "active", table = list(label = rep(c("active", "inactive"), c(4, 8))), seed = 1),
    "have the nodes and the columns of a tree. Got others" = list(taken = as.raw(1)),
    "have two arguments of each function. Got others" = list(first = c(10, -10)))
)

for (case in cases) {
  recipe = recipe_of(case[[1L]])
  test_that(paste("parts that contradict each other are refused:", recipe$kind), {
    expect_null(refusal_of_recipe(recipe))
    for (words in names(case)[-1L]) {
      message = sprintf("The 'recipe' parameter must %s instead.", words)
      expect_refused(recipe, case[[words]], message, fixed = TRUE)
    }
  })
}

# Edits that are refused for every vector, except those in `may_be`.
edits_of_vector = function(vector) {
  n = length(vector)
  edits = list(empty = vector[0L], type = if (is.character(vector)) numeric(n) else rep("a", n))
  if (is.numeric(vector)) {
    edits = c(edits, list(missing = replace(vector, 1L, NA),
      negative = replace(vector, n, if (is.integer(vector)) -1L else -1)))
  }
  if (is.double(vector) && n == 1L) {
    edits$zero = 0
  } else if (n > 1L && !is.character(vector)) {
    edits$number = if (is.double(vector)) suppressWarnings(as.integer(vector)) else as.double(vector)
  }
  edits = c(edits, switch(typeof(vector),
    raw = list(largest = replace(vector, n, as.raw(255L))),
    integer = list(largest = replace(vector, n, .Machine$integer.max)),
    double = list(infinite = replace(vector, 1L, Inf))
  ))
  Filter(function(edit) !identical(edit, vector), edits)
}

# Edits that are accepted, by kind and part.
may_be = c("perplexity maximum negative", "tree names largest", "tree names empty",
  "tree repeats largest", "tree summed negative", "tree weights zero",
  "mixture file_weights negative", "pairs power zero", "prioritized alpha zero",
  "prioritized epsilon zero", "prioritized n_rows zero")

# Edits of a part, or of a vector of the state, are refused, or accepted if `may_be` has them.
expect_refused_or_accepted = function(recipe, entry, part) {
  edits = edits_of_vector(recipe[[c(entry, part)]])
  for (edit in names(edits)) {
    edit_of_part = stats::setNames(edits[edit], paste(entry, part, sep = "."))
    info = paste(recipe$kind, part, edit)
    if (info %in% may_be) {
      expect_no_error(read_batch_sampler(recipe_file(edited(recipe, edit_of_part))))
    } else {
      expect_refused(recipe, edit_of_part, "^The '[a-z_]+' parameter must .+[.] Got .+ instead[.]", info)
    }
  }
}

of_some = some_of(chosen_specimens(), 11)
for (name in names(of_some)) {
  test_that(paste("no part is empty, of another type, or beyond its range:", name), {
    recipe = recipe_of(generator_of_specimen(of_some[[name]]))
    for (entry in c("parts", "state")) {
      for (part in names(Filter(length, recipe[[entry]]))) {
        expect_refused_or_accepted(recipe, entry, part)
      }
    }
  })
}
