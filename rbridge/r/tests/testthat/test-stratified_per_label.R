# Positives and negatives of each label: labels by name, and weights.

labels = data.frame(
  rain = c(1, 1, 1, 0, 0, 0, 0, 0),
  wind = c(0, 1, 0, 1, 1, 1, 1, 0),
  snow = c(0, 0, 1, 1, 0, 0, 1, 1)
)

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
