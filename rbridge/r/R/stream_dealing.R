# Rows of one lane, in the order of an epoch -> batches, each as soon as it is complete. The core says which batch a row
# belongs to; here, batches hold the rows.
# Rows are a data.frame, or a vector or list of one value a row. Both ways of dealing are lists of functions:
# * add(rows, codes): takes in the rows of a source;
# * following(): the next batch that is complete, NULL if there is none yet.

# With counts, all batches are known before.
# `totals` are the rows of each stratum in the lane, and `shifts` those of the epoch; batches are numbered from 0, and
# those before `first` are dropped.
deal_counted = function(totals, shifts, n_batches, first) {
  seen = numeric(length(totals))
  batches = hold_batches(first)
  call_core = function(name, ...) {
    core_call(name, list(n_batches = n_batches, "next" = batches$wanted(), totals = totals, shifts = shifts,
      seen = seen, ...))
  }
  list(
    # Skips a source that no remaining batch needs.
    # A source without rows is skipped only in a resumed epoch: others check that it has none.
    skip = function(counts) {
      if (!any(counts > 0)) {
        return(first > 0)
      }
      needed = call_core("needs_rows", counts = counts)$needed == 1L
      if (!needed) {
        seen <<- seen + counts
      }
      !needed
    },
    add = function(rows, codes) {
      dealt = call_core("deal_rows", codes = codes - 1L)
      seen <<- dealt$seen
      batches$hold(rows, codes, dealt)
    },
    following = batches$following
  )
}

# In full: as.character(1e5) is "1e+05".
batch_name = function(batch) sprintf("%.0f", batch)

# The same, if an epoch takes rows of some strata less or more often than once: `taken` of the `totals` in the lane.
deal_taken = function(totals, taken, n_batches, first) {
  batches = hold_batches(first)
  list(
    # Deals the rows of sources that were read together, each as often as it is taken.
    add = function(rows, codes, copies, windows) {
      dealt = core_call("deal_taken", list(n_batches = n_batches, "next" = batches$wanted(), epoch = 0,
        totals = totals, taken = taken, codes = codes - 1L, copies = copies, windows = windows))
      batches$hold(rows, codes, dealt)
    },
    following = batches$following
  )
}

# Batches from `first` on, whose rows come a part at a time.
hold_batches = function(first) {
  parts = new.env(parent = emptyenv()) # by the number of a batch: a list of rows and codes
  wanted = first
  complete = 0
  list(
    wanted = function() wanted,
    # Holds rows until their batches are complete, as the core has dealt them.
    hold = function(rows, codes, dealt) {
      complete <<- dealt$complete
      places_of = split(dealt$places, batch_name(rep(dealt$batches, dealt$sizes)))
      for (name in names(places_of)) {
        part = list(rows = rows_at(rows, places_of[[name]]), codes = codes[places_of[[name]]])
        assign(name, c(parts[[name]], list(part)), envir = parts)
      }
    },
    following = function() {
      if (wanted >= complete) {
        return(NULL)
      }
      name = batch_name(wanted)
      wanted <<- wanted + 1
      held = parts[[name]]
      rm(list = name, envir = parts)
      bind_parts(held)
    }
  )
}

# Without counts: a batch is cut as soon as it has `least` rows of each stratum, and `least_rows` rows.
# The batch that was cut last is held back, because the rows left at the end are added to it.
deal_declared = function(n_strata, least, least_rows, first) {
  held = list() # the batch that is held back, in parts: the rows of a source by stratum, and their codes
  parts = list() # of the next batch
  counts = numeric(n_strata) # of the next batch
  n_cut = 0 # rows of the batch that is held back
  unwanted = first
  ready = list() # batches that are cut, and the number of those delivered
  n_taken = 0L
  # Adds a batch, if it is to be delivered.
  deliver = function(parts) {
    unwanted <<- unwanted - 1
    if (unwanted < 0) {
      ready[[length(ready) + 1L]] <<- bind_parts(parts)
    }
  }
  # Adds rows of a source, those with the places after `from` up to `to`, to the next batch.
  keep = function(rows, codes, from, to) {
    if (from < to) {
      places = from + order(codes[(from + 1):to], method = "radix")
      parts[[length(parts) + 1L]] <<- list(rows = rows_at(rows, places), codes = codes[places])
    }
  }
  list(
    add = function(rows, codes) {
      cut = core_call("cut_batches", list(min_samples_per_stratum = least, min_batch_size = least_rows, counts = counts,
        codes = codes - 1L))
      begin = 0
      for (end in cut$ends) {
        keep(rows, codes, begin, end)
        if (length(held) > 0L) {
          deliver(held)
        }
        held <<- parts
        n_cut <<- sum(lengths(lapply(parts, `[[`, "codes")))
        parts <<- list()
        begin = end
      }
      keep(rows, codes, begin, length(codes))
      counts <<- cut$counts
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
    close = function() deliver(c(held, parts)),
    has_cut = function() length(held) > 0L,
    n_held = function() n_cut + sum(counts),
    # The strata that have too few rows in the next batch so far.
    missing = function() which(counts < least)
  )
}

# The rows of parts, ordered by stratum, then as they came; each part is a list of rows by stratum, and their codes.
bind_parts = function(parts) {
  if (length(parts) == 1L) {
    return(parts[[1L]]$rows)
  }
  codes = unlist(lapply(parts, `[[`, "codes"))
  rows_at(bind_rows(lapply(parts, `[[`, "rows")), order(codes, method = "radix"))
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
