# The states of samplers: what is refused, feedback, endless epochs. test-base_specimens.R continues every kind.

labels = rep(c("a", "b"), times = c(12L, 36L))

generators = list(
  stratified = batch_sampler_stratified(2, strata = labels, seed = 1, num_replicas = 2),
  weighted = batch_sampler_weighted(rep(c(1, 3), 24), batch_size = 4, seed = 1, num_replicas = 2),
  perplexity = batch_sampler_perplexity(48, sample = 24, batch_size = 4, seed = 1, num_replicas = 2),
  perplexity_by_length = batch_sampler_perplexity(48, sample = 24, lengths = rep(1:6, 8), max_tokens = 12, seed = 1,
    num_replicas = 2)
)

take = function(following, n) lapply(seq_len(n), function(i) following())

state_after = function(generator, done) {
  sampler = generator(NULL)
  take(sampler$.iter(), done)
  sampler$state_dict(batches_consumed = done)
}

test_that("within an epoch, the number of batches must be given", {
  sampler = generators$stratified(NULL)
  sampler$state_dict()
  following = sampler$.iter()
  expect_identical(sampler$state_dict()$batch, 0)
  following()
  expect_error(sampler$state_dict(), fixed = TRUE,
    "The 'batches_consumed' parameter must be given within epoch 0, which has begun and has not ended. Got nothing")
  expect_error(sampler$state_dict(batches_consumed = 7), "must be an integer from 0 to 6. Got 7 instead.")
  drain(following)
  expect_identical(sampler$state_dict()[c("epoch", "batch")], list(epoch = 1, batch = 0))
  expect_identical(sampler$state_dict(batches_consumed = 6), sampler$state_dict())
  expect_identical(sampler$state_dict(batches_consumed = 0)[c("epoch", "batch")], list(epoch = 0, batch = 0))
  sampler$.iter()
  expect_identical(sampler$state_dict(batches_consumed = 0)$epoch, 1)
  sampler$set_epoch(5)
  expect_error(sampler$state_dict(batches_consumed = 1), "must be 0. Got 1 instead.")
})

test_that("set_epoch() keeps the place within the same epoch, or sets it", {
  generator = generators$stratified
  sampler = generator(NULL)
  whole = epoch_of(sampler, 4)
  sampler$set_epoch(4, batches_done = 2)
  sampler$set_epoch(4)
  expect_identical(next_epoch_of(sampler), whole[3:6])
  sampler$set_epoch(4, batches_done = 2)$set_epoch(4, batches_done = 0)
  expect_identical(next_epoch_of(sampler), whole)
  sampler$set_epoch(4, batches_done = 6)
  expect_identical(sampler$epoch, 5)
  expect_error(sampler$set_epoch(4, batches_done = 7), "'batches_done' parameter must be an integer from 0 to 6")
  expect_error(generators$weighted(NULL)$set_epoch(1, batches_done = 2), "must be 0 for a sampler with feedback")
})

test_that("ranks must fit the sampler", {
  sampler = generators$stratified(NULL)
  expect_error(sampler$set_rank(2, 2), "The 'rank' parameter must be an integer from 0 to 1. Got 2 instead.")
  expect_error(sampler$set_rank(0, 4), "The 'num_replicas' parameter must be that of the generator")
  expect_error(generators$weighted(NULL)$set_rank(0, 3), "'num_replicas' parameter must be that of the generator")
  expect_error(assign("rank", 1, sampler), "cannot be assigned. Use 'set_rank()'.", fixed = TRUE)
})

test_that("other states are errors", {
  sampler = generators$stratified(NULL)
  state = sampler$state_dict()
  with = function(...) utils::modifyList(state, list(...))
  other = batch_sampler_stratified(2, strata = labels, seed = 2)(NULL)
  expect_error(other$load_state_dict(state), paste("must come from a sampler with the same data, parameters and seed. Got",
    "that of a sampler with another seed, 1, instead. Make the sampler as it was made when the state was saved."))
  other = batch_sampler_stratified(2, strata = rev(labels), seed = 1)(NULL)
  expect_error(other$load_state_dict(state), "that of a sampler with other strata instead.")
  other = batch_sampler_stratified(2, strata = labels, seed = 1, num_replicas = 4)(NULL)
  expect_error(other$load_state_dict(state), "with another number of batches, such as that of another 'num_replicas',")
  expect_error(sampler$load_state_dict(list()), "must have the entries 'version', 'fingerprint', 'epoch' and 'batch'")
  expect_error(sampler$load_state_dict(with(version = 2)), "must be of version 1. Got version 2 instead.")
  expect_error(sampler$load_state_dict(with(batch = 7)), "The 'batch' parameter must be an integer from 0 to 6")
  expect_error(sampler$load_state_dict(with(epoch = -1)), "The 'epoch' parameter must be an integer from 0 to 6700000")
  weighted = generators$weighted(NULL)
  state = state_after(generators$weighted, 2)
  expect_error(weighted$load_state_dict(state[1:4]), "must have the entries 'drawn', 'generator', 'sample_generator'")
  expect_error(weighted$load_state_dict(with(feedback = list(weights = 1))), "'state' parameter must hold 48 weights")
  expect_error(weighted$load_state_dict(with(drawn = matrix(1, 1, 3))), "must hold drawn batches of 4 rows")
  expect_error(weighted$load_state_dict(with(generator = 1:3)), "must hold 625 words of the generator")
  expect_error(weighted$load_state_dict(with(generator = NULL, feedback = state$feedback)), "'generator'")
  weighted$set_rank(1, 2)
  expect_error(weighted$load_state_dict(with(batch = 3)), "must be at a multiple of the number of replicas")
})

test_that("feedback is part of a state", {
  generator = generators$weighted
  sampler = generator(NULL)
  following = sampler$.iter()
  take(following, 3)
  sampler$update(1:40, rep(0, 40))
  sampler$sample(3)
  state = sampler$state_dict(batches_consumed = 1)
  copy = generator(NULL)
  copy$load_state_dict(state)
  again = copy$.iter()
  take(again, 3) # the second batch; the third and fourth were drawn together
  expect_identical(drain(again), c(list(), drain(following))[-1L])
  expect_identical(copy$weights(), sampler$weights())
  expect_identical(copy$sample(5), sampler$sample(5))
})

test_that("a state by perplexity has the reports, and what the epoch visits that they no longer determine", {
  for (generator in generators[c("perplexity", "perplexity_by_length")]) {
    sampler = generator(NULL)
    following = sampler$.iter()
    take(following, 3)
    sampler$report(1:48, log(seq(1, 8, length.out = 48)))
    state = sampler$state_dict(batches_consumed = 2)
    copy = generator(NULL)
    copy$load_state_dict(state)
    again = copy$.iter()
    take(again, 1)
    expect_identical(drain(again), drain(following))
    expect_identical(copy$perplexities(), sampler$perplexities())
    expect_identical(next_epoch_of(copy), next_epoch_of(sampler))
    expect_true(copy$started())

    copy = generator(NULL)
    copy$load_state_dict(state)
    copy$set_epoch(7)
    expect_identical(copy$state_dict()$drawn, NULL)
    expect_identical(length(next_epoch_of(copy)) %% 2L, 0L)
  }
})

test_that("other states by perplexity are errors", {
  # Base64 of three equal numbers, repeated.
  rows_of_48 = strrep("MAAAADAAAAAwAAAA", 8)
  reports_of_one_half = strrep("AAAAAAAA4D8AAAAAAADgPwAAAAAAAOA/", 16)
  generator = generators$perplexity_by_length
  sampler = generator(NULL)
  state = state_after(generator, 2)
  with = function(...) utils::modifyList(state, list(...))
  expect_error(sampler$load_state_dict(state[1:5]), "the entries 'reports', 'started', 'weighted' and 'drawn'")
  expect_error(sampler$load_state_dict(with(started = 1)), "must hold true or false as 'started'. Got 1 instead.")
  for (text in list(1, "a", "a!==", "AAA=")) {
    expect_error(sampler$load_state_dict(with(reports = text)), "numbers, packed into text. Got")
  }
  expect_error(sampler$load_state_dict(with(reports = "")), "must hold 48 reports, and 24 drawn rows. Got 0 and 24")
  without_rows = utils::modifyList(state, list(drawn = NULL), keep.null = TRUE)
  expect_error(sampler$load_state_dict(without_rows), "must hold 48 reports, and 24 drawn rows. Got 48 and 0")
  expect_error(sampler$load_state_dict(with(drawn = rows_of_48)), "24 rows from 0 as 'drawn'")
  expect_error(sampler$load_state_dict(with(reports = reports_of_one_half)), "be perplexities from 1 to 1000000")
  expect_error(sampler$load_state_dict(with(batch = 20)), "'batch'")
  expect_identical(drain(sampler$.iter()), next_epoch_of(generator(NULL)))
})

test_that("an epoch without an end continues", {
  generator = batch_sampler_tree(list(mode = "shuffle"), 5, length = NULL, table = list(x = labels), seed = 1)
  whole = take(generator(NULL)$.iter(), 5000)
  copy = generator(NULL)
  copy$load_state_dict(state_after(generator, 4000))
  expect_identical(take(copy$.iter(), 1000), whole[4001:5000])
  copy = generator(NULL)$set_rank(1, 2)
  copy$load_state_dict(state_after(generator, 4000))
  expect_identical(take(copy$.iter(), 2), whole[c(4002, 4004)])
})

test_that("a tensor loader counts the batches that were taken", {
  skip_if_not(torch::torch_is_installed(), "LibTorch")
  generator = generators$stratified
  loader = tensor_loader(x = 1:48, sampler = generator(NULL))
  iterator = torch::dataloader_make_iter(loader)
  for (i in 1:2) torch::dataloader_next(iterator)
  state = loader$state_dict()
  expect_identical(state$batch, 2)
  copy = tensor_loader(x = 1:48, sampler = generator(NULL))
  copy$load_state_dict(state)
  rest = lapply(coro::collect(copy), function(batch) as.integer(batch$x))
  expect_identical(rest, epoch_of(generator(NULL), 0)[3:6])
})

test_that("the rows that ranks sample are those of one process, one rank after the other", {
  generator = batch_sampler_weighted(1:8, 2, seed = 1, num_replicas = 2)
  whole = generator(NULL)
  ranks = lapply(0:1, function(rank) generator(NULL)$set_rank(rank, 2))
  for (k in c(4, 1, 3)) {
    expect_identical(unlist(lapply(ranks, function(sampler) sampler$sample(k))), whole$sample(2 * k))
  }
})

test_that("a state counts no batches that were not requested, and holds whole rows and named numbers", {
  sampler = batch_sampler_weighted(rep(1, 40), 4, seed = 1)(NULL)
  following = sampler$.iter()
  following()
  expect_error(sampler$state_dict(5), "'batches_consumed' parameter must be at most 1, the number of batches that were")
  state = sampler$state_dict(0)
  changed = function(...) utils::modifyList(state, list(...))
  load = function(state) batch_sampler_weighted(rep(1, 40), 4, seed = 1)(NULL)$load_state_dict(state)
  for (drawn in list(matrix(c(1.5, 2, 3, 4), 1), matrix(c(3e9, 2, 3, 4), 1))) {
    expect_error(load(changed(drawn = drawn)), "hold drawn batches of 4 rows")
  }
  for (feedback in list(3, list(weights = "a", next_position = 0), list(rep(1, 40)))) {
    expect_error(load(`[[<-`(state, "feedback", feedback)), "The 'state' parameter must hold the weights of the rows")
  }
  for (position in c(40, 0.5)) {
    feedback = list(weights = rep(1, 40), next_position = position)
    expected = "The 'next_position' parameter must be an integer from 0 to 39"
    expect_error(load(`[[<-`(state, "feedback", feedback)), expected)
  }
  feedback = list(weights = rep(1, 41), next_position = 0)
  expect_error(load(`[[<-`(state, "feedback", feedback)), fixed = TRUE,
    "The 'state' parameter must hold 40 weights. Got 41 values instead.")
  partial = batch_sampler_prioritized(3, 2, capacity = 8, seed = 1)(NULL)
  state = partial$state_dict(0)
  state$feedback$next_position = 2
  expect_error(partial$load_state_dict(state), "The 'next_position' parameter must be 3. Got 2 instead.", fixed = TRUE)
  state$feedback = list(weights = rep(1, 9), next_position = 0, largest = NULL)
  expect_error(partial$load_state_dict(state), fixed = TRUE,
    "The 'state' parameter must hold from 0 to 8 weights. Got 9 values instead.")
  state$feedback = list(weights = c(1, 0, 1), next_position = 3, largest = NULL)
  expect_error(partial$load_state_dict(state), "The 'state' parameter must hold weights above 0. Got 0", fixed = TRUE)
})
