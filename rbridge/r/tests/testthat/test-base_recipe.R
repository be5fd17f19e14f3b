# Recipes: the content of generators, wherever they come from, and invalid recipes from files.

labels = factor(c("b", "a", "b", NA, "a", "b"))

# As for recipes that Python passes, which no exported function takes: they are not from a file.
made_of = function(recipe) new_generator(check_recipe(recipe))

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

test_that("a recipe of another kind or version is refused, and a number that is none as its seed", {
  good = recipe_of(batch_sampler_stratified(1, strata = factor(c("b", "a", "b", "a")), seed = 1))
  expect_identical(made_of(good)(NULL)$.length(), 2L)
  cases = list(
    "be of a kind of 'downsampled'" = list(kind = "sorted"),
    "be of a kind of" = list(kind = c("stratified", "stratified")),
    "be of version 1. Got 2" = list(version = 2L),
    "be an integer from 0 to 2147483646. Got -1" = list(seed = -1),
    "have a plain vector as 'even'" = list(parts = list(even = factor("a")))
  )
  for (message in names(cases)) {
    expect_error(made_of(utils::modifyList(good, cases[[message]])), message, fixed = TRUE)
  }
})
test_that("nothing in a recipe is evaluated", {
  good = recipe_of(batch_sampler_uniform(30, 2, seed = 1))
  ran = FALSE
  run = function(...) ran <<- TRUE
  code = new.env()
  makeActiveBinding("n_rows", run, code)
  makeActiveBinding("names", run, code)
  # Methods that R calls for objects of a class.
  registerS3method("$", "hostile_recipe", run, envir = environment(made_of))
  registerS3method("[[", "hostile_recipe", run, envir = environment(made_of))
  registerS3method("length", "hostile_recipe", run, envir = environment(made_of))
  registerS3method("names", "hostile_recipe", run, envir = environment(made_of))
  of_class = function(value) structure(value, class = "hostile_recipe")
  with_n = function(value) utils::modifyList(good, list(parts = list(n_rows = value)))
  with_parts = function(value) replace(good, "parts", list(value))
  cases = list(
    list(code, "'seed', 'parts', 'state', 'labels'. Got a value of class 'environment'"),
    list(of_class(good), "have the entries"),
    list(c(good, list(open = code)), "have the entries"),
    list(good[-3], "have the entries"),
    list(structure(good, more = run), "have the entries"),
    list(as.pairlist(good), "have the entries"),
    list(with_parts(code), "have named vectors in 'parts'. Got a value of class 'environment'"),
    list(with_parts(of_class(good$parts)), "have named vectors in 'parts'. Got a value of class 'hostile_recipe'"),
    list(with_parts(unname(good$parts)), "have named vectors in 'parts'"),
    list(with_parts(c(good$parts, good$parts)), "have named vectors in 'parts'"),
    list(with_parts(c(good$parts, list(open = 1))), "have the vectors of the kind 'uniform' in 'parts'. Got 'open'"),
    list(replace(good, "labels", list(list(python_class = "a"))), "have the vectors of the kind 'uniform' in 'labels'"),
    list(with_n(of_class(30)), "have a plain vector as 'n_rows'. Got a value of class 'hostile_recipe'"),
    list(with_n(structure(30, class = c("nn_module", "hostile_recipe"))), "have a plain vector as 'n_rows'"),
    list(with_n(structure(30, more = code)), "have a plain vector as 'n_rows'"),
    list(with_n(c(a = 30)), "have a plain vector as 'n_rows'"),
    list(with_n(run), "have a plain vector as 'n_rows'. Got a value of class 'function'"),
    list(with_n(quote(run())), "have a plain vector as 'n_rows'"),
    list(with_n(asS4(30)), "have a plain vector as 'n_rows'"),
    list(with_n(TRUE), "have a plain vector as 'n_rows'"),
    list(with_n("\xff"), "have text in UTF-8 as 'n_rows'"),
    list(with_n(NA_character_), "have text in UTF-8 as 'n_rows'"),
    list(replace(good, "seed", list(of_class(1))), "have a plain vector as 'seed'"),
    list(replace(good, "kind", list(of_class("uniform"))), "be of a kind of")
  )
  for (case in cases) {
    expect_error(made_of(case[[1L]]), case[[2L]], fixed = TRUE)
  }
  expect_false(ran)
})
