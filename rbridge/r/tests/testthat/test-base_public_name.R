# The name in an error.


name_of = function(code) expect_error(code, class = "rbridge_refusal")$name

test_that("an error has the parts of its message, and is raised without a call", {
  error = tryCatch(min_samples_for_batch_size(c(1, 1, 2), batch_size = 0), rbridge_refusal = identity)
  expect_identical(class(error), c("rbridge_refusal", "simpleError", "error", "condition"))
  expect_null(conditionCall(error))
  expect_identical(unclass(error)[c("name", "parameter", "requirement", "got")], list(
    name = "min_samples_for_batch_size", parameter = "batch_size", requirement = "be a positive integer", got = "0"
  ))
  expect_identical(conditionMessage(error),
    "The 'batch_size' parameter of min_samples_for_batch_size must be a positive integer. Got 0 instead.")
})

test_that("every public function gives its name first", {
  # Errors of methods and modules have the name of their class.
  others = c("nn_aum_loss", "sum_tree", "script_folder")
  for (name in setdiff(getNamespaceExports("rbridge"), others)) {
    first = body(getExportedValue("rbridge", name))[[2L]]
    expect_identical(first[[1L]], quote(name_errors), info = name)
    expect_identical(eval(first[[2L]], asNamespace("rbridge")), name)
  }
})

test_that("the innermost of nested functions names an error", {
  inner = of_package(function(value) {
    name_errors("inner")
    check_flag(value, "flag")
  })
  outer = of_package(function(value, inner) {
    name_errors("outer")
    inner(TRUE)
    check_flag(value, "flag")
  })
  around = of_package(function(value, inner) {
    name_errors("around")
    inner(value)
  })
  expect_identical(name_of(outer(1, inner)), "outer")
  expect_identical(name_of(around(1, inner)), "inner")
  expect_identical(name_of(batch_plan(new.env())), "batch_plan")
  expect_identical(name_of(batch_plan(c(1, 1, 2), min_samples_per_stratum = 0)), "batch_sampler_stratified")
})

test_that("an argument is evaluated under the name of the function that wrote it", {
  inner = of_package(function(value) {
    name_errors("inner")
    force(value)
  })
  outer = of_package(function(value, inner) {
    name_errors("outer")
    inner(check_flag(value, "flag"))
  })
  expect_identical(name_of(outer(1, inner)), "outer")
  expect_identical(name_of(batch_sampler_stratified(1, strata = bin_target(1:3, n_bins = 0))), "bin_target")
})

test_that("code that R calls has the name of the function that has it called", {
  ways = lapply(list(
    function() lapply(1, check_flag, "flag"),
    function() Map(function(value) check_flag(value, "flag"), 1),
    function() do.call(check_flag, list(1, "flag")),
    function() tryCatch(stop("inside"), error = function(condition) check_flag(1, "flag")),
    function() withCallingHandlers(warning("inside"), warning = function(condition) check_flag(1, "flag")),
    function() eval(quote(check_flag(1, "flag")), list(), environment())
  ), of_package)
  named = of_package(function(way) {
    name_errors("named")
    way()
  })
  for (way in ways) {
    expect_identical(name_of(named(way)), "named")
  }
})

test_that("an error of the user's own code stays what it is", {
  own = structure(class = c("own", "error", "condition"), list(message = "mine", call = NULL))
  expect_identical(tryCatch(batch_sampler_stratified(stop(own)), error = identity), own)
  expect_identical(tryCatch(batch_plan(1:3, stop(own)), error = identity), own)
  sampler = batch_sampler_prioritized(4, batch_size = 2, beta = function(batch) stop(own))(NULL)
  expect_identical(tryCatch(sampler$importance_weights(1, batch = 1), error = identity), own)
  calling = batch_sampler_prioritized(4, batch_size = 2, beta = function(batch) sum_tree(capacity = 0))(NULL)
  expect_identical(name_of(calling$importance_weights(1, batch = 1)), "sum_tree")
})

test_that("methods, iterators and routines in C have the name of the class", {
  sampler = batch_sampler_weighted(c(1, 2), batch_size = 1, seed = 1)(NULL)
  expect_identical(name_of(sampler$set_epoch(-1)), "batch_sampler_weighted")
  expect_identical(name_of(sampler$update(3, 1)), "batch_sampler_weighted")
  expect_identical(name_of(sampler$update(1, -1)), "batch_sampler_weighted")
  empty = batch_sampler_prioritized(0, batch_size = 2, capacity = 4, seed = 1)(NULL)
  next_batch = empty$.iter()
  expect_identical(name_of(next_batch()), "batch_sampler_prioritized")
  tree = sum_tree(c(1, 2))
  expect_identical(name_of(tree$update(1, Inf)), "sum_tree")
  expect_identical(name_of(tree$sample(-1)), "sum_tree")
  expect_identical(name_of(sum_tree()), "sum_tree")
  dataset = pair_dataset(n_users = 2, n_items = 3)
  expect_identical(name_of(dataset[-1]), "decode_pairs")
  expect_identical(name_of(batch_sampler_uniform(4, 2)(1:5)), "batch_sampler_uniform")
})

test_that("samplers that share their checks each have their own name", {
  expect_identical(name_of(batch_sampler_downsampled(1, 2, strata = list())), "batch_sampler_downsampled")
  expect_identical(name_of(batch_sampler_downsampled(1, 2)(1:4)), "batch_sampler_downsampled")
  expect_identical(name_of(batch_sampler_stratified(1)(1:4)), "batch_sampler_stratified")
})

test_that("a generator that was saved has its name in another process", {
  skip_on_cran()
  file = tempfile(fileext = ".rds")
  saveRDS(batch_sampler_weighted(c(1, 2), batch_size = 1, seed = 1), file)
  names = callr::r(function(file) {
    sampler = readRDS(file)(NULL)
    name_of = function(code) tryCatch(code, error = function(condition) condition$name)
    c(name_of(sampler$set_epoch(-1)), name_of(sampler$update(1, -1)), name_of(sampler$.iter_batch(2)))
  }, list(file), libpath = c(installed_library(), .libPaths()))
  expect_identical(names, rep("batch_sampler_weighted", 3))
})
