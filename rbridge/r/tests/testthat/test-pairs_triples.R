# Triples of a user, a positive and negatives of that user, drawn by R itself; tests/bridge compares them with Python's.

generator = batch_sampler_triples(c(1, 1, 2, 3, 3, 1, 4, 3, 1), c(2, 4, 1, 5, 2, 2, 3, 1, 2), 4, n_users = 5,
  n_items = 6, negatives_per_positive = 3, seed = 1)

test_that("a dataloader delivers triples, with features and ids", {
  prices = matrix(1:12 / 2, nrow = 6)
  dataset = triple_dataset(5, 6, 3, user_features = (1:5) / 4, item_features = prices, item_ids = letters[1:6])
  delivered = deliver(dataset, batch_sampler = generator(dataset))
  expected = triple_dataset(5, 6, 3)[generator(NULL)$batches(0)$rows]
  expect_identical(unlist(lapply(delivered, `[[`, "user")), expected$user)
  expect_identical(unlist(lapply(delivered, `[[`, "positive_id")), letters[expected$positive])
  negatives = do.call(rbind, lapply(delivered, `[[`, "negatives"))
  expect_identical(negatives, expected$negatives)
  expect_identical(do.call(rbind, lapply(delivered, `[[`, "negatives_id")), array(letters[negatives], dim(negatives)))
  first = delivered[[1]]
  expect_identical(first$user_features, first$user / 4)
  expect_identical(first$positive_features, prices[first$positive, ])
  expect_identical(dim(first$negatives_features), c(3L, 3L, 2L))
  expect_identical(first$negatives_features[2, 3, ], prices[first$negatives[2, 3], ])
  expect_identical(collect_rows(generator, 10)$rows, generator(NULL)$batches(0)$rows)
})

test_that("one triple, one negative and no triples keep their dimensions", {
  dataset = triple_dataset(3, 4, item_features = 1:4 / 2)
  expect_identical(dataset[c(7, 0)],
    list(user = 1L, positive = 4L, negatives = matrix(1L), positive_features = 2, negatives_features = matrix(0.5)))
  expect_identical(dim(dataset[numeric()]$negatives), c(0L, 1L))
})

test_that("a dataset refuses what are no whole triples", {
  for (numbers in list(c(7, 0), c(6, 0, 4), c(7, 9, 4), c(25, 24, 26))) {
    expect_error(triple_dataset(3, 4, 2)[numbers],
      "The 'numbers' parameter must hold whole triples of 3 users: a positive, then 2", fixed = TRUE)
  }
})
