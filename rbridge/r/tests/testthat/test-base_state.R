# The states of samplers: what is refused, feedback, endless epochs. test-base_specimens.R continues every kind.

labels = rep(c("a", "b"), times = c(12L, 36L))

generators = list(
  stratified = batch_sampler_stratified(2, strata = labels, seed = 1, num_replicas = 2),
  weighted = batch_sampler_weighted(rep(c(1, 3), 24), batch_size = 4, seed = 1, num_replicas = 2),
  perplexity = batch_sampler_perplexity(48, batch_size = 4, seed = 1, num_replicas = 2)
)

take = function(following, n) lapply(seq_len(n), function(i) following())

state_after = function(generator, done) {
  sampler = generator(NULL)
  take(sampler$.iter(), done)
  sampler$state(0, done)
}

# Each message is the refusal of a state that differs in these entries; an entry may become NULL.
expect_refused_states = function(generator, state, changes) {
  for (place in seq_along(changes)) {
    changed = utils::modifyList(state, changes[[place]], keep.null = TRUE)
    expect_error(generator(NULL)$load_state_dict(changed), names(changes)[place], fixed = TRUE)
  }
}

test_that("set_epoch() keeps the place within the same epoch, or sets it; an instance has the length of the rest", {
  generator = generators$stratified
  sampler = generator(NULL)
  whole = epoch_of(sampler, 4)
  sampler$set_epoch(4, batches_done = 2)
  sampler$set_epoch(4)
  expect_identical(sampler$state()[c("epoch", "batch")], list(epoch = 4, batch = 2))
  expect_identical(sampler$.length(), 4L)
  expect_identical(next_epoch_of(sampler), whole[3:6])
  expect_identical(sampler$.length(), 6L)
  sampler$set_epoch(4, batches_done = 2)$set_epoch(4, batches_done = 0)
  expect_identical(next_epoch_of(sampler), whole)
  sampler$set_epoch(4, batches_done = 6)
  expect_identical(sampler$epoch, 5)
  expect_identical(sampler$state(4, 6), sampler$state())
  expect_error(sampler$set_epoch(4, batches_done = 7), "'batches_done' parameter must be an integer from 0 to 6")
  rank = generator(NULL)$set_rank(1, 2)$set_epoch(4, batches_done = 1)
  expect_identical(rank$state()$batch, 2)
  expect_identical(next_epoch_of(rank), whole[c(4, 6)])
  weighted = generators$weighted(NULL)
  whole = epoch_of(weighted, 4)
  expect_identical(next_epoch_of(weighted$set_epoch(4, batches_done = 2)), whole[-(1:2)])
})

test_that("ranks must fit the sampler", {
  sampler = generators$stratified(NULL)
  expect_error(sampler$set_rank(2, 2), "The 'rank' parameter must be an integer from 0 to 1. Got 2 instead.")
  expect_error(sampler$set_rank(0, 4), "The 'num_replicas' parameter must be that of the generator")
  expect_error(assign("rank", 1, sampler), "cannot be assigned. Use 'set_rank()'.", fixed = TRUE)
})

test_that("other states are errors", {
  generator = generators$stratified
  expect_error(generator(NULL)$load_state_dict(list()), "the entries 'version', 'fingerprint', 'epoch' and 'batch'")
  expect_refused_states(generator, generator(NULL)$state(), list(
    "must be of version 1. Got version 2 instead." = list(version = 2),
    "The 'batch' parameter must be an integer from 0 to 6" = list(batch = 7),
    "The 'epoch' parameter must be an integer from 0 to 6700000" = list(epoch = -1)
  ))
  made = function(strata = labels, seed = 1, num_replicas = 2) {
    batch_sampler_stratified(2, strata = strata, seed = seed, num_replicas = num_replicas)(NULL)
  }
  expect_error(made(seed = 2)$load_state_dict(made()$state()), fixed = TRUE,
    paste("must come from a sampler with the same data, parameters and seed. Got that of a sampler with another seed,",
      "1, instead. Make the sampler as it was made when the state was saved."))
  expect_error(made(rev(labels))$load_state_dict(made()$state()), "with other strata instead.")
  expect_error(made(num_replicas = 4)$load_state_dict(made()$state()), "with another number of batches, such as")
})

test_that("other states of a sampler with feedback are errors", {
  generator = generators$weighted
  state = state_after(generator, 2)
  weights = rep(1, 48)
  expect_error(generator(NULL)$load_state_dict(state[1:4]), "the entries of a sampler with feedback too")
  expect_error(generator(NULL)$set_rank(1, 2)$load_state_dict(utils::modifyList(state, list(batch = 3))),
    "must be at a multiple of the number of replicas")
  expect_refused_states(generator, state, list(
    "must hold drawn batches of 4 rows" = list(drawn = c(1, 2, 3)),
    "must hold row positions from 0 to 47" = list(drawn = c(1.5, 2, 3, 4)),
    "must hold row positions from 0 to 47" = list(drawn = c(3e9, 2, 3, 4)),
    "must hold 625 words of the generator" = list(generator = 1:3),
    "hold the state of the generator" = list(generator = NULL),
    "must hold numbers" = list(weights = "a"),
    "The 'next_position' parameter must be an integer from 0 to 47" = list(next_position = 48),
    "must hold 48 weights. Got 49 values instead." = list(weights = c(weights, 1))
  ))
  buffer = batch_sampler_prioritized(3, 2, capacity = 8, seed = 1)
  expect_refused_states(buffer, buffer(NULL)$state(), list(
    "'next_position' parameter must be an integer from 3 to 3. Got 2" = list(next_position = 2),
    "must hold from 0 to 8 weights. Got 9 values" = list(weights = rep(1, 9)),
    "must hold weights above 0. Got 0" = list(weights = c(1, 0, 1))
  ))
})

test_that("feedback is part of a state, which counts no batches that were not requested", {
  generator = generators$weighted
  sampler = generator(NULL)
  following = sampler$.iter()
  take(following, 3)
  expect_error(sampler$state(0, 5), "'batches_done' parameter must be from 0 to 4, where draws are known. Got 5")
  sampler$update(1:40, rep(0, 40))
  sampler$sample(3)
  state = sampler$state(0, 1)
  copy = generator(NULL)
  copy$load_state_dict(state)
  again = copy$.iter()
  take(again, 3) # the second batch; the third and fourth were drawn together
  expect_identical(drain(again), c(list(), drain(following))[-1L])
  expect_identical(copy$weights(), sampler$weights())
  expect_identical(copy$sample(5), sampler$sample(5))
})

test_that("a state by perplexity has the reports, and the weights of the epoch that they no longer determine", {
  generator = generators$perplexity
  sampler = generator(NULL)
  following = sampler$.iter()
  take(following, 3)
  sampler$report(1:48, log(seq(1, 8, length.out = 48)))
  state = sampler$state(0, 2)
  copy = generator(NULL)
  copy$load_state_dict(state)
  again = copy$.iter()
  take(again, 1)
  expect_identical(drain(again), drain(following))
  expect_identical(copy$perplexities(), sampler$perplexities())
  expect_identical(next_epoch_of(copy), next_epoch_of(sampler))
  expect_true(copy$started())
  state$reported[1] = 0.5
  expect_error(generator(NULL)$load_state_dict(state), "hold perplexities from 1 to 1000000, or 0. Got 0.5 instead.")
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
