# Observed pairs and new negatives, drawn by R itself.

users = c(1, 1, 2, 3, 3, 1, 4, 3, 1)
items = c(2, 4, 1, 5, 2, 2, 3, 1, 2)

pairs_of = function(ratio = 0.3, batch_size = 8, ...) {
  arguments = utils::modifyList(list(n_users = 5, n_items = 6, seed = 1), list(...))
  do.call(batch_sampler_pairs, c(list(users, items, ratio, batch_size), arguments))
}

decoded = function(generator, epoch = 0) {
  sampler = generator(NULL)
  decode_pairs(sampler$batches(epoch)$rows, sampler$counts()$n_items)
}

key = function(users, items) paste(users, items)

test_that("the order in which positives are given does not matter, nor the type of codes", {
  skip_if_not_installed("mlr3misc")
  order = c(3, 1, 9, 2, 8, 4, 7, 5, 6)
  generator = batch_sampler_pairs(as.integer(users[order]), items[order], 0.3, 8, n_users = 5, n_items = 6, seed = 1)
  expect_identical(generator(NULL)$batches(2), pairs_of()(NULL)$batches(2))
  expect_identical(mlr3misc::calculate_hash(generator), mlr3misc::calculate_hash(pairs_of()))
})

test_that("a dataloader delivers the pairs by the dataset of pairs", {
  dataset = pair_dataset(5, 6, item_features = (1:6) / 2)
  generator = pairs_of(method = "per_user")
  loader = torch::dataloader(dataset, batch_sampler = generator(dataset), collate_fn = identity)
  delivered = coro::collect(loader)
  expected = decoded(generator)
  expect_identical(unlist(lapply(delivered, `[[`, "user")), expected$user)
  expect_identical(unlist(lapply(delivered, `[[`, "item")), expected$item)
  expect_identical(unlist(lapply(delivered, `[[`, "item_features")), expected$item / 2)
  expect_identical(collect_rows(generator, 10)$rows, generator(NULL)$batches(0)$rows)
})

test_that("R's own sample.int() gives the order and the ranks of the free cells", {
  expected = local({
    set.seed(5, "Mersenne-Twister", "Inversion", "Rejection")
    on.exit(RNGkind("default", "default", "default"))
    positives = unique(sort((users - 1) * 6 + items - 1))
    positives = c(positives, sort((users - 1) * 6 + items - 1)[duplicated(sort((users - 1) * 6 + items - 1))])
    free = setdiff(0:29, positives)
    order = sample.int(9 + 21)
    negatives = free[sample.int(length(free), 21, replace = TRUE)]
    c(2 * positives + 1, 2 * negatives)[order]
  })
  dealt = c(expected[expected %% 2 == 1], expected[expected %% 2 == 0])
  batches = unname(split(dealt, rep_len(1:4, 30)))
  expect_identical(epoch_of(pairs_of(seed = 5)(NULL), 0), batches)
})

test_that("codes that are none are refused, counted from 1", {
  refused = function(users, items, ...) message_of(batch_sampler_pairs(users, items, 0.5, 2, ...))
  users_must = "The 'users' parameter must"
  advice = "Ids are text or categories, in R a factor."
  expect_identical(refused(c(1, 0), c(1, 1)),
    paste(users_must, "hold codes from 1 to 2147483647. Got 0 instead.", advice))
  expect_identical(refused(3, 1, n_users = 2), paste(users_must, "hold codes from 1 to 2. Got 3 instead."))
  expect_identical(refused(0.5, 1), paste(users_must, "hold codes, integers from 1. Got 0.5 instead.", advice))
  expect_identical(refused(NA, 1),
    paste(users_must, "hold codes, integers from 1. Got logical values instead.", advice))
  expect_identical(refused(c(1, NA), 1:2), paste(users_must, "hold codes, integers from 1. Got NA instead.", advice))
  expect_identical(refused(Sys.Date(), 1),
    paste(users_must, "hold codes, integers from 1. Got Date values instead.", advice))
  expect_identical(refused(numeric(), numeric()), paste(users_must, "have at least one code. Got 0 values instead."))
  expect_identical(refused(diag(2), 1), paste(users_must, "be a vector of codes or ids. Got 2 dimensions instead."))
  expect_identical(refused(1:2, 1), paste("The 'items' parameter must have one value for each",
    "user code, 2. Got 1 value instead."))
})

test_that("text and factors are ids, numbered in order of first appearance", {
  names = list(users = c("ann", "bob", "ann", "eve", "dan"), items = c("x", "y", "", "x", "x"))
  coded = batch_sampler_pairs(c(1, 2, 1, 3, 4), c(1, 2, 3, 1, 1), 0.4, 5, seed = 1)
  forms = list(identity, function(ids) factor(ids, levels = rev(sort(unique(c(ids, "unused"))))))
  for (form in forms) {
    generator = batch_sampler_pairs(form(names$users), form(names$items), 0.4, 5, seed = 1)
    sampler = generator(NULL)
    expect_identical(sampler$user_ids(), c("ann", "bob", "eve", "dan"))
    expect_identical(sampler$item_ids(), c("x", "y", ""))
    expect_identical(sampler$batches(2), coded(NULL)$batches(2))
    expect_identical(c(sampler$counts()$n_users, sampler$counts()$n_items), c(4, 3))
    expect_output(print(generator), "num_replicas|Table: 4 users, 3 items")
  }
  expect_null(coded(NULL)$user_ids())
  pairs = decode_pairs(sampler$batches(0)$rows, 3, user_ids = sampler$user_ids(), item_ids = sampler$item_ids())
  positives = pairs[pairs$label == 1L, ]
  expect_setequal(key(positives$user, positives$item), key(names$users, names$items))
  dataset = pair_dataset(4, 3, user_ids = sampler$user_ids(), item_ids = c(a = 10, b = 20, c = 30))
  batch = dataset[sampler$batches(0)$rows]
  expect_identical(batch$user_id, pairs$user)
  expect_identical(batch$item_id, batch$item * 10)
  numbers = batch_sampler_pairs(factor(c(2^40, -7)), 1:2, 0.5, 4, seed = 1)(NULL)
  expect_identical(numbers$user_ids(), as.character(c(2^40, -7)))
})

test_that("ids that are none are refused", {
  refused = function(users, items, ...) message_of(batch_sampler_pairs(users, items, 0.5, 2, ...))
  expect_match(refused(c("a", NA), 1:2),
    "'users' .* must have no missing values. Got 1 missing of 2 rows instead. Leave these pairs out.")
  expect_match(refused(1:2, factor(c(NA, "a"))), "'items' .* must have no missing values. Got 1 missing of 2 rows")
  expect_match(refused(c("a\xff", "b"), 1:2), "or ids, text or a factor. Got text that is not Unicode instead.",
    fixed = TRUE)
  expect_match(refused(1:2, c("a", "b"), n_items = 9),
    "The 'n_items' parameter must be left out if 'items' are ids. Got 9 instead. Give codes",
    fixed = TRUE)
  full = message_of(batch_sampler_pairs(c("ann", "bob", "bob"), c(1, 1, 2), 0.5, 4, method = "per_user"))
  expect_match(full, "1 user without one, the first of them user 'bob', instead", fixed = TRUE)
  expect_error(decode_pairs(c(7, 12), 4, item_ids = "a"),
    "The 'item_ids' parameter must have one id for each of 4. Got 1 value instead.", fixed = TRUE)
  expect_error(decode_pairs(c(7, 12), 4, user_ids = "a"),
    "The 'numbers' parameter must be those of at most 1 user. Got 2 instead.", fixed = TRUE)
  expect_error(pair_dataset(3, 4, user_ids = list(1, 2, 3)), "must be a vector of ids.", fixed = TRUE)
  expect_error(pair_dataset(3, 4, user_ids = c("a", "b")), "must have one id for each of 3. Got 2 values", fixed = TRUE)
})

test_that("popularity that would keep too little is refused", {
  full = list(users = rep(1:2, each = 300), items = rep(1:300, 2), ratio = 0.5, batch_size = 10, n_users = 3)
  expect_error(do.call(batch_sampler_pairs, c(full, list(method = "popularity"))),
    "must keep at least 1/100 of what is drawn. Got 'popularity', which keeps 0 for all users, instead.", fixed = TRUE)
})
