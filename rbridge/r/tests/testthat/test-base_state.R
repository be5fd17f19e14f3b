# The states of samplers: what is refused, feedback, endless epochs. test-base_specimens.R continues every kind.

labels = rep(c("a", "b"), times = c(12L, 36L))

generators = list(
  stratified = batch_sampler_stratified(2, strata = labels, seed = 1, num_replicas = 2),
  weighted = batch_sampler_weighted(rep(c(1, 3), 24), batch_size = 4, seed = 1, num_replicas = 2)
)

take = function(following, n) lapply(seq_len(n), function(i) following())

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
    "The 'version' parameter must be an integer from 1 to 1. Got 2 instead." = list(version = 2),
    "The 'batch' parameter must be an integer from 0 to 6" = list(batch = 7),
    "The 'epoch' parameter must be an integer from 0 to 6700000" = list(epoch = -1),
    "Got that of a sampler instead." = list(fingerprint = NULL)
  ))
  other = batch_sampler_stratified(2, strata = labels, seed = 2, num_replicas = 2)
  expect_error(other(NULL)$load_state_dict(generator(NULL)$state()), fixed = TRUE,
    paste("must come from a sampler with the same data, parameters and seed. Got that of a sampler with another seed,",
      "1, instead. Make the sampler as it was made when the state was saved."))
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
  expect_identical(drain(again), drain(following)[-1L])
  expect_identical(copy$weights(), sampler$weights())
  expect_identical(copy$sample(5), sampler$sample(5))
})
