# sum_tree() compared with a naive tree in plain R, and its behavior as an object: copies, files, processes, memory.

# Weights over many orders of magnitude, a part of them zero.
some_weights = function(n) {
  weights = ((seq_len(n) * 7919) %% 1009 / 100)^5
  weights[seq_len(n) %% 3L == 0L] = 0
  weights
}

sizes = c(1, 2, 7, 8, 9, 63, 64, 65, 100, 511, 512, 513, 1500)

test_that("rows are those of the naive tree, with replacement and without", {
  for (n in sizes) {
    weights = some_weights(n)
    most = sum(weights > 0)
    for (k in unique(pmin(c(1, 2, 40), most))) {
      tree = sum_tree(weights, seed = n)
      expected = with_seed(n, list(
        draw_batch(weights, 2 * k, TRUE), draw_batch(weights, k, FALSE), draw_batch(weights, k, TRUE)
      ))
      found = list(tree$sample(2 * k), tree$sample(k, replacement = FALSE), tree$sample(k))
      expect_equal(lapply(found, function(rows) rows - 1), expected, info = sprintf("%d of %d", k, n))
    }
  }
})

test_that("without replacement all rows with a weight come, also the smallest, and the tree is as before", {
  weights = c(1, 0, 1e-300, 5e-324, 1e300, 0, 1e-10)
  tree = sum_tree(weights, seed = 1)
  before = state_of(tree)
  for (i in 1:20) {
    rows = tree$sample(5, replacement = FALSE)
    expect_identical(rows[1L], 5L)
    expect_setequal(rows, c(1L, 3L, 4L, 5L, 7L))
  }
  expect_identical(state_of(tree), before)
})

test_that("weights below the normal numbers are drawn as larger ones", {
  weights = c(2, 0, 1, 1, 2, 0, 1, 2, 2, 1)
  for (exponent in c(-1074, -1060, -1022, -1000)) {
    tiny = weights * 2^(exponent / 2) * 2^(exponent / 2)
    found = sum_tree(tiny, seed = 1)
    expected = sum_tree(weights, seed = 1)
    for (i in 1:3) {
      expect_identical(found$sample(100), expected$sample(100))
      expect_identical(found$sample(8, replacement = FALSE), expected$sample(8, replacement = FALSE))
    }
    # What is left without replacement may have few digits as well.
    found = sum_tree(c(1, tiny), seed = 1)
    expected = sum_tree(c(1, tiny) * 2^1000, seed = 1)
    for (i in 1:3) {
      expect_identical(found$sample(9, replacement = FALSE), expected$sample(9, replacement = FALSE))
    }
  }
})

test_that("after any updates the tree is bit for bit the one of its weights", {
  for (n in c(1, 8, 65, 600)) {
    tree = sum_tree(some_weights(n), seed = 2)
    for (step in 1:5) {
      rows = unique((seq_len(n) * step) %% n + 1)
      expect_invisible(tree$update(rows, (rows * step) %% 7 / 3))
    }
    expect_identical(state_of(tree), state_of(sum_tree(tree$weights())))
  }
})

test_that("of a repeated row the last weight counts, and weights are those that were told", {
  tree = sum_tree(rep(1, 20), seed = 1)
  tree$update(c(4, 5, 4, 4), c(5, 6, 7, 0))
  expect_identical(tree$weights(c(4, 5)), c(0, 6))
  expect_identical(tree$weights(), c(1, 1, 1, 0, 6, rep(1, 15)))
  expect_identical(tree$weights(integer()), numeric())
  expect_identical(tree$total, 24)
})

test_that("append() takes the places of the oldest rows in a full tree", {
  tree = sum_tree(capacity = 4, seed = 1)
  expect_identical(tree$n_rows, 0)
  expect_identical(tree$append(c(1, 2, 3)), 1:3)
  expect_identical(c(tree$n_rows, tree$capacity, tree$total), c(3, 4, 6))
  expect_identical(tree$append(c(4, 5)), c(4L, 1L))
  expect_identical(tree$weights(), c(5, 2, 3, 4))
  expect_identical(tree$append(c(1, 2, 3, 4, 5, 6)), c(2L, 3L, 4L, 1L, 2L, 3L))
  expect_identical(tree$weights(), c(4, 5, 6, 3))
  expect_error(tree$append(c(1, -1)), "hold finite numbers, none below 0. Got -1 instead.", fixed = TRUE)
  expect_identical(tree$append(9), 4L)
  expect_identical(tree$append(numeric()), integer())
})

test_that("a refused call changes nothing", {
  weights = some_weights(30)
  tree = sum_tree(weights, seed = 1)
  twin = sum_tree(weights, seed = 1)
  refused = function(code, text) expect_error(code, paste(text, "instead."), fixed = TRUE)
  of = "parameter must"
  finite = paste("The 'weights'", of, "hold finite numbers, none below 0. Got")
  refused(tree$update(1:2, c(3, NaN)), paste(finite, "NaN"))
  refused(tree$update(1:2, c(3, NA)), paste(finite, "NA"))
  refused(tree$update(1:2, c(3, -1)), paste(finite, "-1"))
  refused(tree$update(1:2, c(3, Inf)), paste(finite, "Inf"))
  refused(tree$update(c(1, 2, 1), c(1.7e308, 1.7e308, 1.6e308)),
    paste("The 'weights'", of, "have a finite total. Got a total that overflows"))
  rows = paste("The 'indices'", of, "hold row positions from 1 to 30, counted from 1. Got")
  refused(tree$update(c(1, 31), c(1, 1)), paste(rows, "31"))
  refused(tree$update(c(1L, 0L), c(1, 1)), paste(rows, "0"))
  refused(tree$update(c(1, 1.5), c(1, 1)), paste(rows, "1.5"))
  refused(tree$update(c(1L, NA), c(1, 1)), paste(rows, "NA"))
  refused(tree$update(c(TRUE, FALSE), c(1, 1)), paste("The 'indices'", of,
    "hold row positions. Got a value of class 'logical'"))
  refused(tree$update(1:2, 1), paste("The 'weights'", of, "have one value for each row, 2. Got 1 value"))
  refused(tree$update(1, "a"), paste("The 'weights'", of, "hold numbers. Got a value of class 'character'"))
  refused(tree$weights(31), paste(rows, "31"))
  most = sum(weights > 0)
  refused(tree$sample(most + 1, replacement = FALSE), sprintf(
    "The 'k' %s be at most %d, the number of positive weights, without replacement. Got %d", of, most, most + 1L))
  shown = c("-1", "2147483648", "0.5", "NA", "'1'", "2 values", "nothing")
  for (place in seq_along(shown)) {
    k = list(-1, 2^31, 0.5, NA, "1", 1:2, NULL)[[place]]
    refused(tree$sample(k), sprintf("The 'k' %s be an integer from 0 to 2147483647. Got %s", of, shown[place]))
  }
  refused(tree$sample(1, NA), paste("The 'replacement'", of, "be true or false. Got NA"))
  expect_identical(state_of(tree), state_of(twin))
  expect_identical(tree$sample(9), twin$sample(9))
  tree$update(1:30, numeric(30))
  refused(tree$sample(1), paste("The 'weights'", of, "not all be 0 when rows are drawn. Got no positive weight"))
  expect_identical(tree$sample(0), integer())
  expect_error(sum_tree(capacity = 3)$update(1, 1), "be empty: there is no row. Got 1 instead.", fixed = TRUE)
})

test_that("parameters that are none are refused", {
  of = "parameter must"
  refused = function(code, text) expect_error(code, text, fixed = TRUE)
  refused(sum_tree(), paste("The 'capacity'", of, "be given if 'weights' are not. Got nothing instead."))
  refused(sum_tree(numeric()), paste("The 'weights'", of, "not be empty without 'capacity'. Got 0 values instead."))
  refused(sum_tree(1:2, capacity = 1), paste("The 'capacity'", of, "be at least 2, the number of weights. Got 1 in"))
  refused(sum_tree("a"), paste("The 'weights'", of, "hold numbers. Got a value of class 'character' instead."))
  refused(sum_tree(TRUE), "Got a value of class 'logical' instead.")
  refused(sum_tree(c(1.7e308, 1.7e308)), paste("The 'weights'", of, "have a finite total. Got a total that overflows"))
  refused(sum_tree(1, seed = -1), paste("The 'seed'", of, "be an integer from 0 to 2147483646. Got -1 instead."))
  refused(sum_tree(capacity = 0), paste("The 'capacity'", of, "be an integer from 1 to 2147483647. Got 0 instead."))
})

test_that("what changes a copy does not change the other, and both go on alike", {
  tree = sum_tree(some_weights(100), capacity = 120, seed = 4)
  tree$sample(77)
  twins = list(tree$clone(), unserialize(serialize(tree, NULL)))
  expected = list(tree$sample(100), tree$append(c(1, 2)), tree$total, tree$sample(60, replacement = FALSE))
  for (twin in twins) {
    expect_identical(
      list(twin$sample(100), twin$append(c(1, 2)), twin$total, twin$sample(60, replacement = FALSE)),
      expected
    )
  }
  twin = tree$clone()
  before = list(tree$weights(), tree$n_rows)
  twin$update(1:3, c(5, 5, 5))
  twin$append(9)
  expect_identical(list(tree$weights(), tree$n_rows), before)
  of_twin = twin$weights()
  tree$update(4, 7)
  expect_identical(twin$weights(), of_twin)
})

test_that("an update changes the tree in place, and copies one that a clone shares once", {
  tree = sum_tree(rep(1, 1000), seed = 1)
  expect_identical(copies_of_state(tree, for (row in 1:5) tree$update(row, 2)), 0L)
  expect_identical(copies_of_state(tree, tree$append(3)), 0L)
  expect_identical(copies_of_state(tree, tree$sample(900, replacement = FALSE)), 0L)
  twin = tree$clone()
  expect_identical(copies_of_state(tree, for (row in 1:5) tree$update(row, 4)), 1L)
  expect_identical(copies_of_state(tree, for (row in 1:5) tree$update(row, 5)), 0L)
  expect_identical(twin$weights(2:6), c(2, 2, 2, 2, 1))
})

test_that("a tree that was saved goes on in a fresh R session", {
  skip_on_cran()
  tree = sum_tree(some_weights(50), seed = 3)
  tree$sample(10)
  file = tempfile(fileext = ".rds")
  saveRDS(tree, file)
  fresh = callr::r(
    function(file) {
      tree = readRDS(file)
      drawn = tree$sample(10)
      tree$update(drawn, seq_along(drawn))
      list(drawn, tree$weights(), loadedNamespaces())
    },
    list(file),
    libpath = c(installed_library(), .libPaths())
  )
  drawn = tree$sample(10)
  tree$update(drawn, seq_along(drawn))
  expect_identical(fresh[1:2], list(drawn, tree$weights()))
  expect_false("reticulate" %in% fresh[[3L]])
})

test_that("a tree that a file has made wrong is refused, or gives rows of the tree", {
  tree = sum_tree(some_weights(100), seed = 1)
  private = private_of(tree)
  right = state_of(tree)$tree
  wrong = list(
    right[-1L], as.integer(right), NULL, numeric(), replace(right, 1L, 105), replace(right, 1L, NaN),
    replace(right, 2L, 101), replace(right, 3L, 1), replace(right, 4L, 101), replace(right, 5L, 100),
    replace(right, 8L + 8L, 1), replace(right, length(right), 1)
  )
  for (numbers in wrong) {
    private$.state = list(tree = numbers)
    expect_error(tree$sample(3), "The 'tree' parameter must be a sum tree.", fixed = TRUE)
    expect_error(tree$update(1, 2), "The 'tree' parameter must be a sum tree.", fixed = TRUE)
  }
  for (value in c(NaN, Inf, -1, 0)) {
    private$.state = list(tree = replace(right, 8L + 1:2, value))
    expect_true(all(tree$sample(100) %in% 1:100))
    expect_true(all(tree$sample(60, replacement = FALSE) %in% 1:100))
  }
  private$.state = list(tree = right)
  for (stream in list(1:3, NULL, replace(private$.stream, 1L, 625L), as.double(private$.stream))) {
    private$.stream = stream
    expect_error(tree$sample(1), "The 'stream' parameter must be the state of a generator.", fixed = TRUE)
  }
})

test_that("R's own generator takes no part, except for a seed that was not given", {
  set.seed(1)
  before = .Random.seed
  tree = sum_tree(1:9, seed = 1)
  tree$sample(100)
  expect_identical(.Random.seed, before)
  drawn = sum_tree(1:9)
  expect_identical(sum_tree(1:9, seed = drawn$seed)$sample(9), drawn$sample(9))
})

test_that("tensors are taken as vectors are", {
  skip_without_libtorch()
  tree = sum_tree(torch::torch_tensor(c(1, 2, 3)), seed = 1)
  tree$update(torch::torch_tensor(c(1L, 3L), dtype = torch::torch_long()), torch::torch_tensor(c(0.5, 0.25)))
  expect_identical(tree$weights(), c(0.5, 2, 0.25))
})

test_that("a tree shows itself", {
  expect_output(print(sum_tree(c(1, 2), capacity = 5, seed = 3)),
    "<sum_tree>\n* Rows: 2, with room for 5\n* Total: 3\n* Seed: 3", fixed = TRUE)
  expect_error({
    tree = sum_tree(1)
    tree$total = 3
  }, "The 'total' field of sum_tree cannot be assigned.", fixed = TRUE)
})

test_that("a call that is broken off leaves the tree as it was, or is complete", {
  n = 7e5
  weights = some_weights(n)
  tree = sum_tree(weights, seed = 1)
  private = private_of(tree)
  rows = (seq_len(n) * 7919) %% n + 1
  told = rev(weights)
  updated = sum_tree(told[order(rows)])
  before = state_of(tree)
  after = state_of(updated)
  broken_off = 0
  # A limit of time is seen where an interrupt is.
  limited = function(seconds, code) {
    on.exit(setTimeLimit())
    tryCatch({
      setTimeLimit(elapsed = seconds, transient = TRUE)
      code
      setTimeLimit()
    }, error = function(condition) {
      expect_match(conditionMessage(condition), "reached elapsed time limit")
      broken_off <<- broken_off + 1
    })
  }
  for (seconds in seq(0.001, 0.05, by = 0.003)) {
    limited(seconds, tree$sample(3e5, replacement = FALSE))
    expect_identical(state_of(tree), before)
    limited(seconds, tree$update(rows, told))
    expect_true(identical(state_of(tree), before) || identical(state_of(tree), after))
    private$.state = unserialize(serialize(before, NULL))
  }
  expect_gt(broken_off, 0)
})

test_that("one row is drawn by default", {
  expect_identical(sum_tree(c(1, 2), seed = 1)$sample(), sum_tree(c(1, 2), seed = 1)$sample(1))
})

test_that("find() returns the rows in whose shares of the total values lie", {
  weights = seq(0, 99) %% 7
  tree = sum_tree(weights, seed = 1)
  values = seq(0, tree$total - 1)
  expect_identical(tree$find(values), findInterval(values, cumsum(weights)) + 1L)
  expect_identical(tree$find(numeric()), integer())
  for (wrong in c(tree$total, -1, NaN)) {
    expect_error(tree$find(c(0, wrong)), "'values' parameter must hold numbers from 0 to below the total, 295. Got")
  }
})

test_that("a state goes on alike, also in a tree with another seed, and a wrong one changes nothing", {
  tree = sum_tree(c(1, 2, 3), capacity = 4, seed = 4)
  tree$sample(33)
  tree$append(c(3, 5))
  state = tree$state_dict()
  expected = list(tree$sample(50), tree$append(7), tree$total, tree$seed)
  twin = sum_tree(capacity = 4, seed = 9)
  twin$load_state_dict(state)
  expect_identical(list(twin$sample(50), twin$append(7), twin$total, twin$seed), expected)
  before = twin$state_dict()
  expect_error(twin$load_state_dict(NULL), "must have the entries 'version', 'capacity', 'weights', 'next_position', ")
  for (changed in list(list(version = 2), list(capacity = 5), list(weights = c(1, -1, 2, 3)), list(seed = -1),
    list(generator = 1:3), list(weights = 1:9))) {
    expect_error(twin$load_state_dict(utils::modifyList(state, changed)), class = "rbridge_refusal")
  }
  expect_identical(twin$state_dict(), before)
})

test_that("numbers of 64 bits are exact: one that no double holds is refused, not rounded", {
  skip_if_not_installed("bit64")
  tree = sum_tree(c(1, 2, 3), seed = 1)
  expect_identical(tree$weights(bit64::as.integer64(3)), 3)
  weights = bit64::as.integer64("9007199254740992")
  expect_no_warning(batch_sampler_weighted(weights, 1))
  expect_error(tree$weights(bit64::as.integer64("9007199254740993")), fixed = TRUE,
    "The 'indices' parameter must hold row positions. Got integers beyond 2^53 instead.")
})
