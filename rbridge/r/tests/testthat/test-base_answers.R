# What a newcomer is likely to pass works, or the error says what to do.

labels = rep(c(1L, 0L), c(60, 1940))

test_that("two columns of text are labels", {
  table = data.frame(a = rep(c("x", "y"), 50), b = rep(c("u", "u", "v", "w"), 25))
  for (rows in as.list(batch_sampler_multilabel(1, labels = table, seed = 1)(NULL)$batches(0))) {
    expect_setequal(table$a[rows], c("x", "y"))
    expect_setequal(table$b[rows], c("u", "v", "w"))
  }
})

test_that("values of a wrong length are answered with both lengths", {
  wrong = paste0("p", 1:57)
  expect_match(message_of(batch_sampler_stratified_group(1, groups = wrong, strata = labels)(NULL)),
    "must have one value for each row of 'strata', 2000. Got 57 values instead.", fixed = TRUE)
  skip_if_not_installed("mlr3")
  dataset = list(task = mlr3::tsk("sonar"))
  expected = "or have one value for each of its rows, 208. Got 57 values instead."
  expect_match(message_of(batch_sampler_stratified_group(1, groups = wrong)(dataset)), expected, fixed = TRUE)
  expect_match(message_of(batch_sampler_stratified(1, strata = wrong)(dataset)), expected, fixed = TRUE)
})

# What one sampler or function makes of values of rows, or of numbers.
of_rows = list(
  strata = function(x) batch_sampler_stratified(1, strata = x, seed = 1)(NULL)$batches(0),
  "columns of strata" = function(x) batch_sampler_stratified(1, strata = list(a = x), seed = 1)(NULL)$batches(0),
  groups = function(x) {
    batch_sampler_stratified_group(1, groups = x, strata = rep(0:1, 6), seed = 1)(NULL)$batches(0)
  },
  keys = function(x) batch_sampler_no_duplicates(3, keys = x, seed = 1)(NULL)$batches(0),
  weights = function(x) batch_sampler_weighted(x, 3, seed = 1)(NULL)$batches(0),
  classes = function(x) repeat_factors(x, threshold = 1),
  values = function(x) inverse_density_weights(x),
  bins = function(x) bin_target(x, 3),
  lengths = function(x) {
    batch_sampler_by_length(batch_sampler_uniform(12, 8, seed = 1), x, max_tokens = 20)(NULL)$batches(0)
  },
  users = function(x) batch_sampler_pairs(x, rep(1:6, 2), 0.5, 4, seed = 1)(NULL)$batches(0),
  shards = function(x) shard_counts(list(a = x)),
  column = function(x) {
    batch_sampler_tree(list(column = "a", op = "lt", value = 5), 4, 12, list(a = x), seed = 1)(NULL)$batches(0)
  }
)

numbers = list(
  n_rows = function(x) batch_sampler_uniform(x, 2, seed = 1)(NULL)$batches(0),
  min_samples_per_stratum = function(x) batch_plan(rep(1:2, 9), x)$n_batches,
  seed = function(x) batch_sampler_uniform(9, 2, seed = x)(NULL)$batches(0),
  epoch = function(x) batch_sampler_uniform(9, 2, seed = 1)(NULL)$set_epoch(x)$batches(),
  majority = function(x) {
    batch_sampler_downsampled(0.5, 4, strata = rep(4:5, 6), majority = x, seed = 1)(NULL)$batches(0)
  },
  k = function(x) sum_tree(1:9, seed = 1)$sample(x),
  value = function(x) {
    batch_sampler_tree(list(column = "a", op = "lt", value = x), 4, 12, list(a = 1:9), seed = 1)(NULL)$batches(0)
  }
)

test_that("arrays of one dimension, matrices of one column and numbers of 64 bits are values of rows", {
  skip_if_not_installed("bit64")
  x = c(3, 3, 5, 4, 5, 6, 7, 8, 9, 9, 2, 3)
  forms = list(array(x), matrix(x), bit64::as.integer64(x), structure(array(x), class = "table"),
    structure(bit64::as.integer64(x), dim = c(12L, 1L)))
  for (name in names(of_rows)) {
    for (form in forms) expect_equal(of_rows[[name]](form), of_rows[[name]](x), info = name)
  }
  for (name in names(numbers)) {
    for (form in list(bit64::as.integer64(4), array(4))) {
      expect_equal(numbers[[name]](form), numbers[[name]](4), info = name)
    }
  }
  expect_match(message_of(of_rows$groups(bit64::as.integer64("9007199254740993") + 0:11)), fixed = TRUE,
    "Pass such numbers as text.")
})

test_that("names of values of known things decide, or are refused", {
  features = c(bob = 1, ann = 2)
  dataset = pair_dataset(2, 3, user_features = features, user_ids = c("ann", "bob"))
  expect_identical(dataset[c(1, 7)]$user_features, c(2, 1))
  rows = matrix(1:4, 2, dimnames = list(c("2", "1"), NULL))
  expect_identical(triple_dataset(2, 3, user_features = rows)[c(1, 2)]$user_features, matrix(c(2L, 4L), 1))
  expect_identical(decode_pairs(7, 3, user_ids = c("2" = "bob", "1" = "ann"))$user, "bob")
  expect_identical(stratum_codes(0:1, c("1" = "yes", "0" = "no")), stratum_codes(0:1, c("no", "yes")))
  folder = withr::local_tempdir()
  for (name in c("news.de.a", "news.de.b", "web.de.a", "web.de.b")) {
    writeLines(rep(c("x", "x y", "x y z"), 20), file.path(folder, name))
  }
  mixture = function(weights, limits) {
    batch_sampler_corpus_mixture(folder, 8, sample = 20, suffixes = c(".a", ".b"), weights = weights,
      max_length = limits, seed = 1)(NULL)$batches(0)
  }
  expect_identical(mixture(c(web.de = 3, news.de = 1), c(.b = 2, .a = 1)), mixture(c(1, 3), c(1, 2)))
  expect_match(message_of(mixture(c(web.de = 3, new.de = 1), 3)), fixed = TRUE,
    "must name each of 'news.de', 'web.de' once if it has names. Got 'new.de' instead.")
  expect_match(message_of(pair_dataset(2, 3, user_features = c(ann = 1, eve = 2), user_ids = c("ann", "bob"))),
    fixed = TRUE, paste("The 'user_features' parameter must name each of 'ann', 'bob' once if it has names.",
      "Got 'eve' instead. To match by position, give unname() of it."))
})
