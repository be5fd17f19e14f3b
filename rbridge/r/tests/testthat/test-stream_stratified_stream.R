# Streams: the golden cases, how R reads, holds and delivers rows, ranks and states, and what is refused.

golden = read_golden("stream.json")
golden_strata = unlist(golden$strata)

test_that("batches are those of the golden cases", {
  for (case in golden$cases) {
    codes = lapply(if (is.null(case$sources)) golden$sources else case$sources, as.integer)
    numbers = seq_along(codes) - 1L
    # The rows of a source: a data.frame with its number and that of each row, from 0.
    read = function(number) {
      own = codes[[number + 1L]]
      data.frame(source = rep(number, length(own)), row = seq_along(own) - 1L, label = golden_strata[own + 1L])
    }
    sources = stats::setNames(as.list(numbers), numbers)
    counts = t(vapply(codes, function(own) tabulate(own + 1L, length(golden_strata)), integer(3L)))
    dimnames(counts) = list(numbers, golden_strata)
    known = if (case$counted) list(counts = counts) else list(strata = golden_strata)
    if (!is.null(case$settings$shares)) {
      case$settings$shares = unlist(case$settings$shares)
    }
    arguments = c(list(sources, read = read, stratum = "label", shuffle = !is.null(case$seed),
      seed = if (is.null(case$seed)) 0 else case$seed), known, case$settings)
    stream = do.call(stratified_stream, arguments)$set_epoch(case$epoch)
    found = lapply(next_epoch_of(stream), function(batch) {
      lapply(seq_len(nrow(batch)), function(row) list(batch$source[row], batch$row[row]))
    })
    expect_identical(found, case$batches)
    expect_identical(stream$.length(), if (case$counted) length(case$batches) else NA_integer_)
  }
  expect_identical(unname(count_sources(sources, read, "label")[, golden_strata]), unname(counts + 0))
})

sources = list(
  a = c(0, 0, 0, 1, 0, 0, 1, 0), b = c(1, 0, 0, 0), c = c(0, 1), d = c(0, 0, 0, 0, 0, 1, 0, 1, 1)
)
counts = count_sources(sources, identity, identity)
all_rows = sort(unlist(sources, use.names = FALSE))
make_stream = function(...) {
  arguments = list(sources = sources, min_samples_per_stratum = 1, read = identity, stratum = identity, seed = 1)
  given = list(...)
  if (is.null(given$strata) && !"counts" %in% names(given)) {
    given$counts = counts
  }
  do.call(stratified_stream, utils::modifyList(arguments, given, keep.null = TRUE))
}

test_that("sources are counted", {
  expect_identical(counts, shard_counts(lapply(sources, identity)))
  expect_error(count_sources(list(a = 1:2), identity, as.list), "must be a vector or factor",
    class = "rbridge_source_error")
})

test_that("rows may be data frames, lists or vectors, and a source without rows is not asked for strata", {
  with_empty = c(sources, list(e = numeric()))
  read = list(identity, as.list, function(source) data.frame(label = source, twice = 2 * source))
  stratum = list(identity, function(rows) sapply(rows, identity), "label") # nolint
  values = list(identity, unlist, function(batch) batch$label)
  for (i in seq_along(read)) {
    found = count_sources(with_empty, read[[i]], stratum[[i]])
    expect_identical(found, rbind(counts, e = 0)[, ], ignore_attr = "dimnames")
    for (known in list(list(counts = found), list(strata = 0:1))) {
      given = c(list(sources = with_empty, lanes = 2), known)
      batches = next_epoch_of(do.call(make_stream, c(list(read = read[[i]], stratum = stratum[[i]]), given)))
      expect_identical(lapply(batches, values[[i]]), next_epoch_of(do.call(make_stream, given)))
    }
  }
  expect_identical(batches[[1L]]$twice, 2 * batches[[1L]]$label)
  expect_identical(dim(count_sources(list(a = numeric()), identity, identity)), c(1L, 0L))
})

test_that("factors whose levels differ between sources keep their labels", {
  read = function(source) data.frame(label = factor(ifelse(source == 1, "yes", "no")), row = seq_along(source))
  stream = make_stream(read = read, stratum = "label", counts = count_sources(sources, read, "label"))
  labels = unlist(lapply(next_epoch_of(stream), function(batch) batch$label))
  expect_identical(c(table(labels)), c(no = sum(all_rows == 0), yes = sum(all_rows == 1)))
  read = function(source) factor(ifelse(source == 1, "yes", "no"))
  expect_type(next_epoch_of(make_stream(read = read, strata = c("no", "yes")))[[1L]], "character")
})

test_that("a dataloader delivers the batches, collated, and the end of the stream as it is", {
  expected = next_epoch_of(make_stream())
  delivered = function(stream, collate) {
    found = list()
    coro::loop(for (batch in torch::dataloader(stream, batch_size = NULL, collate_fn = collate)) {
      found = c(found, list(batch))
    })
    found
  }
  expect_identical(delivered(make_stream(), identity), expected)
  collated = delivered(make_stream(), function(batch) if (is.symbol(batch)) batch else list(rows = batch))
  expect_identical(lapply(collated, `[[`, "rows"), expected)
  expect_length(make_stream(), length(expected))
})

test_that("ranks share the batches, and any of them can go on from any batch and from the state of another", {
  expected = next_epoch_of(make_stream(lanes = 2))
  turns = rep(0:1, length.out = length(expected))
  of_rank = function(rank) make_stream(lanes = 2, num_replicas = 2, rank = rank)
  stream = of_rank(1)
  following = stream$.iter()
  following()
  state = stream$state_dict()
  expect_identical(state[c("epoch", "batch")], list(epoch = 0, batch = 2))
  for (rank in 0:1) {
    own = expected[turns == rank]
    for (done in seq_along(own)) {
      found = next_epoch_of(of_rank(rank)$set_epoch(0, batches_done = done - 1))
      expect_identical(found, own[seq_along(own) >= done])
    }
    continued = of_rank(rank)$load_state_dict(state)
    expect_identical(next_epoch_of(continued), expected[seq_along(expected) > 2 & turns == rank])
  }
  drain(following)
  expect_identical(stream$state_dict()[c("epoch", "batch")], list(epoch = 1, batch = 0))
})

test_that("a stream has the minimum as a field, and warns of rare strata by name", {
  expect_identical(make_stream(strata = 0:1)$min_samples_per_stratum, 1)
  expect_identical(make_stream(min_samples_per_stratum = NULL, mean_batch_size = 5)$min_samples_per_stratum, 1)
  expect_warning(make_stream(lanes = 4, min_samples_per_stratum = 3, rare = "warn"),
    "Lane 2 has 1 row of '1', and the 'min_samples_per_stratum' parameter is 3: all rows of a lane are in one batch.")
})

test_that("what cannot be is refused by name", {
  refused = function(text, ...) expect_error(make_stream(...), text, fixed = TRUE)
  refused("ask for at most 7, the rows of '1' in lane 1. Got 8 rows of '1' instead.",
    min_samples_per_stratum = c("1" = 8))
  refused("The 'shares' parameter must name one of the strata, '0', '1'. Got 'b'", min_samples_per_stratum = NULL,
    shares = c("0" = 1, b = 1), mean_batch_size = 6)
  refused("a row for each source. Got none for 'a' instead", counts = counts[-1, ])
  refused("The 'read' parameter must be a function of a source", read = "csv")
  expect_error(stratified_stream(list(1, 2), 1, identity, identity, strata = 1), "must name each source. Got no names")
  refused("must name each source by a text that is not empty. Got '' instead.", sources = c(a = "b", "c"))
  expect_error(make_stream()$set_epoch(0, batches_done = NA), "'batches_done' parameter must be an integer from 0")
  many = as.character(1:1000)
  stream = stratified_stream(many, 1, identity, identity, strata = many)
  expect_error(stream$set_epoch(3e6), "'epoch' .* be an integer from 0 to 2145337")
})

test_that("errors of sources name them", {
  source_error = function(message, ...) {
    expect_error(next_epoch_of(make_stream(...)), message, class = "rbridge_source_error")
  }
  source_error("The source 'x' cannot be read. gone", read = function(source) stop("gone"),
    sources = c(x = "a"), strata = 0:1)
  source_error("The source 'a' cannot be read. The reader must return", read = function(source) mean, shuffle = FALSE)
  source_error("'stratum' parameter must be a function of the rows, or name one of their columns. Got 'lab' instead.",
    read = function(source) data.frame(label = source), stratum = "lab", shuffle = FALSE)
  source_error("one stratum a row. Got 1 value of 8 rows.", stratum = function(rows) 1, shuffle = FALSE)
  source_error("row 4 of the source 'a' must be one of '0'. Got '1' instead.", strata = 0, shuffle = FALSE)
  source_error("must hold logical values, numbers, text or dates, one kind per column. Got complex values instead.$",
    stratum = as.complex, shuffle = FALSE)
  source_error("The source 'c' must have 2 rows of '1', as its counts say. Got 1 instead.",
    counts = counts + c(0, 0, 0, 0, 0, 0, 1, 0))
  source_error("Lane 1 has no batch: the next batch has too few rows of '2'.", strata = 0:2)
  source_error("source 'b' must leave at most 10 rows .* Got 12 instead: the next batch has too few rows of '2'.",
    strata = 0:2, buffer_size = 10, shuffle = FALSE)
})

test_that("after an error the same source is read again, and no row is lost", {
  for (known in list(list(counts = counts), list(counts = NULL, strata = 0:1))) {
    is_broken = TRUE
    read = function(source) if (is_broken && length(source) == 2) stop("gone") else source
    stream = do.call(make_stream, c(list(read = read, shuffle = FALSE), known))
    following = stream$.iter()
    found = list()
    expect_error(while (TRUE) found = c(found, list(following())), "The source 'c' cannot be read. gone")
    expect_error(following(), "The source 'c' cannot be read. gone")
    is_broken = FALSE
    found = c(found, drain(following))
    expect_identical(found, next_epoch_of(do.call(make_stream, c(list(shuffle = FALSE), known))))
  }
})

test_that("a stream of lanes that end early goes on where it was, without counts", {
  uneven = list(a = c(0, 1), b = rep(c(0, 1), 10))
  of_lanes = function() {
    stratified_stream(uneven, min_samples_per_stratum = 1, read = identity, stratum = identity, strata = c(0, 1),
      lanes = 2, seed = 1)
  }
  expected = next_epoch_of(of_lanes())
  for (n_done in seq_len(length(expected) - 1L)) {
    stopped = of_lanes()
    next_batch = stopped$.iter()
    for (batch in seq_len(n_done)) next_batch()
    resumed = of_lanes()
    resumed$load_state_dict(stopped$state_dict())
    expect_identical(next_epoch_of(resumed), expected[-seq_len(n_done)])
  }
  expect_error(of_lanes()$set_epoch(0, 1), "must be 0 without 'counts' and with several lanes", fixed = TRUE)
})

test_that("weights of a stream are the available rows divided by those that an epoch takes", {
  rows = list(u = c("a", "a", "b", "a"), v = c("b", "a", "a", "a"))
  stream = stratified_stream(c(u = "u", v = "v"), read = function(name) rows[[name]], stratum = identity,
    counts = rbind(u = c(a = 3, b = 1), v = c(a = 3, b = 1)), shares = c(a = 1, b = 1), mean_batch_size = 2, seed = 1)
  expect_equal(stream$class_weights(), c(a = 6 / 4, b = 2 / 4))
  expect_equal(stream$weights(c("b", "a")), c(0.5, 1.5))
})
