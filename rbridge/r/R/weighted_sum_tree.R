#' @title Sum Tree
#'
#' @description
#' Stores weights of rows in a tree of sums, and draws rows by weight.
#' Drawing `k` of `n` rows takes O(k log n), and so does changing `k` weights.
#' Use it in your own training loop, such as one with a replay buffer; [batch_sampler_weighted()] and
#' [batch_sampler_prioritized()] are samplers on top of it.
#' \twin{SumTree}{weighted}
#'
#' @eval described("SumTree", weights = "`numeric()`", "capacity")
#' @inheritParams batch_sampler_uniform
#'
#' @eval members("SumTree", "sample(k = 1, replacement = TRUE)", "update(indices, weights)", "append(weights)",
#'   "weights(indices = NULL)", "find(values)", "state_dict(): returns the state, which Python reads and writes, too.",
#'   "load_state_dict(state): continues at a state.", "clone(): returns an independent copy.",
#'   of = "An [R6::R6Class] object with the fields `total`, `n_rows`, `capacity` and `seed`, and these members:")
#'
#' @source
#' M. Huenermann, "Sampling Algorithms", 2021.
#' His trees are binary; here, a node has eight children.
#'
#' @export
#' @examples
#' tree = sum_tree(c(1, 0, 4, 5), seed = 1)
#' tree$total
#' tree$sample(6)
#' tree$update(c(3, 4), c(0, 0))
#' tree$sample(3)
sum_tree = function(weights = NULL, capacity = NULL, seed = NULL) {
  sum_tree_class$new(weights, capacity, seed)
}

sum_tree_class = R6Class("sum_tree",
  public = list(
    initialize = function(weights, capacity, seed) {
      given = if (is.null(weights)) list() else list(weights = feedback_values(weights, "weights"))
      data = if (!is.null(weights)) list(n_rows = as.double(length(given$weights)))
      parts = core_plan("sum_tree", c(list(capacity = capacity, seed = seed), data))
      seed = if (is.null(seed)) draw_seed() else check_range(seed, "seed", largest_seed)
      private$.recipe = new_recipe("sum_tree", seed, c(parts, data))
      core_begin(private, given)
      private$.recipe$parts = list(capacity = if (is.null(parts$capacity)) as.double(data$n_rows) else parts$capacity)
      private$.stream = new_stream(seed)
    },
    sample = function(k = 1, replacement = TRUE) {
      drawn = core_draw_more(private, private$.stream, list(k = k, count = 1, replacement = replacement))
      private$.stream = drawn$stream
      drawn$rows
    },
    update = function(indices, weights) {
      told = list(indices = feedback_rows(indices, "indices"), weights = feedback_values(weights, "weights"))
      core_tell(private, "update", told)
      invisible(self)
    },
    append = function(weights) {
      core_tell(private, "append", list(weights = feedback_values(weights, "weights")))$rows
    },
    weights = function(indices = NULL) {
      core_ask(private, "weights", list(indices = if (!is.null(indices)) feedback_rows(indices, "indices")))
    },
    find = function(values) {
      core_ask(private, "rows", list(values = feedback_values(values, "values")))
    },
    state_dict = function() {
      kept = core_ask(private, "state")
      list(version = tree_state_version, capacity = self$capacity, weights = kept$weights,
        next_position = kept$next_position, seed = self$seed, generator = private$.stream)
    },
    load_state_dict = function(state) {
      entries = c("version", "capacity", "weights", "next_position", "seed")
      refuse_if(!is.list(state) || !all(c(entries, "generator") %in% names(state)), "state",
        sprintf("have the entries %s and 'generator'", show_names(entries)), show_value(state))
      check_between(state$version, "version", tree_state_version, tree_state_version)
      check_between(state$capacity, "capacity", self$capacity, self$capacity)
      seed = check_range(state$seed, "seed", largest_seed)
      given = list(weights = feedback_values(c(numeric(), unlist(state$weights)), "weights"),
        next_position = check_between(state$next_position, "next_position", 0, self$capacity - 1),
        generator = feedback_values(unlist(state$generator), "state"))
      core_begin(private, given)
      private$.recipe$seed = seed
      private$.stream = given$generator
      invisible(self)
    },
    print = function(...) {
      cat("<sum_tree>", sprintf("* Rows: %.0f, with room for %.0f", self$n_rows, self$capacity),
        sprintf("* Total: %s", show_value(self$total)), sprintf("* Seed: %.0f", self$seed), sep = "\n")
      invisible(self)
    }
  ),
  active = list(
    total = function(value) read_only("total", missing(value), core_ask(private, "total")),
    n_rows = function(value) read_only("n_rows", missing(value), core_ask(private, "n_rows")),
    capacity = function(value) read_only("capacity", missing(value), private$.recipe$parts$capacity),
    seed = function(value) read_only("seed", missing(value), private$.recipe$seed)
  ),
  private = list(.recipe = NULL, .instance = NULL, .state = NULL, .stream = NULL)
)

tree_state_version = 1L
