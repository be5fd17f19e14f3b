# Everything public has one name.

test_that("no two exports are one function, and no two methods of a sampler", {
  names = getNamespaceExports("rbridge")
  exported = Filter(is.function, stats::setNames(lapply(names, getExportedValue, ns = "rbridge"), names))
  functions = lapply(exported, function(made) list(formals(made), body(made)))
  expect_gt(length(functions), 50)
  expect_identical(names(functions)[duplicated(functions)], character())
  sampler = batch_sampler_stratified(1, strata = list(c("a", "b")), seed = 1)(NULL)
  methods = Filter(is.function, mget(grep("^[a-z]", names(sampler), value = TRUE), sampler))
  expect_gt(length(methods), 10)
  expect_identical(names(methods)[duplicated(lapply(methods, body))], character())
})
