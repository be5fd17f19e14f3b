# Recipes: the content of generators.

test_that("a recipe holds plain vectors, the codes as bytes, and the settings as text", {
  labels = factor(c("b", "a", "b", NA, "a", "b"))
  recipe = recipe_of(batch_sampler_stratified(1L, strata = labels, missing = "drop", seed = 7L))
  expect_identical(recipe, list(
    kind = "stratified", version = 1L, seed = 7,
    parts = list(codes = as.raw(c(0, 1, 0, 2, 1, 0)), n_strata = 2, n_batches = 2, even = 0L, shuffle = 1L),
    state = list(),
    labels = list(min_samples_per_stratum = "1", shuffle = "TRUE", assign = "'proportional'", rare = "'error'",
      missing = "'drop'", names = c("b", "a"))
  ))
})

test_that("codes are bytes as long as one is left for rows that are in no batch", {
  codes_of = function(strata) {
    recipe_of(batch_sampler_stratified(1, strata = strata, missing = "drop", seed = 1))$parts$codes
  }
  expect_type(codes_of(c(1:255, NA)), "raw")
  expect_identical(codes_of(c(1:256, NA)), 0:256)
})
