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
  plan_table(settings$recipe, stage_of(settings$recipe, settings$functions$plan_of, if (is.null(epoch)) 0 else epoch))
}

# `stage` is that of an epoch.
plan_table = function(recipe, stage) {
  rule = recipe$labels$rule
  population = population_of(recipe$parts)
  data.frame(c(
    list(file = recipe$parts$files, lines = recipe$parts$lines),
    if (!is.null(population)) list(excluded = recipe$parts$lines - population$counts),
    list(
      rule = ifelse(is.nan(rule), NA_real_, rule),
      uniform_share = stage$uniform_share,
      share = stage$share,
      drawn = stage$drawn,
      kept = stage$kept
    )
  ), stringsAsFactors = FALSE)
}

# The number of lines of each file in an epoch, from the lines of the files and their division, in exact fractions.
# -> list(rule, uniform_share, share, drawn, kept), each with one number for each file
# `rules` are read; NULL without any.
make_corpus_plan = function(names, lines, sample = NULL, rules = NULL, weights = NULL, temperature = NULL,
  epoch_end = "sample") {
  division = divide_files(names, lines, rules, weights, temperature)
  check_epoch_end(epoch_end, sample)
  kept = ifelse(division$keeps, lines, 0)
  others = sum(lines) - sum(kept)
  groups = ifelse(lines > 0, division$groups, 0L)
  counting = unique(groups[groups > 0L])
  places = match(groups, counting, nomatch = 0L)
  if (epoch_end == "sample") {
    requested = requested_lines(sample, others, sum(kept), division$parameter)
    if (requested$number > 0 && length(counting) == 0L) {
      refuse_without_lines(division$parameter, "sample", sprintf("%s without any to draw %.15g from",
        show_count(length(names), "file"), requested$number))
    }
    planned = .Call(C_plan_files, lines, places, division$weights[counting], requested$share, requested$of_lines)
  } else {
    if (length(counting) == 0L && sum(kept) == 0) {
      refuse_without_lines(division$parameter, "epoch_end", sprintf("%s without any to draw from",
        show_count(length(names), "file")))
    }
    planned = .Call(C_plan_exhausted, lines, places, division$weights[counting], epoch_end == "first_exhausted")
  }
  plan = list(
    rule = division$rule,
    uniform_share = ifelse(division$keeps, 0, lines / max(others, 1)),
    share = planned$share,
    drawn = planned$drawn,
    kept = kept
  )
  check_plan_total(sum(plan$drawn) + sum(plan$kept), sample, epoch_end)
  plan
}

# A number of lines, and an end that determines the number, exclude each other.
check_epoch_end = function(epoch_end, sample) {
  check_choice(epoch_end, "epoch_end", c("sample", "first_exhausted", "all_exhausted"))
  if (epoch_end != "sample" && !is.null(sample)) {
    stop_parameter("sample", sprintf("be left out if 'epoch_end' is '%s'", epoch_end), show_value(sample))
  }
}

# `otherwise` is the argument that is refused if neither rules nor weights divide the files.
refuse_without_lines = function(parameter, otherwise, got) {
  required = switch(paste(parameter, collapse = ""),
    rules = "match a file that has lines",
    weights = "be above 0 for a file that has lines",
    "be taken from files that have lines"
  )
  stop_parameter(c(intersect(parameter, c("rules", "weights")), otherwise)[1L], required, got)
}

# The number of lines to draw: `share` as decimal digits, of `others` lines; `number` is their product, rounded.
requested_lines = function(sample, others, kept, keeper) {
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
    stop_parameter("sample", sprintf("be at least %.0f, the lines that %s keep", kept, keeper), show_value(sample))
  }
  list(share = sprintf("%.0f", sample - kept), of_lines = 1, number = sample - kept)
}

check_share = function(sample, required) {
  if (is.na(sample) || sample <= 0 || sample >= 1) {
    # 1, all lines or one line, would be shown like 1L.
    advice = if (is.finite(sample) && sample == floor(sample)) {
      sprintf("A number of lines is written %.0f, in R %.0fL.", sample, sample)
    }
    stop_parameter("sample", required, sprintf("the floating-point number %s", show_double(sample)), advice)
  }
}

# In the form in which Python shows a double.
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

check_plan_total = function(total, sample, epoch_end) {
  if (total == 0) {
    stop_parameter("sample", "give an epoch at least one line", sprintf("%s, for none", show_value(sample)))
  }
  if (total > largest_count) {
    given = if (is.null(sample)) list("epoch_end", epoch_end) else list("sample", sample)
    stop_parameter(given[[1L]], sprintf("give an epoch at most %.0f lines", largest_count),
      sprintf("%s, for %.0f", show_value(given[[2L]]), total))
  }
}
