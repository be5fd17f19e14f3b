# Batches of rows of similar length: the golden cases, ranks, feedback, and invalid lengths.

drawn_by_length = function(n, sample, lengths, ..., seed = 1, num_replicas = NULL) {
  inside = batch_sampler_epoch_subset(n, sample, sample, seed = seed, num_replicas = num_replicas)
  batch_sampler_by_length(inside, lengths, ...)
}

test_that("batches are those of the golden cases", {
  for (case in read_golden("lengths.json")$cases) {
    given = case$input
    limits = given[intersect(names(given), c("batch_size", "max_tokens", "window", "num_replicas",
      "balance_replicas", "seed"))]
    lengths = (seq_len(given$n) * given$lengths$multiplier) %% given$lengths$modulus
    sampler = do.call(drawn_by_length, c(list(given$n, given$sample, lengths), limits))(NULL)
    batches = sampler$batches(given$epoch)
    found = list(rows = cut_list(batches$rows - 1), sizes = cut_list(diff(batches$offsets)))
    expect_parts(found, case$expected, info = toString(limits))
  }
})

lengths_of_200 = 1L + (0:199 * 13L) %% 29L

test_that("an iteration has the batches that .length() says, epoch after epoch, of all ranks", {
  by_length = function() drawn_by_length(200, 120, lengths_of_200, max_tokens = 90, window = 50, num_replicas = 2)
  sampler = by_length()(NULL)
  ranks = lapply(0:1, function(rank) by_length()(NULL)$set_rank(rank, 2))
  counts = vapply(0:4, function(epoch) {
    announced = sampler$.length()
    batches = next_epoch_of(sampler)
    expect_length(batches, announced)
    of_ranks = lapply(ranks, next_epoch_of)
    expect_identical(batches, do.call(c, do.call(Map, c(list(list), of_ranks))))
    announced
  }, 0L)
  expect_gt(length(unique(counts)), 1L)
  expect_length(deliver(dataset_of(200), batch_sampler = by_length()(NULL)), by_length()(NULL)$.length())
})

test_that("feedback counts from the next epoch on, and is in states", {
  by_length = function() {
    batch_sampler_by_length(batch_sampler_weighted(rep(1, 200), 40, seed = 1), lengths_of_200, max_tokens = 60)(NULL)
  }
  sampler = by_length()
  expected = epoch_of(sampler, 0)
  following = sampler$.iter()
  begun = lapply(1:5, function(batch) following())
  sampler$sampler()$update(1:190, rep(0, 190))
  state = sampler$state(0, 5)
  resumed = by_length()$load_state_dict(state)
  expect_identical(c(begun, next_epoch_of(resumed)), expected)
  expect_identical(resumed$sampler()$weights(), sampler$sampler()$weights())
  sampler$set_epoch(1)
  second = next_epoch_of(sampler)
  expect_identical(next_epoch_of(resumed), second)
  expect_gt(min(unlist(second)), 190)
  for (wrong in list(list(drawn = rep(200L, 200)), list(sampler = "x"))) {
    expect_error(by_length()$load_state_dict(utils::modifyList(state, wrong)), "must")
  }
})

test_that("wrong lengths are refused, with the row positions of R", {
  refused = function(lengths, message) {
    expect_error(drawn_by_length(5, 8, lengths, max_tokens = 5)(NULL), message, fixed = TRUE)
  }
  of_each = "The 'lengths' parameter must hold whole numbers from 0 to 2147483647, one for each row. Got"
  refused(1:4, "must have one value for each row of the sampler, 5. Got 4 values instead.")
  refused(c(1, 2, 3, 4, -5), paste(of_each, "-5 instead."))
  refused(c(1L, 2L, 3L, 4L, NA), paste(of_each, "NA instead."))
  refused(c(1, 2, 3, 4, 0.5), paste(of_each, "0.5 instead."))
  refused(TRUE, "must hold numbers. Got a value of class 'logical' instead.")
  refused(c(1, 2, 9, 8, 5), "'max_tokens' parameter must be at least 9, the length of the longest row. Got 5 instead.")
  dataset = corpus_dataset(corpus_of(a = 3), ".txt")
  expect_identical(dataset$lengths(function(lines) nchar(lines$txt)), rep(8L, 3L))
  expect_error(dataset$lengths(function(lines) 8L), "'by' .* must return a number for each position. Got 8 instead.")
  expect_error(batch_sampler_by_length(NULL, 1:3, 5), "'sampler' parameter must be a generator of this package")
})

test_that("what is printed names the kind of the sampler inside, whether or not it waits for a task", {
  for (sampler in list(batch_sampler_uniform(4, 2), batch_sampler_uniform(batch_size = 2))) {
    shown = utils::capture.output(print(batch_sampler_by_length(sampler, 1:4, max_tokens = 5)))
    expect_true(all(c("* sampler: 'uniform'", "* balance_replicas: FALSE", "* shuffle: TRUE") %in% shown))
  }
})
