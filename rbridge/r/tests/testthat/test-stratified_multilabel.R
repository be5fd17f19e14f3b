# Rows with several labels.

triangle = data.frame(a = c(1, 0, 1, 0), b = c(1, 1, 0, 0), c = c(0, 1, 1, 0))

random_labels = function(n_rows, rates) {
  # A plain congruential sequence: the tests leave R's generator alone.
  draws = Reduce(function(x, i) (x * 16807) %% 2147483647, seq_len(n_rows * length(rates)), 7, accumulate = TRUE)[-1]
  matrix(draws / 2147483647, n_rows) < rep(rates, each = n_rows)
}

refused = function(...) message_of(batch_sampler_multilabel(...))

test_that("known batches, which are those of the Python package", {
  labels = cbind(0:11 %% 2, 0:11 %% 3 == 0)
  expect_identical(epoch_of(batch_sampler_multilabel(labels, 2, seed = 1)(NULL), 0),
    list(c(9L, 4L, 7L, 2L, 3L, 6L), c(1L, 5L, 8L, 11L, 12L, 10L)))
})

test_that("every form of labels is the same", {
  plain = batch_sampler_multilabel(triangle, 1, max_batches = 1, seed = 1)
  logical = data.frame(a = triangle$a == 1, b = triangle$b, c = as.integer(triangle$c))
  for (labels in list(as.matrix(triangle), as.matrix(triangle) == 1, logical, triangle == 1)) {
    generator = batch_sampler_multilabel(labels, 1, max_batches = 1, seed = 1)
    expect_identical(recipe_of(generator), recipe_of(plain))
  }
  unnamed = batch_sampler_multilabel(unname(as.matrix(triangle)), 1, max_batches = 1)(NULL)
  expect_named(unnamed$label_counts(0), c("1", "2", "3"))
})

test_that("a sparse matrix is taken", {
  skip_if_not_installed("Matrix")
  sparse = Matrix::Matrix(as.matrix(triangle), sparse = TRUE)
  expect_identical(batch_sampler_multilabel(sparse, 1, max_batches = 1, seed = 1)(NULL)$batches(0),
    batch_sampler_multilabel(triangle, 1, max_batches = 1, seed = 1)(NULL)$batches(0))
})

test_that("each value of a column of text or of a factor is a label, in order of first appearance", {
  labels = data.frame(
    sex = rep(c("m", "f"), 30),
    site = factor(rep(c("west", "east", "east"), 20), levels = c("east", "none", "west")),
    sick = rep(c(0, 0, 0, 1), 15)
  )
  by_hand = data.frame("sex=m" = labels$sex == "m", "sex=f" = labels$sex == "f", "site=west" = labels$site == "west",
    "site=east" = labels$site == "east", sick = labels$sick, check.names = FALSE)
  sampler = batch_sampler_multilabel(labels, 3, max_batches = 4, seed = 1)(NULL)
  expect_identical(sampler$batches(0), batch_sampler_multilabel(by_hand, 3, max_batches = 4, seed = 1)(NULL)$batches(0))
  counts = sampler$label_counts(0)
  expect_identical(setdiff(names(counts), "batch"), names(by_hand))
  expect_true(all(counts[names(by_hand)] >= 3))
  as_matrix = as.matrix(labels[c("sex", "site")])
  expect_identical(batch_sampler_multilabel(as_matrix, 3, seed = 1)(NULL)$batches(0),
    batch_sampler_multilabel(labels[c("sex", "site")], 3, seed = 1)(NULL)$batches(0))
})

test_that("labels that are none are refused", {
  must = function(text) paste("The 'labels' parameter must", text)
  shape = "be a matrix with one row per row of the dataset. Got"
  expect_identical(refused(NULL, 1), must(paste(shape, "nothing instead.")))
  expect_identical(refused(c(1, 0), 1), must(paste(shape, "1 dimension instead.")))
  expect_identical(refused(array(1, c(2, 2, 2)), 1), must(paste(shape, "3 dimensions instead.")))
  expect_identical(refused(matrix(0, 0, 2), 1), must("have at least one row. Got 0 rows instead."))
  expect_identical(refused(matrix(0, 2, 0), 1), must("have at least one column. Got 0 columns instead."))
  expect_identical(refused(data.frame(a = 1:2)[, 0], 1), must("have at least one column. Got 0 columns instead."))
  values = function(got) {
    must(paste("hold 0 and 1, or text. Got", got, "instead. Use 1 for rows that have the label and 0 for the others,",
      "or turn the column into text, of which each value is a label."))
  }
  digits = function(got) must(paste("hold 0 and 1, or text. Got", got, "instead. Turn the column into numbers."))
  expect_identical(refused(rbind(c(1, 2)), 1), values("2 in column '2'"))
  expect_identical(refused(rbind(c(1, 0), c(3, 1), c(1, 2)), 1), values("3 in column '1'"))
  expect_identical(refused(rbind(c(NA, 1)), 1), values("NA in column '1'"))
  expect_identical(refused(data.frame(a = c(1, 1), b = c(0, -1)), 1), values("-1 in column 'b'"))
  expect_identical(refused(rbind(c("1", "0")), 1), digits("the text '1' in column '1'"))
  expect_identical(refused(data.frame(a = c("1", "0")), 1), digits("the text '1' in column 'a'"))
  expect_identical(refused(data.frame(a = Sys.Date()), 1), values("Date values in column 'a'"))
  expect_identical(refused(data.frame(a = c("x", NA)), 1),
    must("have no missing values. Got 1 missing of 2 rows in column 'a' instead."))
  expect_identical(refused(data.frame(a = c(1, 1), b = 0), 1),
    must("have a row of every label. Got no row of label 'b' instead. Leave the label out."))
})

test_that("a dataloader delivers the rows", {
  generator = batch_sampler_multilabel(random_labels(300, c(0.1, 0.3)), 2, seed = 1)
  expect_identical(collect_rows(generator, 300), generator(NULL)$batches(0))
  expect_error(collect_rows(generator, 299), "have as many rows as the sampler was made for, 300. Got 299 rows")
})

test_that("a task whose rows are in another order, or repeated, is refused", {
  generator = batch_sampler_multilabel(random_labels(40, c(0.2, 0.4)), 2, seed = 1)
  expect_identical(sort(generator(list(task = task_of()))$batches(0)$rows), 1:40)
  expect_error(generator(list(task = task_of(c(2:40, 1)))),
    "'labels' parameter must be columns of the task if its rows")
  expect_error(generator(list(task = task_of(c(1:39, 1)))),
    "'labels' parameter must be columns of the task if its rows")
})

test_that("while mlr3torch predicts, nothing is told of labels", {
  generator = batch_sampler_multilabel(random_labels(40, c(0.2, 0.4)), 2, seed = 1)
  for (sampler in predicted_with(generator, task_of())) {
    expect_null(sampler$label_counts(0))
    expect_null(sampler$shortfalls(0))
  }
})
