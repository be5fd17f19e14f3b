# Pair numbers of Python's NegativePairBatchSampler, without Python.

numbers_of = function(pairs, n_items) 2 * ((pairs$user - 1) * n_items + pairs$item - 1) + pairs$label

test_that("decoding undoes the numbers, up to the largest", {
  for (n_items in c(1, 2, 7, 2^22 - 1, 2^31 - 1)) {
    n_users = min(2^31 - 1, floor(2^52 / n_items))
    users = unique(c(1, 2, 3, n_users %/% 2, n_users - 1, n_users))
    pairs = expand.grid(user = users, item = unique(c(1, n_items %/% 2 + 1, n_items)), label = 0:1)
    decoded = decode_pairs(numbers_of(pairs, n_items), n_items)
    expect_equal(decoded, pairs, ignore_attr = TRUE)
    expect_true(all(vapply(decoded, is.integer, logical(1))))
  }
  expect_identical(dim(decode_pairs(numeric(), 3)), c(0L, 3L))
})

test_that("a dataset gives codes, labels and features of all that it is asked for", {
  features = matrix(1:6, nrow = 3)
  dataset = pair_dataset(3, 4, user_features = features, item_features = c(0.5, 1.5, 2.5, 3.5))
  expect_identical(
    dataset[c(7, 12)],
    list(user = 1:2, item = 4:3, label = c(1, 0), user_features = features[1:2, ], item_features = c(3.5, 2.5))
  )
  expect_length(dataset, 24)
  expect_named(pair_dataset(3, 4)[0], c("user", "item", "label"))
  expect_identical(pair_dataset(2^30, 2^22)$.length(), 2^53)
  expect_error(dataset[24], "There is no user 4: the dataset has 3.", fixed = TRUE)
})

test_that("torch makes no integers of pair numbers", {
  dataset = pair_dataset(2^21, 2^31 - 1)
  generator = batch_sampler_pairs(2^21, 2^31 - 1, 0.5, 2, n_users = 2^21, n_items = 2^31 - 1, seed = 1)
  numbers = generator(NULL)$batches(0)$rows
  expect_identical(numbers[1L], 2^53 - 2^22 - 1)
  loader = torch::dataloader(dataset, batch_sampler = generator(dataset), collate_fn = identity)
  coro::loop(for (batch in loader) {
    expect_identical(numbers_of(batch, 2^31 - 1), numbers)
  })
  expect_identical(collect_rows(generator, 10)$rows, numbers)
})
