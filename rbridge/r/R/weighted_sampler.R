#' @title Weighted Batch Sampler
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch that draws rows by weight.
#' The weights may be changed between batches, for instance to the losses of the rows, so that hard rows occur more
#' often.
#'
#' @param weights (`numeric()`)\cr
#'   The weight of each row of the dataset, a vector or a tensor: finite, none below 0, not all 0.
#'   They need not sum to 1.
#' @param batch_size (`integer(1)`)\cr
#'   The number of rows per batch; without replacement, at most the number of positive weights.
#' @param replacement (`logical(1)`)\cr
#'   Whether a row may occur in a batch more than once.
#'   `TRUE` by default.
#'   Different batches always draw from all rows.
#' @param n_batches (`integer(1)`)\cr
#'   The number of batches per epoch.
#'   `NULL` (default): the number of rows `%/% batch_size`.
#' @param num_replicas (`integer(1)`)\cr
#'   The number of processes that share an epoch.
#'   The number of batches is rounded down to a multiple of it; the batches that all processes train on at the same time
#'   are drawn together.
#'   `NULL` (default): 1.
#' @inheritParams batch_sampler_uniform
#'
#' @return A generator of class `"batch_sampler_weighted"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `update(rows, weights)`: sets the weights of rows, counted from 1; if a row is repeated, the last of its weights
#'   counts.
#'   Returns the instance invisibly.
#' * `weights(rows = NULL)`: returns the current weights of rows, or of all rows.
#' * `sample(k)`: returns `k` rows, `integer()`, drawn by the current weights, for training loops without epochs.
#'   The random numbers follow from the seed and the previous calls of `sample()`.
#'   They are not those of any epoch, so the iteration is the same with and without such calls.
#'
#' `batches(epoch)` returns the epoch as it would be with the current weights, and changes nothing.
#'
#' @section Guarantees:
#' * A row is drawn with probability weight / total; a row of weight 0 is never drawn.
#'   Without replacement, rows are drawn successively from those that are left.
#' * The batches follow from the initial weights, the seed, the epoch, the updates, and how many batches were drawn
#'   before each update.
#'   An update affects the batches that are not yet drawn, also those of later epochs.
#'   The workers of a dataloader request batches ahead, so an update takes effect a few batches later.
#' * The same call and the same updates return the same batches in Python with `pystrat.WeightedBatchSampler`, where
#'   rows are counted from 0.
#' * Drawing a batch, or changing the weights of one, takes microseconds for any number of rows.
#' * Each instance has its own weights: a change affects neither other instances nor copies.
#' * A saved instance contains its weights.
#'
#' @section Use in mlr3torch:
#' A callback finds the instance in `ctx$loader_train$batch_sampler`, and the rows of a batch in `ctx$batch$.index`.
#'
#' @section Errors:
#' A weight is negative, infinite or missing, a total overflows, a row does not exist, or an argument has the wrong type
#' or is out of range.
#' A batch cannot be drawn because too many weights were changed to 0; this error comes when the batch is drawn.
#' In all cases nothing changes.
#'
#' @source
#' M. Huenermann, "Sampling Algorithms", 2021, for the tree of sums by which rows are drawn.
#'
#' @seealso [batch_sampler_prioritized()] for weights that follow from errors, with importance weights, [sum_tree()] for
#'   your own training loop.
#'
#' @export
#' @examples
#' sampler = batch_sampler_weighted(rep(1, 6), batch_size = 3, n_batches = 3, seed = 1)(NULL)
#' next_batch = sampler$.iter()
#' next_batch()
#' # from now on, only row 6 is drawn
#' sampler$update(rows = 1:5, weights = numeric(5))
#' next_batch()
#' sampler$weights()
batch_sampler_weighted = function(weights, batch_size, replacement = TRUE, n_batches = NULL, seed = NULL,
  num_replicas = NULL) {
  weights = feedback_values(weights, "weights")
  if (length(weights) < 1L || length(weights) > largest_count) {
    stop_parameter("weights", sprintf("have from 1 to %.0f values", largest_count),
      show_count(length(weights), "value"))
  }
  n = as.double(length(weights))
  batch_size = check_between(batch_size, "batch_size", 1, largest_count)
  replacement = as.integer(check_flag(replacement, "replacement"))
  tree = .Call(C_build_tree, weights, n, FALSE, weighted_names)
  .Call(C_check_drawable, tree, batch_size, weighted_form(replacement), weighted_names)
  settings = fixed_size_settings(n, batch_size, n_batches, seed, num_replicas)
  new_generator(new_recipe("weighted", settings$seed, state = list(weights = weights), parts = list(
    n = n,
    batch_size = batch_size,
    replacement = replacement,
    n_batches = settings$n_batches,
    num_replicas = settings$num_replicas
  )))
}

# Names of the weights and of the number of rows to draw, for messages.
weighted_names = c("weights", "batch_size")

kind_weighted = function() {
  list(
    class = "batch_sampler_weighted",
    vectors = list(
      parts = c("n", "batch_size", "replacement", "n_batches", "num_replicas"),
      state = c("weights", "epoch", "batch", "drawn", "generator", "sample_generator")
    ),
    bytes = function(recipe) 40 * recipe$parts$n + 64 * recipe$parts$batch_size + fixed_size_bytes(recipe$parts),
    check = function(recipe) {
      check_fixed_size(recipe)
      part_flag(recipe, "replacement")
      part_count(recipe, "num_replicas", 1, recipe$parts$n_batches)
      n = part_count(recipe, "n", 1, largest_count)
      check_state_weights(recipe, n, n)
      check_place(recipe, n)
    },
    n_rows = function(recipe) recipe$parts$n,
    n_batches = function(recipe) recipe$parts$n_batches,
    setup = function(recipe, private) {
      build_row_weights(private, recipe$state$weights, recipe$parts$n, weighted_names)
      private$.recipe$state$weights = NULL # they are now in the tree
      NULL
    },
    draw = function(private, epoch) draw_feedback_epoch(private, epoch, draw_weighted_batches),
    iterate = function(private, epoch) feedback_batches(private, epoch, draw_weighted_batches),
    describe = function(private) {
      c(
        format_weighted(private$.recipe$parts),
        sprintf("* Total weight: %s", show_value(row_weight_facts(private)$total)),
        format_order(private$.recipe, private$.next_epoch)
      )
    },
    settings = function(recipe) c(format_weighted(recipe$parts), format_seed(recipe)),
    methods = list(
      update = function(rows, weights) {
        update_weighted(private, rows, weights)
        invisible(self)
      },
      weights = function(rows = NULL) weighted_weights(private, rows),
      sample = function(k) {
        form = weighted_form(private$.recipe$parts$replacement)
        sample_rows(private, k, function(private, stream, k) {
          draw_row_weights(private, stream, k, 1, form, sum_tree_names)
        })
      }
    ),
    private = row_weight_fields
  )
}

weighted_form = function(replacement) {
  if (replacement == 1L) draw_forms$replacement else draw_forms$distinct
}

draw_weighted_batches = function(private, stream, count) {
  parts = private$.recipe$parts
  draw_row_weights(private, stream, parts$batch_size, count, weighted_form(parts$replacement), weighted_names)
}

update_weighted = function(private, rows, weights) {
  check_is_trained_on(private)
  rows = row_positions(rows, private$.n_rows, "rows")
  update_row_weights(private, rows, feedback_values(weights, "weights", length(rows)), weighted_names)
}

weighted_weights = function(private, rows) {
  check_is_trained_on(private)
  row_weights_of(private, if (!is.null(rows)) row_positions(rows, private$.n_rows, "rows"))
}

format_weighted = function(parts) {
  c(
    sprintf("* Rows: %.0f, drawn by weight", parts$n),
    sprintf("%s, %s replacement", format_fixed_size(parts), if (parts$replacement == 1L) "with" else "without")
  )
}
