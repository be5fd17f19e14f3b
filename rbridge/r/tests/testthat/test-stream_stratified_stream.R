# Streams: the batches of tests/golden/stream.json, every row once, the minimum in every batch, and what is refused.

# All batches of the next epoch.
stream_rows = function(stream) {
  following = stream$.iter()
  batches = list()
  while (!coro::is_exhausted(batch <- following())) { # nolint
    batches = c(batches, list(batch))
  }
  batches
}

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
    expect_identical(unname(count_sources(sources, read, "label")[, golden_strata]), unname(counts + 0))
    known = if (case$counted) list(counts = counts) else list(strata = golden_strata)
    if (!is.null(case$settings$shares)) {
      case$settings$shares = unlist(case$settings$shares)
    }
    arguments = c(list(sources, read = read, stratum = "label", shuffle = !is.null(case$seed),
      seed = if (is.null(case$seed)) 0 else case$seed), known, case$settings)
    stream = do.call(stratified_stream, arguments)
    stream$set_epoch(case$epoch)
    found = lapply(stream_rows(stream), function(batch) {
      lapply(seq_len(nrow(batch)), function(row) list(batch$source[row], batch$row[row]))
    })
    expect_identical(found, case$batches)
    expect_identical(stream$.length(), if (case$counted) length(case$batches) else NA_integer_)
  }
})

test_that("lanes may hold as many rows as in the golden cases, exactly", {
  for (case in golden$buffers) {
    counts = matrix(as.numeric(unlist(case$counts)), ncol = 3L, byrow = TRUE)
    dimnames(counts) = list(sprintf("%03d", seq_len(nrow(counts))), golden_strata) # sorted, as sources are
    stream = stratified_stream(rownames(counts), case$min_samples_per_stratum, identity, identity, counts = counts,
      lanes = case$lanes, shuffle_sources = if (is.null(case$shuffle_sources)) 1 else case$shuffle_sources)
    expect_identical(sprintf("%.0f", stream$buffer_needed), sprintf("%.0f", case$needed))
  }
})

sources = list(
  a = c(0, 0, 0, 1, 0, 0, 1, 0), b = c(1, 0, 0, 0), c = c(0, 1), d = c(0, 0, 0, 0, 0, 1, 0, 1, 1)
)
counts = count_sources(sources, identity, identity)
make_stream = function(...) {
  arguments = list(sources = sources, min_samples_per_stratum = 1, read = identity, stratum = identity, seed = 1)
  given = list(...)
  if (is.null(given$strata) && !"counts" %in% names(given)) {
    given$counts = counts
  }
  do.call(stratified_stream, utils::modifyList(arguments, given, keep.null = TRUE))
}

test_that("a dataloader with a batch size is refused, because it would join batches", {
  read = function(name) data.frame(text = sprintf("%s%d", name, 1:12), key = rep(c("0", "1"), 6))
  stream = stratified_stream(list(a = "a"), 2, read = read, stratum = "key", strata = c("0", "1"), seed = 1)
  expect_error(coro::collect(torch::dataloader(stream, collate_fn = identity)), fixed = TRUE,
    "would join several batches of the stream into one. Set its batch_size = NULL.")
  expect_identical(coro::collect(torch::dataloader(stream, batch_size = NULL, collate_fn = identity))[[1]],
    stream$set_epoch(0)$.iter()())
})

test_that("sources are counted", {
  expect_identical(counts, shard_counts(lapply(sources, identity)))
  expect_identical(counts["d", ], c("0" = 6, "1" = 3))
  expect_error(count_sources(list(a = c(1, NA)), identity, identity),
    "The 'strata' parameter of shard 'a' must have no missing values.")
  expect_error(count_sources(list(a = 1:2), identity, as.list), "must be a vector or factor",
    class = "rbridge_source_error")
})

test_that("a source without rows has zeros, and its strata are not asked for", {
  with_empty = c(sources, list(e = numeric()))
  read = list(identity, as.list, function(source) data.frame(label = source))
  stratum = list(identity, function(rows) sapply(rows, identity), "label") # nolint
  for (i in seq_along(read)) {
    found = count_sources(with_empty, read[[i]], stratum[[i]])
    expect_identical(found, rbind(counts, e = 0)[, ], ignore_attr = "dimnames")
    expect_identical(rownames(found), names(with_empty))
  }
  for (known in list(list(counts = found), list(strata = 0:1))) {
    batches = do.call(make_stream, c(list(sources = with_empty, lanes = 2), known))
    expect_identical(sort(unlist(stream_rows(batches))), sort(unlist(sources, use.names = FALSE)))
  }
  expect_identical(dim(count_sources(list(a = numeric()), identity, identity)), c(1L, 0L))
})

test_that("paths may have names", {
  read = function(path) c(sources[[path]], 1)
  expect_identical(rownames(count_sources(c("a", "b"), read, identity)), c("a", "b"))
  named = c(first = "a", second = "b")
  expect_identical(rownames(count_sources(named, read, identity)), names(named))
  stream = stratified_stream(named, 1, read, identity, strata = 0:2)
  expect_error(stream_rows(stream$set_epoch(0)), "Lane 1 has no batch")
  stream = stratified_stream(named, 1, function(path) stop("gone"), identity, strata = 0:1, shuffle = FALSE)
  expect_error(stream_rows(stream), "The source 'first' cannot be read. gone")
})

test_that("every epoch has all rows, and every batch all strata", {
  for (stream in list(make_stream(), make_stream(lanes = 2), make_stream(strata = 0:1, lanes = 2))) {
    for (epoch in 0:2) {
      expect_identical(stream$epoch, epoch + 0)
      batches = stream_rows(stream)
      expect_true(all(vapply(batches, function(batch) all(0:1 %in% batch), logical(1L))))
      expect_identical(sort(unlist(batches)), sort(unlist(sources, use.names = FALSE)))
    }
  }
})

test_that("ranks may list sources and counts in any order", {
  listed = list(sources, rev(sources))
  for (shuffle in c(TRUE, FALSE)) {
    shares = lapply(0:1, function(rank) {
      stream_rows(make_stream(sources = listed[[rank + 1L]], counts = counts[names(listed[[rank + 1L]]), ],
        lanes = 2, shuffle = shuffle, num_replicas = 2, rank = rank))
    })
    expect_identical(sort(unlist(shares)), sort(unlist(sources, use.names = FALSE)))
    if (shuffle) {
      expect_identical(unlist(Map(list, shares[[1L]], shares[[2L]]), recursive = FALSE),
        stream_rows(make_stream(lanes = 2)))
    }
  }
})

test_that("sources keep the order in which they are given without shuffling", {
  with_names = function(source) rep(source, 2)
  stream = stratified_stream(list(c = 3, a = 1, b = 2), 1, with_names, function(rows) rep(0:1, length(rows) / 2),
    strata = 0:1, shuffle = FALSE)
  expect_identical(unlist(stream_rows(stream)), c(3, 3, 1, 1, 2, 2))
})

test_that("a rank needs a seed", {
  expect_error(make_stream(lanes = 2, seed = NULL, num_replicas = 2, rank = 0), paste("The 'seed' parameter",
    "must be given together with 'rank'. Got nothing instead. Pass the same seed on all ranks, so",
    "that they draw the same epoch."))
})

test_that("rows may be data frames, lists or vectors", {
  as_frame = function(source) data.frame(label = source, twice = 2 * source)
  batches = stream_rows(make_stream(read = as_frame, stratum = "label"))
  expect_identical(lapply(batches, `[[`, "label"), stream_rows(make_stream()))
  expect_true(all(vapply(batches, function(batch) identical(batch$twice, 2 * batch$label), logical(1L))))
  as_lists = stream_rows(make_stream(read = as.list, stratum = unlist))
  expect_identical(lapply(as_lists, unlist), stream_rows(make_stream()))
})

test_that("a source whose counts are zeros has no rows", {
  sources = list(a = c(0, 1), b = 1)
  counts = rbind(a = c("0" = 1, "1" = 1), b = c(0, 0))
  stream = stratified_stream(sources, 1, identity, identity, counts = counts)
  expect_error(stream_rows(stream), "source 'b' must have 0 rows of '1', as its counts say. Got 1 instead.",
    class = "rbridge_source_error")
})

test_that("a dataloader delivers the batches", {
  stream = make_stream()
  expected = stream_rows(make_stream())
  loader = torch::dataloader(stream, batch_size = NULL, collate_fn = identity)
  found = list()
  coro::loop(for (batch in loader) {
    found = c(found, list(batch))
  })
  expect_identical(found, expected)
  expect_length(stream, length(expected))
})

test_that("a dataloader collates the batches, and the end of the stream as it is", {
  collate = function(batch) if (is.symbol(batch)) batch else list(rows = batch)
  loader = torch::dataloader(make_stream(), batch_size = NULL, collate_fn = collate)
  found = list()
  coro::loop(for (batch in loader) {
    found = c(found, list(batch$rows))
  })
  expect_identical(found, stream_rows(make_stream()))
})

test_that("ranks share the batches, and any of them can go on from any batch", {
  expected = stream_rows(make_stream(lanes = 2))
  for (done in 0:length(expected)) {
    shares = lapply(0:1, function(rank) {
      stream = make_stream(lanes = 2, num_replicas = 2, rank = rank)
      stream_rows(stream$set_epoch(0, batches_done = done))
    })
    turns = rep(0:1, length.out = length(expected))
    left = seq_along(expected) > done
    for (rank in 0:1) {
      expect_identical(shares[[rank + 1]], expected[left & turns == rank])
    }
  }
})

test_that("a stream that goes on reads only what it needs", {
  opened = character()
  noted = function(source) {
    opened <<- c(opened, names(sources)[vapply(sources, identical, logical(1L), source)])
    source
  }
  stream = make_stream(read = noted, shuffle = FALSE)
  last = length(stream_rows(stream)) - 1
  expect_identical(opened, names(sources))
  opened = character()
  expect_length(stream_rows(stream$set_epoch(0, batches_done = last)), 1L)
  expect_identical(opened, "d")
})

test_that("batches beyond the hundred-thousandth come too", {
  n_rows = 100002
  stream = stratified_stream(list(a = seq_len(n_rows)), 1, identity, function(rows) rep(0, length(rows)),
    counts = matrix(n_rows, dimnames = list("a", "0")), shuffle = FALSE)
  stream$set_epoch(0, batches_done = n_rows - 4)
  expect_identical(unlist(stream_rows(stream)), seq(n_rows - 3L, n_rows))
})

test_that("a mean size determines the batches, and the minimum that they have", {
  of_mean = function(...) make_stream(..., min_samples_per_stratum = NULL)
  for (lanes in 1:2) {
    stream = of_mean(mean_batch_size = 5, lanes = lanes)
    batches = stream_rows(stream)
    expect_length(batches, stream$.length())
    expect_identical(stream$.length(), as.integer(lanes * floor(23 / (5 * lanes) + 1 / 2)))
    held = vapply(batches, function(batch) min(tabulate(batch + 1, 2L)), 0L)
    expect_identical(min(held), as.integer(stream$min_samples_per_stratum))
    expect_identical(sort(unlist(batches)), sort(unlist(sources, use.names = FALSE)))
  }
  expect_identical(message_of(of_mean(mean_batch_size = 2)), paste(
    "The 'mean_batch_size' parameter must be at least 4, for at most 7, the rows of '1' in lane 1.",
    "Got 2, for 12 batches a lane, instead. Raise it, or set 'rare' to 'warn' or 'allow'."))
  expect_warning(of_mean(mean_batch_size = 2, rare = "warn"), paste(
    "Lane 1 has 7 rows of '1', and the 'mean_batch_size' parameter makes 12 batches a lane:",
    "some batches hold no row of it."), fixed = TRUE)
  rare = of_mean(mean_batch_size = 2, rare = "allow")
  expect_identical(rare$min_samples_per_stratum, 0)
  places = lapply(1:10, function(epoch) vapply(stream_rows(rare), sum, 0))
  expect_gt(length(unique(places)), 1L)
  expect_identical(make_stream(strata = 0:1)$min_samples_per_stratum, 1)
  expect_warning(make_stream(lanes = 4, min_samples_per_stratum = 3, rare = "warn"),
    "Lane 2 has 1 row of '1', and the 'min_samples_per_stratum' parameter is 3: all rows of a lane are in one batch.")
  state = of_mean(mean_batch_size = 5)$state_dict()
  expect_error(of_mean(mean_batch_size = 4)$load_state_dict(state), "must come from a sampler with the same")
})

test_that("groups of sources are shuffled as one source, and resumed as sources are", {
  opened = character()
  noted = function(source) {
    opened <<- c(opened, names(sources)[vapply(sources, identical, logical(1L), source)])
    source
  }
  stream = make_stream(shuffle_sources = 2, read = noted)
  expected = stream_rows(stream)
  expect_identical(sort(unlist(expected)), sort(unlist(sources, use.names = FALSE)))
  expect_identical(lapply(expected, sort), lapply(stream_rows(make_stream()), sort))
  first_epoch = opened
  for (done in seq_along(expected)) {
    expect_identical(stream_rows(stream$set_epoch(0, batches_done = done)), expected[seq_along(expected) > done])
  }
  opened = character()
  stream_rows(stream$set_epoch(0, batches_done = length(expected) - 1))
  expect_identical(opened, first_epoch[3:4])
  expect_identical(make_stream(shuffle_sources = 4)$buffer_needed, 23)
  state = stream$state_dict()
  expect_error(make_stream()$load_state_dict(state), "must come from a sampler with the same")
  expect_error(stream_rows(make_stream(strata = 0:2, shuffle_sources = 2, buffer_size = 10)),
    "of its group wait to be shuffled", class = "rbridge_source_error")
})

test_that("each stratum may have a minimum of its own", {
  stream = make_stream(min_samples_per_stratum = c("0" = 4, "1" = 2))
  batches = stream_rows(stream)
  expect_length(batches, 3L)
  expect_gte(min(vapply(batches, function(batch) sum(batch == 0), 0L)), 4)
  expect_gte(min(vapply(batches, function(batch) sum(batch == 1), 0L)), 2)
  expect_identical(sort(unlist(batches)), sort(unlist(sources, use.names = FALSE)))
  expect_error(make_stream(min_samples_per_stratum = c("1" = 8)),
    "ask for at most 7, the rows of '1' in lane 1. Got 8 rows of '1' instead. Lower it, or set 'rare'", fixed = TRUE)
  expect_error(make_stream(min_samples_per_stratum = c("1" = 2), strata = 0:1), "a positive integer without 'counts'")
})

test_that("rows are taken equally often, and no row twice in a batch", {
  numbered = function(source) {
    name = names(sources)[vapply(sources, identical, NA, source)]
    data.frame(name = name, row = seq_along(source), label = source)
  }
  taken = function(...) {
    make_stream(..., min_samples_per_stratum = NULL, read = numbered, stratum = "label")
  }
  for (lanes in 1:2) {
    stream = taken(balance = 12, mean_batch_size = 5, lanes = lanes, shuffle_sources = 2)
    epochs = lapply(0:4, function(epoch) stream_rows(stream))
    for (batches in epochs) {
      expect_length(batches, stream$.length())
      expect_false(any(vapply(batches, anyDuplicated, 0L) > 0L))
      of_positives = vapply(batches, function(batch) sum(batch$label), 0)
      expect_identical(sum(of_positives), 12)
      expect_lte(diff(range(of_positives)), 1)
      expect_gte(min(of_positives), stream$min_samples_per_stratum)
    }
    for (done in seq_along(epochs[[5L]])) {
      rest = stream_rows(stream$set_epoch(4, batches_done = done))
      expect_identical(rest, epochs[[5L]][seq_along(epochs[[5L]]) > done])
    }
    rows = do.call(rbind, unlist(epochs, recursive = FALSE))
    lane = (match(rows$name, names(sources)) - 1) %% lanes
    times = tapply(rep(1, nrow(rows)), list(paste(rows$name, rows$row), paste(lane, rows$label)), sum)
    for (column in seq_len(ncol(times))) {
      expect_lte(diff(range(times[, column], na.rm = TRUE)), 1)
    }
  }
  few = taken(balance = "under", mean_batch_size = 4)
  expect_identical(sum(vapply(stream_rows(few), nrow, 0L)), 14L)
  halves = taken(shares = c("1" = 1, "0" = 1), mean_batch_size = 6, shuffle = FALSE)
  expect_true(all(vapply(stream_rows(halves), function(batch) identical(batch$label, rep(c(0, 1), each = 3)), NA)))
  expect_error(halves$load_state_dict(few$state_dict()), "must come from a sampler with the same")
  expect_error(taken(balance = 12, shares = c("0" = 1), mean_batch_size = 6), "'balance' .* be left out if 'shares'")
  expect_error(taken(balance = 100, mean_batch_size = 100),
    "The 'mean_batch_size' parameter must ask for at most 16 rows of '0' in a batch. Got 50 instead.", fixed = TRUE)
  expect_error(taken(shares = c("0" = 1, b = 1), mean_batch_size = 6), "'shares' .* name one of the strata, '0', '1'")
})

test_that("what cannot be is refused by name", {
  expect_error(make_stream(buffer_size = 1), paste("The 'buffer_size' parameter must be at least",
    make_stream()$buffer_needed))
  expect_identical(stream_rows(make_stream(buffer_size = make_stream()$buffer_needed)), stream_rows(make_stream()))
  expect_error(make_stream(lanes = 4, min_samples_per_stratum = 3),
    paste("must be at most 1, the rows of '1' in lane 2 of 4. Got 3 instead.",
      "Lower it, use fewer lanes, or set 'rare' to 'warn' or 'allow'."), fixed = TRUE)
  expect_error(make_stream(counts = replace(counts, cbind(2, 2), 0), lanes = 4),
    "The 'lanes' parameter .* rows of each stratum. Got 0 as the rows of '1' in lane 2 of 4 instead.")
  expect_error(make_stream(min_batch_size = 1000), "'min_batch_size' .* the rows of the smallest lane")
  many = matrix(2^26 - 1, 64, 1, dimnames = list(1:64, "0"))
  stream_of = function(minimum) {
    stratified_stream(rownames(many), minimum, identity, identity, counts = many, lanes = 64)
  }
  expect_identical(message_of(stream_of(1)), paste(
    "The 'min_samples_per_stratum' parameter must make at most 2147483647 batches.",
    "Got 1, for 4294967232 batches, instead. Raise it."))
  expect_identical(stream_of(2)$.length(), 2147483584L)
  expect_error(make_stream(lanes = 3, num_replicas = 2, rank = 0), "'lanes' .* be a multiple of 'num_replicas'")
  expect_error(make_stream(rank = 0), "'rank' .* be given together with 'num_replicas'")
  expect_error(make_stream(counts = NULL), "'counts' .* or 'strata', but not both. Got neither instead")
  expect_error(make_stream(counts = counts, strata = 0:1), "but not both. Got both instead")
  expect_error(make_stream(counts = counts[-1, ]), "a row for each source. Got none for 'a' instead")
  expect_error(stratified_stream(list(1, 2), 1, identity, identity, strata = 1),
    "'sources' .* name each source by a text that is not empty. Got no names")
  expect_error(stratified_stream(c(a = "b", "c"), 1, identity, identity, strata = 1),
    "'sources' .* name each source by a text that is not empty. Got ''")
  expect_error(stratified_stream(c("a", "a"), 1, identity, identity, strata = 1),
    "name each source once. Got 'a' twice")
  expect_error(make_stream(mean_batch_size = 5), "be given, or 'mean_batch_size', and not both. Got both")
  expect_error(make_stream(min_samples_per_stratum = NULL), "not both. Got neither")
  expect_error(make_stream(min_samples_per_stratum = NULL, mean_batch_size = 5, min_batch_size = 2),
    "'min_batch_size' .* be left out if 'mean_batch_size' is given. Got 2")
  expect_error(make_stream(min_samples_per_stratum = NULL, mean_batch_size = 5, strata = 0:1),
    "'mean_batch_size' .* be given together with 'counts'. Got 5")
  expect_error(make_stream(shuffle = FALSE, shuffle_sources = 2), "'shuffle_sources' .* be 1 if 'shuffle' is false")
  expect_error(make_stream(shuffle_sources = 5), "'shuffle_sources' .* from 1 to 4. Got 5")
  expect_error(make_stream(strata = 0:1, rare = "warn"), "'rare' parameter must be 'error' without 'counts'")
  expect_error(make_stream(read = "csv"), "'read' .* be a function of a source")
  expect_error(make_stream(stratum = 3), "'stratum' .* be a function of the rows, or the name of a column")
})

test_that("epochs end where there are no more seeds", {
  stream = make_stream()
  expect_error(stream$set_epoch(-1), "'epoch'")
  many = as.character(1:1000)
  stream = stratified_stream(many, 1, identity, identity, strata = many)
  expect_error(stream$set_epoch(3e6), "'epoch' .* be at most 2145337 with 1000 sources")
})

test_that("errors of sources name them", {
  source_error = function(message, ...) {
    expect_error(stream_rows(make_stream(...)), message, class = "rbridge_source_error")
  }
  source_error("The source 'a' cannot be read. gone", read = function(source) stop("gone"), shuffle = FALSE)
  source_error("The source 'a' cannot be read. The reader must return", read = function(source) mean, shuffle = FALSE)
  source_error("must be a function, because the rows are a list without names. Got 'a' instead.",
    read = function(source) list("a", "b"), stratum = "a", shuffle = FALSE)
  source_error("The 'stratum' parameter must name one of the columns of the rows, 'label'. Got 'lab' instead.",
    read = function(source) data.frame(label = source), stratum = "lab", shuffle = FALSE)
  source_error("one stratum a row. Got 1 value of 8 rows.", stratum = function(rows) 1, shuffle = FALSE)
  source_error("row 4 of the source 'a' must be one of '0'. Got '1' instead.", strata = 0, shuffle = FALSE)
  source_error("must hold logical values, numbers, text or dates, one kind per column. Got complex values instead.$",
    stratum = as.complex, shuffle = FALSE)
  source_error("row 1 of the source 'a' must be one of '0'. Got 'TRUE' instead.$", strata = 0, shuffle = FALSE,
    stratum = function(rows) rep(TRUE, length(rows)))
  source_error("must be one of ('s[0-9]', ){10}.... Got '0' instead.$", strata = sprintf("s%d", 0:11), shuffle = FALSE)
  source_error("The source 'c' must have 2 rows of '1', as its counts say. Got 1 instead.",
    counts = counts + c(0, 0, 0, 0, 0, 0, 1, 0))
  source_error("Lane 1 has no batch: the next batch has too few rows of '2'.", strata = 0:2)
  source_error("source '.' must leave at most 1 row in the buffer.", strata = 0:1, buffer_size = 1)
  source_error("source 'b' must leave at most 10 rows .* Got 12 .* of its own wait to be dealt, .* rows of '2'.",
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
    while (!coro::is_exhausted(batch <- following())) { # nolint
      found = c(found, list(batch))
    }
    expect_identical(found, stream_rows(do.call(make_stream, c(list(shuffle = FALSE), known))))
  }
  following = make_stream(strata = 0:2)$.iter()
  expect_error(following(), "Lane 1 has no batch")
  expect_error(following(), "Lane 1 has no batch")
})

test_that("weights undo how often an epoch takes rows", {
  stream = make_stream(min_samples_per_stratum = NULL, balance = "under", mean_batch_size = 4)
  rows = unlist(stream_rows(stream))
  expect_equal(c(tapply(stream$weights(rows), rows, sum)), c(table(unlist(sources))), ignore_attr = TRUE)
  expect_equal(mean(stream$weights(rows, normalize = TRUE)), 1)
  expect_named(stream$class_weights(), c("0", "1"), ignore.order = TRUE)
  expect_identical(stream$weights(numeric()), numeric())
  expect_error(stream$weights(3), "must have strata that are one of '0', '1'. Got '3' instead", fixed = TRUE)
  expect_error(make_stream(counts = NULL, strata = 0:1)$class_weights(), "'counts' parameter must be given for weights")
})
