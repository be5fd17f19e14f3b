# Sources -> lanes -> the order of sources and rows in an epoch; as in pystrat/stream/lanes.py. Sources, in the order of
# their names, and lanes are numbered from 1 here; source k belongs to lane (k - 1) %% n_lanes + 1.

# How rows that are taken have ranks in a lane and an epoch, for its sources in the order of the epoch:
# -> list(needed, by group of sources; windows, a matrix with a column for each group; before, the rows of the strata in
# earlier sources of the lane, with a column for each source)
lane_windows = function(stream, lane, epoch, sources, first) {
  counts = stream$plan$counts
  found = taken_call("lane_windows", stream, lane, epoch, list("next" = first, shuffle_sources = stream$together,
    sources = sources, table = as.vector(t(counts)), n_strata = as.double(ncol(counts))))
  list(needed = found$needed == 1L, windows = matrix(found$windows, ncol = length(found$needed)),
    before = matrix(found$before, ncol = length(sources)))
}

# How often an epoch takes each row of a source, in the order of the source.
row_copies = function(stream, lane, epoch, source, before, codes) {
  if (length(codes) == 0L) {
    return(integer())
  }
  taken_call("row_copies", stream, lane, epoch, c(list("next" = 0, source = source, before = before,
    codes = codes - 1L), stream_place(stream, epoch)[c("seed", "n_sources", "shuffle")]))$copies
}

taken_call = function(name, stream, lane, epoch, request) {
  plan = stream$plan
  core_call(name, c(request, list(n_batches = plan$n_batches, epoch = epoch, totals = plan$totals[lane, ],
    taken = plan$taken[lane, ])))
}

# -> list(sources = those of a lane in the order of an epoch, shifts = those of its strata, with counts)
lane_sources = function(stream, lane, epoch) {
  request = c(stream_place(stream, epoch), list(lane = lane, lanes = stream$n_lanes, given = stream$given))
  plan = stream$plan
  counted = if (!is.null(plan)) list(n_batches = plan$n_batches, totals = plan$totals[lane, ])
  core_call("lane_sources", c(request, counted))
}

# The order of the rows of a group of sources in an epoch, from its first source.
source_order = function(stream, source, n_rows, epoch) {
  core_call("source_order", c(stream_place(stream, epoch), list(source = source, n_rows = n_rows)))$order
}

check_stream_epoch = function(epoch, stream) {
  core_call("stream_epoch", stream_place(stream, epoch))$epoch
}

stream_place = function(stream, epoch) {
  list(seed = stream$seed, epoch = epoch, n_sources = stream$n_sources, shuffle = stream$shuffle)
}

# -> list(counts = sources by strata, totals = lanes by strata, taken = the rows that an epoch takes, NULL if it takes
# each once, n_batches = the batches of each lane, least = the rows of each stratum that every batch has, rows_held =
# the most rows that a lane may have to hold, whatever the order of its sources)
plan_lanes = function(request, counts, strata) {
  table = list(table = as.vector(t(counts)), n_strata = as.double(ncol(counts)))
  for (parameter in c("shares", "min_samples_per_stratum")) {
    if (!is.null(names(request[[parameter]]))) {
      table$named_strata = class_codes(names(request[[parameter]]), strata, parameter, noun = "stratum") - 1
    }
  }
  plan = core_call("stream_plan", c(request, table), function(what, place) show_text(strata[place + 1]))
  of_lanes = function(rows) if (!is.null(rows)) matrix(rows, ncol = ncol(counts), byrow = TRUE)
  list(counts = counts, totals = of_lanes(plan$totals), taken = of_lanes(plan$taken), n_batches = plan$n_batches,
    least = plan$min_samples_per_stratum, rows_held = plan$rows_held)
}
