# Sources -> lanes -> the plan of their batches, and the order of sources and rows in an epoch; as in
# pystrat/stream/lanes.py. Sources, in the order of their names, and lanes are numbered from 1 here; source k belongs to
# lane (k - 1) %% n_lanes + 1.

# The sources of a lane in the order of an epoch.
lane_sources = function(stream, lane, epoch) {
  sources = stream$given
  if (stream$shuffle) {
    sources = shuffled_rows(stream$n_sources, stream_seed(stream, epoch, stream$n_sources))
  }
  sources[(sources - 1L) %% stream$n_lanes == lane - 1L]
}

# The permutations of all epochs are numbered, and each number has its own seed. In an epoch, the permutations of the
# rows of each source come first, from 0, and then that of the sources.
stream_seed = function(stream, epoch, place) {
  epoch_seed(stream$seed, epoch * (stream$n_sources + 1) + place)
}

# The last epoch that has seeds for its permutations.
last_stream_epoch = function(stream) {
  last = (largest_seed %/% (stream$n_sources + 1)) - 1
  if (stream$shuffle) min(last, largest_epoch) else largest_epoch
}

# -> list(counts = sources by strata, totals = lanes by strata, n_batches = the batches of each lane)
plan_lanes = function(counts, strata, n_lanes, least, least_rows) {
  lane_of = (seq_len(nrow(counts)) - 1L) %% n_lanes + 1L
  totals = unname(rowsum(counts, lane_of))
  fewest = min(totals)
  lane = which(totals == fewest, arr.ind = TRUE)
  lane = lane[order(lane[, 1L], lane[, 2L])[1L], ]
  where = sprintf("the rows of '%s' in lane %d%s", strata[lane[2L]], lane[1L],
    if (n_lanes > 1L) sprintf(" of %.0f", n_lanes) else "")
  advice = if (n_lanes > 1L) "Use fewer lanes."
  if (fewest == 0) {
    stop_parameter("lanes", "leave each lane rows of each stratum", sprintf("0 as %s", where), "Use fewer lanes.")
  }
  if (fewest < least) {
    stop_parameter("min_samples_per_stratum", sprintf("be at most %.0f, %s", fewest, where), show_value(least), advice)
  }
  rows = min(rowSums(totals))
  if (rows < least_rows) {
    stop_parameter("min_batch_size", sprintf("be at most %.0f, the rows of the smallest lane", rows),
      show_value(least_rows), advice)
  }
  n_batches = most_stream_batches(totals, fewest %/% least, least_rows)
  if (n_batches * n_lanes > largest_count) {
    stop_parameter("min_samples_per_stratum", sprintf("make at most %.0f batches", largest_count),
      sprintf("%.0f, for %.0f batches,", least, n_batches * n_lanes), "Raise it.")
  }
  if ((max(totals) + 1) * n_batches >= largest_exact) {
    stop_parameter("lanes", "be more for so many rows and batches", show_value(n_lanes))
  }
  list(counts = counts, totals = totals, n_batches = n_batches)
}

# The largest number of batches, up to `most`, for which every batch has at least `least_rows` rows.
# One batch must be possible. No batch has fewer rows than the first one, which has floor(n / B) rows of each stratum.
most_stream_batches = function(totals, most, least_rows) {
  possible = 1
  while (possible < most) {
    tried = possible + divide_up(most - possible, 2)
    if (min(rowSums(totals %/% tried)) >= least_rows) {
      possible = tried
    } else {
      most = tried - 1
    }
  }
  possible
}

# The largest number of rows that a lane may have to hold, whatever the order of its sources.
# The stratum with the smallest share of its rows read so far determines how many batches are complete. If this is
# stratum s, the lane holds the sum of n_k - N * n_ks / N_s rows over the sources read so far. The sum is largest for
# the sources with positive terms. The source that is being read is added, and a bound on rounding: less than a batch,
# and one row of each stratum. No lane holds more than all its rows.
rows_held = function(plan) {
  n_lanes = nrow(plan$totals)
  max(vapply(seq_len(n_lanes), function(lane) {
    counts = plan$counts[(seq_len(nrow(plan$counts)) - 1L) %% n_lanes == lane - 1L, , drop = FALSE]
    totals = plan$totals[lane, ]
    sizes = rowSums(counts)
    held = vapply(seq_along(totals), function(stratum) {
      sum(pmax(0, sizes - whole_shares(sum(totals), counts[, stratum], totals[stratum])))
    }, numeric(1L))
    min(sum(totals), max(held) + max(sizes) + divide_up(sum(totals), plan$n_batches) + length(totals))
  }, numeric(1L)))
}

# number * counts / total, rounded down, in exact integers; all are below 2^53, and no count is above the total.
whole_shares = function(number, counts, total) {
  if (number * max(counts) < largest_exact) {
    return((number * counts) %/% total)
  }
  # The products are not exact. So the number is read bit by bit, from the highest: those read so far, times the counts,
  # are shares * total + left.
  shares = left = numeric(length(counts))
  for (bit in 2^(52:0)) {
    is_over = left >= total - left
    left = ifelse(is_over, left - (total - left), 2 * left)
    shares = 2 * shares + is_over
    if (number %/% bit %% 2 == 1) {
      is_over = left >= total - counts
      left = ifelse(is_over, left - (total - counts), left + counts)
      shares = shares + is_over
    }
  }
  shares
}
