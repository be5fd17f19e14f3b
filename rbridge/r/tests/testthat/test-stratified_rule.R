# The rule on counts alone, which the tests of Python and of the core have exhaustively.

test_that("the number of batches is rounded down to a multiple of the replicas", {
  expect_equal(sampler_of(rep(1:2, c(11, 40)), min_samples_per_stratum = 1, num_replicas = 4)$.length(), 8L)
  expect_equal(sampler_of(rep(1:2, c(40, 40)), mean_batch_size = 7, num_replicas = 4)$.length(), 8L)
  expect_equal(sampler_of(rep(1:2, c(11, 40)), min_samples_per_stratum = 1, num_replicas = 1)$.length(), 11L)
})

test_that("the value that a message advises works, and the next one does not", {
  advised = function(message, pattern) as.numeric(sub(paste0(".*", pattern, " ([0-9]+).*"), "\\1", message))
  for (replicas in c(1, 2, 3)) {
    labels = rep(1:2, c(7, 30))
    make = function(...) batch_sampler_stratified(..., strata = labels, num_replicas = replicas)
    minimum = advised(message_of(make(20)), "must be at most")
    expect_s3_class(make(minimum), "torch_sampler")
    expect_error(make(minimum + 1), "must be at most")
    mean = advised(message_of(make(mean_batch_size = 1)), "must be at least")
    expect_s3_class(make(mean_batch_size = mean), "torch_sampler")
    expect_error(make(mean_batch_size = mean - 1), "must be at least")
  }
})

test_that("the rule gives the published numbers of batches", {
  # T. D. Hocking, "custom torch sampler with mlr3torch" (2025): strata of 12 and 111 rows
  labels = rep(c("a", "b"), times = c(12, 111))
  batches = function(minimum) sampler_of(labels, min_samples_per_stratum = minimum)
  expect_equal(batches(1)$.length(), 12L)
  expect_equal(batches(2)$.length(), 6L)
  expect_equal(sort(rowSums(batches(5)$plan())), c(61, 62), ignore_attr = TRUE)
  expect_equal(rowSums(batches(7)$plan()), 123, ignore_attr = TRUE)
})

test_that("an error of a compiled routine has the name of the public function or class, and the class of a refusal", {
  recipe = attr(batch_sampler_stratified(1, strata = factor(c("a", "b", "b")), seed = 1), "settings")$recipe
  recipe$parts$codes[2] = as.raw(7)
  error = tryCatch(new_generator(recipe)(NULL), error = identity)
  expect_s3_class(error, "rbridge_refusal")
  expect_identical(error$parameter, "codes")
  expect_identical(conditionCall(error), quote(new_generator(recipe)(NULL)))
  expect_match(conditionMessage(error), "The 'codes' parameter must be", fixed = TRUE)
})

test_that("the plan of a large epoch is that of its batches", {
  labels = rep(1:3, c(7, 365, 128))
  for (assign in c("proportional", "even")) {
    sampler = sampler_of(labels, 1, assign = assign)
    batches = sampler$batches(0)
    batch = rep(seq_len(7), diff(batches$offsets))
    expect_equal(as.matrix(sampler$plan()), unclass(table(batch, labels[batches$rows])), ignore_attr = TRUE)
  }
})

test_that("strata of every number are scattered alike, also where their codes take two bytes or four", {
  for (n_strata in c(2L, 255L, 256L, 65535L, 65536L, 70000L)) {
    codes = rep(c(NA, seq_len(n_strata), seq_len(n_strata)), length.out = 2 * n_strata + 1)
    for (shuffle in c(TRUE, FALSE)) {
      parts = list(codes = recipe_codes(codes, n_strata), n_strata = as.double(n_strata), n_batches = 2, even = 0L,
        shuffle = as.integer(shuffle))
      labels = list(names = as.character(seq_len(n_strata)))
      delivered = new_generator(new_recipe("stratified", 3, parts, labels = labels))(NULL)$batches(1)
      order = if (shuffle) shuffled_rows(length(codes), epoch_seed(3, 1)) else seq_along(codes)
      by_stratum = order[order(codes[order])][seq_len(2 * n_strata)]
      expect_identical(delivered$rows, c(by_stratum[c(TRUE, FALSE)], by_stratum[c(FALSE, TRUE)]))
    }
  }
})
