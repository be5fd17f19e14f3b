#' @title Prioritized Batch Sampler
#'
#' @description
#' Makes a batch sampler for prioritized experience replay: row `i` is drawn with a probability proportional to
#' `(abs(priority of i) + epsilon)^alpha`; or, with `method = "rank"`, to `(rank of i)^-alpha`, with rank 1 for the row
#' whose priority is the largest in size.
#' The priority is what a training loop says of a row, most often its last error.
#' Importance weights correct the gradients for the unequal probabilities.
#'
#' @param n (`integer(1)`)\cr
#'   Number of rows that are there; 0 is for a replay buffer that is still empty, and needs `capacity`.
#' @param batch_size (`integer(1)`)\cr
#'   Rows of a batch, drawn with replacement.
#' @param alpha (`numeric(1)`)\cr
#'   At least 0, by default 0.6; 0 draws all rows alike.
#'   For ranks so small that the last one has a weight above 0.
#' @param beta (`numeric(1)` or `function`)\cr
#'   The exponent of the importance weights, at least 0, by default 0.4; or a function that returns it for the number of
#'   a batch.
#' @param epsilon (`numeric(1)`)\cr
#'   Above 0, so that no row is lost for ever.
#'   `NULL` (default): `1e-6`.
#'   Ranks need none, and refuse it.
#' @param stratified (`logical(1)`)\cr
#'   `TRUE`: one row is drawn from each of `batch_size` equal slices of the total, in their order: the same
#'   probabilities, with less variance.
#'   The slices follow the row numbers, or with `method = "rank"` the ranks.
#'   `FALSE` (default): all rows of a batch are drawn from the whole.
#' @param normalise (`logical(1)`)\cr
#'   Whether the importance weights are divided by the largest that any row has, so that none exceeds 1.
#'   `TRUE` (default): they are.
#' @param capacity (`integer(1)`)\cr
#'   The number of rows that there is room for, at least `n` and 1: `append()` adds rows up to it, and then takes the
#'   places of the oldest ones.
#'   `NULL` (default): `n`.
#' @param n_batches (`integer(1)`)\cr
#'   Batches of an epoch.
#'   `NULL` (default): `capacity %/% batch_size`.
#' @param method (`character(1)`)\cr
#'   What the probabilities follow.
#'   `"proportional"` (default): the priorities themselves.
#'   `"rank"`: the ranks of the rows if they are sorted by `abs(priority)`, the largest first, equal ones by row number.
#'   Ranks are not changed by how large an outlier is.
#' @inheritParams batch_sampler_weighted
#'
#' @return A generator of class `"batch_sampler_prioritized"` and `"torch_sampler"`: a function of one argument
#' `data_source`, which returns an instance of the sampler, as [batch_sampler_stratified()] explains.
#' Besides the members that are described there, an instance has:
#' * `update(rows, priorities)`: sets the priorities of rows, counted from 1: finite numbers of either sign; if a row is
#'   repeated, the last one counts.
#'   Returns the instance invisibly.
#' * `append(count = 1)`: adds rows, and returns their positions.
#'   If there is no room left, they are those of the oldest rows: it is there that the caller puts what is new.
#' * `sample(k)`: `k` rows, `integer()`, drawn by the priorities as they are now, for training loops without epochs.
#'   The random numbers follow from the seed and the calls of `sample()` before.
#'   They are not those of any epoch, so an iteration is the same with and without such calls.
#' * `importance_weights(rows, batch = NULL)`: the factors by which the losses of rows are multiplied, by the priorities
#'   as they are now.
#'   `batch` is the number of the batch, for which `beta` is asked if it is a function.
#'
#' `batches(epoch)` draws what an epoch would be with the priorities as they are now, and changes nothing.
#'
#' @section Guarantees:
#' The guarantees of [batch_sampler_weighted()] hold here as well; the sampler of the Python package is
#' `pystrat.PrioritizedBatchSampler`.
#' * A new row has the largest `abs(priority) + epsilon` that was ever told, 1 before any, raised to the power of
#'   `alpha`.
#'   With `method = "rank"` it has the largest `abs(priority)` ever told, 1 before any.
#' * With `method = "rank"` the ranks are exact at every draw.
#'   To draw `k` of `n` rows takes time for `k log n`, and to change `k` priorities for `k sqrt(n)`.
#' * The importance weight of row `i` is `(p_min / p_i)^beta`, with `p_i` as above and `p_min` the least of all rows.
#'   It is `(n * P(i))^-beta`, with `P(i)` the probability of row `i`, over the largest of these values; with
#'   `normalise = FALSE` it is `(n * P(i))^-beta` itself.
#' * With `beta = 1` and `normalise = FALSE` the mean of weight times value over a batch is an unbiased estimate of the
#'   mean over all rows.
#'   With any other setting it is not.
#'
#' @section Errors:
#' A priority that is not finite, a row that does not exist, an argument of the wrong type or out of range.
#' A batch drawn from an empty buffer is an error when it is drawn.
#' A refused call changes nothing.
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
#' # a replay buffer that begins empty, and an exponent that grows with the number of the batch
#' buffer = batch_sampler_prioritized(0, batch_size = 2, capacity = 1000, n_batches = 100, seed = 1,
#'   beta = function(batch) min(1, 0.4 + batch / 1000))(NULL)
#' buffer$append(3)
#' rows = buffer$sample(2)
#' buffer$importance_weights(rows, batch = 1)
#' buffer$update(rows, c(0.5, -2))
batch_sampler_prioritized = function(n, batch_size, alpha = 0.6, beta = 0.4, epsilon = NULL, stratified = FALSE,
  normalise = TRUE, capacity = NULL, n_batches = NULL, seed = NULL, num_replicas = NULL, method = "proportional") {
  name_errors("batch_sampler_prioritized")
  n = check_between(n, "n", if (is.null(capacity)) 1 else 0, largest_count)
  capacity = if (is.null(capacity)) n else check_between(capacity, "capacity", max(n, 1), largest_count)
  settings = fixed_size_settings(capacity, batch_size, n_batches, seed, num_replicas)
  alpha = check_number(alpha, "alpha")
  beta = if (is.function(beta)) beta else check_number(beta, "beta")
  is_ranked = check_choice(method, "method", prioritized_methods) == "rank"
  epsilon = checked_epsilon(epsilon, alpha, capacity, is_ranked)
  parts = list(
    capacity = capacity,
    batch_size = settings$batch_size,
    alpha = alpha,
    epsilon = epsilon,
    stratified = as.integer(check_flag(stratified, "stratified")),
    n_batches = settings$n_batches,
    method = if (is_ranked) "rank",
    num_replicas = settings$num_replicas
  )
  state = list(rep(1, n), next_position = n %% capacity)
  names(state)[1L] = if (is_ranked) "priorities" else "weights"
  labels = list(
    beta = if (is.function(beta)) paste(deparse(beta), collapse = "\n") else beta,
    normalise = as.integer(check_flag(normalise, "normalise"))
  )
  new_generator(new_recipe("prioritized", settings$seed, parts, state, labels),
    functions = if (is.function(beta)) list(beta = beta))
}

prioritized_methods = c("proportional", "rank")

# As messages name the weights, and the number of rows to draw.
prioritized_names = c("priorities", "batch_size")

is_ranked = function(parts) !is.null(parts$method)

# NULL for ranks, whose last one must have a weight instead
checked_epsilon = function(epsilon, alpha, capacity, is_ranked) {
  if (is_ranked) {
    if (!is.null(epsilon)) {
      stop_parameter("epsilon", "not be given if 'method' is 'rank'", show_value(epsilon))
    }
    if (capacity^-alpha == 0) {
      stop_parameter("alpha", sprintf("give the last of %.0f ranks a weight above 0", capacity), show_value(alpha))
    }
    return(NULL)
  }
  epsilon = check_number(if (is.null(epsilon)) 1e-6 else epsilon, "epsilon", above = TRUE)
  check_least_weight(epsilon, alpha)
  epsilon
}

# That of a row whose priority is 0.
check_least_weight = function(epsilon, alpha) {
  least = epsilon^alpha
  if (least == 0 || least == Inf) {
    stop_parameter("epsilon", sprintf("neither vanish nor overflow when raised to the power of alpha, %.15g", alpha),
      show_value(epsilon))
  }
}

kind_prioritized = function() {
  list(
    class = "batch_sampler_prioritized",
    check = check_prioritized,
    n_rows = function(recipe) NULL,
    n_batches = function(recipe) recipe$parts$n_batches,
    setup = function(recipe, private) {
      parts = recipe$parts
      if (is_ranked(parts)) {
        build_ranked_rows(private, recipe$state$priorities, parts$capacity, parts$alpha, prioritized_names)
      } else {
        build_row_weights(private, recipe$state$weights, parts$capacity, prioritized_names, keeps_least = TRUE)
      }
      private$.next_position = recipe$state$next_position
      private$.largest = recipe$state$largest
      # The fields have them now.
      private$.recipe$state[c("weights", "priorities", "next_position", "largest")] = NULL
      NULL
    },
    draw = function(private, epoch) draw_feedback_epoch(private, epoch, draw_prioritized_batches),
    iterate = function(private, epoch) feedback_batches(private, epoch, draw_prioritized_batches),
    describe = function(private) {
      c(
        sprintf("* Rows: %.0f, with room for %.0f", private$.n_rows, private$.recipe$parts$capacity),
        format_prioritized(private$.recipe$parts),
        format_order(private$.recipe, private$.next_epoch)
      )
    },
    settings = function(recipe) {
      c(
        sprintf("* Rows: %d, with room for %.0f", length(state_values(recipe)), recipe$parts$capacity),
        format_prioritized(recipe$parts),
        sprintf("* beta: %s", if (is.double(recipe$labels$beta)) show_value(recipe$labels$beta) else "a function"),
        format_seed(recipe)
      )
    },
    methods = list(
      update = function(rows, priorities) {
        update_prioritized(private, rows, priorities)
        invisible(self)
      },
      append = function(count = 1) append_prioritized(private, count),
      sample = function(k) sample_rows(private, k, draw_prioritized_rows),
      importance_weights = function(rows, batch = NULL) importance_weights(private, rows, batch)
    ),
    private = c(row_weight_fields, ranked_row_fields, list(.largest = NULL))
  )
}

check_prioritized = function(recipe) {
  check_fixed_size(recipe)
  part_flag(recipe, "stratified")
  part_count(recipe, "num_replicas", 1, recipe$parts$n_batches)
  alpha = check_number(recipe$parts$alpha, "alpha")
  capacity = part_count(recipe, "capacity", 1, largest_count)
  if (is_ranked(recipe$parts)) {
    check_choice(recipe$parts$method, "method", "rank")
    checked_epsilon(recipe$parts$epsilon, alpha, capacity, is_ranked = TRUE)
    check_state_priorities(recipe, capacity)
  } else {
    check_least_weight(check_number(recipe$parts$epsilon, "epsilon", above = TRUE), alpha)
    check_state_weights(recipe, 0, capacity)
    if (!all(recipe$state$weights > 0)) {
      stop_parameter("recipe", "have numbers above 0 as 'weights'", "others")
    }
  }
  state = recipe$state
  n_rows = length(state_values(recipe))
  first_free = if (n_rows == capacity) c(0, capacity - 1) else c(n_rows, n_rows)
  check_between(state$next_position, "next_position", first_free[1L], first_free[2L])
  if (!is.null(state$largest)) {
    check_number(state$largest, "largest")
  }
  check_between(recipe$labels$normalise, "normalise", 0, 1)
  check_place(recipe, n_rows)
}

# What a recipe has of each row
state_values = function(recipe) {
  if (is_ranked(recipe$parts)) recipe$state$priorities else recipe$state$weights
}

draw_prioritized_batches = function(private, stream, count) {
  draw_prioritized_rows(private, stream, private$.recipe$parts$batch_size, count)
}

draw_prioritized_rows = function(private, stream, size, count = 1) {
  parts = private$.recipe$parts
  form = if (parts$stratified == 1L) draw_forms$slices else draw_forms$replacement
  draw = if (is_ranked(parts)) draw_ranked_rows else draw_row_weights
  draw(private, stream, size, count, form, prioritized_names)
}

update_prioritized = function(private, rows, priorities) {
  check_is_trained_on(private)
  parts = private$.recipe$parts
  rows = row_positions(rows, private$.n_rows, "rows")
  priorities = feedback_values(priorities, "priorities", length(rows))
  if (length(rows) == 0L) {
    return(invisible())
  }
  is_ranked = is_ranked(parts)
  sizes = if (is_ranked) abs(priorities) else abs(priorities) + parts$epsilon
  largest = max(sizes)
  if (!is.finite(largest) || (!is_ranked && largest^parts$alpha == Inf)) {
    refuse_priorities(priorities, sizes, parts$alpha)
  }
  if (is_ranked) {
    update_ranked_rows(private, rows, sizes)
  } else {
    update_row_weights(private, rows, sizes^parts$alpha, prioritized_names)
  }
  private$.largest = max(largest, private$.largest)
}

# The error for the first priority that is not finite, or else the first whose weight is not.
refuse_priorities = function(priorities, sizes, alpha) {
  infinite = which(!is.finite(priorities))
  if (length(infinite) > 0L) {
    stop_parameter("priorities", "hold finite numbers", show_value(priorities[infinite[1L]]))
  }
  wrong = which(sizes == Inf | sizes^alpha == Inf)[1L]
  stop_parameter("priorities", sprintf("stay finite when raised to the power of alpha, %.15g", alpha),
    show_value(priorities[wrong]))
}

append_prioritized = function(private, count) {
  check_is_trained_on(private)
  parts = private$.recipe$parts
  count = check_between(count, "count", 0, parts$capacity)
  largest = if (is.null(private$.largest)) 1 else private$.largest
  if (is_ranked(parts)) {
    append_ranked_rows(private, rep(largest, count))
  } else {
    append_row_weights(private, rep(largest^parts$alpha, count), prioritized_names)
  }
}

importance_weights = function(private, rows, batch) {
  check_is_trained_on(private)
  weights_of = if (is_ranked(private$.recipe$parts)) weights_of_ranked_rows else row_weights_of
  chosen = weights_of(private, row_positions(rows, private$.n_rows, "rows"))
  exponent = importance_exponent(private, batch)
  facts = row_weight_facts(private)
  least = if (private$.recipe$labels$normalise == 1L) facts$least else facts$total / facts$n_positive
  # Whichever of the two comes first leaves the range of doubles only if the result does.
  if (exponent > 1) (least / chosen)^exponent else least^exponent / chosen^exponent
}

# beta, for a batch if it is a function
importance_exponent = function(private, batch) {
  beta = private$.settings$functions$beta
  if (is.null(beta)) {
    return(check_number(private$.recipe$labels$beta, "beta"))
  }
  if (is.null(batch)) {
    stop_parameter("batch", "be given where 'beta' is a function", "nothing")
  }
  if (!is_whole_number(batch) || batch < 0) {
    stop_parameter("batch", "be a non-negative integer", show_value(batch))
  }
  check_number(beta(batch), "beta")
}

format_prioritized = function(parts) {
  c(
    sprintf("%s%s", format_fixed_size(parts), if (parts$stratified == 1L) ", one from each equal slice" else ""),
    if (is_ranked(parts)) {
      sprintf("* Weights: rank^-%.15g, by abs(priority)", parts$alpha)
    } else {
      sprintf("* Weights: (abs(priority) + %.15g)^%.15g", parts$epsilon, parts$alpha)
    }
  )
}
