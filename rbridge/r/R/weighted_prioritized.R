#' @title Prioritized Batch Sampler
#'
#' @description
#' Creates a batch sampler for prioritized experience replay: row `i` is drawn with a probability proportional to
#' `(abs(priority of i) + epsilon)^alpha`; or, with `method = "rank"`, to `(rank of i)^-alpha`, where the row with the
#' largest absolute priority has rank 1.
#' The training loop sets the priority of a row, usually to its last error.
#' Importance weights correct the gradients for the unequal probabilities.
#'
#' @param n (`integer(1)`)\cr
#'   The number of rows; 0 for an empty replay buffer, which needs `capacity`.
#' @param batch_size (`integer(1)`)\cr
#'   The number of rows per batch, drawn with replacement.
#' @param alpha (`numeric(1)`)\cr
#'   The exponent of the priorities or ranks, at least 0, by default 0.6; with 0, all rows are equally likely.
#'   For ranks, it must be small enough that the last one has a weight above 0.
#' @param beta (`numeric(1)` or `function`)\cr
#'   The exponent of the importance weights, at least 0, by default 0.4; or a function that returns it, given the number
#'   of a batch.
#' @param epsilon (`numeric(1)`)\cr
#'   Added to each absolute priority, above 0, so that every row can be drawn.
#'   `NULL` (default): `1e-6`.
#'   Not allowed with ranks, which need none.
#' @param stratified (`logical(1)`)\cr
#'   `TRUE`: one row is drawn from each of `batch_size` equal slices of the total, in order: the same probabilities,
#'   with less variance.
#'   The slices follow the row numbers, or with `method = "rank"` the ranks.
#'   `FALSE` (default): every row of a batch is drawn from all rows.
#' @param normalise (`logical(1)`)\cr
#'   Whether to divide the importance weights by the largest one of all rows, so that none exceeds 1.
#'   `TRUE` by default.
#' @param capacity (`integer(1)`)\cr
#'   The largest number of rows, at least `n` and 1: `append()` adds rows up to it, and then replaces the oldest ones.
#'   `NULL` (default): `n`.
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
#' * `update(rows, priorities)`: sets the priorities of rows, counted from 1: finite numbers of either sign; if a row is
#'   repeated, the last one counts.
#'   Returns the instance invisibly.
#' * `append(count = 1)`: adds rows, and returns their positions.
#'   If there is no room left, these are the positions of the oldest rows, where the caller stores the new data.
#' * `sample(k)`: returns `k` rows, `integer()`, drawn by the current priorities, for training loops without epochs.
#'   The random numbers follow from the seed and the previous calls of `sample()`.
#'   They are not those of any epoch, so the iteration is the same with and without such calls.
#' * `importance_weights(rows, batch = NULL)`: returns the factors for the losses of rows, according to the current
#'   priorities.
#'   `batch` is the number of the batch, required if `beta` is a function.
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
#'   Drawing `k` of `n` rows takes O(k log n), and changing `k` priorities O(k sqrt(n)).
#' * The importance weight of row `i` is `(p_min / p_i)^beta`, where `p_i` is the quantity above and `p_min` the least
#'   of all rows.
#'   It is `(n * P(i))^-beta`, with `P(i)` the probability of row `i`, divided by the largest of these values; with
#'   `normalise = FALSE`, it is `(n * P(i))^-beta` itself.
#' * With `beta = 1` and `normalise = FALSE`, the mean of weight times value over a batch is an unbiased estimate of the
#'   mean over all rows.
#'   With any other setting it is not.
#'
#' @section Errors:
#' A priority is not finite, a row does not exist, or an argument has the wrong type or is out of range.
#' A batch is drawn from an empty buffer; this error comes when the batch is drawn.
#' In all cases nothing changes.
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

# Names of the weights and of the number of rows to draw, for messages.
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

# The weight of a row whose priority is 0.
check_least_weight = function(epsilon, alpha) {
  least = powers_of(epsilon, alpha)
  if (least == 0 || least == Inf) {
    stop_parameter("epsilon", sprintf("neither vanish nor overflow when raised to the power of alpha, %.15g", alpha),
      show_value(epsilon))
  }
}

kind_prioritized = function() {
  list(
    class = "batch_sampler_prioritized",
    vectors = list(
      parts = c("capacity", "batch_size", "alpha", "epsilon", "stratified", "n_batches", "method", "num_replicas"),
      state = c("weights", "priorities", "next_position", "largest", "epoch", "batch", "drawn", "generator",
        "sample_generator"),
      labels = c("beta", "normalise")
    ),
    bytes = function(recipe) {
      120 * recipe$parts$capacity + 64 * recipe$parts$batch_size + fixed_size_bytes(recipe$parts)
    },
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
      # They are now in the fields.
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
    if (anyNA(recipe$state$weights) || !all(recipe$state$weights > 0)) {
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

# The values of the rows in a recipe.
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
  if (!is.finite(largest) || (!is_ranked && powers_of(largest, parts$alpha) == Inf)) {
    refuse_priorities(priorities, sizes, parts$alpha)
  }
  if (is_ranked) {
    update_ranked_rows(private, rows, sizes)
  } else {
    update_row_weights(private, rows, powers_of(sizes, parts$alpha), prioritized_names)
  }
  private$.largest = max(largest, private$.largest)
}

# The error for the first priority that is not finite, or else the first one whose weight is not.
refuse_priorities = function(priorities, sizes, alpha) {
  infinite = which(!is.finite(priorities))
  if (length(infinite) > 0L) {
    stop_parameter("priorities", "hold finite numbers", show_value(priorities[infinite[1L]]))
  }
  wrong = which(sizes == Inf | powers_of(sizes, alpha) == Inf)[1L]
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
    append_row_weights(private, rep(powers_of(largest, parts$alpha), count), prioritized_names)
  }
}

importance_weights = function(private, rows, batch) {
  check_is_trained_on(private)
  weights_of = if (is_ranked(private$.recipe$parts)) weights_of_ranked_rows else row_weights_of
  chosen = weights_of(private, row_positions(rows, private$.n_rows, "rows"))
  exponent = importance_exponent(private, batch)
  facts = row_weight_facts(private)
  least = if (private$.recipe$labels$normalise == 1L) facts$least else facts$total / facts$n_positive
  # Of the two orders of division and power, use the one that overflows or underflows only if the result does.
  if (exponent > 1) {
    powers_of(least / chosen, exponent)
  } else {
    powers_of(least, exponent) / powers_of(chosen, exponent)
  }
}

# With the same digits as in Python, unlike R's operator, which squares by a multiplication.
powers_of = function(numbers, exponent) .Call(C_powers_of, numbers, exponent)

# beta, for a batch if it is a function
importance_exponent = function(private, batch) {
  beta = private$.settings$functions$beta
  if (is.null(beta)) {
    return(check_number(private$.recipe$labels$beta, "beta"))
  }
  if (is.null(batch)) {
    stop_parameter("batch", "be given if 'beta' is a function", "nothing")
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
