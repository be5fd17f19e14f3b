# Advice from the counts of strata: the golden cases, that the advised code works, and tasks.

labels_of_sizes = function(sizes) rep(seq_along(sizes), times = unlist(sizes))

test_that("the advice is that of the golden cases", {
  for (case in read_golden("advice.json")$cases) {
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

test_that("the advised code makes the sampler, and takes missing values", {
  advised = list(
    stratified = list(sizes = c(30, 300), batch_size = 40, minimum = 1),
    repeated = list(sizes = c(3, 300), batch_size = 20, minimum = 1),
    "some strata" = list(sizes = rep(4, 20), batch_size = 16, minimum = 2)
  )
  for (missing in c("stratum", "drop")) {
    for (name in names(advised)) {
      given = advised[[name]]
      known = labels_of_sizes(given$sizes)
      labels = c(known, rep(NA, 60))
      advice = advise(labels, given$batch_size, given$minimum, missing = missing)
      expect_identical(advice$sampler, name)
      rows = eval(parse(text = advice$r), list(labels = labels))(NULL)$batches(0)$rows
      expect_identical(any(rows > length(known)), missing == "stratum")
    }
  }
  labels = labels_of_sizes(c(1, 50))
  by_weight = eval(parse(text = advise(labels, 10, 2)$r), list(labels = labels))(NULL)
  expect_identical(unique(diff(by_weight$batches(0)$offsets)), 10L)
})

test_that("printing shows the rarest strata and says how many more there are", {
  shown = utils::capture.output(print(advise(labels_of_sizes(c(rep(5, 11), 1)), 8)))
  expect_identical(shown[1], "<batch_advice> 56 rows, 12 strata, batches of 8 rows")
  expect_match(shown[5], "^ +12 +1 ")
  expect_true("... and 2 strata with as many rows or more" %in% shown)
})

test_that("the strata of a task are taken wherever labels are, and the advised code is for the task", {
  skip_if_not_installed("mlr3")
  task = mlr3::tsk("iris")
  labels = task$truth()
  without_code = function(advice) advice[names(advice) != "r"]
  expect_identical(without_code(advise(task, 12)), without_code(advise(labels, 12)))
  expect_identical(stratified_split(task, c(0.8, 0.2), seed = 1), stratified_split(labels, c(0.8, 0.2), seed = 1))
  expect_identical(inverse_frequency_weights(task), inverse_frequency_weights(labels))
  sampler = batch_sampler_stratified(2, strata = labels, seed = 1)(NULL)
  expect_identical(batch_counts(sampler, task), batch_counts(sampler, labels))
  expect_identical(sampler$epoch, 0)
  for (advice in list(advise(task, 12), advise(task, 12, strata = "Species"))) {
    generator = eval(parse(text = advice$r))
    expect_gte(min(batch_counts(generator(task), labels)), 1)
  }
  cars = mlr3::tsk("mtcars")
  expect_identical(bin_target(cars, 3), bin_target(cars$truth(), 3))
  expect_output(print(advise(rep(0:1, c(600, 194000)), 128)), "<0.0001|      0 ")
})
