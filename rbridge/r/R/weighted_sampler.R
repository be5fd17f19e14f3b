#' @title Weighted Batch Sampler
#'
#' @description
#' Makes a batch sampler for [torch::dataloader()] and for the learners of mlr3torch that draws rows by weight.
#' The weights may be changed between batches, for instance to the losses of the rows: hard rows then come more often.
#'
#' @param weights (`numeric()`)\cr
#'   One weight for each row of the dataset, a vector or a tensor: finite, none below 0, not all 0.
#'   They need not sum to 1.
#' @param batch_size (`integer(1)`)\cr
#'   Rows of a batch; without replacement at most the number of positive weights.
#' @param replacement (`logical(1)`)\cr
#'   Whether a row may occur in a batch more than once.
#'   `TRUE` (default): it may.
#'   Between batches everything is replaced.
#' @param n_batches (`integer(1)`)\cr
#'   Batches of an epoch.
#'   `NULL` (default): the number of rows `%/% batch_size`.
#' @param num_replicas (`integer(1)`)\cr
#'   Number of processes that share the batches of an epoch.
#'   The number of batches is rounded down to a multiple of it, and that many batches are drawn together, since they are
#'   trained on at the same time.
#'   All batches are given, in the order of the whole epoch.
#'   `NULL` (default): 1.
#' @inheritParams batch_sampler_uniform
#'
#' @return A generator of class `"batch_sampler_weighted"` and `"torch_sampler"`: a function of one argument
#' `data_source`, which returns an instance of the sampler, as [batch_sampler_stratified()] explains.
#' A data source that tells its number of rows must have one for each weight.
#' Besides the members that are described there, an instance has:
#' * `update(rows, weights)`: sets the weights of rows, counted from 1; if a row is repeated, the last of its weights
#'   counts.
#'   Returns the instance invisibly.
#' * `weights(rows = NULL)`: the weights of rows, or of all of them, as they are now.
#' * `sample(k)`: `k` rows, `integer()`, drawn by the weights as they are now, for training loops without epochs.
#'   The random numbers follow from the seed and the calls of `sample()` before.
#'   They are not those of any epoch, so an iteration is the same with and without such calls.
#'
#' `batches(epoch)` draws what an epoch would be with the weights as they are now, and changes nothing.
#'
#' @section Guarantees:
#' * A row is drawn with the probability of its weight over the total, a row of weight 0 never.
#'   Without replacement, rows are successive draws from what is left.
#' * The batches follow from the initial weights, seed, epoch, the updates, and how many batches were drawn before each
#'   of them.
#'   An update affects the batches that are not yet drawn, also those of later epochs.
#'   The workers of a dataloader ask ahead, so with them an update shows some batches later.
#' * The same call and the same updates give the same batches in Python with `pystrat.WeightedBatchSampler`, where rows
#'   are counted from 0.
#' * To draw a batch, or to change the weights of one, takes microseconds for any number of rows.
#' * What changes one instance changes no other, and not its copies: each has weights of its own.
#' * A generator, or an instance with its weights, that was saved with [saveRDS()], or sent to another process, needs
#'   nothing else there.
#' * R's own generator takes no part, except for the one number drawn if `seed` is `NULL`.
#'
#' @section Use in mlr3torch:
#' A callback reaches the instance as `ctx$loader_train$batch_sampler`, and the rows of a batch as `ctx$batch$.index`.
#'
#' @section Errors:
#' A weight that is negative, infinite or missing, a total that overflows, a row that does not exist, an argument of the
#' wrong type or out of range.
#' A batch that cannot be drawn, since weights were changed to 0, is an error when it is drawn.
#' A refused call changes nothing.
#'
#' @source
#' M. Huenermann, "Sampling Algorithms", 2021, for the tree of sums by which rows are drawn.
#'
#' @seealso [batch_sampler_prioritized()] for weights that follow from errors, with importance weights, [sum_tree()] for
#'   a training loop of your own.
#'
#' @export
#' @examples
#' sampler = batch_sampler_weighted(rep(1, 6), batch_size = 3, n_batches = 3, seed = 1)(NULL)
#' next_batch = sampler$.iter()
#' next_batch()
#' # from now on only row 6 is drawn
#' sampler$update(rows = 1:5, weights = numeric(5))
#' next_batch()
#' sampler$weights()
batch_sampler_weighted = function(weights, batch_size, replacement = TRUE, n_batches = NULL, seed = NULL,
  num_replicas = NULL) {
  name_errors("batch_sampler_weighted")
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

# As messages name the weights, and the number of rows to draw.
weighted_names = c("weights", "batch_size")

kind_weighted = function() {
  list(
    class = "batch_sampler_weighted",
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
      private$.recipe$state$weights = NULL # the tree has them now
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
