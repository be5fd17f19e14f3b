#' @title Plan of a Mixture of Files
#'
#' @description
#' Tells how many lines of each file an epoch of a mixture draws, as the data.frame that Python's
#' `CorpusMixtureBatchSampler.plan.table()` is there.
#' The mixture itself becomes a batch sampler by [batch_sampler_python()].
#'
#' @param mixture (Python object)\cr
#'   A `pystrat.corpus.CorpusMixtureBatchSampler`, reached through reticulate.
#'
#' @return A `data.frame`, one row a file, with the columns
#'   * `file`: the name without suffix;
#'   * `lines`: lines that the file has;
#'   * `rule`: number of the rule that covers it, `NA` where there is none;
#'   * `uniform_share`: its share of the lines that no rule keeps, from 0 to 1;
#'   * `share`: its share of the lines to draw, from 0 to 1;
#'   * `drawn`, `kept`: lines that an epoch draws, with replacement, and lines that a rule keeps.
#'
#' @section Errors:
#' A Python object that is no such mixture, and where the package reticulate is missing.
#'
#' @export
#' @examples
#' if (requireNamespace("reticulate", quietly = TRUE) && reticulate::py_module_available("rbridge")) {
#'   folder = tempfile()
#'   dir.create(folder)
#'   writeLines(rep("a line", 60), file.path(folder, "generic.txt"))
#'   writeLines(rep("a line", 4), file.path(folder, "news.txt"))
#'   corpus = reticulate::import("pystrat.corpus")
#'   rules = list("news 30", "* 70")
#'   mixture = corpus$CorpusMixtureBatchSampler(folder, 8, suffixes = list(".txt"), sample = 20L, rules = rules)
#'   corpus_plan(mixture)
#' }
corpus_plan = function(mixture) {
  if (!requireNamespace("reticulate", quietly = TRUE)) {
    stop("corpus_plan() needs the R package reticulate: install.packages(\"reticulate\").", call. = FALSE)
  }
  if (!inherits(mixture, "python.builtin.object")) {
    stop_parameter("mixture", "be a CorpusMixtureBatchSampler", show_value(mixture), of = "corpus_plan")
  }
  source = reticulate::import("rbridge.corpus", convert = FALSE)
  columns = from_python(reticulate::py_to_r(source$guarded_plan_columns(mixture)))
  data_frame_of_columns(lapply(columns, as.vector))
}
