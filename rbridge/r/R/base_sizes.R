# The sizes of batches, in exact integers stored as doubles.

# Returns the offsets of batches of `batch_size` rows; the last one may be shorter.
full_offsets = function(n_rows, n_batches, batch_size) {
  as.integer(pmin(batch_size * 0:n_batches, n_rows))
}

# Divides whole numbers and rounds up; %/% rounds down.
divide_up = function(number, by) {
  -(-number %/% by)
}
