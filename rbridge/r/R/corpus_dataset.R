#' @title Dataset of the Lines of Files
#'
#' @description
#' Creates a [torch::dataset()] of the lines of all files, file after file, with random access to any number of lines.
#' The batches of [batch_sampler_corpus_mixture()] over the same files contain its positions.
#'
#' @eval described("CorpusMixtureBatchSampler", source = "`character()` or `list()`", suffixes = "`character()`",
#'   targets = "`character()` or `list()`")
#' @param transform (`function`)\cr
#'   A function, for example a tokenizer, of the lines of a batch, in the form that `lines()` returns; its value is the
#'   batch.
#'   `NULL` (default): the batch is the lines.
#' @param positions (`logical(1)`)\cr
#'   `TRUE`: a batch is a list of `positions`, from 1, and `items`, the batch itself, so that the training loop can
#'   report losses by example to a sampler.
#'   `FALSE` (default): it is only the items.
#' @param max_length,accept As in [batch_sampler_corpus_mixture()], except that excluded lines have no position.
#'   In a mixture, all lines keep their positions; its `dataset()` has no limits.
#'
#' @return A dataset with the members
#' * `lines(positions)`: returns the lines at positions, which count from 1 over all files: a list of `character()`, one
#'   for each suffix, named by the suffixes without their leading dot, or `line` if the suffix is empty;
#' * `lengths(by = "words")`: returns the length of each position, on the longest side, in words or by a function of
#'   lines;
#' * `.getbatch(positions)`, which is `dataset[positions]`: returns the batch of positions;
#' * `.length()`: the number of positions.
#'
#' Text is UTF-8, and only a newline ends a line; one `\r` before it is dropped.
#' A file whose size or time of modification has changed since the lines were found is an error.
#'
#' @export
#' @examples
#' folder = tempfile()
#' dir.create(folder)
#' writeLines(c("one", "two"), file.path(folder, "numbers.en"))
#' writeLines(c("eins", "zwei"), file.path(folder, "numbers.de"))
#' dataset = corpus_dataset(folder, suffixes = c(".en", ".de"))
#' length(dataset)
#' dataset[2:1]
#' corpus_dataset(folder, ".en", transform = function(lines) nchar(lines$en))[1:2]
corpus_dataset = function(source, suffixes = c(".src", ".tgt"), transform = NULL, targets = NULL, positions = FALSE,
  max_length = NULL, accept = NULL) {
  make_batch = batch_maker(transform, positions)
  table = line_table(find_files(source, suffixes, targets))
  lines_dataset(table, make_batch, remaining_lines(table, max_length, accept))
}

# A function that makes a batch of positions and their lines.
batch_maker = function(transform, positions) {
  check_function(transform, "transform")
  has_positions = check_flag(positions, "positions")
  function(positions, lines) {
    items = if (is.null(transform)) lines else transform(lines)
    if (has_positions) list(positions = positions, items = items) else items
  }
}

# `remaining` are the numbers of the lines that have positions, NULL for all.
lines_dataset = function(table, make_batch, remaining = NULL) {
  force(make_batch)
  remaining = if (is.null(remaining)) seq_len(sum(table$lines)) else remaining
  n_positions = length(remaining)
  torch::dataset(
    name = "corpus_dataset",
    initialize = function() NULL,
    lines = function(positions) {
      positions = check_positions(positions, n_positions, "positions", "positions of lines")
      named_sides(table, read_lines(table, remaining[positions]))
    },
    lengths = function(by = "words") line_lengths(by, table)[remaining],
    .getbatch = function(positions) make_batch(positions, self$lines(positions)),
    .length = function() n_positions,
    parent_env = environment()
  )()
}

# torch's own method converts indices to integers, which may not hold positions.
#' @export
`[.corpus_dataset` = function(x, i) x$.getbatch(i)
