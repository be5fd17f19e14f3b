#' @title Stratified Batch Sampler
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch.
#' Every batch holds at least `min_samples_per_stratum` rows of every stratum, usually a class of the target, and an
#' epoch visits every row exactly once.
#' \twin{StratifiedBatchSampler}{stratified}
#'
#' Begin with `vignette("stratified-batches", package = "rbridge")`; [rbridge-package] says how to get the vignettes.
#' \guide{samplers} shows which arguments to use for what.
#'
#' @param min_samples_per_stratum (`integer(1)` or named `integer()`)\cr
#'   The minimum `m`: each batch holds at least `m` rows of each stratum; at least 1.
#'   A named vector or list, such as `c(positive = 5, negative = 20)`, sets a minimum for each stratum that it names.
#' @eval described("StratifiedBatchSampler", "shuffle", "mean_batch_size", "temperature", "cap", "balance", "drop",
#'   "assign", "rare", "missing")
#' @eval described("BatchSampler", "num_replicas")
#' @param strata (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   The stratum of each row: names of columns of the task, or one value for each row of the dataset; with several
#'   columns, each combination of values is a stratum.
#'   If mlr3 splits, resamples or reorders the task, use columns: values do not follow it.
#'   `NULL` (default): the columns of the task with the role `stratum`, or the target of a classification task if there
#'   are none.
#' @param seed (`integer(1)`)\cr
#'   The seed of all epochs, from 0 to 2147483646.
#'   `NULL` (default): a seed is drawn, see [batch_sampler_instance].
#' @param shares (named `numeric()`)\cr
#'   The share of each stratum in every batch of exactly `mean_batch_size` rows, as positive weights,
#'   such as `c(positive = 1, negative = 3)` or `table(labels)`.
#' @return A generator of class `"batch_sampler_stratified"` and `"torch_sampler"`: a function that makes an instance of
#' the sampler from a dataset.
#' Pass the generator to a learner of mlr3torch as `batch_sampler`, with a `batch_size` for predictions and the callback
#' [rbridge.set_epoch] (guide: \guide{mlr3torch}), and an instance to [torch::dataloader()].
#' Instances have the members of every [batch_sampler_instance], among them `class_weights()` and `weights()`, and
#' * `plan()`: returns the rows of each stratum in each batch of every epoch, a `data.frame()` with one row for each
#'   batch and one column for each stratum;
#' * `min_samples_per_stratum()`: returns the number of rows of every stratum that every batch is guaranteed to have.
#'
#' With `shares`, `balance`, `drop` or `rare = "repeat"`, an epoch repeats or omits rows of a stratum, and the weights
#' correct for this.
#'
#' @export
#' @examples
#' # three of nine rows have class 1: three batches with one of them each
#' labels = rep(c(1, 0), times = c(3, 6))
#' generator = batch_sampler_stratified(
#'   min_samples_per_stratum = 1, strata = labels, seed = 1)
#' dataset = torch::dataset(
#'   initialize = function() NULL,
#'   .getbatch = function(index) labels[index],
#'   .length = function() length(labels)
#' )()
#' sampler = generator(dataset)
#' sampler$plan()
#' loader = torch::dataloader(dataset, batch_sampler = sampler, collate_fn = identity)
#' coro::loop(for (batch in loader) print(batch))
batch_sampler_stratified = function(min_samples_per_stratum = NULL, shuffle = TRUE, strata = NULL, seed = NULL,
  mean_batch_size = NULL, shares = NULL, temperature = NULL, cap = NULL, balance = NULL, drop = NULL,
  assign = "proportional", rare = "error", missing = "error", num_replicas = NULL) {
  sampler_of("stratified")
}

kind_stratified = function() {
  dealt_kind("stratified", list(
    min_samples_per_stratum = function() as.integer(private$.setup$plan$minimum)
  ))
}
