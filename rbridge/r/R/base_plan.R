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

show_batches = function(n_batches) {
  if (n_batches == 1) "1 batch" else sprintf("%.0f batches", n_batches)
}

# The number of rows before each batch, and finally of all rows: integers, one more than there are batches.
batch_offsets = function(plan) {
  core_call("batch_offsets", counted_plan(plan))$offsets
}

# A plan as the core takes it.
counted_plan = function(plan) {
  list(counts = plan$counts, n_batches = plan$n_batches, even = plan$assign == "even")
}

batch_sizes = function(plan) {
  diff(batch_offsets(plan))
}

# Rows of each stratum in each batch: a matrix of integers, one row per batch, one column per stratum.
batch_composition = function(plan) {
  matrix(core_call("batch_composition", counted_plan(plan))$rows, plan$n_batches)
}

composition_table = function(plan) {
  label_table(batch_composition(plan), plan$names)
}
