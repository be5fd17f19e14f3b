# The measures of mlr3: the AUM against CRAN's package aum, and one minus the area under the ROC curve.

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

test_that("the AUM is that of the package aum, of rates, also with ties", {
  skip_if_not_installed("aum")
  for (case in random_predictions()) {
    reference = aum::aum(aum::aum_diffs_binary(as.integer(case$is_positive), denominator = "rate"), case$probabilities)
    expect_equal(score_of("classif.rocaum", case$probabilities, case$is_positive), reference$aum, tolerance = 1e-12)
  }
})

test_that("classif.invauc is one minus classif.auc, with and without weights", {
  for (case in random_predictions()) {
    for (weights in list(NULL, seq_along(case$is_positive) / 2)) {
      prediction = prediction_of(case$probabilities, case$is_positive, weights)
      scores = prediction$score(mlr3::msrs(c("classif.auc", "classif.invauc")))
      expect_equal(unname(scores[2L]), 1 - unname(scores[1L]))
    }
  }
})

test_that("predictions without probabilities, or of rows of one class, have no measure", {
  for (id in c("classif.rocaum", "classif.invauc")) {
    expect_identical(score_of(id, c(0.2, 0.4), c(TRUE, TRUE)), NaN)
    expect_identical(score_of(id, c(0.2, 0.4), c(FALSE, FALSE)), NaN)
    prediction = mlr3::PredictionClassif$new(row_ids = 1:2, truth = factor(1:2), response = factor(1:2))
    expect_warning({
      score = prediction$score(mlr3::msr(id))
    }, "missing predict type")
    expect_identical(unname(score), NaN)
  }
})
