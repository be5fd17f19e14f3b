#' @title Preview a Mixture of Files
#'
#' @description
#' Returns the number of lines of each file in an epoch of a mixture, without drawing any.
#'
#' @param mixture (`batch_sampler_corpus_mixture`)\cr
#'   The result of [batch_sampler_corpus_mixture()], or an instance of it.
#' @param epoch (`integer(1)`)\cr
#'   The epoch, from 0.
#'   `NULL` (default): the first one; for an instance, the next one.
#'   It matters only if the weights of the files change by epoch.
#'
#' @return The `data.frame()` that `plan()` of [batch_sampler_corpus_mixture()] returns.
#'
#' @seealso [batch_sampler_corpus_mixture()], which explains the rules.
#'
#' @export
#' @examples
#' folder = tempfile()
#' dir.create(folder)
#' writeLines(rep("a line", 60), file.path(folder, "generic.txt"))
#' writeLines(rep("a line", 4), file.path(folder, "news.txt"))
#' corpus_plan(batch_sampler_corpus_mixture(
#'   folder, batch_size = 8, sample = 20, rules = c("news 30", "* 70"), suffixes = ".txt"))
corpus_plan = function(mixture, epoch = NULL) {
  refuse_if(!inherits(mixture, kind_mixture()$class), "mixture", sprintf("be made by %s()", kind_mixture()$class),
    show_value(mixture))
  if (!is.function(mixture)) {
    return(mixture$plan(epoch))
  }
  plan_table(attr(mixture, "settings")$recipe, if (is.null(epoch)) 0 else check_epoch(epoch))
}

plan_table = function(recipe, epoch) {
  parts = recipe$parts
  n_files = length(parts$lines)
  begins = if (is.null(parts$begins)) 0 else parts$begins
  found = core_described(recipe)
  of_stage = lapply(found[c("uniform_share", "share", "drawn", "kept")], `[`,
    seq_len(n_files) + (findInterval(epoch, begins) - 1L) * n_files)
  rule = if (is.null(parts$file_rules)) rep(NA_real_, n_files) else parts$file_rules
  data.frame(c(
    list(file = recipe$labels$names, lines = parts$lines),
    if (!is.null(parts$rows)) list(excluded = parts$lines - found$remaining),
    list(rule = replace(rule, rule == 0, NA)),
    of_stage
  ), stringsAsFactors = FALSE)
}
