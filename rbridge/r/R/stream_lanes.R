# Sources -> lanes -> the order of sources and rows in an epoch, as in pystrat/stream/lanes.py. Sources, in the order of
# their names, and lanes are numbered from 1 here; source k belongs to lane (k - 1) %% n_lanes + 1.

# What the core plans of a recipe. With counts: list(counts = sources by strata, totals = lanes by strata, taken = the
# rows of them that an epoch takes, n_batches = the batches of each lane, least = the rows of each stratum that every
# batch has).
new_lanes = function(recipe, counts) {
  instance = core_instance(recipe)
  described = core_results(.Call(C_describe, instance), recipe$parts)
  of_lanes = function(rows) matrix(rows, nrow = recipe$parts$lanes, byrow = TRUE)
  list(
    recipe = recipe, counts = counts, totals = of_lanes(described$totals), taken = of_lanes(described$taken),
    n_batches = described$n_batches, least = described$guaranteed, n_lanes = recipe$parts$lanes,
    n_sources = recipe$parts$n_sources, shuffle = recipe$parts$shuffle == 1L, together = recipe$parts$shuffle_sources,
    takes_again = !identical(described$totals, described$taken),
    fingerprint = rawToChar(core_results(.Call(C_identify, instance), recipe$parts)$fingerprint)
  )
}

# -> list(sources = those of each lane in the order of an epoch, shifts = those of the strata, lanes by strata)
draw_lanes = function(lanes, epoch) {
  drawn = core_results(.Call(C_draw, core_instance(lanes$recipe), epoch), lanes$recipe$parts)
  of_lane = rep(seq_len(lanes$n_lanes), diff(drawn$offsets))
  list(sources = unname(split(drawn$rows, of_lane)), shifts = matrix(drawn$shifts, nrow = lanes$n_lanes, byrow = TRUE))
}

# The sources of a lane that are read and shuffled together. If an epoch takes more than all rows of a stratum, they are
# joined until each group has as many rows of it as a batch, so that no batch has a row twice.
groups_of_lane = function(lanes, lane, sources) {
  groups = unname(split(sources, (seq_along(sources) - 1) %/% lanes$together))
  if (!lanes$takes_again || is.null(lanes$counts)) {
    return(groups)
  }
  left = lanes$totals[lane, ]
  taken = lanes$taken[lane, ]
  least = ifelse(taken > left, pmin(left, ceiling(taken / lanes$n_batches)), 0)
  joined = list(integer())
  held = 0
  for (group in groups) {
    joined[[length(joined)]] = c(joined[[length(joined)]], group)
    here = colSums(lanes$counts[group, , drop = FALSE])
    held = held + here
    left = left - here
    if (all(held >= least) && all(left >= least)) {
      joined = c(joined, list(integer()))
      held = 0
    }
  }
  Filter(length, joined)
}

# The places, from 0, at which the rows of each stratum begin in each source of a lane in an epoch. Of a stratum of n
# rows, of which an epoch takes k, place p is taken floor((p + 1) * k / n) - floor(p * k / n) times.
lane_places = function(lanes, lane, epoch) {
  own = lanes$counts[seq.int(lane, lanes$n_sources, by = lanes$n_lanes), , drop = FALSE]
  before = apply(own, 2L, cumsum)
  dim(before) = dim(own)
  sweep(before - own, 2L, if (lanes$takes_again) epoch %% lanes$totals[lane, ] else 0, `+`)
}

place_in_lane = function(lanes, source) (source - 1) %/% lanes$n_lanes + 1

# How many rows of each stratum an epoch takes of sources of a lane.
source_ranks = function(lanes, lane, sources, places) {
  counts = lanes$counts[sources, , drop = FALSE]
  if (!lanes$takes_again) {
    return(colSums(counts))
  }
  before = function(places) {
    sweep(sweep(places, 2L, lanes$taken[lane, ], `*`), 2L, lanes$totals[lane, ], `%/%`)
  }
  begins = places[place_in_lane(lanes, sources), , drop = FALSE]
  colSums(before(begins + counts) - before(begins))
}

# How often an epoch takes each row of a source. The rows have places in the order of epoch 0.
row_copies = function(lanes, lane, source, places, codes) {
  copies = rep(1, length(codes))
  if (!lanes$takes_again) {
    return(copies)
  }
  order = source_order(lanes, source, 0, length(codes))
  for (stratum in unique(codes)) {
    own = order[codes[order] == stratum]
    place = places[place_in_lane(lanes, source), stratum] + 0:length(own)
    copies[own] = diff((place * lanes$taken[lane, stratum]) %/% lanes$totals[lane, stratum])
  }
  copies
}

# The order of the rows of a group of sources in an epoch, from its first source.
source_order = function(lanes, source, epoch, n_rows) {
  if (!lanes$shuffle) {
    return(seq_len(n_rows))
  }
  shuffled_rows(n_rows, epoch_seed(lanes$recipe$seed, epoch * (lanes$n_sources + 1) + source - 1))
}

# Refuses an epoch for which no seeds are left.
check_stream_epoch = function(epoch, lanes) {
  check_between(epoch, "epoch", 0, min(largest_epoch, largest_count %/% (lanes$n_sources + 1) - 1))
}
