#' @title Plan of a Mixture of Files
#'
#' @description
#' Returns how many lines of each file an epoch of a mixture has: a dry run of its rules.
#'
#' @param mixture (`batch_sampler_corpus_mixture`)\cr
#'   What [batch_sampler_corpus_mixture()] returned, or an instance of it.
#'
#' @return A `data.frame()`, one row for each file, with the columns
#'   * `file`: the name without suffix, after some of its folders if several files have the name;
#'   * `lines`: lines that the file has;
#'   * `rule`: number of the rule that covers it, `NA` if there is none;
#'   * `uniform_share`: its share of the lines that no rule keeps, from 0 to 1;
#'   * `share`: its share of the lines to draw, from 0 to 1;
#'   * `drawn`, `kept`: lines that an epoch draws, with replacement, and lines that a rule keeps.
#'
#' It is the table that `CorpusMixtureBatchSampler.plan.table()` is in Python, where whole numbers are integers.
#'
#' @section Errors:
#' An object that is no such mixture.
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
corpus_plan = function(mixture) {
  name_errors("corpus_plan")
  if (!inherits(mixture, kind_mixture()$class)) {
    stop_parameter("mixture", sprintf("be made by %s()", kind_mixture()$class), show_value(mixture))
  }
  if (is.function(mixture)) plan_table(attr(mixture, "settings")$recipe) else mixture$plan()
}

plan_table = function(recipe) {
  rule = recipe$labels$rule
  data.frame(
    file = recipe$parts$files,
    lines = recipe$parts$lines,
    rule = ifelse(is.nan(rule), NA_real_, rule),
    uniform_share = recipe$labels$uniform_share,
    share = recipe$labels$share,
    drawn = recipe$parts$drawn,
    kept = recipe$parts$kept,
    stringsAsFactors = FALSE
  )
}

# Lines of the files and rules -> how many lines of each file an epoch draws, in exact fractions.
# -> list(rule, uniform_share, share, drawn, kept), each with one number for each file
# `rules` are read; NULL without any.
make_corpus_plan = function(names, lines, sample, rules) {
  covering = if (is.null(rules)) rep(1L, length(names)) else find_rules(rules, names)
  weights = if (is.null(rules)) list("1") else lapply(rules, `[[`, "weight")
  is_kept = covering > 0L
  is_kept[is_kept] = vapply(weights[covering[is_kept]], is.null, NA)
  kept = ifelse(is_kept, lines, 0)
  others = sum(lines) - sum(kept)
  requested = requested_lines(sample, others, sum(kept))
  draws = covering > 0L & !is_kept & lines > 0
  if (requested$number > 0 && !any(draws)) {
    required = if (is.null(rules)) "be taken from files that have lines" else "match a file that has lines"
    got = sprintf("%s without any to draw %.15g from", show_count(length(names), "file"), requested$number)
    stop_parameter(if (is.null(rules)) "sample" else "rules", required, got)
  }
  counting = unique(covering[draws])
  planned = .Call(C_plan_files, lines, ifelse(draws, match(covering, counting), 0L), as.character(weights[counting]),
    requested$share, requested$of_lines)
  plan = list(
    rule = if (is.null(rules)) rep(NaN, length(names)) else ifelse(covering > 0L, as.double(covering), NaN),
    uniform_share = ifelse(is_kept, 0, lines / max(others, 1)),
    share = planned$share,
    drawn = planned$drawn,
    kept = kept
  )
  check_plan_total(sum(plan$drawn) + sum(plan$kept), sample)
  plan
}

# How many lines are to be drawn: `share` as decimal digits, of so many lines; `number` is their product, rounded.
requested_lines = function(sample, others, kept) {
  required = "be a share between 0 and 1, or a number of lines: an integer from 1"
  if (!is.numeric(sample) || is.object(sample) || length(sample) != 1L) {
    stop_parameter("sample", required, show_value(sample))
  }
  if (is.double(sample)) {
    check_share(sample, required)
    return(list(share = .Call(C_shortest_decimal, sample), of_lines = others, number = sample * others))
  }
  if (is.na(sample) || sample < 1L) {
    stop_parameter("sample", required, show_value(sample))
  }
  if (sample < kept) {
    stop_parameter("sample", sprintf("be at least %.0f, the lines that rules keep", kept), show_value(sample))
  }
  list(share = sprintf("%.0f", sample - kept), of_lines = 1, number = sample - kept)
}

check_share = function(sample, required) {
  if (is.na(sample) || sample <= 0 || sample >= 1) {
    # 1, all lines or one line, would be shown as 1L is.
    advice = if (is.finite(sample) && sample == floor(sample)) {
      sprintf("A number of lines is written %.0f, in R %.0fL.", sample, sample)
    }
    stop_parameter("sample", required, sprintf("the floating-point number %s", show_double(sample)), advice)
  }
}

# As Python shows a double.
show_double = function(value) {
  if (is.na(value)) {
    "nan"
  } else if (is.infinite(value)) {
    if (value > 0) "inf" else "-inf"
  } else if (value == floor(value) && abs(value) < 1e16) {
    sprintf("%.1f", value)
  } else {
    .Call(C_shortest_decimal, value)
  }
}

check_plan_total = function(total, sample) {
  if (total == 0) {
    stop_parameter("sample", "give an epoch at least one line", sprintf("%s, for none", show_value(sample)))
  }
  if (total > largest_count) {
    stop_parameter("sample", sprintf("give an epoch at most %.0f lines", largest_count),
      sprintf("%s, for %.0f", show_value(sample), total))
  }
}
