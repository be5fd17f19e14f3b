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

test_that("features, ids and numbers that do not fit are refused", {
  refused = function(text, code) expect_error(code, text, fixed = TRUE)
  refused("The 'user_features' parameter must be a vector or a matrix. Got 3 dimensions instead.",
    pair_dataset(3, 4, user_features = array(1, c(3, 2, 2))))
  refused("The 'user_features' parameter must have one value or one row for each of 3. Got 2 values instead.",
    pair_dataset(3, 4, user_features = matrix(1, 2, 5)))
  refused("must be numbers. Got 4 values instead.", pair_dataset(3, 4, item_features = letters[1:4]))
  refused("must have one id for each of 3. Got 2 values", pair_dataset(3, 4, user_ids = c("a", "b")))
  refused("The 'numbers' parameter must be those of at most 1 user. Got 2 instead.",
    decode_pairs(c(7, 12), 4, user_ids = "a"))
  refused("The 'n_items' parameter must be an integer from 1 to 2147483647. Got ", decode_pairs(7, 0))
  for (numbers in list(-1, 2^53, 0.5, NA_real_, "7")) {
    refused("The 'numbers' parameter must hold pair numbers, integers from 0 to 2^53 - 1. Got ",
      decode_pairs(numbers, 3))
  }
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
