#' @title Batch Sampler of a Mixture of Files
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] over the lines of text files, mixed by rules, weights or a
#' temperature, and drawn anew in each epoch.
#' [corpus_dataset()] over the same files reads the lines.
#' \twin{corpus.CorpusMixtureBatchSampler}{corpus-files}
#'
#' @inheritParams batch_sampler_stratified
#' @param source,suffixes,targets As in [corpus_dataset()].
#' @eval described("CorpusMixtureBatchSampler", "batch_size", sample = "`numeric(1)`", "temperature", "cap", "assign",
#'   "epoch_end", "shuffle", max_length = "`integer()`")
#' @param rules (`character()` or `list()`)\cr
#'   The path of a file of rules; or two or more rules `"PATTERN WEIGHT"`, or a list of any number of rules.
#'   Give at most one of `rules`, `weights` and `temperature`; without any, files contribute in proportion to their
#'   lines.
#' @param weights (`numeric()` or `list()`)\cr
#'   The weight of each file, whatever its number of lines: its share is its part of all weights.
#'   Names of the weights are those of the files.
#'   0 leaves the file out; `"*"`, in a list such as `list(3, 1, "*")`, keeps all its lines, once per epoch each.
#'   Weights that change are a list named by first epochs, `list("0" = c(1, 1), "5" = c(3, 1))`.
#' @param accept (`function`)\cr
#'   A function of lines as `lines()` of [corpus_dataset()] returns them, which returns for each position whether it is
#'   accepted.
#'   `NULL` (default): all are accepted.
#'
#' @eval members("CorpusMixtureBatchSampler", "plan(epoch = NULL)",
#'   "dataset(transform = NULL, positions = FALSE): returns the [corpus_dataset()] of the files.")
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
#'   folder, batch_size = 32, sample = 100, rules = c("news 30", "* 70"), suffixes = ".txt", seed = 1)
#' corpus_plan(mixture)
#' sampler = mixture(NULL)
#' sampler$dataset()[sampler$.iter()()[1:3]]
batch_sampler_corpus_mixture = function(source, batch_size, sample = NULL, rules = NULL, suffixes = c(".src", ".tgt"),
  targets = NULL, weights = NULL, temperature = NULL, cap = NULL, assign = "shuffled", epoch_end = "sample",
  shuffle = TRUE, max_length = NULL, accept = NULL, seed = NULL, num_replicas = NULL) {
  request = mget(setdiff(names(formals()), c("source", "suffixes", "targets", "max_length", "accept")))
  files = line_table(find_files(source, suffixes, targets))
  remaining = remaining_lines(files, max_length, accept)
  data = Filter(Negate(is.null), c(
    list(lines = files$lines, rows = if (!is.null(remaining)) remaining - 1L),
    if (!is.null(rules)) data_of_rules(rules, files$names),
    if (!is.null(weights)) weights_of_files(weights, files$names)
  ))
  shown = shown_name(files$labels)
  parts = core_plan("mixture", c(request, data), shown)
  labels = c(list(names = shown, suffixes = files$suffixes), labels_of_files(files))
  new_generator(new_recipe("mixture", seed, c(parts, data), labels = labels))
}

kind_mixture = function() {
  table_kind("mixture",
    class = "batch_sampler_corpus_mixture",
    of_rows = character(),
    n_rows = function(recipe) sum(recipe$parts$lines),
    draw = function(private, epoch) {
      check_recipe_files(private$.recipe)
      core_batches(private, epoch)
    },
    methods = list(
      plan = function(epoch = NULL) plan_table(private$.recipe, if (is.null(epoch)) self$epoch else check_epoch(epoch)),
      dataset = function(transform = NULL, positions = FALSE) {
        lines_dataset(table_of_recipe(private$.recipe), batch_maker(transform, positions))
      }
    )
  )
}

# The weights of files in all epochs as the core takes them: numbers, and infinity for "*".
weights_of_files = function(weights, names) {
  is_table = is.list(weights) && !is.object(weights) && !is.null(names(weights))
  table = if (is_table) read_epoch_table(weights, "weights", "weights", "lists of weights") else list("0" = weights)
  numbers = lapply(table, function(of_stage) {
    of_stage = in_order_of(plain_value(of_stage), list(names), "weights")
    refuse_if(length(of_stage) != length(names), "weights", sprintf("have one entry for each file, %d", length(names)),
      show_count(length(of_stage), "value"))
    is_kept = vapply(of_stage, identical, NA, "*", USE.NAMES = FALSE)
    feedback_values(unlist(replace(as.list(of_stage), is_kept, Inf)), "weights")
  })
  list(file_weights = unlist(numbers, use.names = FALSE), begins = if (length(table) > 1L) as.double(names(table)))
}
