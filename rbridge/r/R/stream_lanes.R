# Sources -> lanes -> the order of sources and rows in an epoch; as in pystrat/stream/lanes.py. Sources, in the order of
# their names, and lanes are numbered from 1 here; source k belongs to lane (k - 1) %% n_lanes + 1.

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

# -> list(counts = sources by strata, totals = lanes by strata, n_batches = the batches of each lane, least = the rows
# of each stratum that every batch has, rows_held = the most rows that a lane may have to hold, whatever the order of
# its sources)
plan_lanes = function(request, counts, strata) {
  table = list(table = as.vector(t(counts)), n_strata = as.double(ncol(counts)))
  plan = core_call("stream_plan", c(request, table), function(what, place) show_text(strata[place + 1]))
  list(counts = counts, totals = matrix(plan$totals, ncol = ncol(counts), byrow = TRUE), n_batches = plan$n_batches,
    least = plan$min_samples_per_stratum, rows_held = plan$rows_held)
}
