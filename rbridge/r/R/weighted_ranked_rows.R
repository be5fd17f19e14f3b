# Rows drawn by the ranks of their priorities: a sum tree with the weights of the ranks, and the rows in order of
# priority.
# An owner has the fields of weighted_row_weights.R, with a tree over ranks, and also
#   .priorities  one double a row that there is room for
#   .ranking     integers that only the C core reads, the order of the rows
# Both are changed in place, unless a copy of the object shares them.

ranked_row_fields = list(.priorities = NULL, .ranking = NULL)

# `priorities` are those of the first rows: finite, none below 0.
build_ranked_rows = function(owner, priorities, capacity, alpha, names) {
  n_rows = length(priorities)
  weights = .Call(C_weigh_ranks, 1, n_rows, alpha)
  build_row_weights(owner, weights, capacity, names, keeps_least = TRUE)
  rank_all_rows(owner, c(priorities, numeric(capacity - n_rows)), n_rows)
}

rank_all_rows = function(owner, priorities, n_rows) {
  order = order(priorities[seq_len(n_rows)], decreasing = TRUE, method = "radix") # keeps the order of equal ones
  owner$.ranking = .Call(C_build_ranking, priorities, order)
  owner$.priorities = priorities
}

# New rows have the next positions. A call that is interrupted changes nothing.
update_ranked_rows = function(owner, rows, priorities) {
  previous = owner$.priorities[rows]
  n_rows = max(owner$.n_rows, rows)
  n_new = n_rows - owner$.n_rows
  complete = FALSE
  on.exit(if (!complete) restore_ranked_rows(owner, rows, previous, n_new))
  weigh_new_ranks(owner, .Call(C_weigh_ranks, owner$.n_rows + 1, n_new, owner$.recipe$parts$alpha))
  if (16 * length(rows) > owner$.n_rows) { # sorting all rows is faster than moving one in 16 of them
    changed = owner$.priorities
    changed[rows] = priorities
    rank_all_rows(owner, changed, n_rows)
  } else if (!.Call(C_set_keys, owner$.priorities, owner$.ranking, rows, priorities)) {
    owner$.priorities = .Call(C_copy_vector, owner$.priorities)
    owner$.ranking = .Call(C_copy_vector, owner$.ranking)
    .Call(C_set_keys, owner$.priorities, owner$.ranking, rows, priorities)
  }
  complete = TRUE
  invisible()
}

# Sets the weights of the ranks after those that rows already have.
weigh_new_ranks = function(owner, weights) {
  if (length(weights) > 0L) {
    update_row_weights(owner, as.integer(owner$.n_rows + seq_along(weights)), weights, prioritized_names)
  }
}

restore_ranked_rows = function(owner, rows, previous, n_new) {
  weigh_new_ranks(owner, numeric(n_new))
  priorities = owner$.priorities
  priorities[rows] = previous
  rank_all_rows(owner, priorities, owner$.n_rows)
}

append_ranked_rows = function(owner, priorities) {
  capacity = length(owner$.priorities)
  count = length(priorities)
  positions = as.integer((owner$.next_position + seq_len(count) - 1) %% capacity) + 1L
  if (count > 0L) {
    update_ranked_rows(owner, positions, priorities)
  }
  owner$.n_rows = min(owner$.n_rows + count, capacity)
  owner$.next_position = (owner$.next_position + count) %% capacity
  positions
}

# As draw_row_weights()
draw_ranked_rows = function(owner, stream, size, n_batches, form, names) {
  drawn = draw_row_weights(owner, stream, size, n_batches, form, names)
  drawn$rows = .Call(C_ranks_to_rows, owner$.priorities, owner$.ranking, drawn$rows)
  drawn
}

weights_of_ranked_rows = function(owner, rows) {
  row_weights_of(owner, .Call(C_ranks_of_rows, owner$.priorities, owner$.ranking, rows))
}

# Priorities in the state of a recipe
check_state_priorities = function(recipe, capacity) {
  priorities = recipe$state$priorities
  if (!is.double(priorities) || length(priorities) > capacity) {
    stop_parameter("recipe", sprintf("have from 0 to %.0f doubles as 'priorities'", capacity), show_value(priorities))
  }
  if (!all(is.finite(priorities) & priorities >= 0)) {
    stop_parameter("recipe", "have finite numbers, none below 0, as 'priorities'", "others")
  }
}
