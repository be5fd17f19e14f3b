# Rows of one lane, in the order of an epoch -> batches, each as soon as it is complete; pystrat/stream/dealing.py, too.
# Rows are a data.frame, or a vector or list of one value a row. Both ways of dealing are lists of functions:
# * skip(ranks): leaves out rows of these numbers if no batch that is to be delivered has them, and returns whether it
#   did;
# * add(rows, codes, copies): takes in rows in the order of an epoch, which takes each of them so often;
# * following(): the next batch that is complete, NULL if there is none yet.

# With counts: an epoch takes k rows of a stratum, and rank i of them belongs to batch ceiling((i * B - h) / k), where h
# is the shift of the stratum. Batches are numbered from 0, and those before `first` are dropped.
deal_counted = function(taken, shifts, n_batches, first) {
  parts = new.env(parent = emptyenv()) # by the number of a batch: a list of rows and codes
  wanted = first
  done = numeric(length(taken)) # the ranks that rows have
  batch_name = function(batch) sprintf("%.0f", batch) # in full: as.character(1e5) is "1e+05"
  batches_of = function(ranks, strata) (ranks * n_batches - shifts[strata] - 1) %/% taken[strata]
  list(
    skip = function(ranks) {
      strata = which(ranks > 0)
      is_needed = any(batches_of((done + ranks)[strata], strata) >= wanted)
      if (!is_needed) {
        done <<- done + ranks
      }
      !is_needed
    },
    # Rows that are taken several times come in passes, in which those that are taken once more come first.
    add = function(rows, codes, copies) {
      order = order(codes, -copies, method = "radix")
      order = order[copies[order] > 0]
      codes = codes[order]
      copies = copies[order]
      counts = tabulate(codes, length(taken))
      repeated = rep(seq_along(order), copies)
      passes = sequence(copies) - 1
      strata = codes[repeated]
      ranks = done[strata] + 1 + passes * counts[strata] + repeated - match(strata, codes)
      done <<- done + tabulate(strata, length(taken))
      batches = batches_of(ranks, strata)
      dealt = order(batches, strata, ranks, method = "radix")
      dealt = dealt[batches[dealt] >= wanted]
      places_of = split(dealt, batch_name(batches[dealt]))
      for (name in names(places_of)) {
        places = places_of[[name]]
        part = list(rows = rows_at(rows, order[repeated[places]]), codes = strata[places])
        assign(name, c(parts[[name]], list(part)), envir = parts)
      }
    },
    following = function() {
      strata = which(done < taken)
      if (wanted >= min(n_batches, batches_of(done[strata] + 1, strata))) {
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
deal_declared = function(n_strata, least, least_rows) {
  held = list() # the batch that is held back, in parts
  parts = list() # of the next batch
  counts = numeric(n_strata) # of the next batch
  ready = list() # batches that are cut
  deliver = function(parts) {
    if (length(parts) > 0L) {
      ready[[length(ready) + 1L]] <<- bind_parts(parts)
    }
  }
  # Adds the rows of a source behind `from` up to `to` to the next batch.
  keep = function(rows, codes, from, to) {
    if (from < to) {
      places = from + order(codes[(from + 1):to], method = "radix")
      parts <<- c(parts, list(list(rows = rows_at(rows, places), codes = codes[places])))
    }
  }
  list(
    skip = function(ranks) FALSE,
    add = function(rows, codes, copies) {
      begin = 0
      now = counts
      n_rows = sum(now)
      n_lacking = sum(now < least)
      for (end in seq_along(codes)) {
        code = codes[end]
        now[code] = now[code] + 1
        n_rows = n_rows + 1
        n_lacking = n_lacking - (now[code] == least)
        if (n_lacking == 0 && n_rows >= least_rows) {
          keep(rows, codes, begin, end)
          deliver(held)
          held <<- parts
          parts <<- list()
          begin = end
          now = numeric(n_strata)
          n_rows = 0
          n_lacking = n_strata
        }
      }
      keep(rows, codes, begin, length(codes))
      counts <<- now
    },
    following = function() {
      batch = if (length(ready) > 0L) ready[[1L]]
      ready <<- ready[-1L]
      batch
    },
    # Cuts the last batch, at the end of the lane.
    close = function() deliver(c(held, parts)),
    has_cut = function() length(held) > 0L,
    n_held = function() sum(lengths(lapply(c(held, parts), `[[`, "codes"))),
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
  if (length(parts) == 1L) parts[[1L]] else do.call(if (is.data.frame(parts[[1L]])) rbind else c, parts)
}
