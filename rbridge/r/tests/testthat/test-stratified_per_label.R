# Positives and negatives of each label: the golden cases, labels by name, and weights.

labels = data.frame(
  rain = c(1, 1, 1, 0, 0, 0, 0, 0),
  wind = c(0, 1, 0, 1, 1, 1, 1, 0),
  snow = c(0, 0, 1, 1, 0, 0, 1, 1)
)

labels_of_case = function(case) {
  has = outer(seq_len(case$n_rows) - 1, seq_len(case$n_labels) - 1, function(row, label) {
    (row + 3 * label) %% (label + 2) == 0
  })
  has + 0
}

actual_of_case = function(case) {
  sampler = do.call(batch_sampler_per_label, c(list(labels_of_case(case)), case$parameters))(NULL)
  list(
    n_batches = sampler$.length(),
    epochs = lapply(case$epochs, function(epoch) {
      batches = sampler$batches(epoch)
      list(sizes = cut_list(diff(batches$offsets)), rows = cut_list(batches$rows))
    })
  )
}

test_that("the same numbers in every language", {
  for (case in read_golden("per_label.json")$cases) {
    expect_parts(actual_of_case(case$input), case$expected, info = case$input$name)
  }
})

test_that("numbers are positives and negatives of labels", {
  sampler = batch_sampler_per_label(labels, 2, 1, labels_per_batch = 2, seed = 1)(NULL)
  expect_identical(sampler$labels(), names(labels))
  batches = sampler$batches(0)
  for (i in seq_along(batches)) {
    decoded = decode_pairs(batches[[i]], n_items = 3, item_ids = sampler$labels())
    expect_identical(decoded$label, rep(c(1L, 1L, 0L), 2))
    expect_equal(mapply(function(row, label) labels[row, label], decoded$user, decoded$item), decoded$label)
  }
})

test_that("refusals and instances name labels", {
  expect_error(batch_sampler_per_label(labels, 4, 1), "be at most 3: 3 rows have label 'rain'. Got 4 instead.")
  sampler = batch_sampler_per_label(labels, 1, 2, n_batches = 4, seed = 1)(NULL)
  expect_output(print(sampler), "* labels: 'rain', 'wind', 'snow'\n* batches: 4\n", fixed = TRUE)
})

test_that("numbers that are in no batch have no weight, and others are refused", {
  sampler = batch_sampler_per_label(labels, 1, 2, labels_per_batch = 2, n_batches = 3, seed = 1)(NULL)
  expect_identical(sampler$weights(0:3), c(NA, 1.5, 0.75, NA))
  expect_identical(sampler$class_weights()$positives, c(1.5, 2.5, 2))
  expect_error(sampler$weights(48), "'numbers' .* must hold numbers of rows and labels from 0 to 47. Got 48 instead")
})
