# Unexpected values for every argument of every exported function must give a valid result or a message. They replace
# one argument of a valid call after the other.

skip_on_cran()
skip_if_not_installed("bit64")
skip_if_not_installed("ggplot2")
skip_if_not_installed("Matrix")
skip_if_not_installed("yaml")

grammar = "^The '[^']+' parameter( (of|at) .+)? must .+\\. Got .+ instead\\.( .+)?$"

# Each is evaluated anew for each call.
hostile = expression(
  NULL, TRUE, NA, NA_real_, NA_character_, Inf, -1, 0, 0.5, 2^31, 2^53 + 2, bit64::as.integer64("9223372036854775807"),
  1i, as.raw(2), "uniform", "", "\xff", stats::setNames(c(1, 1), c("\xff", "<ff>")), `Encoding<-`("\xff", "bytes"),
  c("a", NA), c(a = 1, b = 2), c(NaN, 1), c(Inf, 1), c(-1, 1), c(0.5, 1), c(2^53 + 2, 1), c(0.3, 0.1 + 0.2), numeric(),
  logical(), c(TRUE, NA), factor(c("a", NA)), ordered("a"), structure(c(0, 0.5), class = "Date"),
  as.POSIXct(c(0, 1e-6), origin = "1970-01-01", tz = "UTC"), as.POSIXlt("2020-01-01", tz = "Europe/Berlin"),
  as.difftime(1, units = "secs"), bit64::as.integer64(c(1, 2)), list(), list(NULL), list(a = 1:2, b = 1),
  list(list(list(1))), pairlist(a = 1), matrix(c(1, 0, 0, 1), 2), matrix(numeric(), 0, 2), matrix(numeric(), 2, 0),
  array(1, c(2, 2, 2)), data.frame(a = c(1, 2), b = c("x", NA)), data.frame(),
  structure(list(a = 1, a = 2), class = "data.frame", row.names = 1L),
  structure(list(a = matrix(1, 1, 2)), class = "data.frame", row.names = 1L), Matrix::sparseMatrix(1, 1, x = 1),
  function() 1, sum, new.env(), y ~ x, quote(a + b), expression(a), methods::getClass("numeric"),
  structure(1, class = "unknown")
)
names(hostile) = vapply(hostile, deparse1, "")

labels_of_rows = c(0, 1, 1, 0, 1, 1)
counts_of_rows = rbind(a = c("0" = 2, "1" = 4))

# The values for the argument of a number: in `make test` every eighth, so that all arguments together get all values.
values_for = function(number) {
  if (is_thorough()) hostile else hostile[seq(number %% 8L + 1L, length(hostile), by = 8L)]
}

# What is wrong with the batches of a sampler: they are as many as promised, none is empty, all hold numbers of rows, or
# of pairs, and two instances give the same.
wrong_batches = function(generator) {
  sampler = generator(NULL)
  batches = sampler$batches(0)
  n_batches = sampler$.length()
  if (n_batches < 1 || length(batches$offsets) != n_batches + 1 || any(diff(batches$offsets) < 1)) {
    "has another number of batches, or empty ones"
  } else if (!are_batches(batches, largest_row(recipe_of(generator)))) {
    "has rows or offsets that are none"
  } else if (!identical(generator(NULL)$batches(0), batches)) {
    "has other batches the second time"
  } else {
    ""
  }
}

# What is wrong with what comes of a call with some arguments and a seed; "" if nothing is.
trial = function(name, changed = list()) {
  args = calls[[name]]
  if ("seed" %in% arguments_of(name)) {
    args$seed = 1
  }
  args[names(changed)] = changed
  is_function = any(vapply(changed[intersect(names(changed), called[[name]])], is.function, TRUE))
  tryCatch({
    result = do.call(name, args, quote = TRUE)
    if (startsWith(name, "batch_sampler") && !is.null(args$seed)) wrong_batches(result) else ""
  }, warning = function(warning) {
    told = conditionMessage(warning)
    is_known = grepl("^Rows that share values are dealt|^Strata that are not in every part", told)
    if (is_known) "" else paste("warns:", told)
  }, error = function(error) {
    text = conditionMessage(error)
    is_own = is_function || inherits(error, "rbridge_source_error") # of what a reader returns
    if (is_own || inherits(error, "rbridge_refusal") && validUTF8(text) && grepl(grammar, text)) {
      ""
    } else {
      sprintf("not of the grammar: %s", iconv(text, "UTF-8", "UTF-8", sub = "byte"))
    }
  })
}

corpus = corpus_of(a = 3, b = 4)

# A valid call each; those of samplers are the first specimens of each.
of_samplers = specimens()
calls = lapply(of_samplers, `[[`, "args")
names(calls) = vapply(of_samplers, `[[`, "", "name")
calls = c(calls[!duplicated(names(calls))], list(
  advise = list(x = labels_of_rows, batch_size = 2),
  auxiliary_dataset = list(dataset = structure(list(), class = "dataset"), augment = function(items, values) items),
  batch_sampler_by_length = list(sampler = batch_sampler_uniform(6, 2, seed = 1), lengths = 1:6, max_tokens = 9),
  batch_counts = list(batches = list(1:2, 3L), labels = c("a", "b", "a")),
  batch_plan = list(x = labels_of_rows, min_samples_per_stratum = 1),
  bind_counts = list(tables = list(counts_of_rows)),
  bin_target = list(values = c(1, 2, 3), n_bins = 2),
  class_weights = list(labels = labels_of_rows),
  corpus_dataset = list(source = corpus, suffixes = ".txt"),
  correct_probabilities = list(probabilities = c(0.5, 0.25), keep_rate = 0.5),
  count_sources = list(sources = list(a = labels_of_rows), read = identity, stratum = identity),
  density_weights = list(values = c(1, 2, 4)),
  decode_pairs = list(numbers = c(7, 12), n_items = 4),
  effective_number_weights = list(labels = labels_of_rows),
  inverse_density_weights = list(values = c(1, 2, 4)),
  inverse_frequency_weights = list(labels = labels_of_rows),
  min_samples_for_batch_size = list(x = labels_of_rows, mean_batch_size = 4),
  pair_dataset = list(n_users = 2, n_items = 2),
  plot_batch_counts = list(tables = list(x = data.frame(a = 1:2)), label = "a"),
  labels_of_masks = list(masks = array(c(1, 2, 255), c(3, 2, 2)), n_classes = 2, ignore = 255),
  plot_plan = list(plan = batch_plan(labels_of_rows, 1)),
  published_class_weights = list(weight = 20),
  repeat_factors = list(labels = labels_of_rows),
  sampled_vocabulary = list(sequences = list(c(1, 2), 3)),
  shard_counts = list(strata = list(a = labels_of_rows)),
  sharded_plan = list(counts = counts_of_rows, min_samples_per_stratum = 1),
  stratified_split = list(strata = labels_of_rows, sizes = c(0.5, 0.5)),
  stratified_stream = list(
    sources = list(a = labels_of_rows), min_samples_per_stratum = 1, read = identity, stratum = identity,
    strata = unique(labels_of_rows)
  ),
  stratum_codes = list(codes = as.raw(c(0, 1)), names = c("a", "b")),
  sum_tree = list(weights = c(1, 2), capacity = 2),
  temperature_weights = list(labels = labels_of_rows, temperature = 2),
  tensor_loader = list(x = labels_of_rows, sampler = sampler_of(labels_of_rows, 1)),
  triple_dataset = list(n_users = 2, n_items = 2)
))
# Functions that are called, and fail as they like.
called = list(
  batch_sampler_corpus_mixture = c("accept", "weights"),
  corpus_dataset = "accept",
  count_sources = c("read", "stratum"),
  stratified_stream = c("read", "stratum")
)
# These need Python, LibTorch, a mixture or a file, or have no argument.
not_called = c("batch_sampler_python", "collect_rows", "corpus_plan", "aum_loss", "read_batch_sampler",
  "sampled_output", "script_folder", "write_batch_sampler")

arguments_of = function(name) {
  c(setdiff(names(formals(getExportedValue("rbridge", name))), "..."), if (name == "tensor_loader") "x")
}

test_that("every exported function has a valid call", {
  exported = getNamespaceExports("rbridge")
  expect_setequal(exported[!startsWith(exported, ".__")], c(names(calls), not_called))
  for (name in names(calls)) {
    expect_identical(trial(name), "", info = name)
  }
})

number = 0L
for (name in names(calls)) {
  test_that(paste("values that nobody expects:", name), {
    for (argument in arguments_of(name)) {
      number <<- number + 1L
      found = vapply(values_for(number), function(value) {
        trial(name, stats::setNames(list(eval(value)), argument))
      }, "")
      expect_identical(found[nzchar(found)], setNames(character(), character()), info = argument)
    }
  })
}
