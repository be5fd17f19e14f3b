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

# The names that a file of code mentions and does not define.
foreign_names = function(file) {
  tokens = utils::getParseData(parse(file, keep.source = TRUE))
  tokens = tokens[tokens$terminal, ]
  following = c(tokens$token[-1L], "")
  defined = tokens$token == "SYMBOL_FORMALS" | following %in% c("EQ_ASSIGN", "EQ_SUB", "LEFT_ASSIGN")
  setdiff(tokens$text[startsWith(tokens$token, "SYMBOL")], tokens$text[defined])
}

test_that("tests call functions that are exported, except those of one file", {
  exported = getNamespaceExports("rbridge")
  internal = setdiff(ls(environment(batch_plan), all.names = TRUE), exported)
  named_in = function(file) intersect(foreign_names(file), internal)
  folder = test_path()
  inside = file.path(folder, "test-inside.R")
  expect_in(c("write_recipe", "check_recipe"), named_in(inside))
  for (file in setdiff(list.files(folder, "^(test|helper|setup).*[.]R$", full.names = TRUE), inside)) {
    expect_identical(named_in(file), character(), info = basename(file))
    opened = grep("rbridge:{3}|(as|get|From)Namespace\\(.*\"rbridge\"", readLines(file), value = TRUE)
    expect_identical(opened, character(), info = basename(file))
  }
})
