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
  expected = "or have one value for each of its 208 rows. Got 'p1', the first of 57 values, instead."
  expect_match(message_of(batch_sampler_stratified_group(1, groups = wrong)(dataset)), expected, fixed = TRUE)
  expect_match(message_of(batch_sampler_stratified(1, strata = wrong)(dataset)), expected, fixed = TRUE)
})

test_that("numbers of 64 bits are groups, and larger ones are text", {
  skip_if_not_installed("bit64")
  batches = function(groups) batch_sampler_stratified_group(1, groups = groups, strata = labels, seed = 1)(NULL)
  expect_identical(batches(bit64::as.integer64(rep(1:1000, 2)))$batches(0), batches(rep(1:1000, 2))$batches(0))
  expect_match(message_of(batches(bit64::as.integer64("9007199254740993") + 0:1999)), "Pass such numbers as text.",
    fixed = TRUE)
})
