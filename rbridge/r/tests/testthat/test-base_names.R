# Everything public has one name.

exported = function() {
  names = getNamespaceExports("rbridge")
  stats::setNames(lapply(names, getExportedValue, ns = "rbridge"), names)
}

test_that("no two exports are one function", {
  functions = lapply(Filter(is.function, exported()), function(made) list(formals(made), body(made)))
  expect_gt(length(functions), 50)
  expect_identical(names(functions)[duplicated(functions)], character())
})

test_that("old names of arguments are gone", {
  replaced = c("n", "normalise", "shortfall", "promise", "walk", "local_strata", "loader_or_sampler")
  arguments = unlist(lapply(Filter(is.function, exported()), formalArgs))
  expect_identical(intersect(replaced, arguments), character())
})

test_that("no two methods of a sampler are one function", {
  sampler = batch_sampler_stratified(1, strata = list(c("a", "b")), seed = 1)(NULL)
  methods = Filter(is.function, mget(grep("^[a-z]", names(sampler), value = TRUE), sampler))
  expect_gt(length(methods), 10)
  expect_identical(names(methods)[duplicated(lapply(methods, body))], character())
})
