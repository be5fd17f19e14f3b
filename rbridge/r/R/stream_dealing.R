# Rows of one lane, in the order of an epoch -> batches, each as soon as it is complete; the same as those of
# pystrat/stream/dealing.py.
# Rows are a data.frame, or a vector or list of one value a row. Both ways of dealing are lists of functions:
# * add(rows, codes): takes in the rows of a source;
# * following(): the next batch that is complete, NULL if there is none yet.

# With counts: row i of the n rows of a stratum belongs to batch ceiling(i * B / n).
# `totals` are the rows of each stratum in the lane; batches are numbered from 0, and those before `first` are dropped.
deal_counted = function(totals, n_batches, first) {
  seen = numeric(length(totals))
  parts = new.env(parent = emptyenv()) # by the number of a batch: a list of rows and codes
  wanted = first
  last_batches = function(ranks, codes) (ranks * n_batches - 1) %/% totals[codes]
  list(
    # Leaves out a source that no wanted batch needs.
    skip = function(counts) {
      codes = which(counts > 0)
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
# The batch that was cut last is held back, since what is left at the end joins it.
deal_declared = function(n_strata, least, least_rows, first) {
  held = NULL # the rows of the batch that is held back, and then those of the next
  codes = integer()
  begin = 0 # the rows before the next batch
  unwanted = first
  # Takes the first `n` rows away; NULL if they are a batch that is not wanted.
  take = function(n) {
    batch = rows_at(held, order(codes[seq_len(n)], method = "radix"))
    rest = seq_along(codes) > n
    held <<- rows_at(held, which(rest))
    codes <<- codes[rest]
    begin <<- begin - n
    unwanted <<- unwanted - 1
    if (unwanted < 0) batch
  }
  # Where the next batch ends; beyond all rows if it does not end among them.
  end = function() {
    ends = vapply(seq_len(n_strata), function(code) which(codes == code & seq_along(codes) > begin)[least], numeric(1L))
    if (anyNA(ends)) Inf else max(ends, begin + least_rows)
  }
  list(
    add = function(rows, new_codes) {
      held <<- bind_rows(if (is.null(held)) list(rows) else list(held, rows))
      codes <<- c(codes, new_codes)
    },
    following = function() {
      while ((ends = end()) <= length(codes)) {
        n = begin
        begin <<- ends
        batch = if (n > 0) take(n)
        if (!is.null(batch)) {
          return(batch)
        }
      }
      NULL
    },
    # The last batch, at the end of the lane.
    close = function() take(length(codes)),
    has_cut = function() begin > 0,
    n_held = function() length(codes),
    # The strata of which the next batch has too few rows so far.
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
