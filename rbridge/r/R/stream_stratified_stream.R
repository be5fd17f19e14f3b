#' @title Stratified Batches From a Stream of Sources
#'
#' @description
#' Creates a [torch::iterable_dataset()] whose items are whole batches with a minimum number of rows of every stratum,
#' from data that are read source by source, such as files.
#' Pass it to [torch::dataloader()] with `batch_size = NULL`, and a `collate_fn` that makes tensors from the rows of a
#' batch.
#' At the end, torch calls this function with a symbol instead of rows; the function must return the symbol.
#' The Python class `pystrat.stream.StratifiedStream` returns the same batches, row for row, from the same seed.
#'
#' @param sources (`character()` or named `list()`)\cr
#'   The parts of the data, such as the paths of files.
#'   Their names are those of the list or vector; paths without names are their own names.
#'   Names are unique and the same in every process, because `counts` refer to them.
#' @param min_samples_per_stratum (`integer()`)\cr
#'   The minimum m: each batch has at least m rows of each stratum.
#'   Give either it or `mean_batch_size`.
#'   With `counts`, a vector with names, such as `c(positive = 5, negative = 20)`, sets a minimum for each stratum that
#'   it names.
#' @param read (`function`)\cr
#'   A function that takes a source and returns its rows, in the same order every time: a `data.frame()`, or a vector or
#'   list of one value per row.
#' @param stratum (`character(1)` or `function`)\cr
#'   The column of the rows with their strata, or a function that takes the rows and returns one value per row.
#' @param counts (`matrix()`, `table()` or `data.frame()`)\cr
#'   The number of rows of each stratum (columns) in each source (rows); see [count_sources()].
#'   Further sources are ignored.
#' @param strata (`character()`, `numeric()` or `factor()`)\cr
#'   All strata, if there are no counts.
#'   Give either `counts` or `strata`.
#' @param min_batch_size (`integer(1)`)\cr
#'   The least number of rows of a batch, with `min_samples_per_stratum`.
#'   Default: 1.
#' @param buffer_size (`integer(1)`)\cr
#'   The largest number of rows that a lane may hold in memory at a time.
#'   `NULL` (default): no limit.
#' @param lanes (`integer(1)`)\cr
#'   The number of parts of the stream that are batched separately and take turns: source k, in the order of names by
#'   code point, belongs to lane `(k - 1) %% lanes + 1`.
#'   Must be a multiple of `num_replicas`.
#'   Default: 1.
#' @param shuffle (`logical(1)`)\cr
#'   `TRUE` (default): shuffle the sources, and the rows of each source, in each epoch.
#'   The order in which sources are given does not matter then.
#'   `FALSE`: sources and rows keep their order.
#' @param shuffle_sources (`integer(1)`)\cr
#'   The number of sources, one after another in the order of an epoch, whose rows are shuffled together.
#'   They are then held in memory as a whole.
#'   With more, a batch has fewer rows of the same source.
#'   Default: 1.
#' @param seed (`integer(1)`)\cr
#'   As in [batch_sampler_stratified()].
#'   Required with `rank`, and the same on all ranks.
#' @param num_replicas,rank (`integer(1)`)\cr
#'   The number of processes that share the batches, and the index of this process among them, from 0.
#'   `NULL` (default): this process gets all batches.
#' @param mean_batch_size (`integer(1)`)\cr
#'   The mean number of rows of a batch, with `counts`.
#'   With n rows, each of L lanes has `max(1, round-half-up(n / (L * mean_batch_size)))` batches.
#'   The minimum m is the largest that all batches have.
#' @param rare (`character(1)`)\cr
#'   What to do, with `counts`, if a lane has fewer than m rows of a stratum: raise an error (`"error"`, the default),
#'   or put all rows of each lane into one batch, with a warning (`"warn"`) or without (`"allow"`).
#'   With `mean_batch_size`, what to do if a lane has more batches than rows of a stratum: raise an error, or make
#'   batches without the stratum, with or without a warning.
#'   If the stream shuffles, rows of such a stratum are in other batches in each epoch.
#' @param shares (named `numeric()`)\cr
#'   The share of each stratum in every batch, as positive weights, such as
#'   `c(positive = 1, negative = 3)`, with `mean_batch_size` and `counts`.
#' @param balance (`character(1)` or `integer(1)`)\cr
#'   Take the same number of rows of every stratum in each epoch, over all lanes: the size of the largest stratum
#'   (`"over"`, oversampling), the size of the smallest (`"under"`, undersampling), or a given number.
#'   With `mean_batch_size` and `counts`.
#'
#' @return A dataset of the class `"stratified_stream"` with the members
#' * `.iter()`: a function that returns the next batch at each call, and `coro::exhausted()` at the end;
#'   each iteration takes the next epoch;
#' * `.length()`: the number of batches of an epoch; `NA` without counts;
#' * `set_epoch(epoch, batches_done = 0)`: sets the next epoch, and how many of its batches, over all ranks, to leave
#'   out because they were delivered before;
#' * `epoch` and `seed`;
#' * `state_dict(batches_consumed = NULL)`: returns the state of a training that has taken so many batches since the
#'   iteration began; without an argument, that of the next epoch;
#' * `load_state_dict(state)`: continues from a state, of R or of Python;
#' * `class_weights(normalize = FALSE)`: with counts, the training weight of each stratum, by name: its rows divided by
#'   its rows in an epoch, over all lanes, which is 1 without `shares` and `balance`; if `normalize`, divided by their
#'   mean over an epoch, so that the learning rate keeps its scale;
#' * `weights(rows, normalize = FALSE)`: that of each row of a batch, because a stream has no positions of rows;
#' * `min_samples_per_stratum`: the number of rows of each stratum that every batch has;
#' * `buffer_needed`: the largest number of rows that a lane may have to hold, whatever the order of its sources; `NULL`
#'   without counts.
#'
#' @section With counts or without:
#' With counts, all lanes have the same number of batches, and each batch has the floor or ceiling of its share of each
#' stratum.
#' Each row is in one batch.
#' A resumed epoch reads only the sources that it still needs.
#' Without counts, a batch is cut as soon as it has the rows that it needs, and rows that are left at the end of a lane
#' are added to the lane's last batch.
#' The guide \guide{streams} compares both.
#'
#' Workers of [torch::dataloader()] cannot read it, because R's torch has no workers for iterable datasets.
#'
#' @section Errors:
#' An argument has the wrong type or is out of range; with counts also: a lane has too few rows of a stratum, or
#' `buffer_size` is below `buffer_needed`.
#' While batches are read, errors have the class `"rbridge_source_error"`: a source cannot be read, has an unknown
#' stratum, does not match its counts, or fills the buffer.
#'
#' @seealso [batch_sampler_stratified()] for rows that can be read in any order.
#'
#' @export
#' @examples
#' sources = list(a = c(0, 0, 0, 1), b = c(1, 0, 0, 0))
#' counts = count_sources(sources, read = identity, stratum = identity)
#' stream = stratified_stream(
#'   sources, 1, identity, identity, counts = counts, shuffle = FALSE)
#' following = stream$.iter()
#' following()
#' following()
stratified_stream = function(sources, min_samples_per_stratum = NULL, read, stratum, counts = NULL, strata = NULL,
  min_batch_size = 1, buffer_size = NULL, lanes = 1, shuffle = TRUE, seed = NULL, num_replicas = NULL, rank = NULL,
  mean_batch_size = NULL, rare = "error", shuffle_sources = 1, shares = NULL, balance = NULL) {
  given = source_names(sources)
  request = list(n_sources = length(given), min_samples_per_stratum = min_samples_per_stratum,
    min_batch_size = min_batch_size, mean_batch_size = mean_batch_size, shares = plain_value(shares), balance = balance,
    rare = rare, counts = counts, strata = strata, buffer_size = buffer_size, lanes = lanes, shuffle = shuffle,
    shuffle_sources = shuffle_sources, seed = seed, num_replicas = num_replicas, rank = rank)
  checked = core_call("stream_plan", request)
  by_name = by_code_point(given) # the same in all processes
  stream = list(
    names = given[by_name],
    sources = sources[by_name],
    given = order(by_name), # the sources in the order in which they were given
    n_sources = length(given),
    least = checked$min_samples_per_stratum,
    least_rows = checked$min_batch_size,
    replicas = if (is.null(rank)) list(num_replicas = 1, rank = 0) else checked[c("num_replicas", "rank")],
    n_lanes = checked$lanes,
    shuffle = checked$shuffle,
    together = checked$shuffle_sources,
    seed = if (is.null(checked$seed)) draw_seed() else checked$seed,
    read = check_reader(read),
    stratum = check_stratum(stratum),
    limit = if (is.null(buffer_size)) Inf else checked$buffer_size
  )
  stream_dataset(c(stream, plan_stream(stream, request)))
}

# -> list(strata = their names, plan = that of plan_lanes(), NULL without counts)
plan_stream = function(stream, request) {
  if (is.null(request$counts)) {
    return(list(strata = shown_names(request$strata, "strata", "stratum"), plan = NULL))
  }
  known = counts_of_sources(request$counts, stream$names)
  list(strata = known$strata, plan = plan_lanes(request, known$table, known$strata))
}

# The counts of the sources of these names, in their order, without strata that only other sources have.
counts_of_sources = function(counts, names) {
  read = read_counts(counts, may_lack_strata = TRUE)
  places = match(names, read$shards)
  if (anyNA(places)) {
    stop_parameter("counts", "have a row for each source", sprintf("none for '%s'", names[is.na(places)][1L]))
  }
  table = read$table[places, , drop = FALSE]
  present = colSums(table) > 0
  if (!any(present)) {
    stop_parameter("counts", "have at least one row of data", "none")
  }
  list(table = table[, present, drop = FALSE], strata = read$strata[present])
}

# The dataset; its batches depend only on `stream`.
stream_dataset = function(stream) {
  own_lanes = stream$n_lanes / stream$replicas$num_replicas
  start = list(epoch = 0, batch = 0) # of the next iteration; batches of this rank
  begun = NULL # where the newest iteration began, NULL once another one was made
  generator = torch::iterable_dataset(
    name = "stratified_stream",
    initialize = function() invisible(self), # torch asks for one
    .iter = function() {
      refuse_joined_batches()
      following = NULL
      begun <<- NULL
      function() {
        if (is.null(following)) {
          following <<- stream_batches(stream, own_lanes, check_stream_epoch(start$epoch, stream), start$batch)
          begun <<- start
          start <<- list(epoch = start$epoch + 1, batch = 0)
        }
        batch = following()
        if (is.null(batch)) coro::exhausted() else batch
      }
    },
    .length = function() if (is.null(stream$plan)) NA_integer_ else as.integer(stream$plan$n_batches * own_lanes),
    set_epoch = function(epoch, batches_done = NULL) {
      epoch = check_stream_epoch(epoch, stream)
      start <<- if (!is.null(batches_done)) {
        own_start(stream, epoch, check_between(batches_done, "batches_done", 0, most_stream_batches(stream)))
      } else {
        list(epoch = epoch, batch = if (epoch == start$epoch) start$batch else 0)
      }
      begun <<- NULL
      invisible(self)
    },
    state_dict = function(batches_consumed = NULL) {
      place = if (is.null(batches_consumed)) start else start_after(stream, start, begun, batches_consumed, own_lanes)
      list(version = state_version, fingerprint = stream_fingerprint(stream), epoch = place$epoch,
        batch = place$batch * stream$replicas$num_replicas)
    },
    load_state_dict = function(state) {
      check_state(state, stream_fingerprint(stream))
      epoch = check_stream_epoch(state$epoch, stream)
      batch = check_between(state$batch, "batch", 0, most_stream_batches(stream))
      is_end = !is.null(stream$plan) && batch == most_stream_batches(stream)
      start <<- if (is_end) list(epoch = epoch + 1, batch = 0) else own_start(stream, epoch, batch)
      begun <<- NULL
      invisible(self)
    },
    class_weights = function(normalize = FALSE) {
      weights_of_stream(stream, check_flag(normalize, "normalize"))
    },
    weights = function(rows, normalize = FALSE) {
      weights = weights_of_stream(stream, check_flag(normalize, "normalize"))
      unname(weights[codes_of_batch(rows, stream)])
    },
    active = list(
      epoch = function() start$epoch,
      seed = function() stream$seed,
      min_samples_per_stratum = function() if (is.null(stream$plan)) stream$least else stream$plan$least,
      buffer_needed = function() if (!is.null(stream$plan)) stream$plan$rows_held
    ),
    parent_env = environment()
  )
  generator()
}

# The training weight of each stratum, by name.
weights_of_stream = function(stream, normalize) {
  plan = stream$plan
  if (is.null(plan)) {
    stop_parameter("counts", "be given for weights", "NULL")
  }
  available = colSums(plan$totals)
  taken = if (is.null(plan$taken)) available else colSums(plan$taken)
  weights = available / taken * (if (normalize) sum(taken) / sum(available) else 1)
  stats::setNames(weights, stream$strata)
}

# The codes of rows that a user passes, from 1.
codes_of_batch = function(rows, stream) {
  n_rows = if (is.data.frame(rows)) nrow(rows) else length(rows)
  if (n_rows == 0L) {
    return(integer())
  }
  encoded = encode_strata(strata_of_rows(rows, n_rows, stream$stratum), "stratum", exact = TRUE, are_strata = FALSE)
  codes = match(encoded$names, stream$strata)[encoded$codes]
  if (anyNA(codes)) {
    stop_parameter("rows", paste("have strata that are one of", show_names(stream$strata)),
      show_text(encoded$names[encoded$codes[which(is.na(codes))[1L]]]))
  }
  codes
}

# Refuses a dataloader with a batch size, which begins to read the stream and would join its batches.
refuse_joined_batches = function() {
  joins = function(frame) isTRUE(get0("auto_collation", frame, inherits = FALSE))
  if (any(vapply(sys.frames(), joins, NA))) {
    stop("The dataloader has a batch size, so it would join several batches of the stream into one. ",
      "Set its batch_size = NULL.", call. = FALSE)
  }
}

# The largest number of batches of an epoch, over all ranks.
most_stream_batches = function(stream) {
  if (is.null(stream$plan)) largest_count else stream$plan$n_batches * stream$n_lanes
}

# The place of this rank after this many batches of all ranks.
own_start = function(stream, epoch, batch) {
  list(epoch = epoch, batch = ceiling(max(0, batch - stream$replicas$rank) / stream$replicas$num_replicas))
}

# The place after this many batches of the iteration that began at `begun`, NULL if none has.
start_after = function(stream, start, begun, batches_consumed, own_lanes) {
  length = if (!is.null(stream$plan)) stream$plan$n_batches * own_lanes
  left = if (is.null(length)) largest_count else length - begun$batch
  consumed = check_between(batches_consumed, "batches_consumed", 0, if (is.null(begun)) 0 else left)
  if (is.null(begun)) {
    return(start)
  }
  if (consumed > 0 && is.null(length) && own_lanes > 1) {
    stop_parameter("batches_consumed", "be 0 without 'counts' and with several lanes", show_value(batches_consumed),
      "Give 'counts'.")
  }
  is_end = !is.null(length) && consumed == left
  if (is_end) list(epoch = begun$epoch + 1, batch = 0) else list(epoch = begun$epoch, batch = begun$batch + consumed)
}

# As in Python.
stream_fingerprint = function(stream) {
  values = list(kind = "stream", min_samples_per_stratum = stream$least, min_batch_size = stream$least_rows,
    n_batches = if (is.null(stream$least)) stream$plan$n_batches, lanes = stream$n_lanes, shuffle = stream$shuffle,
    shuffle_sources = if (stream$together > 1) stream$together, seed = if (stream$shuffle) stream$seed)
  fingerprint_of(values, list(
    sources = if (stream$shuffle) stream$names else stream$names[stream$given],
    strata = stream$strata,
    counts = if (!is.null(stream$plan)) as.vector(t(stream$plan$counts)),
    taken = if (!is.null(stream$plan$taken)) as.vector(t(stream$plan$taken))
  ))
}

# A function that returns the next batch of this rank at each call, NULL at the end: its lanes take turns.
stream_batches = function(stream, own_lanes, epoch, first) {
  # Batch k of a rank, from 0, is batch k %/% n of its lane k %% n.
  lanes = lapply(seq_len(own_lanes) - 1, function(place) {
    lane = stream$replicas$rank + stream$replicas$num_replicas * place + 1
    lane_batches(stream, lane, epoch, ceiling(max(0, first - place) / own_lanes))
  })
  turn = first
  function() {
    for (attempt in seq_along(lanes)) {
      batch = lanes[[turn %% own_lanes + 1]]()
      turn <<- turn + 1
      if (!is.null(batch)) {
        return(batch)
      }
    }
    NULL
  }
}

# A function that returns the next batch of a lane at each call, NULL at the end.
lane_batches = function(stream, lane, epoch, first) {
  if (!is.null(stream$plan$taken)) {
    return(taken_batches(stream, lane, epoch, first))
  }
  counted = !is.null(stream$plan)
  found = lane_sources(stream, lane, epoch)
  dealing = if (counted) {
    deal_counted(stream$plan$totals[lane, ], found$shifts, stream$plan$n_batches, first)
  } else {
    deal_declared(length(stream$strata), stream$least, stream$least_rows, first)
  }
  groups = split(found$sources, (seq_along(found$sources) - 1) %/% stream$together)
  closed = counted
  function() {
    repeat {
      batch = dealing$following()
      if (!is.null(batch)) {
        return(batch)
      }
      if (length(groups) == 0L) {
        break
      }
      group = groups[[1L]]
      if (!counted || !dealing$skip(colSums(stream$plan$counts[group, , drop = FALSE]))) {
        deal_group(stream, dealing, group, epoch)
      }
      groups <<- groups[-1L] # only now: after an error, the sources are read again
    }
    if (!closed) {
      if (!dealing$has_cut()) {
        stop_source("Lane %.0f has no batch: %s.", lane, missing_rows_of(stream, dealing))
      }
      closed <<- TRUE
      dealing$close()
      return(dealing$following())
    }
    NULL
  }
}

# The same, if an epoch takes rows less or more often than once.
taken_batches = function(stream, lane, epoch, first) {
  plan = stream$plan
  sources = lane_sources(stream, lane, epoch)$sources
  first = min(first, plan$n_batches)
  found = lane_windows(stream, lane, epoch, sources, first)
  dealing = deal_taken(plan$totals[lane, ], plan$taken[lane, ], plan$n_batches, first)
  group_of = (seq_along(sources) - 1) %/% stream$together + 1
  groups = which(found$needed)
  function() {
    repeat {
      batch = dealing$following()
      if (!is.null(batch) || length(groups) == 0L) {
        return(batch)
      }
      own = which(group_of == groups[1L])
      copies_of = function(source, codes) {
        row_copies(stream, lane, epoch, source, found$before[, match(source, sources)], codes)
      }
      read = read_taken(stream, sources[own], copies_of)
      order = if (stream$shuffle) source_order(stream, sources[own[1L]], length(read$codes), epoch)
      order = if (is.null(order)) seq_along(read$codes) else order
      order = order[read$copies[order] > 0L]
      rows = if (length(order) > 0L) rows_at(read$rows, order)
      dealing$add(rows, read$codes[order], read$copies[order], found$windows[, groups[1L]])
      groups <<- groups[-1L] # only now: after an error, the sources are read again
    }
  }
}

# -> list(rows, codes, copies) of sources, in their order
read_taken = function(stream, group, copies_of) {
  read = lapply(group, function(source) {
    own = read_codes(stream, source)
    check_found(stream, source, tabulate(own$codes, length(stream$strata)))
    c(own, list(copies = copies_of(source, own$codes)))
  })
  read = Filter(function(own) length(own$codes) > 0L, read)
  list(rows = if (length(read) > 0L) bind_rows(lapply(read, `[[`, "rows")),
    codes = as.integer(unlist(lapply(read, `[[`, "codes"))), copies = as.integer(unlist(lapply(read, `[[`, "copies"))))
}

# -> list(rows, codes) of a source
read_codes = function(stream, source) {
  name = stream$names[source]
  read = read_source(stream$sources[[source]], name, stream$read, stream$stratum)
  list(rows = read$rows, codes = codes_of_rows(read$strata, stream$strata, name))
}

# Reads sources and deals their rows in the order of an epoch, as those of one source.
deal_group = function(stream, dealing, group, epoch) {
  rows = list()
  codes = integer()
  for (source in group) {
    read = read_codes(stream, source)
    codes = c(codes, read$codes)
    if (is.null(stream$plan)) {
      check_room(stream, dealing, stream$names[source], length(codes))
    } else {
      check_found(stream, source, tabulate(read$codes, length(stream$strata)))
    }
    if (length(read$codes) > 0L) {
      rows[[length(rows) + 1L]] = read$rows
    }
  }
  if (length(codes) == 0L) {
    return()
  }
  order = if (stream$shuffle) source_order(stream, group[1L], length(codes), epoch) else seq_along(codes)
  dealing$add(rows_at(bind_rows(rows), order), codes[order])
}

check_found = function(stream, source, found) {
  expected = stream$plan$counts[source, ]
  wrong = which(found != expected)[1L]
  if (!is.na(wrong)) {
    stop_source("The source '%s' must have %s of '%s', as its counts say. Got %.0f instead.", stream$names[source],
      show_count(expected[wrong], "row"), stream$strata[wrong], found[wrong])
  }
}

check_room = function(stream, dealing, name, n_rows) {
  held = dealing$n_held() + n_rows
  if (held > stream$limit) {
    waiting = if (stream$shuffle) "shuffled" else "dealt"
    whose = if (stream$together == 1) "its own" else "its group"
    stop_source(paste("The source '%s' must leave at most %s in the buffer. Got %.0f instead: %.0f of %s",
      "wait to be %s, and %s."), name, show_count(stream$limit, "row"), held, n_rows, whose, waiting,
    missing_rows_of(stream, dealing))
  }
}

missing_rows_of = function(stream, dealing) {
  missing = stream$strata[dealing$missing()]
  if (length(missing) == 0L) {
    return("the next batch is too small")
  }
  sprintf("the next batch has too few rows of %s", show_names(missing))
}
