# The measures of mlr3: the AUM, which test-inside.R compares with CRAN's package aum, and one minus the AUC.

skip_if_not_installed("mlr3")

prediction_of = function(probabilities, is_positive, weights = NULL) {
  truth = factor(ifelse(is_positive, "yes", "no"), levels = c("yes", "no"))
  prob = cbind(yes = probabilities, no = 1 - probabilities)
  mlr3::PredictionClassif$new(row_ids = seq_along(truth), truth = truth, prob = prob, weights = weights)
}

score_of = function(id, ...) unname(prediction_of(...)$score(mlr3::msr(id)))

random_predictions = function() {
  withr::with_seed(1, Map(function(n_rows, n_distinct) {
    list(probabilities = sample.int(n_distinct, n_rows, replace = TRUE) / (n_distinct + 1),
      is_positive = sample(rep(c(TRUE, FALSE, FALSE), length.out = n_rows)))
  }, rep(c(2, 5, 40, 300), 3), rep(c(1, 6, 1e6), each = 4)))
}

test_that("classif.invauc is one minus classif.auc, with and without weights", {
  for (case in random_predictions()) {
    for (weights in list(NULL, seq_along(case$is_positive) / 2)) {
      prediction = prediction_of(case$probabilities, case$is_positive, weights)
      scores = prediction$score(mlr3::msrs(c("classif.auc", "classif.invauc")))
      expect_equal(unname(scores[2L]), 1 - unname(scores[1L]))
    }
  }
})

test_that("the AUM is that of the probabilities of the positive class", {
  expect_equal(score_of("classif.rocaum", c(0.2, 0.4, 0.3), c(TRUE, FALSE, TRUE)), 0.5 * 0.1 + 0.1)
})
