#' @title Rows That a Dataloader Delivers
#'
#' @description
#' Runs a real [torch::dataloader()] with the given batch sampler for one epoch, over a dataset whose items are their
#' own row numbers, and returns the rows that arrive.
#' It shows what a training loop gets, without data, and without LibTorch: no tensor is made.
#' Where it takes long, and the package cli is installed, a bar on the terminal shows how far it is.
#'
#' @param batch_sampler (`torch_sampler` generator or instance)\cr
#'   A generator, such as [batch_sampler_stratified()] makes, is called with the dataset of row numbers.
#'   An instance is used as it is, and its next epoch is taken.
#' @param n_rows (`integer(1)`)\cr
#'   Number of rows of the dataset, at least 1.
#'
#' @return A list with the elements
#' * `rows` (`integer()`): the delivered rows, counted from 1, in the order of delivery;
#'   of a sampler that yields numbers instead, such as [batch_sampler_pairs()], these numbers (`double()`);
#' * `offsets` (`integer()`): the number of rows before each batch, and at the end the number of all rows.
#'   Batch `b` is `rows[(offsets[b] + 1):offsets[b + 1]]`.
#'
#' @section Errors:
#' `n_rows` that is not a positive integer, `batch_sampler` that is neither a generator nor an instance made by
#' [torch::sampler()], and whatever the sampler refuses.
#'
#' @export
#' @examples
#' generator = batch_sampler_stratified(
#'   min_samples_per_stratum = 1,
#'   strata = rep(0:1, times = c(2, 6)),
#'   seed = 1
#' )
#' delivered = collect_rows(generator, n_rows = 8)
#' split(delivered$rows, rep(1:2, times = diff(delivered$offsets)))
collect_rows = function(batch_sampler, n_rows) {
  name_errors("collect_rows")
  n_rows = check_count(n_rows, "n_rows")
  if (!inherits(batch_sampler, c("torch_sampler", "utils_sampler"))) {
    stop_parameter("batch_sampler", "be a generator or an instance made by torch::sampler()", show_value(batch_sampler))
  }
  dataset = row_numbers(n_rows)
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
  yields_numbers = inherits(batch_sampler, c("batch_sampler_python", "batch_sampler_pairs", "batch_sampler_triples"))
  if (!is.double(rows) || !yields_numbers) {
    rows = as.integer(rows)
  }
  list(rows = rows, offsets = c(0L, cumsum(lengths(batches))))
}

# With .getbatch the loader asks for a whole batch at once.
row_numbers = function(n_rows) {
  generator = torch::dataset(
    name = "row_numbers",
    initialize = function(n_rows) self$n_rows = n_rows,
    .getbatch = function(index) index,
    .getitem = function(index) index,
    .length = function() self$n_rows
  )
  generator(n_rows)
}

# torch's own method makes integers of what it is asked for, in which pair numbers do not fit.
#' @export
`[.row_numbers` = function(x, i) x$.getbatch(i)
