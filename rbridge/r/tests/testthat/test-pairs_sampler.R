# Observed pairs and new negatives, drawn by R itself; tests/bridge compares them with Python's.

users = c(1, 1, 2, 3, 3, 1, 4, 3, 1)
items = c(2, 4, 1, 5, 2, 2, 3, 1, 2)

test_that("a dataloader delivers the pairs by the dataset of pairs", {
  dataset = pair_dataset(5, 6, item_features = (1:6) / 2)
  generator = batch_sampler_pairs(users, items, 0.3, 8, n_users = 5, n_items = 6, method = "per_user", seed = 1)
  delivered = deliver(dataset, batch_sampler = generator(dataset))
  expected = decode_pairs(generator(NULL)$batches(0)$rows, 6)
  expect_identical(unlist(lapply(delivered, `[[`, "user")), expected$user)
  expect_identical(unlist(lapply(delivered, `[[`, "item")), expected$item)
  expect_identical(unlist(lapply(delivered, `[[`, "item_features")), expected$item / 2)
  expect_identical(collect_rows(generator, 10)$rows, generator(NULL)$batches(0)$rows)
  as_integers = batch_sampler_pairs(as.integer(users), as.integer(items), 0.3, 8, n_users = 5L, n_items = 6L,
    method = "per_user", seed = 1)
  expect_identical(recipe_of(as_integers), recipe_of(generator))
})

test_that("text and factors are ids, numbered in order of first appearance", {
  names = list(users = c("ann", "bob", "ann", "eve", "dan"), items = c("x", "y", "", "x", "x"))
  coded = batch_sampler_pairs(c(1, 2, 1, 3, 4), c(1, 2, 3, 1, 1), 0.4, 5, seed = 1)(NULL)
  for (form in list(identity, function(ids) factor(ids, levels = rev(sort(unique(c(ids, "unused"))))))) {
    sampler = batch_sampler_pairs(form(names$users), form(names$items), 0.4, 5, seed = 1)(NULL)
    expect_identical(sampler$user_ids(), c("ann", "bob", "eve", "dan"))
    expect_identical(sampler$item_ids(), c("x", "y", ""))
    expect_identical(sampler$batches(2), coded$batches(2))
    expect_identical(c(sampler$counts()$n_users, sampler$counts()$n_items), c(4, 3))
  }
  expect_null(coded$user_ids())
  pairs = decode_pairs(sampler$batches(0)$rows, 3, user_ids = sampler$user_ids(), item_ids = sampler$item_ids())
  positives = pairs[pairs$label == 1L, ]
  expect_setequal(paste(positives$user, positives$item), paste(names$users, names$items))
  batch = pair_dataset(4, 3, user_ids = sampler$user_ids(), item_ids = c(10, 20, 30))[sampler$batches(0)$rows]
  expect_identical(batch$user_id, pairs$user)
  expect_identical(batch$item_id, batch$item * 10)
})

test_that("codes and ids that are none are refused, counted from 1", {
  expect_error(batch_sampler_pairs(c(1, 0), c(1, 1), 0.5, 2), fixed = TRUE,
    "'users' parameter must hold codes, integers from 1 to 16777216. Got 0 instead. Pass 'n_users' for larger codes.")
  expect_error(batch_sampler_pairs(3, 1, 0.5, 2, n_users = 2), "integers from 1 to 2. Got 3 instead.", fixed = TRUE)
  expect_error(batch_sampler_pairs(1:2, factor(c(NA, "a")), 0.5, 2), "Got 1 missing of 2 rows instead.", fixed = TRUE)
})
