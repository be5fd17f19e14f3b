# Sources -> lanes -> the order of sources and rows in an epoch, as in pystrat/stream/lanes.py. Sources, in the order of
# their names, and lanes are numbered from 1 here; source k belongs to lane (k - 1) %% n_lanes + 1.

# What the core plans of a recipe. With counts: list(counts = sources by strata, totals = lanes by strata, taken = the
# rows of them that an epoch takes, n_batches = the batches of each lane, least = the rows of each stratum that every
# batch has).
new_lanes = function(recipe, counts) {
  instance = core_instance(recipe)
  described = core_results(.Call(C_describe, instance), recipe$parts)
  n_lanes = recipe$parts$lanes
  list(
    recipe = recipe, counts = counts, totals = by_row(described$totals, n_lanes),
    taken = by_row(described$taken, n_lanes), n_batches = described$n_batches, least = described$guaranteed,
    n_lanes = n_lanes, n_sources = recipe$parts$n_sources, shuffle = recipe$parts$shuffle == 1L,
    takes_again = !identical(described$totals, described$taken),
    fingerprint = rawToChar(core_results(.Call(C_identify, instance), recipe$parts)$fingerprint)
  )
}

# -> list(groups = of each lane, the sources that are read and shuffled together, shifts = those of the strata by lane,
# places = those in the lane of the first row of each stratum, ranks = how many rows are taken, both by source)
draw_lanes = function(lanes, epoch) {
  drawn = core_results(.Call(C_draw, core_instance(lanes$recipe), epoch), lanes$recipe$parts)
  parts = function(items, offsets) unname(split(items, rep(seq_along(offsets[-1L]), diff(offsets))))
  list(
    groups = parts(parts(drawn$rows, drawn$groups), drawn$offsets), shifts = by_row(drawn$shifts, lanes$n_lanes),
    places = by_row(drawn$places, lanes$n_sources), ranks = by_row(drawn$ranks, lanes$n_sources)
  )
}

by_row = function(values, n_rows) matrix(values, nrow = n_rows, byrow = TRUE)

# How often an epoch takes each row of a source, which have places in the order of epoch 0. If an epoch takes k of the n
# rows of a stratum, it takes the row at place p of them floor((p + 1) * k / n) - floor(p * k / n) times.
row_copies = function(lanes, lane, source, places, codes) {
  copies = rep(1, length(codes))
  if (lanes$takes_again) {
    order = source_order(lanes, source, 0, length(codes))
    own = order[order(codes[order], method = "radix")]
    strata = codes[own]
    begins = places[source, strata] + seq_along(own) - match(strata, strata)
    taken = lanes$taken[lane, strata]
    totals = lanes$totals[lane, strata]
    copies[own] = ((begins + 1) * taken) %/% totals - (begins * taken) %/% totals
  }
  copies
}

# The order of the rows of a group of sources in an epoch, from its first source.
source_order = function(lanes, source, epoch, n_rows) {
  if (!lanes$shuffle) {
    return(seq_len(n_rows))
  }
  seed = epoch_seed(lanes$recipe$seed, epoch * (lanes$n_sources + 1) + source - 1)
  core_call("permutation", list(n_rows = n_rows, seed = seed))$rows
}
