# The functions that the Python package calls, and those that R calls, tested without Python. They have no public names,
# since only the other language calls them.

python_like = function(batches) {
  list(batches = function(epoch) {
    if (epoch == 3) list(error = "ValueError: no epoch 3") else list(value = batches(epoch))
  })
}

in_two_batches = python_like(function(epoch) list(c(4L, 0L, 1L, 3L, 2L) + as.integer(epoch), c(0L, 2L, 5L)))

test_that("an error crosses as a value, whole", {
  text = paste(rep("long", 1000), collapse = " ")
  result = guarded_call(stop, text)
  expect_identical(result, list(error = text, class = c("simpleError", "error", "condition")))
})

test_that("warnings cross beside the value, and nothing is shown here", {
  twice = function(x) {
    warning("first")
    warning("second")
    2 * x
  }
  expect_silent(expect_identical(guarded_call(twice, 4), list(value = 8, warnings = c("first", "second"))))
  expect_identical(guarded_call(identity, NULL), list(value = NULL, warnings = character()))
})

test_that("a Python error is raised here with its text", {
  expect_error(from_python(list(error = "ValueError: x")), "^ValueError: x$")
  expect_identical(from_python(list(value = 1:3)), 1:3)
  expect_null(from_python(list(value = NULL)))
})

test_that("a sampler whose batches Python makes keeps the contract of a torch sampler", {
  generator = callback_generator(in_two_batches, 2L, "InTwo", "in two")
  expect_s3_class(generator, c("batch_sampler_python", "batch_sampler_generator", "torch_sampler"), exact = TRUE)
  instance = generator(NULL)
  expect_identical(instance$.length(), 2L)
  expect_identical(delivered_rows(instance, 5), list(rows = c(5L, 1L, 2L, 4L, 3L), offsets = c(0L, 2L, 5L)))
  expect_identical(instance$epoch, 1)
  iterator = instance$.iter()
  instance$set_epoch(2L)
  expect_identical(iterator(), c(7L, 3L), info = "the epoch is taken when the first batch is asked for")
  expect_identical(iterator(), c(4L, 6L, 5L))
  expect_true(coro::is_exhausted(iterator()))
  expect_true(coro::is_exhausted(iterator()))
  expect_error(instance$.iter()(), "^ValueError: no epoch 3$")
  expect_identical(instance$epoch, 3, info = "an epoch that failed was not taken")
  expect_output(print(instance), "<batch_sampler_python>\n\\* Class in Python: InTwo\n\\* Batches: 2, next epoch 3")
})

test_that("an empty batch is delivered as one, wherever it stands", {
  for (offsets in list(c(0L, 0L, 2L, 3L), c(0L, 2L, 2L, 3L), c(0L, 2L, 3L, 3L))) {
    generator = callback_generator(python_like(function(epoch) list(c(4L, 0L, 2L), offsets)), 3L, "Gaps", "gaps")
    expect_identical(delivered_rows(generator, 5), list(rows = c(5L, 1L, 3L), offsets = offsets))
    expect_identical(lengths(drain(generator(NULL)$.iter())), diff(offsets))
  }
})

test_that("rows that the dataset does not have are refused, where it tells its number of rows", {
  generator = callback_generator(in_two_batches, 2L, "InTwo", "in two")
  expect_error(collect_rows(generator, 4), paste(
    "The 'sampler' parameter must give rows of the dataset, of which there are 4.",
    "Got row 5, counted from 1, instead."
  ), fixed = TRUE)
  expect_error(generator(task_of(1:3))$batches(0), "of which there are 3.", fixed = TRUE)
})

test_that("a sampler whose batches Python makes refuses with its own name", {
  instance = callback_generator(in_two_batches, 2L, "InTwo", "in two")(NULL)
  expect_error(
    instance$set_epoch(-1),
    "The 'epoch' parameter must be an integer from 0 to 6700000. Got -1 instead.",
    fixed = TRUE
  )
  expect_error(
    instance$.iter_batch(100),
    paste(
      "The 'batch_size' parameter must be 1. Got 100 instead.",
      "Pass the sampler as 'batch_sampler ='."
    ),
    fixed = TRUE
  )
  expect_error(instance$epoch <- 3, "The 'epoch' field of batch_sampler_python cannot be assigned. Use 'set_epoch()'.",
    fixed = TRUE)
})

test_that("a script finds its folder", {
  folder = normalizePath(tempfile("folder"), mustWork = FALSE)
  dir.create(folder)
  script = file.path(folder, "script.R")
  writeLines("script_folder()", script)
  found = function(...) source(script, local = asNamespace("rbridge"), ...)$value
  expect_identical(normalizePath(found()), normalizePath(folder))
  expect_identical(normalizePath(found(chdir = TRUE)), normalizePath(folder))
  misled = function() {
    ofile = "elsewhere/script.R"
    found()
  }
  expect_identical(normalizePath(misled()), normalizePath(folder))
})

test_that("R makes the same strata of a file as of its columns", {
  table = data.frame(word = c("b", "a", NA, "b", "a", "b"), number = c(1, 2, 1, 1, 2, 1))
  file = tempfile(fileext = ".csv")
  utils::write.csv(table, file, na = "", row.names = FALSE)
  expected = delivered_rows(batch_sampler_stratified(1, strata = table, seed = 1, missing = "drop"), 6)
  expect_identical(collect_rows_of_file(file, names(table), min_samples_per_stratum = 1, seed = 1, missing = "drop"),
    expected)
})
