# Downsampling: the batches, weights, probabilities and errors of the golden vectors, which Python's tests also read,
# and the use of the sampler in mlr3torch.

labels_of_case = function(case) {
  n_rows = sum(unlist(case$counts))
  rows = (seq_len(n_rows) - 1) * case$step
  unlist(case$labels)[rep(seq_along(case$counts), times = unlist(case$counts))[rows %% n_rows + 1]]
}

actual_sampler = function(case) {
  sampler = do.call(batch_sampler_downsampled, c(list(strata = labels_of_case(case)), case$parameters))(NULL)
  epochs = lapply(case$epochs, sampler$batches)
  whole = function(part) cut_list(unlist(lapply(epochs, `[[`, part)))
  list(
    n_batches = sampler$.length(),
    classes = as.list(names(sampler$class_weights())),
    kept = as.list(unname(colSums(sampler$plan()))),
    class_weights = as.list(unname(sampler$class_weights())),
    normalised = as.list(unname(sampler$class_weights(normalize = TRUE))),
    keep_rates = as.list(unname(sampler$keep_rates())),
    rows = cut_list(unlist(lapply(epochs, function(batches) batches$rows - 1))),
    offsets = whole("offsets")
  )
}

as_matrix = function(rows) {
  if (is.list(rows[[1L]])) do.call(rbind, lapply(rows, unlist)) else unlist(rows)
}

as_rows = function(values) {
  values = unname(values)
  if (is.matrix(values)) lapply(seq_len(nrow(values)), function(row) as.list(values[row, ])) else as.list(values)
}

corrected = function(case) {
  probabilities = as_matrix(case$probabilities)
  keep_rate = if (length(case$keep_rate) > 0L) unlist(case$keep_rate) else numeric()
  if (!is.null(case$columns)) {
    colnames(probabilities) = unlist(case$columns)
  }
  if (!is.null(case$classes)) {
    names(keep_rate) = unlist(case$classes)
  }
  correct_probabilities(probabilities, keep_rate)
}

actual_of = function(case) {
  tryCatch(
    switch(case$kind,
      sampler = actual_sampler(case),
      probabilities = list(values = as_rows(corrected(case))),
      published = list(values = as.list(unname(published_class_weights(case$weight))))
    ),
    error = function(condition) {
      list(error = gsub("batch_sampler_downsampled", "DownsampledBatchSampler", conditionMessage(condition)))
    }
  )
}

test_that("batches, weights, probabilities and refusals are those of Python", {
  for (case in read_golden("downsampling.json")$cases) {
    expect_parts(actual_of(case$input), case$expected, tolerance = 1e-15, info = deparse1(case$input))
  }
})

two_classes = rep(c("yes", "no"), times = c(10, 200))

downsampled = function(..., strata = two_classes, data_source = NULL) {
  batch_sampler_downsampled(..., strata = strata)(data_source)
}

test_that("weights of rows are those of their classes, or those that are given", {
  sampler = downsampled(2, 10, seed = 1)
  expect_identical(sampler$keep_rates(), c(yes = 1, no = 0.1))
  expect_identical(sampler$weights(c(210, 1)), c(10, 1))
  expect_identical(sampler$weights(), rep(c(1, 10), times = c(10, 200)))
  rows = sampler$batches(0)$rows
  expect_identical(sum(sampler$weights(rows)), 210)
  expect_equal(mean(sampler$weights(rows, normalize = TRUE)), 1)
  expect_identical(sampler$weights(integer()), numeric())
  given = downsampled(2, 10, weights = c(yes = 3), seed = 1)
  expect_identical(given$weights(c(210, 1)), c(10, 3))
  expect_equal(mean(given$weights(rows, normalize = TRUE)), 1)
  expect_identical(given$batches(0)$rows, rows)
  of_task = batch_sampler_downsampled(1.5, 10, weights = c(no = 7))(list(task = task_of()))
  expect_identical(of_task$class_weights()[["no"]], 7)
})

test_that("what only R can be given is refused, or taken as it is meant", {
  expected = downsampled(2, 10, seed = 1)$batches(3)
  expect_identical(downsampled(list(no = 2), 10, seed = 1)$batches(3), expected)
  expect_identical(downsampled(c(no = 2L), 10, seed = 1)$batches(3), expected)
  expect_identical(downsampled(2, 10, majority = factor("no", levels = c("no", "yes")), seed = 1,
    strata = factor(two_classes, levels = c("yes", "unused", "no")))$batches(3), expected)
  refused = function(text, ...) expect_match(message_of(downsampled(...)), text, fixed = TRUE)
  refused("name each class once. Got 'no' twice instead.", c(no = 2, no = 3), 10)
  refused("be a finite number above 0. Got 2 values instead.", c(2, 3), 10)
  refused("name the classes. Got 2 values instead.", 2, 10, weights = c(2, 3))
  refused("be a finite number above 0. Got NA instead.", 2, 10, weights = c(yes = NA))
  refused("name a class by its label. Got 2 values", 2, 10, majority = c("no", "yes"))
  refused("name a class by its label. Got a value of class 'list'", 2, 10, majority = list("no"))
  for (label in list(NA, NA_character_, NA_real_, NaN, NA_integer_)) {
    refused(sprintf("'majority' parameter must name a class by its label. Got %s instead", label), 2, 10,
      majority = label, strata = rep(c("yes", "NA"), times = c(10, 200)))
  }
  alike = rep(c(0.3, 0.1 + 0.2), c(20, 10))
  said = "name a class that no other is shown as. Got '0.3', as which 2 classes are shown, instead. Recode the classes"
  refused(said, 1, 10, strata = alike, majority = 0.3)
  refused(said, 1, 10, strata = alike, weights = c("0.3" = 1))
  refused("Got 1 missing of 4 rows instead. Leave these rows out of the dataset.", 2, 10, strata = c("a", NA, "b", "b"))
  refused("each row of the dataset, 9. Got 210 values", 2, 10, data_source = dataset_of(9))
})

test_that("probabilities may be a data frame, and what is none is refused", {
  probabilities = data.frame(no = c(0.5, 1), yes = c(0.5, 0))
  corrected = cbind(no = c(0.8, 1), yes = c(0.2, 0))
  expect_equal(correct_probabilities(probabilities, c(yes = 1, no = 0.25)), corrected)
  expect_equal(correct_probabilities(as.matrix(probabilities), c(0.25, 1)), corrected)
  refused = function(text, ...) expect_error(correct_probabilities(...), text, fixed = TRUE)
  refused("be from 0 to 1", NA_real_, 0.5)
  refused("hold numbers", data.frame(yes = "0.5", no = 0.5), c(yes = 1, no = 0.5))
  refused("be a vector or a table. Got 3 dimensions", array(0.5, c(1, 1, 1)), 0.5)
  refused("have one value for each class of 'probabilities', 1. Got 2 values", 0.5, cbind(0.5, 0.5))
})
