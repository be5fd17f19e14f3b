# sum_tree() as an object: draws, states, copies, memory, interrupts. Draws of the samplers with one are in
# test-weighted_golden.R.

# Weights over many orders of magnitude, a part of them zero.
some_weights = function(n) {
  weights = ((seq_len(n) * 7919) %% 1009 / 100)^5
  weights[seq_len(n) %% 3L == 0L] = 0
  weights
}

private_of = function(object) object$.__enclos_env__$private

# A copy of the vectors that feedback changes.
state_of = function(object) unserialize(serialize(private_of(object)$.state, NULL))

test_that("weights are those that were given, of which the last counts, and the tree is the one of its weights", {
  tree = sum_tree(some_weights(65), seed = 2)
  expect_invisible(tree$update(c(4, 5, 4, 4), c(5, 6, 7, 0)))
  expect_identical(tree$weights(c(4, 5)), c(0, 6))
  expect_identical(tree$weights(), replace(some_weights(65), 4:5, c(0, 6)))
  expect_identical(tree$weights(integer()), numeric())
  expect_identical(state_of(tree), state_of(sum_tree(tree$weights())))
  values = seq(0, 294)
  weights = seq(0, 99) %% 7
  tree = sum_tree(weights, seed = 1)
  expect_identical(tree$find(values), findInterval(values, cumsum(weights)) + 1L)
  expect_identical(tree$find(numeric()), integer())
  expect_error(tree$total <- 3, "The 'total' field cannot be assigned.", fixed = TRUE)
})

test_that("a refused call changes nothing", {
  tree = sum_tree(some_weights(30), seed = 1)
  before = state_of(tree)
  refused = function(code, text) expect_error(code, paste(text, "instead."), fixed = TRUE)
  refused(tree$append(c(1, -1)), "The 'weights' parameter must hold finite numbers, none below 0. Got -1")
  for (row in list(31, 0L, 1.5, NA)) {
    refused(tree$update(c(1, row), c(1, 1)), sprintf(
      "The 'indices' parameter must hold row positions from 1 to 30, counted from 1. Got %s", row))
  }
  refused(tree$sample(1:2), "The 'k' parameter must be an integer from 0 to 2147483647. Got 2 values")
  refused(tree$find(c(0, NaN)), sprintf("must hold numbers from 0 to below the total, %.15g. Got NaN", tree$total))
  expect_identical(state_of(tree), before)
  expect_identical(tree$sample(9), sum_tree(some_weights(30), seed = 1)$sample(9))
})

test_that("what changes a copy does not change the other, and both go on alike", {
  make = function() {
    tree = sum_tree(some_weights(100), capacity = 120, seed = 4)
    tree$sample(77)
    tree
  }
  calls = function(tree) list(tree$sample(100), tree$append(c(1, 2)), tree$total, tree$sample(60, replacement = FALSE))
  expected = calls(make())
  tree = make()
  for (twin in list(tree$clone(), unserialize(serialize(tree, NULL)), tree)) {
    expect_identical(calls(twin), expected)
  }
  twin = tree$clone()
  before = list(tree$weights(), tree$n_rows)
  twin$update(1:3, c(5, 5, 5))
  twin$append(9)
  expect_identical(list(tree$weights(), tree$n_rows), before)
})

test_that("a call that is broken off leaves the tree as it was, or is complete", {
  n = 7e5
  tree = sum_tree(some_weights(n), seed = 1)
  private = private_of(tree)
  rows = (seq_len(n) * 7919) %% n + 1
  told = rev(some_weights(n))
  before = state_of(tree)
  after = state_of(sum_tree(told[order(rows)]))
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
  for (seconds in some_of(seq(0.001, 0.05, by = 0.003), 4)) {
    limited(seconds, tree$sample(3e5, replacement = FALSE))
    expect_identical(state_of(tree), before)
    limited(seconds, tree$update(rows, told))
    expect_true(identical(state_of(tree), before) || identical(state_of(tree), after))
    private$.state = unserialize(serialize(before, NULL))
  }
  expect_gt(broken_off, 0)
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
    list(generator = 1:3), list(weights = 1:9), list(next_position = 4))) {
    expect_error(twin$load_state_dict(utils::modifyList(state, changed)), class = "rbridge_refusal")
  }
  expect_identical(twin$state_dict(), before)
  expect_output(print(sum_tree(c(1, 2), capacity = 4, seed = 9)), "2, with room for 4\n* Total: 3\n* Seed: 9",
    fixed = TRUE)
})
