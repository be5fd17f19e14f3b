# Rows of one lane, in the order of an epoch -> batches, each as soon as it is complete; the same as those of
# pystrat/stream/dealing.py.
# Rows are a data.frame, or a vector or list of one value a row. Both ways of dealing are lists of functions:
# * add(rows, codes): takes in the rows of a source;
# * following(): the next batch that is complete, NULL if there is none yet.

# With counts: the i-th of the n rows of a stratum belongs to batch ceiling(i * B / n).
# `totals` are the rows of each stratum in the lane; batches are numbered from 0, and those before `first` are dropped.
deal_counted = function(totals, n_batches, first) {
  seen = numeric(length(totals))
  parts = new.env(parent = emptyenv()) # by the number of a batch: a list of rows and codes
  wanted = first
  last_batches = function(ranks, codes) (ranks * n_batches - 1) %/% totals[codes]
  list(
    # Skips a source that no remaining batch needs.
    # A source without rows is skipped only in a resumed epoch: others check that it has none.
    skip = function(counts) {
      codes = which(counts > 0)
      if (length(codes) == 0L) {
        return(first > 0)
      }
      needed = any(last_batches(seen[codes] + counts[codes], codes) >= wanted)
      if (!needed) {
        seen <<- seen + counts
      }
      !needed
    },
    add = function(rows, codes) {
      ranks = numeric(length(codes))
      for (code in unique(codes)) {
        places = which(codes == code)
        ranks[places] = seen[code] + seq_along(places)
        seen[code] <<- seen[code] + length(places)
      }
      batches = last_batches(ranks, codes)
      kept = which(batches >= wanted)
      places_of = split(kept, batch_name(batches[kept]))
      for (name in names(places_of)) {
        part = list(rows = rows_at(rows, places_of[[name]]), codes = codes[places_of[[name]]])
        assign(name, c(parts[[name]], list(part)), envir = parts)
      }
    },
    following = function() {
      if (wanted >= min(n_batches, ((seen + 1) * n_batches - 1) %/% totals)) {
        return(NULL)
      }
      name = batch_name(wanted)
      batch = parts[[name]]
      rm(list = name, envir = parts)
      wanted <<- wanted + 1
      codes = unlist(lapply(batch, `[[`, "codes"))
      rows_at(bind_rows(lapply(batch, `[[`, "rows")), order(codes, method = "radix"))
    }
  )
}

# In full: as.character(1e5) is "1e+05".
batch_name = function(batch) sprintf("%.0f", batch)

# Without counts: a batch is cut as soon as it has `least` rows of each stratum, and `least_rows` rows.
# The batch that was cut last is held back, because the rows left at the end are added to it.
deal_declared = function(n_strata, least, least_rows, first) {
  held = NULL # the rows of the batch that is held back, and then of the next batch
  codes = integer()
  begin = 0 # the rows before the next batch
  unwanted = first
  ready = list() # batches that are cut, and the number of those delivered
  n_taken = 0L
  # Adds the batch of the rows after `from` up to `to`, if it is to be delivered.
  cut = function(from, to) {
    unwanted <<- unwanted - 1
    if (unwanted < 0) {
      places = from + order(codes[(from + 1):to], method = "radix")
      ready[[length(ready) + 1L]] <<- rows_at(held, places)
    }
  }
  # The end of the next batch; a number above that of the rows if it is not complete. `places` has the rows of each
  # stratum.
  next_end = function(places) {
    ends = vapply(places, function(own) as.double(own[findInterval(begin, own) + least]), numeric(1L))
    if (anyNA(ends)) Inf else max(ends, begin + least_rows)
  }
  list(
    add = function(rows, new_codes) {
      held <<- bind_rows(if (is.null(held)) list(rows) else list(held, rows))
      codes <<- c(codes, new_codes)
      places = lapply(seq_len(n_strata), function(code) which(codes == code))
      done = 0
      while ((end = next_end(places)) <= length(codes)) {
        if (begin > done) {
          cut(done, begin)
        }
        done = begin
        begin <<- end
      }
      rest = which(seq_along(codes) > done)
      held <<- rows_at(held, rest)
      codes <<- codes[rest]
      begin <<- begin - done
    },
    following = function() {
      if (n_taken == length(ready)) {
        ready <<- list()
        n_taken <<- 0L
        return(NULL)
      }
      n_taken <<- n_taken + 1L
      batch = ready[[n_taken]]
      ready[n_taken] <<- list(NULL)
      batch
    },
    # Cuts the last batch, at the end of the lane.
    close = function() cut(0, length(codes)),
    has_cut = function() begin > 0,
    n_held = function() length(codes),
    # The strata that have too few rows in the next batch so far.
    missing = function() which(tabulate(codes[seq_along(codes) > begin], n_strata) < least)
  )
}

rows_at = function(rows, places) {
  if (!is.data.frame(rows)) {
    return(rows[places])
  }
  rows = rows[places, , drop = FALSE]
  rownames(rows) = NULL
  rows
}

bind_rows = function(parts) {
  if (length(parts) == 1L) {
    return(parts[[1L]])
  }
  do.call(if (is.data.frame(parts[[1L]])) rbind else c, parts)
}
