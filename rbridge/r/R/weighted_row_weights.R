# Weights of rows in a sum tree, for samplers and sum_tree().
# An owner is the private environment of an R6 object, with the fields
#   .tree           doubles that only the C core reads; a vector of a field alone is changed in place,
#                   one that a copy of the object shares is copied when it is changed
#   .n_rows         rows that have a weight
#   .next_position  where the next row goes that is added, counted from 0
# `names` are the names of the weights and of the number of rows to draw, for messages.

# Ways to draw rows, as numbered in the C core.
draw_forms = list(replacement = 0L, slices = 1L, distinct = 2L)

row_weight_fields = list(.tree = NULL, .n_rows = NULL, .next_position = NULL)

build_row_weights = function(owner, weights, capacity, names, keeps_least = FALSE) {
  owner$.tree = .Call(C_build_tree, weights, capacity, keeps_least, names)
  owner$.n_rows = as.double(length(weights))
  owner$.next_position = length(weights) %% capacity
}

# For a repeated row, the last weight counts. A refused call changes nothing.
update_row_weights = function(owner, rows, weights, names) {
  owner$.tree = .Call(C_update_tree, owner$.tree, rows, weights, names)
}

# New rows replace the oldest ones if there is no room. -> their positions
append_row_weights = function(owner, weights, names) {
  capacity = row_weight_facts(owner)$capacity
  positions = as.integer((owner$.next_position + seq_along(weights) - 1) %% capacity) + 1L
  update_row_weights(owner, positions, weights, names)
  owner$.n_rows = min(owner$.n_rows + length(weights), capacity)
  owner$.next_position = (owner$.next_position + length(weights)) %% capacity
  positions
}

row_weights_of = function(owner, rows = NULL) {
  if (is.null(rows)) {
    .Call(C_first_weights, owner$.tree, owner$.n_rows)
  } else {
    .Call(C_tree_weights, owner$.tree, rows)
  }
}

# -> list(capacity, total, n_positive, least), the last one NA if it is not tracked
row_weight_facts = function(owner) {
  .Call(C_tree_facts, owner$.tree)
}

# `form` is one of draw_forms. -> list(rows, stream), where `stream` is for the next draw
draw_row_weights = function(owner, stream, size, n_batches, form, names) {
  .Call(C_draw_by_weight, owner$.tree, stream, size, n_batches, form, names)
}

# Weights in the state of a recipe; their values are checked when the tree is built.
check_state_weights = function(recipe, fewest, most) {
  weights = recipe$state$weights
  if (!is.double(weights) || length(weights) < fewest || length(weights) > most) {
    required = if (fewest == most) sprintf("%.0f", most) else sprintf("from %.0f to %.0f", fewest, most)
    stop_parameter("recipe", sprintf("have %s doubles as 'weights'", required), show_value(weights))
  }
}
