# The number of batches for replicas, and the sizes of batches, in exact integers stored as doubles.

# Returns the next multiple of the number of replicas, where NULL counts as one.
# Round "down" if batches may grow or rows may be left out, "up" if batches may not exceed the size that is allowed.
round_to_replicas = function(n_batches, num_replicas, direction) {
  replicas = if (is.null(num_replicas)) 1 else num_replicas
  multiples = switch(direction, down = n_batches %/% replicas, up = divide_up(n_batches, replicas))
  multiples * replicas
}

# Returns the number of batches rounded down; refuses if some replicas would get none.
share_of_replicas = function(n_batches, num_replicas, advice = NULL) {
  if (n_batches < if (is.null(num_replicas)) 1 else num_replicas) {
    stop_replicas(n_batches, num_replicas, advice)
  }
  round_to_replicas(n_batches, num_replicas, "down")
}

stop_replicas = function(n_batches, replicas, advice) {
  stop_parameter("num_replicas", sprintf("be at most %.0f, the number of batches", n_batches), show_value(replicas),
    advice = advice)
}

# Returns the offsets of batches of `batch_size` rows; the last one may be shorter.
full_offsets = function(n_rows, n_batches, batch_size) {
  as.integer(pmin(batch_size * 0:n_batches, n_rows))
}

# Divides whole numbers and rounds up; %/% rounds down.
divide_up = function(number, by) {
  -(-number %/% by)
}
