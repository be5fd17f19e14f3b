# Recipes: the content of generators.

test_that("a recipe holds the arguments as plain vectors, and the codes as bytes", {
  labels = factor(c("b", "a", "b", NA, "a", "b"))
  recipe = recipe_of(batch_sampler_stratified(1L, strata = labels, missing = "drop", seed = 7L))
  expect_identical(recipe, list(
    kind = "stratified", version = 1L, seed = 7,
    parts = list(min_samples_per_stratum = 1, shuffle = 1L, assign = "proportional", rare = "error", missing = "drop",
      codes = as.raw(c(0, 1, 0, 2, 1, 0)), n_strata = 2),
    state = list(), labels = list(names = c("b", "a"))
  ))
})

test_that("codes are bytes as long as one is left for rows that are in no batch", {
  codes_of = function(strata) {
    recipe_of(batch_sampler_stratified(1, strata = strata, missing = "drop", seed = 1))$parts$codes
  }
  expect_type(codes_of(c(1:255, NA)), "raw")
  expect_identical(codes_of(c(1:256, NA)), 0:256)
})
