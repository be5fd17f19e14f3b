test_that("the measures are AUM and one minus AUC of the probabilities, NaN for one class", {
  skip_if_not_installed("mlr3")
  measures = mlr3::msrs(c("classif.rocaum", "classif.invauc"))
  scores = function(truth, probabilities) {
    prediction = mlr3::PredictionClassif$new(row_ids = seq_along(truth), truth = factor(truth, c("yes", "no")),
      prob = cbind(yes = probabilities, no = 1 - probabilities))
    unname(prediction$score(measures))
  }
  truth = c("yes", "no", "yes", "no")
  expect_equal(scores(truth, c(0.9, 0.1, 0.8, 0.2)), c(0, 0))
  # Thresholds from 0.4 to 0.6 have a half of both errors, and one of four pairs is in the wrong order.
  expect_equal(scores(truth, c(0.9, 0.1, 0.4, 0.6)), c(0.1, 0.25))
  expect_equal(scores(truth, rep(0.5, 4)), c(0, 0.5))
  expect_true(all(is.nan(scores(c("no", "no"), c(0.1, 0.2)))))
})
