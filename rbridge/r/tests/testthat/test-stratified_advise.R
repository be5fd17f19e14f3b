# Advice from the counts of strata: the cases of Python, exact shares, and that the advised code works.

labels_of_sizes = function(sizes) rep(seq_along(sizes), times = unlist(sizes))

test_that("the advice is that of Python", {
  cases = read_golden("advice.json")$cases
  expect_gt(length(cases), 10L)
  for (case in cases) {
    input = case$input
    expected = case$expected
    found = advise(labels_of_sizes(input$sizes), input$batch_size, input$min_samples_per_stratum)
    for (column in c("mean", "variance", "too_few")) {
      expect_equal(found$strata[[column]], as.double(unlist(expected[[column]])), tolerance = 1e-9)
    }
    expect_equal(found$minimums$min_samples_per_stratum, unlist(expected$minimums))
    expect_equal(found$minimums$n_batches, unlist(expected$n_batches))
    expect_equal(found$largest_minimum, expected$largest_minimum)
    expect_identical(found[c("sampler", "reason", "python", "r")], expected[c("sampler", "reason", "python", "r")])
  }
})

test_that("shares are those of R's hypergeometric distribution", {
  for (sizes in list(c(3, 17), c(10, 90), c(50, 50), c(90, 10))) {
    n_rows = sum(sizes)
    for (batch_size in c(1, 5, 12, n_rows - 1, n_rows)) {
      for (minimum in seq_len(min(3, batch_size))) {
        found = advise(labels_of_sizes(sizes), batch_size, minimum)$strata$too_few
        expect_equal(found, stats::phyper(minimum - 1, sizes, n_rows - sizes, batch_size), tolerance = 1e-10)
      }
    }
  }
})

test_that("the advised code holds the minimum", {
  sizes_of = list(c(30, 300), c(3, 300), rep(4, 20), c(1, 50))
  minimums = c(1, 1, 2, 2)
  sizes = c(40, 20, 16, 10)
  samplers = c("stratified", "repeated", "some strata", "weighted")
  for (i in seq_along(sizes_of)) {
    labels = labels_of_sizes(sizes_of[[i]])
    advice = advise(labels, sizes[i], minimums[i])
    expect_identical(advice$sampler, samplers[i])
    sampler = eval(parse(text = advice$r), list(labels = labels))(NULL)
    held = vapply(as.list(sampler$batches(0)), function(rows) tabulate(labels[rows], max(labels)), integer(max(labels)))
    if (i <= 2L) {
      expect_gte(min(held), minimums[i])
    } else if (i == 3L) {
      expect_true(all(colSums(held >= 2) >= 8))
    } else {
      expect_true(all(colSums(held) == 10))
    }
  }
})

test_that("the advised code takes missing values", {
  sizes_of = list(c(30, 300), c(3, 300), rep(4, 20))
  for (missing in c("stratum", "drop")) {
    for (i in seq_along(sizes_of)) {
      known = labels_of_sizes(sizes_of[[i]])
      labels = c(known, rep(NA, 60))
      advice = advise(labels, c(40, 20, 16)[i], c(1, 1, 2)[i], missing = missing)
      expect_identical(advice$sampler, c("stratified", "repeated", "some strata")[i])
      sampler = eval(parse(text = advice$r), list(labels = labels))(NULL)
      expect_identical(any(unlist(as.list(sampler$batches(0))) > length(known)), missing == "stratum")
    }
  }
  expect_match(advise(c(labels_of_sizes(c(300, 3)), NA), 60, 8, missing = "drop")$reason,
    "First leave the rows without a stratum out of the dataset and the labels.", fixed = TRUE)
})

test_that("the strata of a task are those of the sampler", {
  skip_if_not_installed("mlr3")
  task = mlr3::tsk("german_credit")
  expect_identical(advise(task, 50), advise(task$truth(), 50))
  expect_identical(advise(task, 50, strata = "housing"), advise(task$data(cols = "housing"), 50))
})

test_that("arguments are refused in the words of Python", {
  labels = rep(c("a", "b"), each = 3)
  expect_error(advise(labels, 0), "The 'batch_size' parameter must be a positive integer. Got 0 instead.", fixed = TRUE)
  expect_error(advise(labels, 7), "The 'batch_size' parameter must be at most the number of rows, 6. Got 7 instead.",
    fixed = TRUE)
  expect_error(advise(labels, 2, 3),
    "The 'min_samples_per_stratum' parameter must be at most 'batch_size', 2. Got 3 instead.", fixed = TRUE)
})

test_that("printing shows the rarest strata and says how many more there are", {
  shown = utils::capture.output(print(advise(labels_of_sizes(c(rep(5, 11), 1)), 8)))
  expect_identical(shown[1], "<batch_advice> 56 rows, 12 strata, batches of 8 rows")
  expect_match(shown[5], "^ +12 +1 ")
  expect_true("... and 2 strata with as many rows or more" %in% shown)
})
