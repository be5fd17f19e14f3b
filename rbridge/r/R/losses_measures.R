#' @title Measures for Ranking: AUM and One Minus AUC
#'
#' @name rbridge.measures
#' @aliases classif.rocaum classif.invauc
#'
#' @description
#' Two measures of mlr3 for tasks with two classes, both to be minimized, under the names that mlr3torchAUM gives them:
#' * `msr("classif.rocaum")`: the area under the minimum of the false positive rate and the false negative rate, as a
#'   function of the threshold: the value of [aum_loss] for all predicted probabilities of the positive class.
#' * `msr("classif.invauc")`: one minus the area under the ROC curve, that is, one minus `msr("classif.auc")`.
#'
#' Both need learners that predict probabilities.
#' Each is 0 if every positive row has a larger probability than every negative row.
#' The AUM is also 0 if all rows have the same probability, so look at both.
#' If mlr3torchAUM is loaded as well, the dictionary of mlr3 has the measures of the package that was loaded last.
#'
#' @section Value:
#' A number of at least 0; for `classif.invauc` at most 1.
#' If a prediction has rows of one class only, the measures are `NaN`, as `msr("classif.auc")` is; in mlr3torchAUM, the
#' AUM is 0 then.
#' `classif.invauc` uses the weights of measures as `classif.auc` does; `classif.rocaum` has none.
#'
#' @source
#' J. Hillman and T. D. Hocking, "Optimizing ROC Curves with a Sort-Based Surrogate Loss for Binary Classification and
#' Changepoint Detection", JMLR 24, 2023.
#' The measures are those of the package mlr3torchAUM by T. D. Hocking.
#'
#' @examplesIf requireNamespace("mlr3", quietly = TRUE)
#' task = mlr3::tsk("sonar")
#' prediction = mlr3::lrn("classif.featureless", predict_type = "prob")$train(task)$predict(task)
#' prediction$score(mlr3::msrs(c("classif.rocaum", "classif.invauc")))
NULL

MeasureROCAUM = R6Class("MeasureRbridgeROCAUM",
  inherit = mlr3::MeasureClassif,
  public = list(
    initialize = function() {
      super$initialize(id = "classif.rocaum", predict_type = "prob", task_properties = "twoclass", range = c(0, Inf),
        minimize = TRUE, packages = "rbridge", label = "Area Under the Minimum of the Error Rates",
        man = "rbridge::rbridge.measures")
    }
  ),
  private = list(
    .score = function(prediction, ...) {
      positive = levels(prediction$truth)[1L]
      is_positive = prediction$truth == positive
      if (length(unique(is_positive)) < 2L) NaN else aum_of_numbers(prediction$prob[, positive], is_positive)
    }
  )
)

MeasureInvAUC = R6Class("MeasureRbridgeInvAUC",
  inherit = mlr3::MeasureClassif,
  public = list(
    initialize = function() {
      super$initialize(id = "classif.invauc", predict_type = "prob", task_properties = "twoclass", range = c(0, 1),
        minimize = TRUE, packages = "rbridge", properties = "weights", label = "One Minus AUC",
        man = "rbridge::rbridge.measures")
    }
  ),
  private = list(
    .score = function(prediction, weights = NULL, ...) {
      positive = levels(prediction$truth)[1L]
      1 - mlr3::msr("classif.auc")$fun(prediction$truth, prob = prediction$prob[, positive], positive = positive,
        sample_weights = weights)
    }
  )
)
