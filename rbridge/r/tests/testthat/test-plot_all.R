# Counts of batches, and plots: they show the counts and the measured values.

skip_if_not_installed("ggplot2")

labels = rep(c("no", "yes", "no"), times = c(10, 4, 16))

draw = function(plot) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  print(plot)
}

layer = function(plot, number) ggplot2::layer_data(plot, number)

test_that("the count is of what comes, of a sampler or of any batches", {
  sampler = sampler_of(labels, 2, seed = 1)
  expect_identical(batch_counts(sampler$batches(0), labels), sampler$plan())
  expect_identical(batch_counts(collect_rows(sampler, 30), labels), sampler$plan())
  expect_identical(batch_counts(list(rows = c(1L, 1L, 30L, 11L), offsets = c(0L, 3L, 3L, 4L)), labels),
    counts_in(no = c(3L, 0L, 0L), yes = c(0L, 0L, 1L)))
  columns = data.frame(x = c("a", NA, "a"), y = 1)
  expect_identical(batch_counts(list(rows = 3:1, offsets = c(0, 1, 3)), columns),
    counts_in(`a, 1` = c(1L, 1L), `NA, 1` = c(0L, 1L)))
})

test_that("batch_counts() counts what a dataloader delivers: rows, an element of a batch, or what a function finds", {
  labels = rep(c("yes", "no", "other"), times = c(4, 20, 16))
  generator = batch_sampler_stratified(2, strata = labels, seed = 1)
  items = torch::dataset(
    initialize = function() NULL,
    .getitem = function(i) list(row = i, label = factor(labels[i], unique(labels))),
    .length = function() 40
  )()
  loader = function(collate) torch::dataloader(items, batch_sampler = generator(items), collate_fn = collate)
  labels_in = function(batch) do.call(c, lapply(batch, `[[`, "label"))
  rows_in = function(batch) vapply(batch, `[[`, 1L, "row")
  expected = batch_counts(generator(NULL)$batches(0), labels)
  by_label = batch_counts(loader(function(batch) list(y = labels_in(batch))), "y")
  expect_identical(by_label[names(expected)], expected)
  expect_identical(batch_counts(loader(rows_in), labels), expected)
  by_function = batch_counts(loader(identity), labels_in)
  expect_identical(by_function, by_label)
  expect_identical(batch_counts(loader(function(batch) list(y = labels_in(batch))), 1L), by_label)
  expect_error(batch_counts(loader(function(batch) list(y = 1)), "z"),
    "The 'labels' parameter must name an element of every batch. Got 'z' instead.", fixed = TRUE)
})

test_that("plot_batch_counts() shows every batch, marks those without the label, and counts them", {
  tables = list(plain = data.frame(yes = c(0, 3, 1, 0)), stratified = data.frame(yes = c(1, 1, 1, 1)))
  plot = plot_batch_counts(tables, "yes")
  points = layer(plot, 2)
  expect_equal(points$y, c(0, 3, 1, 0, 1, 1, 1, 1))
  expect_identical(points$shape == 4, points$y == 0)
  bars = layer(plot, 3)
  expect_equal(bars$y[bars$PANEL == 3], c(2, 1, 0, 1))
  expect_equal(bars$y[bars$PANEL == 4], c(0, 4, 0, 0))
  expect_silent(draw(plot))
})

test_that("plot_plan() shows the fewest and the most rows of every stratum, the smallest stratum first", {
  plan = batch_plan(rep(c("b", "a"), times = c(9, 4)), 2)
  plot = plot_plan(plan)
  expect_equal(plot$data$shade, c(1, 1, 0.35, 1))
  expect_identical(plot$labels$title, "2 batches of 6 to 7 rows")
  expect_identical(plot$labels$subtitle, "at least 2 rows of every stratum in each")
  rare = plot_plan(batch_plan(c("a", rep("b", 9)), mean_batch_size = 4, rare = "allow"))
  expect_identical(layer(rare, 2)$label, c(1L, 0L, 0L, 3L, 3L, 3L))
  expect_equal(rare$data$shade, c(1, 0, 0, 1, 1, 1))
  expect_identical(nrow(layer(plot_plan(batch_plan(rep(c("yes", "no"), 60), 1)), 2)), 0L)
  expect_identical(rare$labels$subtitle, "not every stratum in each")
  expect_identical(plot_plan(plan, most = 1)$labels$x, "batch (and 1 larger stratum)")
  expect_silent(draw(plot))
})

test_that("what cannot be counted or drawn is refused", {
  refused = function(text, code) expect_error(code, text, fixed = TRUE)
  refused("The 'batches' parameter must be an instance of a sampler, its batches or a dataloader.",
    batch_counts(1:3, labels))
  refused("a dataloader. Got a generator instead. Call it with a dataset first: generator(dataset).",
    batch_counts(batch_sampler_stratified(1), labels))
  for (row in c(0, 31)) {
    refused(sprintf("must have one value for each row of the dataset. Got 30 values and row %d instead.", row),
      batch_counts(list(rows = row, offsets = 0:1), labels))
  }
  refused("must be a column of every table, such as 'no'. Got 'yes'",
    plot_batch_counts(list(a = data.frame(no = 1)), "yes"))
  refused("must be a list whose entries have names.", plot_batch_counts(list(data.frame(no = 1)), "no"))
  refused("must be a whole plan that batch_plan() made. Got 1 instead.", plot_plan(1))
  refused("must be a whole plan that batch_plan() made",
    plot_plan(batch_plan(labels, 4, strata_per_batch = 2)[1, ]))
})
