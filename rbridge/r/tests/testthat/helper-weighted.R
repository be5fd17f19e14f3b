# A sum tree and its draws as documented, with R's own generator: slow, only for comparison.

with_seed_of = function(case, code) {
  kept = RNGkind("Mersenne-Twister", "Inversion", "Rejection")
  on.exit(do.call(RNGkind, as.list(kept)))
  set.seed(seed_of_epoch(case$seed, case$epoch))
  code
}

# 53 random bits of two outputs, each of which R gives as a multiple of 2^-32.
next_uniform = function() {
  outputs = floor(stats::runif(2L) * 4294967296)
  (floor(outputs[1L] / 32) * 67108864 + floor(outputs[2L] / 64)) / 9007199254740992
}

# The leaves and the levels above, eight numbers a node, up to a single node.
tree_levels = function(weights) {
  padded = function(values) c(values, numeric(-length(values) %% 8))
  levels = list(padded(weights))
  while (length(levels[[length(levels)]]) > 8L) {
    nodes = matrix(levels[[length(levels)]], nrow = 8L)
    levels[[length(levels) + 1L]] = padded(apply(nodes, 2L, sum_of_eight))
  }
  levels
}

sum_of_eight = function(x) ((x[1L] + x[2L]) + (x[3L] + x[4L])) + ((x[5L] + x[6L]) + (x[7L] + x[8L]))

# One draw: a row, counted from 0; of the whole, or of one of `slices` equal slices, counted from 0.
draw_row = function(levels, slice = 0, slices = 1) {
  value = (slice + next_uniform()) / slices * sum_of_eight(levels[[length(levels)]])
  place = 0
  for (level in rev(levels)) {
    parts = level[place * 8 + 1:8]
    before = c(0, Reduce(`+`, parts[-8L], accumulate = TRUE))
    child = sum(value >= before[-1L])
    while (parts[child + 1] == 0) {
      child = child - 1
    }
    value = value - before[child + 1]
    place = place * 8 + child
  }
  place
}

draw_batch = function(weights, size, replacement) {
  levels = tree_levels(weights)
  if (replacement) {
    return(replicate(size, draw_row(levels)))
  }
  rows = numeric()
  tries = 0
  while (length(rows) < size && tries < 2 * size) {
    rows = unique(c(rows, draw_row(levels)))
    tries = tries + 1
  }
  while (length(rows) < size) {
    weights[rows + 1] = 0
    rows = c(rows, draw_row(tree_levels(weights)))
  }
  rows
}

# The private fields of an R6 object.
private_of = function(object) {
  object$.__enclos_env__$private
}

# A copy of the vectors that feedback changes.
state_of = function(object) {
  unserialize(serialize(private_of(object)$.state, NULL))
}

# How often R copies these vectors while code runs.
# They are not given as an argument, which would refer to them, too.
copies_of_state = function(object, code) {
  private = private_of(object)
  tracemem(private$.state)
  on.exit(untracemem(private$.state))
  told = utils::capture.output(code)
  sum(startsWith(told, "tracemem["))
}

# With a seed of Python: rows follow set.seed(seed).
with_seed = function(seed, code) {
  with_seed_of(list(seed = seed, epoch = 0), code)
}
