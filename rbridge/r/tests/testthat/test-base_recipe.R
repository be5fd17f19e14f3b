# Recipes: the content of generators, wherever they come from, and invalid recipes from files.

labels = factor(c("b", "a", "b", NA, "a", "b"))

test_that("a recipe holds plain vectors, the codes as bytes, and the settings as text", {
  recipe = recipe_of(batch_sampler_stratified(1L, strata = labels, missing = "drop", seed = 7L))
  expect_identical(recipe, list(
    kind = "stratified", version = 1L, seed = 7,
    parts = list(codes = as.raw(c(0, 1, 0, 2, 1, 0)), n_strata = 2, n_batches = 2, even = 0L, shuffle = 1L),
    state = list(),
    labels = list(min_samples_per_stratum = "1", shuffle = "TRUE", assign = "'proportional'", rare = "'error'",
      missing = "'drop'", names = c("b", "a"))
  ))
  downsampled = recipe_of(batch_sampler_downsampled(1, 4, strata = factor(rep(c("yes", "no"), c(2, 5))), seed = 7))
  expect_identical(downsampled$parts, list(codes = as.raw(rep(0:1, c(2, 5))), n_strata = 2, kept = c(2, 2),
    n_batches = 1, in_turn = 0L))
})

test_that("codes are bytes as long as one is left for rows that are in no batch", {
  codes_of = function(strata) {
    recipe_of(batch_sampler_stratified(1, strata = strata, missing = "drop", seed = 1))$parts$codes
  }
  expect_type(codes_of(c(1:255, NA)), "raw")
  expect_identical(codes_of(c(1:256, NA)), 0:256)
})

test_that("a recipe that was written and read makes the same generator", {
  skip_if_not_installed("mlr3misc")
  for (generator in list(
    batch_sampler_stratified(1, strata = labels, missing = "drop", assign = "even", seed = 7),
    batch_sampler_downsampled(1, 4, strata = factor(rep(c("yes", "no"), c(2, 5))), in_turn = TRUE, seed = 7)
  )) {
    file = tempfile()
    write_batch_sampler(generator, file)
    again = read_batch_sampler(file)
    expect_identical(class(again), class(generator))
    expect_identical(again(NULL)$batches(3), generator(NULL)$batches(3))
    expect_identical(mlr3misc::calculate_hash(again), mlr3misc::calculate_hash(generator))
    expect_identical(capture.output(again), capture.output(generator))
  }
})

test_that("a file that is no recipe is refused", {
  expect_error(read_batch_sampler("nowhere"), "must be the path of a file that exists. Got 'nowhere' instead.")
  file = tempfile()
  writeLines("text", file)
  expect_error(read_batch_sampler(file, md5 = "0"), "must have the MD5 checksum '0'. Got")
  expect_error(read_batch_sampler(file, md5 = 0), "'md5' .* must be the MD5 checksum of the file, or nothing. Got 0")
  expect_error(read_batch_sampler(file), "'file' .* must be written by write_batch_sampler\\(\\) or rbridge")
})

test_that("a recipe of another kind or seed is refused", {
  good = recipe_of(batch_sampler_stratified(1, strata = factor(c("b", "a", "b", "a")), seed = 1))
  expect_identical(generator_of_recipe(good)(NULL)$.length(), 2L)
  refused = function(..., message) {
    expect_error(generator_of_recipe(utils::modifyList(good, list(...))), message, fixed = TRUE)
  }
  refused(kind = "sorted", message = "be of a kind of 'downsampled'")
  refused(seed = 2^31 - 1, message = "be an integer from 0 to 2147483646. Got 2147483647")
})
