#' @title Measures for Ranking: AUM and One Minus AUC
#'
#' @name rbridge.measures
#' @aliases classif.rocaum classif.invauc
#'
#' @description
#' Two measures of mlr3 for tasks with two classes, both to be minimized, under the names that mlr3torchAUM gives them:
#' * `msr("classif.rocaum")`: the value of [aum_loss] for all predicted probabilities of the positive class.
#' * `msr("classif.invauc")`: one minus the area under the ROC curve, that is, one minus `msr("classif.auc")`.
#'
#' Both need probabilities, and are `NaN` for rows of one class only.
#' Each is 0 if every positive row has a larger probability than every negative row; the AUM is also 0 if all rows have
#' the same probability, so look at both.
#' If mlr3torchAUM is loaded as well, mlr3 has the measures of the package that was loaded last.
#' `classif.invauc` uses the weights of measures as `classif.auc` does; `classif.rocaum` has none.
#'
#' @source
#' The measures are those of the package mlr3torchAUM by T. D. Hocking.
#'
#' @examplesIf requireNamespace("mlr3", quietly = TRUE)
#' task = mlr3::tsk("sonar")
#' prediction = mlr3::lrn("classif.featureless", predict_type = "prob")$train(task)$predict(task)
#' prediction$score(mlr3::msrs(c("classif.rocaum", "classif.invauc")))
NULL

# The class of a measure of the probabilities of the positive class: score(truth, probabilities, positive, weights).
ranking_measure = function(name, id, largest, label, properties, score) {
  R6Class(paste0("MeasureRbridge", name),
    inherit = mlr3::MeasureClassif,
    public = list(
      initialize = function() {
        super$initialize(id = id, predict_type = "prob", task_properties = "twoclass", range = c(0, largest),
          minimize = TRUE, packages = "rbridge", properties = properties, label = label,
          man = "rbridge::rbridge.measures")
      }
    ),
    private = list(
      .score = function(prediction, weights = NULL, ...) {
        positive = levels(prediction$truth)[1L]
        score(prediction$truth, prediction$prob[, positive], positive, weights)
      }
    )
  )
}

MeasureROCAUM = ranking_measure("ROCAUM", "classif.rocaum", Inf, "Area Under the Minimum of the Error Rates",
  properties = character(), score = function(truth, probabilities, positive, weights) {
    is_positive = truth == positive
    if (length(unique(is_positive)) < 2L) NaN else aum_of_numbers(probabilities, is_positive)
  })

MeasureInvAUC = ranking_measure("InvAUC", "classif.invauc", 1, "One Minus AUC",
  properties = "weights", score = function(truth, probabilities, positive, weights) {
    1 - mlr3::msr("classif.auc")$fun(truth, prob = probabilities, positive = positive, sample_weights = weights)
  })
