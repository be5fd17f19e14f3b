# The batch plan: what follows from the sizes of the strata alone, before any row or random number.
# Counts and batch numbers are integers stored as doubles, exact below 2^53.

# -> list(
#   counts = the rows of each stratum in an epoch, names, n_batches,
#   minimum = the rows of every stratum that each batch is guaranteed to hold, assign, available = the rows in the
#   dataset
# )
make_plan = function(counts, names, n_batches, assign, available = counts) {
  list(counts = counts, names = names, n_batches = n_batches, minimum = min(counts) %/% n_batches, assign = assign,
    available = available)
}

stratum_counts = function(strata) {
  as.double(tabulate(strata$codes, length(strata$names)))
}

# Divides whole numbers and rounds up; %/% rounds down.
divide_up = function(number, by) -(-number %/% by)

show_batches = function(n_batches) {
  if (n_batches == 1) "1 batch" else sprintf("%.0f batches", n_batches)
}

batch_sizes = function(plan) {
  n_batches = plan$n_batches
  if (plan$assign == "even") {
    return(as.integer(divide_up(sum(plan$counts) + 1 - seq_len(n_batches), n_batches)))
  }
  as.integer(Reduce(function(sizes, count) sizes + diff((count * 0:n_batches) %/% n_batches), plan$counts, 0))
}

# The rows of each stratum in each batch: one row per batch, one column per stratum.
composition_table = function(plan) {
  n_batches = plan$n_batches
  if (plan$assign == "even") {
    ends = outer(-seq_len(n_batches), c(0, cumsum(plan$counts)), `+`) %/% n_batches
    rows = ends[, -1L] - ends[, -ncol(ends)]
  } else {
    rows = diff(outer(0:n_batches, plan$counts) %/% n_batches)
  }
  label_table(matrix(as.integer(rows), n_batches), plan$names)
}
