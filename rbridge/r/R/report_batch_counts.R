#' @title Count the Labels of Every Batch
#'
#' @description
#' Counts the labels in every batch that a dataloader delivers or a sampler plans, for [plot_batch_counts()].
#'
#' @param batches (instance of a sampler, [batch_list] or [torch::dataloader()])\cr
#'   An instance, whose next epoch is counted but not used up; or the batches themselves.
#'   A dataloader is iterated once, so that the epoch of its sampler is one higher afterwards.
#' @param labels (vector, `data.frame()`, `list()` of columns, `character(1)`, `integer(1)` or `function`)\cr
#'   One label for each row of the dataset, in any form that [batch_sampler_stratified()] takes as strata, or a task of
#'   mlr3; a batch of a dataloader must then hold row numbers.
#'   For a dataloader also the name or number of the element of a batch that holds its labels, or a function that
#'   returns the labels of a batch.
#'   Missing labels are counted as `NA`.
#'
#' @return A `data.frame()` of integers and of class `"batch_counts"`, with one row for each batch and one column for
#'   each label, in order of first appearance in `labels`, or in the batches.
#'
#' @export
#' @examples
#' labels = rep(c("yes", "no"), times = c(2, 5))
#' generator = batch_sampler_stratified(1, strata = labels, seed = 1)
#' batch_counts(generator(NULL), labels)
batch_counts = function(batches, labels) {
  if (inherits(batches, "dataloader")) {
    return(counts_of_loader(batches, labels))
  }
  expected = NULL
  if (inherits(batches, "epoch_sampler")) {
    expected = batches$.n_rows()
    batches = batches$batches()
  }
  is_generator = inherits(batches, "batch_sampler_generator")
  refuse_if(is_generator || !is.list(batches) || is.null(batches$rows) || is.null(batches$offsets), "batches",
    "be an instance of a sampler, its batches or a dataloader",
    if (is_generator) "a generator" else show_value(batches),
    advice = if (is_generator) "Call it with a dataset first: generator(dataset).")
  strata = encode_strata(labels, missing = "stratum", are_strata = FALSE)
  rows = batches$rows
  n_rows = length(strata$codes)
  check_sampled_rows(n_rows, expected, "labels")
  refuse_if(length(rows) > 0L && (min(rows) < 1 || max(rows) > n_rows), "labels",
    "have one value for each row of the dataset",
    sprintf("%s and row %.0f", show_count(n_rows, "value"), if (min(rows) < 1) min(rows) else max(rows)))
  table_of_counts(strata$codes[rows], batches$offsets, strata$names)
}

# One row for each batch, one column for each label.
table_of_counts = function(codes, offsets, names) {
  n_batches = length(offsets) - 1L
  place = (codes - 1L) * n_batches + rep(seq_len(n_batches), times = diff(offsets))
  label_table(matrix(tabulate(place, n_batches * length(names)), nrow = n_batches), names)
}

# A matrix of the rows of each label in each batch, as a data.frame whose columns have exactly these names.
label_table = function(counts, names) {
  structure(as.data.frame(counts), names = names, class = c("batch_counts", "data.frame"))
}

# A table may have more columns than print() of a data.frame shows in reasonable time.
#' @export
print.batch_counts = function(x, most = 20L, ...) {
  rows = ends_of(nrow(x), most)
  columns = ends_of(ncol(x), most)
  print(as.data.frame(unclass(x)[columns], optional = TRUE)[rows, , drop = FALSE], ...)
  if (length(rows) < nrow(x) || length(columns) < ncol(x)) {
    cat(sprintf("... of %s and %s\n", show_batches(nrow(x)), show_count(ncol(x), "label")))
  }
  invisible(x)
}

counts_of_loader = function(loader, labels) {
  labels = plain_value(labels)
  is_element = (is.character(labels) || is.numeric(labels)) && length(labels) == 1L
  found = list()
  coro::loop(for (batch in loader) {
    if (is_element) {
      element = tryCatch(batch[[labels]], error = function(condition) NULL)
      refuse_if(is.null(element), "labels", "name an element of every batch", show_value(labels))
      batch = element
    }
    found[[length(found) + 1L]] = delivered_vector(if (is.function(labels)) labels(batch) else batch)
  })
  offsets = c(0L, cumsum(lengths(found)))
  if (!is_element && !is.function(labels)) {
    return(batch_counts(list(rows = as.integer(unlist(found)), offsets = offsets), labels))
  }
  strata = encode_strata(c(character(), unlist(found)), missing = "stratum", may_be_empty = TRUE, are_strata = FALSE)
  table_of_counts(strata$codes, offsets, strata$names)
}

# Labels or rows of a batch: a vector, a factor, a tensor, or a list of numbers.
delivered_vector = function(values) {
  values = plain_value(if (is_tensor(values)) torch::as_array(values$cpu()) else values)
  if (is.factor(values)) as.character(values) else as.vector(unlist(values))
}
