# Where a script is.

test_that("a script finds its folder", {
  folder = normalizePath(tempfile("folder"), mustWork = FALSE)
  dir.create(folder)
  script = file.path(folder, "script.R")
  writeLines("rbridge::script_folder()", script)
  found = function(...) source(script, local = TRUE, ...)$value
  expect_identical(normalizePath(found()), normalizePath(folder))
  expect_identical(normalizePath(found(chdir = TRUE)), normalizePath(folder))
  misled = function() {
    ofile = "elsewhere/script.R"
    found()
  }
  expect_identical(normalizePath(misled()), normalizePath(folder))
})
