# Tests of functions that are not exported. A comment before each says why no exported function shows the same.

# No exported function has a refusal in three nested places.
test_that("the innermost code that knows the place of a parameter names it", {
  refused = function() stop_parameter("x", "be 1", "2", "Try 1.")
  expect_error(refuse_at("of the table", refuse_at("of 'a'", refused())), fixed = TRUE,
    "The 'x' parameter of 'a' must be 1. Got 2 instead. Try 1.")
  expect_error(refuse_as("y", refuse_at("at node 'a'", refused())), fixed = TRUE,
    "The 'y' parameter at node 'a' must be 1. Got 2 instead. Try 1.")
})

# No test has room for so many rows.
test_that("integers that doubles cannot hold exactly are refused", {
  expect_error(bins_of_distinct(rep(2^30, 4), 2^21), fixed = TRUE,
    "must have a product with twice the rows below 2^53, to be exact. Got 2097152 and 4294967296 rows instead.")
  expect_identical(bins_of_distinct(rep(2^30, 4), 2^19), 1:4)
})

# Exported functions do not write NA, and a test has no room for vectors of 2^31 bytes.
test_that("missing numbers have one form, and vectors that are too long for one call of R are cut", {
  recipe = recipe_of(batch_sampler_perplexity(3, 2, seed = 1))
  files = lapply(list(NaN, NA), function(missing) {
    recipe$state$reported = c(missing, 1, -0)
    file = withr::local_tempfile()
    write_recipe(recipe, file)
    readBin(file, "raw", 5000)
  })
  expect_identical(files[[2L]], files[[1L]])
  file = withr::local_tempfile()
  for (vector in list(1:10, as.raw(0:9), c(0.5, 1:9), 1, double())) {
    output = file(file, "wb")
    write_vector(vector, output, at_once = 3)
    close(output)
    input = file(file, "rb")
    expect_identical(read_vector(input, typeof(vector), length(vector), at_once = 4), vector)
    close(input)
  }
})

# Recipes from Python may hold values that no file can.
test_that("nothing in a recipe is evaluated", {
  made_of = function(recipe) new_generator(check_recipe(recipe))
  good = recipe_of(batch_sampler_uniform(30, 2, seed = 1))
  ran = FALSE
  run = function(...) ran <<- TRUE
  code = new.env()
  makeActiveBinding("n_rows", run, code)
  makeActiveBinding("names", run, code)
  # Methods that R calls for objects of a class.
  registerS3method("$", "hostile_recipe", run, envir = environment(made_of))
  registerS3method("[[", "hostile_recipe", run, envir = environment(made_of))
  registerS3method("names", "hostile_recipe", run, envir = environment(made_of))
  of_class = function(value) structure(value, class = "hostile_recipe")
  with_n = function(value) utils::modifyList(good, list(parts = list(n_rows = value)))
  with_parts = function(value) replace(good, "parts", list(value))
  cases = list(
    list(code, "'seed', 'parts', 'state', 'labels'. Got a value of class 'environment'"),
    list(of_class(good), "have the entries"),
    list(with_parts(code), "have named vectors in 'parts'. Got a value of class 'environment'"),
    list(with_parts(of_class(good$parts)), "have named vectors in 'parts'. Got a value of class 'hostile_recipe'"),
    list(with_parts(c(good$parts, list(open = 1))), "have the vectors of the kind 'uniform' in 'parts'. Got 'open'"),
    list(replace(good, "labels", list(list(python_class = "a"))), "have the vectors of the kind 'uniform' in 'labels'"),
    list(with_n(of_class(30)), "have a plain vector as 'n_rows'. Got a value of class 'hostile_recipe'"),
    list(with_n(structure(30, more = code)), "have a plain vector as 'n_rows'"),
    list(with_n(run), "have a plain vector as 'n_rows'. Got a value of class 'function'"),
    list(with_n(asS4(30)), "have a plain vector as 'n_rows'"),
    list(with_n("\xff"), "have text in UTF-8 as 'n_rows'"),
    list(with_n(NA_character_), "have text in UTF-8 as 'n_rows'"),
    list(replace(good, "seed", list(of_class(1))), "have a plain vector as 'seed'"),
    list(replace(good, "kind", list(of_class("uniform"))), "be of a kind of"),
    list(replace(good, "version", 2L), "be of version 1. Got 2"),
    list(replace(good, "seed", -1), "be an integer from 0 to 2147483646. Got -1")
  )
  for (case in cases) {
    expect_error(made_of(case[[1L]]), case[[2L]], fixed = TRUE)
  }
  expect_false(ran)
})

# The AUM loss and its gradient without tensors, which need LibTorch: against known answers and CRAN's package aum. The
# Python package reads the same files.
losses = read_golden("losses.json")
aum_cases = read_golden("aum.json")$cases

plain_loss = function(predictions, labels) {
  slopes = aum_slopes(predictions, labels == 1)
  rows = aum_rows(slopes)
  list(loss = aum_sum(predictions[rows], slopes[rows], aum_origin(predictions, slopes)), gradient = slopes)
}

# -> list(predictions, labels) of a case
batch_of = function(case) lapply(case[c("predictions", "labels")], function(values) as.double(unlist(values)))

test_that("known answers", {
  for (case in losses$known) {
    result = plain_loss(as.double(loss_values(case$input)), as.double(loss_values(case$target)))
    expect_identical(result$loss, as.double(case$loss), info = case$name)
    expect_equal(result$gradient, as.double(unlist(case$gradient)), tolerance = 1e-15, info = case$name)
  }
  far = c(1, -1) * .Machine$double.xmax
  expect_identical(plain_loss(far, c(1, 0)), list(loss = 0, gradient = c(0, 0)), info = "rows that do not count")
  n_rows = 300000
  result = plain_loss(rep(c(1, 0), each = n_rows / 2), rep(c(0, 1), each = n_rows / 2))
  expect_equal(result$loss, 1, tolerance = 1e-12)
  expect_identical(unique(result$gradient), c(1, -1) / (n_rows / 2))
})

test_that("the loss is that of the package aum, and its gradient if at most two rows are tied", {
  skip_if_not_installed("aum")
  for (case in aum_cases) {
    batch = batch_of(case)
    afresh = aum::aum(aum::aum_diffs_binary(batch$labels, denominator = "rate"), batch$predictions)
    result = plain_loss(batch$predictions, batch$labels)
    expect_equal(result$loss, afresh$aum, tolerance = 1e-13, info = case$name)
    places = match(batch$predictions, batch$predictions)
    compared = tabulate(places)[places] <= 2
    expect_equal(result$gradient[compared], rowMeans(afresh$derivative_mat)[compared], tolerance = 1e-13)
  }
})

test_that("the gradient at ties is the mean of those with the tied negatives above and below the positives", {
  for (batch in lapply(aum_cases, batch_of)) {
    gradient = plain_loss(batch$predictions, batch$labels)$gradient
    expect_equal(sum(gradient), 0, tolerance = 1e-13)
    # Far smaller than the distance of neighbors, and tied rows of one class stay tied.
    step = 0.01 * min(diff(sort(unique(batch$predictions))), 1)
    apart = function(step) plain_loss(batch$predictions + step * batch$labels, batch$labels)$gradient
    expect_equal(gradient, (apart(step) + apart(-step)) / 2, tolerance = 1e-13)
  }
})

shape_of = function(values) if (is.matrix(values)) dim(values) else length(values)

# The checks of the loss without tensors.
check_loss = function(input_shape, input, target_shape, target) {
  predictions = check_predictions(input_shape, input)
  check_labels(target_shape, target, n_rows = length(predictions))
}

test_that("refused as in every language", {
  for (case in losses$refused) {
    input = loss_values(case$input)
    target = loss_values(case$target)
    error = expect_error(check_loss(shape_of(input), as.double(input), shape_of(target), as.double(target)))
    expect_identical(conditionMessage(error), case$message)
  }
})

test_that("tensors give the loss and the gradient of plain numbers", {
  skip_without_libtorch()
  for (batch in lapply(aum_cases, batch_of)) {
    expect_equal(tensor_loss(batch$predictions, batch$labels), plain_loss(batch$predictions, batch$labels),
      tolerance = 1e-12)
  }
})

# Only Python calls these functions, or is called by them.
test_that("errors and warnings cross as values, whole, and a Python error is raised here with its text", {
  text = paste(rep("long", 1000), collapse = " ")
  expect_identical(guarded_call(stop, text), list(error = text, class = c("simpleError", "error", "condition")))
  twice = function(x) {
    warning("first")
    warning("second")
    2 * x
  }
  expect_silent(expect_identical(guarded_call(twice, 4), list(value = 8, warnings = c("first", "second"))))
  expect_identical(guarded_call(identity, NULL), list(value = NULL, warnings = character()))
  expect_error(from_python(list(error = "ValueError: x")), "^ValueError: x$")
  expect_identical(from_python(list(value = 1:3)), 1:3)
})
