#' @title Prioritized Batch Sampler
#'
#' @description
#' Creates a batch sampler for prioritized experience replay: row `i` is drawn with a probability proportional to
#' `(abs(priority of i) + epsilon)^alpha`; or, with `method = "rank"`, to `(rank of i)^-alpha`, where the row with the
#' largest absolute priority has rank 1.
#' The training loop sets the priority of a row, usually to its last error.
#' Importance weights correct the gradients for the unequal probabilities.
#'
#' Guide: \guide{weighted}.
#'
#' @param n_rows (`integer(1)`)\cr
#'   The number of rows; 0 for an empty replay buffer, which needs `capacity`.
#'   `NULL` (default): that of the dataset with which the generator is called, such as a fold of a resampling.
#' @param batch_size (`integer(1)`)\cr
#'   The number of rows per batch, drawn with replacement.
#' @param alpha (`numeric(1)`)\cr
#'   The exponent of the priorities or ranks, at least 0, by default 0.6; with 0, all rows are equally likely.
#'   For ranks, it must be small enough that the last one has a weight above 0.
#' @param beta (`numeric(1)` or `function`)\cr
#'   The exponent of the importance weights, at least 0, by default 0.4; or a function that returns it, given the number
#'   of a batch.
#' @param epsilon (`numeric(1)`)\cr
#'   Added to each absolute priority, at least 0.
#'   With 0, a row is never drawn if its priority is 0, or so small that its power is 0 as a double, as `1e-200^2` is;
#'   otherwise, every row can be drawn.
#'   `NULL` (default): `1e-6`.
#'   Not allowed with ranks, which need none.
#' @param stratified (`logical(1)`)\cr
#'   `TRUE`: one row is drawn from each of `batch_size` equal slices of the total, in order: the same probabilities,
#'   with less variance.
#'   The slices follow the row numbers, or with `method = "rank"` the ranks.
#'   `FALSE` (default): every row of a batch is drawn from all rows.
#' @param normalize (`logical(1)`)\cr
#'   Whether to divide the importance weights by the largest one of all rows, so that none exceeds 1.
#'   `TRUE` by default.
#' @param capacity (`integer(1)`)\cr
#'   The largest number of rows, at least `n_rows` and 1: `append()` adds rows up to it, and then replaces the oldest
#'   ones.
#'   `NULL` (default): `n_rows`.
#' @param n_batches (`integer(1)`)\cr
#'   The number of batches per epoch.
#'   `NULL` (default): `capacity %/% batch_size`.
#' @param method (`character(1)`)\cr
#'   What the probabilities depend on.
#'   `"proportional"` (default): the priorities themselves.
#'   `"rank"`: the ranks of the rows, sorted by `abs(priority)`, largest first, ties by row number.
#'   Ranks are robust to outliers.
#' @inheritParams batch_sampler_weighted
#'
#' @return A generator of class `"batch_sampler_prioritized"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `update(rows, priorities, since = NULL)`: sets the priorities of rows, counted from 1: finite numbers of either
#'   sign; if a row is repeated, the last one counts.
#'   `since` is what `n_added()` returned when the rows were drawn: rows that `append()` has written since then hold
#'   other data, and keep the priorities that they have.
#'   Returns the instance invisibly.
#' * `append(count = NULL, priorities = NULL)`: adds rows, and returns their positions.
#'   `count` is by default the number of priorities, or 1 if there are none; without priorities, every new row gets the
#'   largest one ever set, 1 if none was above 0.
#'   If there is no room left, these are the positions of the oldest rows, where the caller stores the new data.
#' * `n_added()`: returns the number of rows that were ever added, including the first `n_rows`.
#' * `priorities(rows = NULL)`: returns the absolute priorities of rows, `numeric()`, or of all rows.
#'   With `method = "rank"`, they are exact.
#'   Otherwise they are computed from the weights, the powers of `abs(priority) + epsilon`, and have an error of about
#'   1e-16 / `alpha` of that sum.
#' * `sample(k)`: returns `k` rows, `integer()`, drawn by the current priorities, for training loops without epochs.
#'   The random numbers follow from the seed and the previous calls of `sample()`.
#'   They are not those of any epoch, so the iteration is the same with and without such calls.
#' * `importance_weights(rows, batch = NULL, beta = NULL)`: returns the factors for the losses of rows, according to the
#'   current priorities; 0 for a row that is never drawn.
#'   `beta` is the exponent, by default that of the generator.
#'   `batch` is the number of the batch, required if that is a function and no `beta` is given.
#'
#' `batches(epoch)` returns the epoch as it would be with the current priorities, and changes nothing.
#'
#' @section Guarantees:
#' The guarantees of [batch_sampler_weighted()] hold here as well; the Python class is
#' `pystrat.PrioritizedBatchSampler`.
#' * A new row has the largest `abs(priority) + epsilon` that was ever set, 1 before any, raised to the power of
#'   `alpha`.
#'   With `method = "rank"`, it has the largest `abs(priority)` ever set, 1 before any.
#' * With `method = "rank"`, the ranks are exact at every draw.
#'   Drawing `k` of n rows takes O(k log n), and changing `k` priorities O(k sqrt(n)).
#' * The importance weight of row `i` is `(p_min / p_i)^beta`, where `p_i` is the quantity above and `p_min` the least
#'   of all rows.
#'   It is `(n * P(i))^-beta`, with `P(i)` the probability of row `i`, divided by the largest of these values; with
#'   `normalize = FALSE`, it is `(n * P(i))^-beta` itself.
#'   Rows that are never drawn do not count.
#' * With `beta = 1` and `normalize = FALSE`, the mean of weight times value over a batch is an unbiased estimate of the
#'   mean over all rows.
#'   With any other setting it is not.
#'
#' @source
#' T. Schaul, J. Quan, I. Antonoglou and D. Silver, "Prioritized Experience Replay", 2016.
#'
#' @export
#' @examples
#' generator = batch_sampler_prioritized(
#'   4, batch_size = 2, alpha = 1, beta = 1, epsilon = 0.5, seed = 1
#' )
#' sampler = generator(NULL)
#' sampler$update(rows = 1:4, priorities = c(0, 0.5, -1.5, 3.5))
#' sampler$importance_weights(1:4)
#' next_batch = sampler$.iter()
#' next_batch()
#'
#' # a replay buffer that begins empty, and an exponent that grows with the number of batches
#' generator = batch_sampler_prioritized(
#'   0, batch_size = 2, capacity = 1000, n_batches = 100, seed = 1,
#'   beta = function(batch) min(1, 0.4 + batch / 1000))
#' buffer = generator(NULL)
#' buffer$append(3)
#' rows = buffer$sample(2)
#' buffer$importance_weights(rows, batch = 1)
#' buffer$update(rows, c(0.5, -2))
batch_sampler_prioritized = function(n_rows = NULL, batch_size, alpha = 0.6, beta = 0.4, epsilon = NULL,
  stratified = FALSE, normalize = TRUE, capacity = NULL, n_batches = NULL, seed = NULL, num_replicas = NULL,
  method = "proportional") {
  if (!is.function(beta)) {
    return(sampler_of("prioritized"))
  }
  generator = sampler_of("prioritized", list(beta = NULL))
  # In a recipe, a function is only text, by which samplers differ.
  settings = attr(generator, "settings")
  recipe = settings$recipe
  recipe$labels$beta = paste(deparse(beta), collapse = "\n")
  new_generator(recipe, list(beta = beta))
}

kind_prioritized = function() {
  feedback_kind("prioritized", "n_rows",
    plan = function(settings) {
      if (is.integer(settings$n_rows)) {
        settings$n_rows = as.double(settings$n_rows)
      }
      feedback_recipe("prioritized", settings, list())
    },
    n_rows = function(recipe) NULL, # data may grow with the sampler
    methods = list(
      update = function(rows, priorities, since = NULL) {
        check_is_trained_on(private)
        told = list(rows = feedback_rows(rows), priorities = feedback_values(priorities, "priorities"), since = since)
        core_tell(private, "update", told)
        invisible(self)
      },
      append = function(count = NULL, priorities = NULL) {
        check_is_trained_on(private)
        values = if (!is.null(priorities)) feedback_values(priorities, "priorities")
        core_tell(private, "append", list(count = count, priorities = values))$rows
      },
      n_added = function() {
        check_is_trained_on(private)
        core_ask(private, "n_added")
      },
      priorities = function(rows = NULL) {
        check_is_trained_on(private)
        core_ask(private, "priorities", list(rows = if (!is.null(rows)) feedback_rows(rows)))
      },
      sample = function(k) sample_rows(private, k),
      importance_weights = function(rows, batch = NULL, beta = NULL) {
        check_is_trained_on(private)
        beta = if (is.null(beta)) importance_exponent(private, batch) else beta
        asked = list(rows = feedback_rows(rows), beta = beta,
          normalize = private$.recipe$labels$normalize == 1L)
        core_ask(private, "importance_weights", asked)
      }
    )
  )
}

# beta, for a batch if it is a function
importance_exponent = function(private, batch) {
  beta = private$.settings$functions$beta
  if (is.null(beta)) {
    return(private$.recipe$labels$beta)
  }
  if (is.null(batch)) {
    stop_parameter("batch", "be given if 'beta' is a function", "nothing")
  }
  batch = plain_value(batch)
  if (!is_whole_number(batch) || batch < 0) {
    stop_parameter("batch", "be a non-negative integer", show_value(batch))
  }
  beta(batch)
}
