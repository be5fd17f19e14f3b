#' @title Batch Sampler of a Mixture of Files
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] over the lines of text files, mixed by rules, weights or a
#' temperature, and drawn anew in each epoch.
#' [corpus_dataset()] over the same files reads the lines.
#' The Python class `pystrat.corpus.CorpusMixtureBatchSampler` returns the same batches from the same seed.
#'
#' Guide: \guide{corpus-files}.
#'
#' @param source,suffixes,targets As in [corpus_dataset()].
#' @param batch_size (`integer(1)`)\cr
#'   The number of lines per batch, at least 1.
#'   The last batch may be smaller.
#' @param sample (`double(1)` or `integer(1)`)\cr
#'   The size of an epoch: a share between 0 and 1 of all lines that are not kept, or an integer such as `1000L`, the
#'   number of lines including those that are kept.
#'   Only if `epoch_end` is `"sample"`.
#' @param rules (`character()` or `list()`)\cr
#'   The path of a file of rules; or two or more rules, or a list of any number of rules, see section *Rules*.
#'   Give at most one of `rules`, `weights` and `temperature`; without any, files contribute in proportion to their
#'   lines.
#' @param weights (`numeric()` or `list()`)\cr
#'   The weight of each file, whatever its number of lines: its share is its part of all weights.
#'   Names of the weights are those of the files.
#'   0 leaves the file out; `"*"`, in a list such as `list(3, 1, "*")`, keeps all its lines, once per epoch each.
#'   Weights that change are a list named by first epochs, `list("0" = c(1, 1), "5" = c(3, 1))`.
#' @param temperature (`numeric(1)`)\cr
#'   At least 1: a file with n lines has the weight `n^(1 / temperature)`.
#' @param cap (`integer(1)`)\cr
#'   The number of lines as which a larger file counts, also before `temperature`.
#' @param assign (`character(1)`)\cr
#'   `"shuffled"` (default): all lines of an epoch are shuffled together.
#'   `"even"`: every batch has exactly `batch_size` lines and, of each file, the floor or the ceiling of its share.
#' @param epoch_end (`character(1)`)\cr
#'   `"sample"` (default): an epoch draws the lines of `sample` with replacement.
#'   `"first_exhausted"`: it is the largest in which no line occurs twice.
#'   `"all_exhausted"`: it is the smallest in which every line of each file with a share occurs.
#' @param shuffle (`logical(1)`)\cr
#'   `TRUE` (default): the drawn lines are shuffled.
#'   `FALSE`: they come in the order of the files.
#' @param lengths (`"words"`, `function` or `integer()`)\cr
#'   The length of each line, for `max_length`: words between blanks, like `NULL` (default), on the longest side; a
#'   function of lines as `lines()` of [corpus_dataset()] returns them; or numbers, in a matrix with a column for each
#'   side.
#' @param max_length (`integer()`)\cr
#'   Longer lines are excluded; several numbers, such as `c(80, 120)`, are limits for each side.
#'   `NULL` (default): no limit.
#' @param accept (`function`)\cr
#'   A function of lines as `lines()` of [corpus_dataset()] returns them, which returns for each position whether it is
#'   accepted.
#'   `NULL` (default): all are accepted.
#' @param seed,num_replicas As in [batch_sampler_epoch_subset()].
#'
#' @return A generator of class `"batch_sampler_corpus_mixture"` and `"torch_sampler"`.
#' If the data source has a number of rows, it must be the number of lines in all files.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `plan(epoch = NULL)`: returns the table of [corpus_plan()], by default that of the next epoch;
#' * `dataset(transform = NULL, positions = FALSE)`: returns the [corpus_dataset()] of the files.
#'
#' Rows are lines, numbered over all files; with more than 2147483647 lines, they are doubles.
#'
#' @section Rules:
#' A rule is a line `PATTERN WEIGHT`; a line that starts with `#` is a comment.
#' The pattern is `*`, for all files, or Lua patterns separated by commas, one of which must be found anywhere in the
#' name of the file without suffix: `^IT%d+$`, `news%-20[12]%d`.
#' The weight is a positive decimal number, or `*` to keep all lines of the file, once per epoch each.
#' Rules that keep are tried first; then the first rule that covers a file counts.
#' The files of a rule share its weight in proportion to their lines.
#' A file that no rule covers is left out, with a warning, and a rule that is that of no file warns, too.
#'
#' @section Guarantees:
#' * An epoch holds as many drawn lines of each file as [corpus_plan()] shows, and each kept line once.
#' * With `epoch_end` `"first_exhausted"`, an epoch is the largest in which no line occurs twice; with
#'   `"all_exhausted"`, the smallest in which every line of each file with a share occurs.
#' * With `assign = "even"`, every batch has the floor or the ceiling of its share of each file, no line occurs twice in
#'   a batch, and consecutive epochs with the same numbers use every line of a file equally often, to within one.
#'   If a file has fewer lines in an epoch than there are batches, each epoch shuffles the batches.
#' * Excluded lines are never drawn, and shares are computed from the others; all lines keep their row numbers.
#' * Drawing an epoch is an error if a file has changed.
#'
#' If weights change by epoch, epochs differ in their number of batches.
#'
#' @source
#' OpenNMT's file sampling, options `-gsample` and `-gsample_dist`.
#'
#' @seealso [corpus_plan()] to preview the effect of the rules, [batch_sampler_epoch_subset()] for part of one dataset.
#'
#' @export
#' @examples
#' folder = tempfile()
#' dir.create(folder)
#' writeLines(sprintf("generic %d", 1:600), file.path(folder, "generic.txt"))
#' writeLines(sprintf("news %d", 1:40), file.path(folder, "news.txt"))
#' mixture = batch_sampler_corpus_mixture(
#'   folder,
#'   batch_size = 32,
#'   sample = 100L,
#'   rules = c("news 30", "* 70"),
#'   suffixes = ".txt",
#'   seed = 1
#' )
#' corpus_plan(mixture)
#' dataset = corpus_dataset(folder, suffixes = ".txt")
#' sampler = mixture(dataset)
#' rows = sampler$.iter()()
#' dataset[rows[1:3]]
batch_sampler_corpus_mixture = function(source, batch_size, sample = NULL, rules = NULL,
  suffixes = c(".src", ".tgt"), targets = NULL, weights = NULL, temperature = NULL, cap = NULL, assign = "shuffled",
  epoch_end = "sample", shuffle = TRUE, lengths = NULL, max_length = NULL, accept = NULL, seed = NULL,
  num_replicas = NULL) {
  limits = if (length(max_length) > 1L) {
    check_max_length(max_length, check_suffixes(suffixes, source, targets))
  }
  request = list(batch_size = batch_size, assign = assign, epoch_end = epoch_end, shuffle = shuffle,
    max_length = if (is.null(limits)) max_length else max(limits), seed = seed, num_replicas = num_replicas)
  settings = core_plan("mixture", request)
  check_function(accept, "accept")
  rules = if (!is.null(rules)) read_rules(rules)
  files = line_table(find_files(source, suffixes, targets))
  limits = if (is.null(limits)) settings$max_length else limits
  remains = remaining_lines(files, lengths, limits, accept)
  remaining = if (is.null(remains)) files$lines else count_by_file(which(remains), files$lines)
  stages = make_stages(files$names, remaining, weights, list(sample = sample, rules = rules,
    temperature = temperature, cap = cap, epoch_end = epoch_end, assign = assign, batch_size = batch_size,
    num_replicas = num_replicas))
  of_stages = function(field) unlist(lapply(stages$plans, `[[`, field))
  parts = core_plan("mixture", c(request, list(
    lines = files$lines,
    drawn = of_stages("drawn"),
    kept = of_stages("kept"),
    begins = if (length(stages$plans) > 1L) stages$begins,
    remaining = if (!is.null(remains)) population_bits(remains)
  )))
  shown = shown_name(files$labels)
  rule = stages$plans[[1L]]$rule
  left_out = if (!is.null(rules)) shown[is.nan(rule)]
  if (length(left_out) > 0L) {
    warning(sprintf("No rule covers these files, which are left out: %s.", show_names(left_out, Inf)), call. = FALSE)
  }
  unused = if (!is.null(rules)) setdiff(seq_along(rules$weights), rule)
  if (length(unused) > 0L) {
    warning(sprintf("These rules are those of no file: %s, counted from 1.", toString(unused)), call. = FALSE)
  }
  new_generator(new_recipe("mixture", seed, c(list(files = shown), parts),
    labels = list(
      rule = rule,
      uniform_share = of_stages("uniform_share"),
      share = of_stages("share"),
      suffixes = files$suffixes,
      paths = paths_as_bytes(unlist(files$paths)),
      versions = unlist(files$versions, use.names = FALSE)
    )))
}

kind_mixture = function() {
  cutting_kind(
    class = "batch_sampler_corpus_mixture",
    vectors = list(
      parts = c("files", "lines", "drawn", "kept", "begins", "remaining", "batch_size", "num_replicas", "shuffle",
        "even", "replace"),
      labels = c("rule", "uniform_share", "share", "suffixes", "paths", "versions")
    ),
    bytes = mixture_bytes,
    check = check_mixture,
    n_rows = function(recipe) sum(recipe$parts$lines),
    setup = function(recipe, private) list(paths = bytes_as_paths(recipe$labels$paths)),
    draw = function(private, epoch) {
      check_versions(private$.setup$paths, private$.recipe$labels$versions)
      core_batches(private, epoch)
    },
    describe = function(private) {
      recipe = private$.recipe
      epoch = private$.place$epoch
      order = if (recipe$parts$shuffle == 1) "shuffled" else "of the files, drawn"
      c(
        format_mixture(recipe, epoch, core_count(private, epoch)),
        format_shuffled(recipe, epoch, order)
      )
    },
    settings = function(recipe) {
      c(
        format_mixture(recipe, 0, count_of_recipe(recipe, 0)),
        sprintf("* shuffle: %s", recipe$parts$shuffle == 1),
        format_seed(recipe)
      )
    },
    methods = list(
      plan = function(epoch = NULL) {
        epoch = if (is.null(epoch)) private$.place$epoch else check_epoch(epoch)
        if (is.null(private$.in_order)) plan_table(private$.recipe, epoch)
      },
      dataset = function(transform = NULL, positions = FALSE) {
        if (is.null(private$.in_order)) {
          lines_dataset(table_of_recipe(private$.recipe, private$.setup$paths), transform, positions)
        }
      }
    )
  )
}

check_mixture = function(recipe) {
  parts = recipe$parts
  n_files = length(parts$files)
  if (!is.character(parts$files) || n_files == 0L || length(parts$lines) != n_files) {
    stop_parameter("recipe", "have names of files as 'files'", show_value(parts$files))
  }
  for (name in c("rule", "uniform_share", "share")) {
    numbers = recipe$labels[[name]]
    n_numbers = if (name == "rule") n_files else length(parts$drawn)
    if (!is.double(numbers) || length(numbers) != n_numbers) {
      required = sprintf("have %s as '%s'", show_count(n_numbers, "number"), name)
      stop_parameter("recipe", required, show_value(numbers))
    }
  }
  check_file_labels(recipe$labels, n_files)
}

mixture_bytes = function(recipe) {
  parts = recipe$parts
  n_lines = if (is.null(parts$remaining)) 0 else sum(parts$lines)
  200 * max(lines_of_stages(recipe)) + 32 * n_lines
}

# Each name has a file for each suffix.
check_file_labels = function(labels, n_files) {
  are_kinds = is.character(labels$suffixes) && is.raw(labels$paths) && is.character(labels$versions)
  n_all = n_files * length(labels$suffixes)
  if (!are_kinds || n_all == 0L || length(labels$versions) != n_all || sum(labels$paths == as.raw(0L)) != n_all - 1L) {
    stop_parameter("recipe", "have a path and a version of each file", "others")
  }
}

draws_with_replacement = function(parts) !is_even(parts) && (is.null(parts$replace) || parts$replace == 1L)

is_even = function(parts) !is.null(parts$even) && parts$even == 1L

# `count` is the number of batches of the epoch, 0 if only a draw tells it.
format_mixture = function(recipe, epoch, count) {
  parts = recipe$parts
  stage = stage_of(recipe, epoch)
  c(
    sprintf("* Files: %d, of %s", length(parts$files), show_count(sum(parts$lines), "line")),
    sprintf("* Lines: %.0f drawn%s and %.0f kept in %s", sum(stage$drawn),
      if (draws_with_replacement(parts)) "" else " without replacement", sum(stage$kept),
      if (length(parts$begins) > 0L) sprintf("epoch %.0f", epoch) else "an epoch"),
    format_limits(parts, count, "line")
  )
}

# The lines of the files of a recipe.
table_of_recipe = function(recipe, paths) {
  labels = recipe$labels
  check_versions(paths, labels$versions)
  sides = rep(seq_along(labels$suffixes), each = length(recipe$parts$files))
  line_table(list(suffixes = labels$suffixes, names = recipe$parts$files, paths = unname(split(paths, sides)),
    parameters = rep("recipe", length(labels$suffixes))))
}
