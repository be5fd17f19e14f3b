# tensor_loader() yields what a dataloader of torch yields, bit for bit; arguments are checked without LibTorch.

n = 120
labels = rep(c(0, 1, 1, 0, 1, 1), 20)
stratified = function() sampler_of(labels, 3, seed = 1)

# One batch, a few, and all of an epoch.
chunks = c(1, 700, 2^22)

values = function() {
  list(x = torch::torch_arange(1, 3 * n)$view(c(n, 3)), y = torch::torch_tensor(labels))
}

# Batches as plain arrays, which are compared bit for bit.
plain = function(batches) lapply(batches, map_leaves)
map_leaves = function(leaf) {
  if (inherits(leaf, "torch_tensor")) {
    list(dtype = leaf$dtype$.type(), values = torch::as_array(leaf$clone()))
  } else if (is.list(leaf)) {
    lapply(leaf, map_leaves)
  } else {
    leaf
  }
}

samplers = list(
  stratified = stratified,
  weighted = function() batch_sampler_weighted(rep(1:3, 40), 7, seed = 1)(NULL),
  "by length" = function() {
    batch_sampler_by_length(batch_sampler_uniform(n, 6, seed = 1), 1 + seq_len(n)^2 %% 23, max_tokens = 40)(NULL)
  }
)

for (name in names(samplers)) {
  test_that(paste("it yields what a dataloader yields:", name), {
    skip_without_libtorch()
    dataset = do.call(torch::tensor_dataset, values())
    for (chunk in chunks) {
      loader = do.call(tensor_loader, c(values(), list(sampler = samplers[[name]](), chunk = chunk)))
      expected = torch::dataloader(dataset, batch_sampler = samplers[[name]]())
      for (epoch in 0:2) {
        expect_identical(length(loader), length(expected))
        expect_identical(plain(coro::collect(loader)), plain(coro::collect(expected)))
      }
      loader$set_epoch(7)
      expected$batch_sampler$set_epoch(7)
      expect_identical(plain(coro::collect(loader)), plain(coro::collect(expected)))
    }
  })
}

test_that("a single list determines the form of a batch, numbers become tensors, and a transform gets each batch", {
  skip_without_libtorch()
  x = matrix(as.numeric(seq_len(3 * n)), n)
  data = list(x = list(num = x, flag = labels == 1), 1:n)
  rows = epoch_of(stratified(), 0)
  for (chunk in chunks) {
    batches = coro::collect(tensor_loader(data, sampler = stratified(), chunk = chunk))
    expect_length(batches, length(rows))
    for (place in seq_along(rows)) {
      batch = batches[[place]]
      expect_named(batch, c("x", ""))
      expect_identical(as.array(batch$x$num), x[rows[[place]], ])
      expect_identical(as.array(batch$x$flag), labels[rows[[place]]] == 1)
      expect_identical(as.integer(batch[[2]]), rows[[place]])
    }
  }
  add_up = function(batch) as.numeric(batch[[1]]$sum())
  sums = coro::collect(tensor_loader(x, sampler = stratified(), transform = add_up, device = "cpu"))
  expect_identical(sums, lapply(rows, function(rows) sum(x[rows, ])))
})

test_that("pairs and triples", {
  skip_without_libtorch()
  users = rep(1:8, 5)
  items = 1 + (1:40 * 7) %% 12
  features = matrix(as.numeric(1:24), 12)
  pairs = batch_sampler_pairs(users, items, 0.4, 9, n_items = 12, seed = 1)(NULL)
  triples = batch_sampler_triples(users, items, 9, negatives_per_positive = 2, n_items = 12, seed = 1)(NULL)
  for (case in list(
    list(pairs, pair_dataset(8, 12, item_features = features)),
    list(triples, triple_dataset(8, 12, negatives_per_positive = 2, item_features = features))
  )) {
    expected = plain(coro::collect(torch::dataloader(case[[2]], batch_sampler = case[[1]])))
    for (chunk in chunks) {
      case[[1]]$set_epoch(0)
      found = coro::collect(tensor_loader(case[[2]], sampler = case[[1]], chunk = chunk))
      expect_identical(plain(found), expected)
    }
  }
})

test_that("auxiliary values come with their rows", {
  skip_without_libtorch()
  skip_if_not_installed("yaml")
  spec = list(mode = "shuffle", auxiliary = list(angle = "uniform(-10, 10)", lamp = "choice(['on', 'off'])"))
  sampler = batch_sampler_tree(spec, batch_size = 6, length = 50, table = list(x = labels), seed = 1)(NULL)
  expected = drain(sampler$.iter())
  sampler$set_epoch(0)
  batches = coro::collect(tensor_loader(row = seq_len(n), sampler = sampler, chunk = 700))
  for (place in seq_along(expected)) {
    aux = attr(expected[[place]], "aux")
    expect_identical(as.integer(batches[[place]]$row), as.integer(expected[[place]]))
    expect_equal(as.numeric(batches[[place]]$aux$angle), aux$angle, tolerance = 1e-6)
    expect_identical(batches[[place]]$aux$lamp, aux$lamp)
  }
})

test_that("feedback takes effect with the next batch", {
  skip_without_libtorch()
  delivered = lapply(c(1, 2^22), function(chunk) {
    sampler = batch_sampler_weighted(rep(1, n), 8, n_batches = 20, seed = 1)(NULL)
    rows = list()
    coro::loop(for (batch in tensor_loader(seq_len(n), sampler = sampler, chunk = chunk)) {
      rows[[length(rows) + 1L]] = as.integer(batch[[1]])
      sampler$update(rows[[length(rows)]], rep(1e-9, 8))
    })
    rows
  })
  expect_identical(delivered[[1]], delivered[[2]])
  sampler = batch_sampler_weighted(rep(1, n), 8, n_batches = 20, seed = 1)(NULL)
  following = sampler$.iter()
  for (rows in delivered[[1]]) {
    expect_identical(following(), rows)
    sampler$update(rows, rep(1e-9, 8))
  }
})

test_that("an iterator that is never called changes nothing, and ends more than once", {
  skip_without_libtorch()
  sampler = stratified()
  loader = tensor_loader(labels, sampler = sampler)
  batches = torch::dataloader_make_iter(loader)
  expect_identical(sampler$epoch, 0)
  for (place in seq_len(length(loader))) {
    torch::dataloader_next(batches)
  }
  expect_null(torch::dataloader_next(batches))
  expect_null(torch::dataloader_next(batches))
  expect_identical(sampler$epoch, 1)
})

test_that("arguments are refused before any work", {
  refused = function(parameter, message, ...) {
    whole = sprintf("The '%s' parameter must %s", parameter, message)
    expect_identical(message_of(tensor_loader(...)), whole)
  }
  sampler = stratified()
  refused("...", "have at least one tensor. Got none instead.", list(), sampler = sampler)
  refused("...", "have the same number of rows. Got 2 and 3 rows instead.", 1:3, matrix(1, 2, 2), sampler = sampler)
  refused("...", "be tensors, numbers, datasets or lists of these. Got 'a' instead.", list(x = "a"), sampler = sampler)
  refused("...", paste("have as many rows as the sampler was made for, 120. Got 121 rows instead.",
    "Of more rows, give only those of the sampler."), matrix(1, 121, 2), sampler = sampler)
  refused("chunk", "be an integer from 1 to 9007199254740992. Got 0 instead.", 1:3, sampler = sampler, chunk = 0)
  refused("sampler", paste("be an instance of a batch sampler of rbridge. Got a generator",
    "instead. Call it with the dataset, or with NULL."), 1:3, sampler = batch_sampler_uniform(3, 2))
  no_batches = torch::dataset(initialize = function() NULL, .getitem = function(i) i, .length = function() 3)()
  refused("...", "be datasets with a method '.getbatch'. Got one without instead.", no_batches, sampler = sampler)
})

test_that("tensors with gradients, and datasets that return too few rows, are refused", {
  skip_without_libtorch()
  expect_error(tensor_loader(torch::torch_ones(3, requires_grad = TRUE), sampler = stratified()),
    "must require no gradients. Got one that does instead. Call its method detach().", fixed = TRUE)
  short = torch::dataset(initialize = function() NULL, .getbatch = function(i) i[-1], .length = function() n)()
  expect_error(coro::collect(tensor_loader(short, sampler = stratified())),
    "must return a value for each row, or for each group of rows. Got", fixed = TRUE)
})

test_that("it counts the batches that were taken", {
  skip_without_libtorch()
  loader = tensor_loader(x = seq_len(n), sampler = stratified())
  iterator = torch::dataloader_make_iter(loader)
  for (i in 1:2) torch::dataloader_next(iterator)
  expect_identical(loader$state_dict()$batch, 2)
  copy = tensor_loader(x = seq_len(n), sampler = stratified())
  copy$load_state_dict(loader$state_dict())
  rest = lapply(coro::collect(copy), function(batch) as.integer(batch$x))
  expect_identical(rest, epoch_of(stratified(), 0)[-(1:2)])
})
