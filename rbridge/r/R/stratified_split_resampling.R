#' @title Resampling by Shares of Every Stratum
#'
#' @name rbridge.stratified_split
#'
#' @description
#' A resampling of mlr3, `mlr3::rsmp("rbridge.stratified_split")`, that divides the rows of a task as
#' [stratified_split()] does.
#' Iteration i trains on the first part, and tests on part i + 1.
#' So two parts are a holdout, and `c(train = 0.8, valid = 0.1, test = 0.1)` has two iterations.
#'
#' The strata are the columns of the task with the role `stratum`, else the target of a classification task.
#' The groups are those of the column with the role `group`, if there is one.
#' Unlike the resamplings of mlr3, it allows strata and groups together.
#'
#' @section Parameters:
#' * `sizes` (`numeric()`)\cr
#'   As in [stratified_split()], at least two; `c(train = 2 / 3, test = 1 / 3)` by default.
#' * `missing`, `seed`: as in [stratified_split()].
#'   By default, each call of `instantiate()` draws a seed.
#'
#' @examples
#' if (requireNamespace("mlr3", quietly = TRUE)) {
#'   task = mlr3::tsk("sonar")
#'   sizes = c(train = 0.75, test = 0.25)
#'   resampling = mlr3::rsmp("rbridge.stratified_split", sizes = sizes, seed = 1)
#'   resampling$instantiate(task)
#'   table(task$truth(resampling$test_set(1)))
#' }
NULL

ResamplingStratifiedSplit = R6Class("ResamplingRbridgeStratifiedSplit",
  inherit = mlr3::Resampling,
  public = list(
    initialize = function() {
      param_set = paradox::ps(
        sizes = paradox::p_uty(tags = "required", custom_check = function(sizes) {
          if (length(sizes) >= 2L) TRUE else "Must have at least two parts, the first of them to train"
        }),
        missing = paradox::p_fct(c("error", "stratum", "drop"), tags = "required"),
        seed = paradox::p_int(0L, largest_seed)
      )
      param_set$values = list(sizes = c(train = 2 / 3, test = 1 / 3), missing = "error")
      super$initialize(id = "rbridge.stratified_split", param_set = param_set, label = "Shares of Every Stratum",
        man = "rbridge::rbridge.stratified_split")
    },
    # Strata and groups together, which mlr3's own method does not allow.
    instantiate = function(task) {
      task = mlr3::assert_task(mlr3::as_task(task))
      values = self$param_set$values
      groups = task$col_roles$group
      parts = stratified_split(task, values$sizes, if (length(groups) > 0L) task_columns(task, groups), values$missing,
        values$seed)
      private$.hash = NULL
      self$instance = lapply(parts, function(places) task$row_ids[places])
      self$task_hash = task$hash
      self$task_nrow = task$nrow
      if ("task_row_hash" %in% names(self)) {
        self$task_row_hash = task$row_hash
      }
      invisible(self)
    }
  ),
  active = list(
    iters = function() length(self$param_set$values$sizes) - 1L
  ),
  private = list(
    .get_train = function(i) self$instance[[1L]],
    .get_test = function(i) self$instance[[i + 1L]]
  )
)
