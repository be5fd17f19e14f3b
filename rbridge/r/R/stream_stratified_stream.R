#' @title Stratified Batches From a Stream of Sources
#'
#' @description
#' Creates a [torch::iterable_dataset()] whose items are whole batches with a minimum number of rows of every stratum,
#' from data that are read source by source, such as files.
#' Pass it to [torch::dataloader()] with `batch_size = NULL`, and a `collate_fn` that makes tensors from the rows of a
#' batch.
#' At the end, torch calls this function with a symbol instead of rows, which it must return.
#' \twin{stream.StratifiedStream}{streams}
#' R's torch has no workers for iterable datasets.
#'
#' @param read (`function`)\cr
#'   A function that takes a source and returns its rows, in the same order every time: a `data.frame()`, or a vector or
#'   list of one value per row.
#'   Factors become text, because sources may have other levels.
#' @param stratum (`character(1)` or `function`)\cr
#'   The column of the rows with their strata, or a function that takes the rows and returns one value per row.
#' @param counts (`matrix()`, `table()` or `data.frame()`)\cr
#'   The number of rows of each stratum (columns) in each source (rows), as [count_sources()] returns it.
#' @eval described("StratifiedStream", sources = "`character()` or named `list()`", "min_samples_per_stratum",
#'   strata = "`character()`, `numeric()` or `factor()`", "min_batch_size", "buffer_size", "lanes", "shuffle",
#'   "shuffle_sources", "mean_batch_size", "rare", "shares", "balance")
#' @param seed,num_replicas,rank (`integer(1)`)\cr
#'   As in [batch_sampler_stratified()].
#'
#' @return A dataset of the class `"stratified_stream"` with the members
#' * `.iter()`: a function that returns the next batch at each call, and `coro::exhausted()` at the end;
#'   each iteration takes the next epoch;
#' * `.length()`: the number of batches of an epoch; `NA` without counts;
#' * `state_dict()`: the state after the batches that the newest iteration has delivered, for `load_state_dict(state)`;
#' * `set_epoch(epoch, batches_done)`, `epoch`, `seed` and, with counts, `class_weights(normalize)` and
#'   `weights(rows, normalize)`, as those of a [batch_sampler_instance], but for the rows of a batch;
#' * `min_samples_per_stratum`.
#'
#' A source that cannot be read, has an unknown stratum, does not match its counts, or fills the buffer raises an error
#' of the class `"rbridge_source_error"`.
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
  given = source_names(sources, read)
  shares = plain_value(shares)
  asked = mget(setdiff(names(formals()), c("sources", "read", "stratum")))
  request = c(list(n_sources = length(given)), asked)
  checked = core_plan("stream", request)
  by_name = by_code_point(given) # the same in all processes
  names = given[by_name]
  parts = checked[setdiff(names(checked), c("buffer_size", "seed", "rank"))]
  parts$order = if (checked$shuffle == 1L) seq_along(given) - 1 else order(by_name) - 1
  if (is.null(counts)) {
    known = list(strata = shown_names(strata, "strata", "stratum"))
  } else {
    known = counts_of_sources(counts, names)
    parts$table = as.vector(t(known$table))
    parts$n_strata = as.double(ncol(known$table))
    for (name in c("min_samples_per_stratum", "shares")) {
      if (!is.null(names(request[[name]]))) {
        parts[[paste0(name, "_strata")]] = class_codes(names(request[[name]]), known$strata, name, noun = "stratum") - 1
      }
    }
    core_plan("stream", utils::modifyList(request, parts[setdiff(names(parts), names(checked))]), known$strata)
  }
  seed = if (is.null(seed)) draw_seed() else check_range(seed, "seed", largest_seed)
  lanes = new_lanes(list(kind = "stream", seed = seed, parts = parts), known$table)
  named = fingerprint_of(sources = names[parts$order + 1], strata = known$strata)
  stream_dataset(list(
    names = names, sources = sources[by_name], strata = known$strata, lanes = lanes,
    fingerprint = paste(lanes$fingerprint, named), read = read, stratum = stratum,
    least = checked$min_samples_per_stratum, least_rows = checked$min_batch_size,
    limit = if (is.null(buffer_size)) Inf else checked$buffer_size, stride = if (is.null(rank)) 1 else num_replicas,
    rank = if (is.null(rank)) 0 else rank
  ))
}

# The counts of the sources of these names, in their order, without strata that only other sources have.
counts_of_sources = function(counts, names) {
  read = read_counts(counts, may_lack_strata = TRUE)
  places = match(names, read$shards)
  refuse_if(anyNA(places), "counts", "have a row for each source", sprintf("none for '%s'", names[is.na(places)][1L]))
  table = read$table[places, , drop = FALSE]
  present = colSums(table) > 0
  refuse_if(!any(present), "counts", "have at least one row of data", "none")
  list(table = table[, present, drop = FALSE], strata = read$strata[present])
}

# The dataset; its batches depend only on `stream`. Places are those of R/base_state.R.
stream_dataset = function(stream) {
  lanes = stream$lanes
  own_lanes = lanes$n_lanes / stream$stride
  n_batches = if (is.null(lanes$counts)) NA_real_ else lanes$n_batches * lanes$n_lanes
  # No seeds are left for later epochs.
  last_epoch = min(largest_epoch, largest_count %/% (lanes$n_sources + 1) - 1)
  places = list2env(list(
    .place = new_place(0), .rank = stream$rank, .stride = stream$stride, .kind = list,
    .n_batches = function(epoch) n_batches, .last_epoch = function() last_epoch,
    .fingerprint = function() stream$fingerprint
  ))
  newest = NULL # the environment of the newest iteration that has begun, with its place
  go_on_at = function(place) {
    places$.place = place
    newest <<- NULL
  }
  generator = torch::iterable_dataset(
    name = "stratified_stream",
    initialize = function() invisible(self), # torch asks for one
    .iter = function() {
      own = new.env(parent = emptyenv())
      following = NULL
      newest <<- NULL
      function() {
        if (is.null(following)) {
          own$place = places$.place
          check_range(own$place$epoch, "epoch", last_epoch)
          following <<- stream_batches(stream, own_lanes, own$place$epoch, own$place$batch / stream$stride)
          go_on_at(new_place(own$place$epoch + 1))
          newest <<- own
        }
        found = following()
        if (is.null(found)) {
          following <<- function() NULL
          newest <<- if (!identical(newest, own)) newest
          return(coro::exhausted())
        }
        own$place$batch = found$turn * stream$stride
        found$batch
      }
    },
    .length = function() as.integer(n_batches / stream$stride),
    set_epoch = function(epoch, batches_done = NULL) {
      place = place_after(places, epoch, batches_done)
      refuse_if(is.na(n_batches) && own_lanes > 1 && !all(batches_done == 0), "batches_done",
        "be 0 without 'counts' and with several lanes", show_value(batches_done))
      go_on_at(place)
      invisible(self)
    },
    state_dict = function() state_at(places, if (is.null(newest)) places$.place else newest$place),
    load_state_dict = function(state) {
      go_on_at(place_of_state(places, state))
      invisible(self)
    },
    class_weights = function(normalize = FALSE) {
      refuse_if(is.null(lanes$counts), "counts", "be given for weights", "NULL")
      available = colSums(lanes$totals)
      taken = colSums(lanes$taken)
      scale = if (check_flag(normalize, "normalize")) sum(taken) / sum(available) else 1
      stats::setNames(available / taken * scale, stream$strata)
    },
    weights = function(rows, normalize = FALSE) {
      weights = self$class_weights(normalize)
      strata = strata_of_rows(rows, stream$stratum)
      unname(weights[match_strata(strata, stream$strata, function(row, shown) {
        stop_parameter("rows", paste("have strata that are one of", show_names(stream$strata)), shown)
      })])
    },
    active = list(
      epoch = function() places$.place$epoch,
      seed = function() lanes$recipe$seed,
      min_samples_per_stratum = function() lanes$least
    ),
    parent_env = environment()
  )
  generator()
}

# A function that returns the next batch of this rank at each call, and the turns of its lanes so far; NULL at the end.
# A turn of a lane that has ended gives no batch.
stream_batches = function(stream, own_lanes, epoch, first) {
  drawn = draw_lanes(stream$lanes, epoch)
  # Batch k of a rank, from 0, is batch k %/% n of its lane k %% n.
  of_lanes = lapply(seq_len(own_lanes) - 1, function(place) {
    lane = stream$rank + stream$stride * place + 1
    done = ceiling(max(0, first - place) / own_lanes)
    following = lane_batches(stream, lane, epoch, drawn, done)
    for (batch in seq_len(if (is.null(stream$lanes$counts)) done else 0)) {
      following()
    }
    following
  })
  turn = first
  function() {
    for (attempt in seq_along(of_lanes)) {
      batch = of_lanes[[turn %% own_lanes + 1]]()
      turn <<- turn + 1
      if (!is.null(batch)) {
        return(list(batch = batch, turn = turn))
      }
    }
    NULL
  }
}

# A function that returns the next batch of a lane at each call, with counts from `first` on; NULL at the end.
lane_batches = function(stream, lane, epoch, drawn, first) {
  lanes = stream$lanes
  counts = lanes$counts
  dealing = if (is.null(counts)) {
    deal_declared(length(stream$strata), stream$least, stream$least_rows)
  } else {
    deal_counted(lanes$taken[lane, ], drawn$shifts[lane, ], lanes$n_batches, first)
  }
  groups = drawn$groups[[lane]]
  is_open = is.null(counts)
  function() {
    repeat {
      batch = dealing$following()
      if (!is.null(batch) || length(groups) == 0L && !is_open) {
        return(batch)
      }
      if (length(groups) == 0L) {
        if (!dealing$has_cut()) {
          stop_source("Lane %.0f has no batch: %s.", lane, missing_rows_of(stream, dealing))
        }
        is_open <<- FALSE
        dealing$close()
      } else {
        group = groups[[1L]]
        # That empty sources are empty is checked, unless the epoch is resumed.
        is_checked = is.null(counts) || first == 0 && !any(counts[group, ] > 0)
        if (is_checked || !dealing$skip(colSums(drawn$ranks[group, , drop = FALSE]))) {
          deal_group(stream, dealing, lane, epoch, group, drawn$places)
        }
        groups <<- groups[-1L] # only now: after an error, the sources are read again
      }
    }
  }
}

# Reads sources and deals their rows in the order of an epoch, as those of one source.
deal_group = function(stream, dealing, lane, epoch, group, places) {
  rows = list()
  codes = integer()
  copies = numeric()
  for (source in group) {
    name = stream$names[source]
    read = read_source(stream$sources[[source]], name, stream$read, stream$stratum)
    own = codes_of_rows(read$strata, stream$strata, name)
    if (is.null(stream$lanes$counts)) {
      check_room(stream, dealing, name, length(codes) + length(own))
    } else {
      check_found(stream, source, tabulate(own, length(stream$strata)))
    }
    if (length(own) > 0L) {
      rows[[length(rows) + 1L]] = read$rows
    }
    codes = c(codes, own)
    copies = c(copies, row_copies(stream$lanes, lane, source, places, own))
  }
  if (length(codes) > 0L) {
    order = source_order(stream$lanes, group[1L], epoch, length(codes))
    dealing$add(rows_at(bind_rows(rows), order), codes[order], copies[order])
  }
}

check_found = function(stream, source, found) {
  expected = stream$lanes$counts[source, ]
  wrong = which(found != expected)[1L]
  if (!is.na(wrong)) {
    stop_source("The source '%s' must have %s of '%s', as its counts say. Got %.0f instead.", stream$names[source],
      show_count(expected[wrong], "row"), stream$strata[wrong], found[wrong])
  }
}

check_room = function(stream, dealing, name, n_rows) {
  held = dealing$n_held() + n_rows
  if (held > stream$limit) {
    stop_source("The source '%s' must leave at most %s in the buffer. Got %.0f instead: %s.", name,
      show_count(stream$limit, "row"), held, missing_rows_of(stream, dealing))
  }
}

missing_rows_of = function(stream, dealing) {
  missing = stream$strata[dealing$missing()]
  lacks = paste("has too few rows of", show_names(missing))
  paste("the next batch", if (length(missing) == 0L) "is too small" else lacks)
}
