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
#' @return A `data.frame()`, one row for each file, with the columns
#'   * `file`: the name without suffix, preceded by some of its folders if several files have the name;
#'   * `lines`: the number of lines of the file;
#'   * `excluded`, only if the mixture has limits: the number of lines that the limits exclude;
#'   * `rule`: the number of the rule that covers it, `NA` if there is none;
#'   * `uniform_share`: its share of the lines that are not kept, from 0 to 1;
#'   * `share`: its share of the lines to draw, from 0 to 1;
#'   * `drawn`, `kept`: the number of lines that an epoch draws, and of lines that occur once each, whatever is drawn.
#'
#' It is the table of `CorpusMixtureBatchSampler.plan.table()` in Python, where whole numbers are integers.
#'
#' @section Errors:
#' `mixture` is not such a mixture, or `epoch` is not an integer from 0 to 6700000.
#'
#' @seealso [batch_sampler_corpus_mixture()], which explains the rules.
#'
#' @export
#' @examples
#' folder = tempfile()
#' dir.create(folder)
#' writeLines(rep("a line", 60), file.path(folder, "generic.txt"))
#' writeLines(rep("a line", 4), file.path(folder, "news.txt"))
#' mixture = batch_sampler_corpus_mixture(
#'   folder,
#'   batch_size = 8,
#'   sample = 20L,
#'   rules = c("news 30", "* 70"),
#'   suffixes = ".txt"
#' )
#' corpus_plan(mixture)
corpus_plan = function(mixture, epoch = NULL) {
  if (!inherits(mixture, kind_mixture()$class)) {
    stop_parameter("mixture", sprintf("be made by %s()", kind_mixture()$class), show_value(mixture))
  }
  if (!is.null(epoch)) {
    epoch = check_epoch(epoch)
  }
  if (!is.function(mixture)) {
    return(mixture$plan(epoch))
  }
  settings = attr(mixture, "settings")
  plan_table(settings$recipe, if (is.null(epoch)) 0 else epoch)
}

plan_table = function(recipe, epoch) {
  stage = stage_of(recipe, epoch)
  rule = recipe$labels$rule
  data.frame(c(
    list(file = recipe$parts$files, lines = recipe$parts$lines),
    if (!is.null(recipe$parts$remaining)) list(excluded = recipe$parts$lines - remaining_counts(recipe$parts)),
    list(
      rule = ifelse(is.nan(rule), NA_real_, rule),
      uniform_share = stage$uniform_share,
      share = stage$share,
      drawn = stage$drawn,
      kept = stage$kept
    )
  ), stringsAsFactors = FALSE)
}

# The number of lines of each file in an epoch.
# -> list(rule, uniform_share, share, drawn, kept), each with one number for each file
# `rules` are read; NULL without any. The others are `temperature`, `cap`, and what deals lines evenly.
make_corpus_plan = function(names, lines, sample = NULL, rules = NULL, weights = NULL, ..., epoch_end = "sample",
  most_lines = largest_count) {
  is_count = is.integer(sample) || inherits(sample, "integer64")
  request = list(lines = lines, weights = weights, sample = sample, is_count = is_count, ..., epoch_end = epoch_end,
    most_lines = most_lines)
  entries = NULL
  rule = rep(NaN, length(names))
  if (!is.null(rules)) {
    rule = rules_of_files(rules, names)
    request = c(request, list(rules = rules$weights, file_rules = rule))
  } else if (!is.null(weights)) {
    entries = weight_entries(in_order_of(plain_value(weights), list(names), "weights"), length(names))
    request$file_weights = vapply(entries, weight_number, 0)
    request$keeps = as.raw(vapply(entries, identical, NA, "*"))
  }
  plan = core_call("corpus_plan", request, function(word, places) {
    if (word == "weight") show_value(entries[[places]]) else sprintf("'%s'", shown_name(names[places]))
  })
  c(list(rule = rule), plan[c("uniform_share", "share", "drawn", "kept")])
}

# The weights of files as a list, whatever they are.
weight_entries = function(weights, n_files) {
  required = sprintf("be a list with a number from 0 to %.0f, or '*', for each file", largest_exact)
  if (is.object(weights) || !(is.numeric(weights) || is.character(weights) || is.list(weights))) {
    stop_parameter("weights", required, show_value(weights))
  }
  if (is.character(weights) && length(weights) == n_files && !all(weights %in% "*")) {
    stop_parameter("weights", required, sprintf("a list with %s", show_value(weights[!weights %in% "*"][1L])),
      "Numbers beside '*' are written as list(3, 1, '*').")
  }
  as.list(unname(weights))
}

weight_number = function(weight) {
  if (is.numeric(weight) && !is.object(weight) && length(weight) == 1L) as.double(weight) else NaN
}
