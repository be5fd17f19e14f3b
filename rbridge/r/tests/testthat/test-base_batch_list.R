# The batches of an epoch as a list.

labels = rep(c("yes", "no"), times = c(6, 14))
sampler = function() sampler_of(labels, 2, seed = 42)

test_that("the batches of an epoch are a list of rows, with all rows and offsets in it", {
  batches = sampler()$batches(3)
  expect_length(batches, 3)
  expect_identical(lengths(batches), diff(batches$offsets))
  expect_identical(unlist(batches), batches$rows)
  expect_identical(sort(batches$rows), 1:20)
  expect_identical(batches[[2]], batches$rows[(batches$offsets[2] + 1):batches$offsets[3]])
  iterated = sampler()
  iterated$set_epoch(3)
  expect_identical(lapply(batches, identity), next_epoch_of(iterated))
  expect_identical(batches[2:3], list(batches[[2]], batches[[3]]))
  expect_identical(as.list(batches), lapply(batches, identity))
  expect_identical(Map(function(rows, batch) rows, batches, 1:3), as.list(batches))
  expect_identical(batches[-1], batches[2:3])
  expect_null(batches$row)
})

test_that("auxiliary values stay with their rows", {
  spec = list(mode = "sequential", auxiliary = list(step = "counter()"))
  batches = batch_sampler_tree(spec, 2, 3, table = list(x = 1:3), seed = 1)(NULL)$batches(0)
  expect_length(batches$aux$step, 3)
  expect_identical(batches[[1]], structure(1:2, aux = list(step = batches$aux$step[1:2])))
  expect_identical(batches[[2]], structure(3L, aux = list(step = batches$aux$step[3])))
})

test_that("an epoch may be empty", {
  empty = torch::sampler(initialize = function(data_source) NULL, .iter = function() coro::exhausted,
    .length = function() 0)
  batches = collect_rows(empty, 4)
  expect_length(batches, 0)
  expect_identical(as.list(batches), list())
})

test_that("it shows its first batches", {
  expect_output(print(sampler()$batches(3)), paste0("<batch_list>\n* Batches: 3, of 6 to 7 rows\n",
    "[[1]]\n[1]  2  1 17  7 10  8\n[[2]]\n"), fixed = TRUE)
  many = batch_sampler_uniform(100, 5, seed = 1)(NULL)$batches(0)
  expect_output(print(many), "... and 10 batches", fixed = TRUE)
})

test_that("the members of a generator are those of its instances, and an error says how to get them", {
  expect_error(batch_sampler_stratified(2, strata = labels)$batches(0), fixed = TRUE,
    "This batch_sampler_stratified is a generator: call it with a dataset first, generator(dataset)$batches.")
})
