#' @title Collect the Rows That a Dataloader Delivers
#'
#' @description
#' Runs a real [torch::dataloader()] for one epoch over a dataset whose items are their own row numbers, and returns the
#' rows that it delivers: what a training loop receives, without data and LibTorch.
#'
#' @param batch_sampler (`torch_sampler` generator or instance)\cr
#'   A generator, such as that of [batch_sampler_stratified()], is called with the dataset of row numbers.
#'   The epoch of an instance is one higher afterwards.
#' @param n_rows (`integer(1)`)\cr
#'   The number of rows of the dataset, at least 1.
#'
#' @return A [batch_list] of the delivered rows, counted from 1, in the order of delivery; for a sampler that yields
#' numbers instead, such as [batch_sampler_pairs()], of these numbers (`double()`).
#'
#' @export
#' @examples
#' generator = batch_sampler_stratified(1, strata = rep(0:1, times = c(2, 6)), seed = 1)
#' collect_rows(generator, n_rows = 8)
collect_rows = function(batch_sampler, n_rows) {
  n_rows = check_count(n_rows, "n_rows")
  refuse_if(!inherits(batch_sampler, c("torch_sampler", "utils_sampler")), "batch_sampler",
    "be a generator or an instance made by torch::sampler()", show_value(batch_sampler))
  dataset = torch::dataset("row_numbers", initialize = function() NULL, .getbatch = identity,
    .length = function() n_rows)()
  if (is.function(batch_sampler)) {
    batch_sampler = batch_sampler(dataset)
  }
  loader = torch::dataloader(dataset, batch_sampler = batch_sampler, collate_fn = identity)
  batches = list()
  tick = progress_ticker("collecting batches", length(loader))
  coro::loop(for (batch in loader) {
    batches[[length(batches) + 1L]] = batch
    tick()
  })
  rows = unlist(batches)
  # Samplers of this package yield rows as integers, and numbers of another kind, such as those of pairs, as doubles.
  if (!is.double(rows) || !inherits(batch_sampler, "epoch_sampler")) {
    rows = as.integer(rows)
  }
  batch_list(list(rows = rows, offsets = c(0L, cumsum(lengths(batches)))))
}

# torch's own method converts indices to integers, which cannot hold pair numbers.
#' @export
`[.row_numbers` = function(x, i) x$.getbatch(i)
