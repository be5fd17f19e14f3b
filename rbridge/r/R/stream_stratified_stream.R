#' @title Stratified Batches From a Stream of Sources
#'
#' @description
#' Creates a [torch::iterable_dataset()] whose items are whole batches with a minimum number of rows of every stratum,
#' from data that are read source by source, such as files.
#' Pass it to [torch::dataloader()] with `batch_size = NULL`, and a `collate_fn` that makes tensors from the rows of a
#' batch.
#' torch also calls this function at the end, with a symbol instead of rows, which it must return.
#' The Python class `pystrat.stream.StratifiedStream` returns the same batches, row for row, from the same seed.
#'
#' @param sources (`character()` or named `list()`)\cr
#'   The parts of the data, such as the paths of files.
#'   Their names are those of the list or vector; paths without names are their own names.
#'   Names are unique and the same in every process, because `counts` refer to them.
#' @param min_samples_per_stratum (`integer(1)`)\cr
#'   The minimum m: each batch has at least m rows of each stratum.
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
#'   The least number of rows of a batch.
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
#' @param seed (`integer(1)`)\cr
#'   As in [batch_sampler_stratified()].
#'   Required with `rank`, and the same on all ranks.
#' @param num_replicas,rank (`integer(1)`)\cr
#'   The number of processes that share the batches, and the index of this process among them, from 0.
#'   `NULL` (default): this process gets all batches.
#'
#' @return A dataset of the class `"stratified_stream"` with the members
#' * `.iter()`: a function that returns the next batch at each call, and `coro::exhausted()` at the end;
#'   each iteration takes the next epoch;
#' * `.length()`: the number of batches of an epoch; `NA` without counts;
#' * `set_epoch(epoch, batches_done = 0)`: sets the next epoch, and how many of its batches, over all ranks, to leave
#'   out because they were delivered before;
#' * `epoch`, `seed` and `buffer_needed`: the largest number of rows that a lane may have to hold, whatever the order of
#'   its sources; `NULL` without counts.
#'
#' @section With counts or without:
#' With counts, all lanes have the same number of batches, and each batch has the floor or ceiling of its share of each
#' stratum.
#' Each row is in one batch.
#' A resumed epoch reads only the sources that it still needs.
#' Without counts, a batch is cut as soon as it has the rows that it needs, and rows that are left at the end of a lane
#' are added to the lane's last batch.
#' The guide `docs/streams.md` compares both.
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
#' stream = stratified_stream(sources, 1, identity, identity, counts = counts, shuffle = FALSE)
#' following = stream$.iter()
#' following()
#' following()
stratified_stream = function(sources, min_samples_per_stratum, read, stratum, counts = NULL, strata = NULL,
  min_batch_size = 1, buffer_size = NULL, lanes = 1, shuffle = TRUE, seed = NULL, num_replicas = NULL, rank = NULL) {
  given = source_names(sources)
  by_name = by_code_point(given) # the same in all processes
  stream = list(
    names = given[by_name],
    sources = sources[by_name],
    given = order(by_name), # the sources in the order in which they were given
    n_sources = length(given),
    least = check_one_minimum(min_samples_per_stratum),
    least_rows = check_count(min_batch_size, "min_batch_size"),
    replicas = check_replicas(num_replicas, rank),
    n_lanes = check_between(lanes, "lanes", 1, length(given)),
    shuffle = check_flag(shuffle, "shuffle"),
    seed = check_stream_seed(seed, rank),
    read = check_reader(read),
    stratum = check_stratum(stratum)
  )
  if (!is.null(num_replicas) && stream$n_lanes %% num_replicas != 0) {
    stop_parameter("lanes", "be a multiple of 'num_replicas'", show_value(stream$n_lanes))
  }
  stream = c(stream, plan_stream(stream, counts, strata))
  stream$limit = check_buffer(buffer_size, stream$plan)
  stream_dataset(stream)
}

# A seed that is NULL is drawn, unless this process is one of several ranks.
check_stream_seed = function(seed, rank) {
  if (!is.null(seed)) {
    return(check_range(seed, "seed", largest_seed))
  }
  if (!is.null(rank)) {
    advice = "Pass the same seed on all ranks, so that they draw the same epoch."
    stop_parameter("seed", "be given together with 'rank'", show_value(seed), advice)
  }
  draw_seed()
}

check_replicas = function(num_replicas, rank) {
  if (is.null(rank)) {
    check_positive(num_replicas, "num_replicas")
    return(list(count = 1, rank = 0))
  }
  if (is.null(num_replicas)) {
    stop_parameter("rank", "be given together with 'num_replicas'", show_value(rank))
  }
  count = check_positive(num_replicas, "num_replicas")
  list(count = count, rank = check_between(rank, "rank", 0, count - 1))
}

# -> list(strata = their names, plan = that of plan_lanes(), NULL without counts)
plan_stream = function(stream, counts, strata) {
  if (is.null(counts) == is.null(strata)) {
    stop_parameter("counts", "be given, or 'strata', but not both", if (is.null(counts)) "neither" else "both")
  }
  if (is.null(counts)) {
    return(list(strata = shown_names(strata, "strata", "stratum"), plan = NULL))
  }
  known = counts_of_sources(counts, stream$names)
  plan = plan_lanes(known$table, known$strata, stream$n_lanes, stream$least, stream$least_rows)
  list(strata = known$strata, plan = plan)
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

check_buffer = function(buffer_size, plan) {
  if (is.null(buffer_size)) {
    return(Inf)
  }
  limit = check_between(buffer_size, "buffer_size", 1, largest_exact)
  needed = if (is.null(plan)) 0 else rows_held(plan)
  if (limit < needed) {
    stop_parameter("buffer_size", sprintf("be at least %.0f, which these sources need", needed), show_value(limit))
  }
  limit
}

# The dataset; its batches depend only on `stream`.
stream_dataset = function(stream) {
  own_lanes = stream$n_lanes / stream$replicas$count
  start = list(epoch = 0, batch = 0) # of the next iteration; batches of this rank
  generator = torch::iterable_dataset(
    name = "stratified_stream",
    initialize = function() invisible(self), # torch asks for one
    .iter = function() {
      following = NULL
      function() {
        if (is.null(following)) {
          following <<- stream_batches(stream, own_lanes, check_stream_epoch(start$epoch, stream), start$batch)
          start <<- list(epoch = start$epoch + 1, batch = 0)
        }
        batch = following()
        if (is.null(batch)) coro::exhausted() else batch
      }
    },
    .length = function() if (is.null(stream$plan)) NA_integer_ else as.integer(stream$plan$n_batches * own_lanes),
    set_epoch = function(epoch, batches_done = 0) {
      epoch = check_stream_epoch(epoch, stream)
      most = if (is.null(stream$plan)) largest_count else stream$plan$n_batches * stream$n_lanes
      done = check_between(batches_done, "batches_done", 0, most)
      start <<- list(epoch = epoch, batch = ceiling(max(0, done - stream$replicas$rank) / stream$replicas$count))
      invisible(self)
    },
    active = list(
      epoch = function() start$epoch,
      seed = function() stream$seed,
      buffer_needed = function() if (!is.null(stream$plan)) rows_held(stream$plan)
    ),
    parent_env = environment()
  )
  generator()
}

check_stream_epoch = function(epoch, stream) {
  epoch = check_range(epoch, "epoch", largest_epoch)
  last = last_stream_epoch(stream)
  if (epoch > last) {
    stop_parameter("epoch", sprintf("be at most %.0f with %d sources", last, stream$n_sources), show_value(epoch))
  }
  epoch
}

# A function that returns the next batch of this rank at each call, NULL at the end: its lanes take turns.
stream_batches = function(stream, own_lanes, epoch, first) {
  # Batch k of a rank, from 0, is batch k %/% n of its lane k %% n.
  lanes = lapply(seq_len(own_lanes) - 1, function(place) {
    lane = stream$replicas$rank + stream$replicas$count * place + 1
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
  counted = !is.null(stream$plan)
  dealing = if (counted) {
    deal_counted(stream$plan$totals[lane, ], stream$plan$n_batches, first)
  } else {
    deal_declared(length(stream$strata), stream$least, stream$least_rows, first)
  }
  sources = lane_sources(stream, lane, epoch)
  closed = counted
  function() {
    repeat {
      batch = dealing$following()
      if (!is.null(batch)) {
        return(batch)
      }
      if (length(sources) == 0L) {
        break
      }
      source = sources[1L]
      if (!counted || !dealing$skip(stream$plan$counts[source, ])) {
        deal_source(stream, dealing, source, epoch)
      }
      sources <<- sources[-1L] # only now: after an error, the source is read again
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

# Reads a source and deals its rows in the order of an epoch.
deal_source = function(stream, dealing, source, epoch) {
  name = stream$names[source]
  read = read_source(stream$sources[[source]], name, stream$read, stream$stratum)
  codes = codes_of_rows(read$strata, stream$strata, name)
  if (is.null(stream$plan)) {
    check_room(stream, dealing, name, length(codes))
  } else {
    check_found(stream, source, tabulate(codes, length(stream$strata)))
  }
  if (length(codes) == 0L) {
    return()
  }
  order = seq_along(codes)
  if (stream$shuffle) {
    order = shuffled_rows(length(codes), stream_seed(stream, epoch, source - 1))
  }
  dealing$add(rows_at(read$rows, order), codes[order])
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
    stop_source(paste("The source '%s' must leave at most %s in the buffer. Got %.0f instead: %.0f of its own",
      "wait to be %s, and %s."), name, show_count(stream$limit, "row"), held, n_rows, waiting,
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
