# Replay buffers against the golden vectors of a naive one: new rows, rows that were overwritten, rows never drawn.

buffer_of = function(n_rows, capacity, alpha = 1, epsilon = 0.5, ...) {
  batch_sampler_prioritized(n_rows, batch_size = 2, capacity = capacity, alpha = alpha, epsilon = epsilon,
    n_batches = 4, seed = 1, ...)(NULL)
}

weights_of = function(buffer) buffer$state_dict(batches_consumed = 0)$feedback$weights

test_that("calls give what the golden vectors of a naive buffer say", {
  for (case in read_golden("replay.json")$cases) {
    buffer = buffer_of(case$n_rows, case$capacity, case$alpha, case$epsilon)
    for (step in case$steps) {
      priorities = if (!is.null(step$priorities)) as.double(unlist(step$priorities))
      if (step$call == "append") {
        expect_equal(buffer$append(step$count, priorities), unlist(step$places) + 1L)
      } else {
        buffer$update(as.integer(unlist(step$rows)) + 1L, as.double(priorities), since = step$since)
      }
      expect_equal(buffer$n_added(), step$n_added)
      expect_equal(weights_of(buffer), as.double(unlist(step$weights)), tolerance = 1e-14)
    }
  }
})

test_that("priorities are read as they were told, except for the sign", {
  told = c(0, 0.5, -1.5, 3.5)
  for (alpha in c(0.6, 1, 2)) {
    buffer = buffer_of(4, 4, alpha)
    buffer$update(1:4, told)
    expect_equal(buffer$priorities(), abs(told), tolerance = 1e-14)
    expect_equal(buffer$priorities(c(4, 2)), c(3.5, 0.5), tolerance = 1e-14)
  }
  ranked = batch_sampler_prioritized(4, 2, method = "rank", alpha = 0, seed = 1)(NULL)
  ranked$update(1:4, told)
  expect_identical(ranked$priorities(), abs(told))
  expect_error(buffer_of(4, 4, alpha = 0)$priorities(),
    "The 'alpha' parameter must be above 0 to read priorities, which have no effect otherwise. Got 0 instead.",
    fixed = TRUE)
})

test_that("a row of priority 0 is never drawn without epsilon", {
  buffer = buffer_of(4, 4, epsilon = 0, normalize = FALSE, beta = 1)
  buffer$update(1:4, c(0, 1, 3, 0))
  expect_setequal(buffer$sample(1000), 2:3)
  expect_equal(buffer$importance_weights(1:4), c(0, 2, 2 / 3, 0))
})

test_that("beta may be given for one call", {
  buffer = buffer_of(2, 2, beta = function(batch) 1 / batch)
  buffer$update(1:2, c(0, 0.5))
  expect_equal(buffer$importance_weights(1:2, beta = 2), c(1, 0.25))
  expect_equal(buffer$importance_weights(1:2, batch = 1), c(1, 0.5))
  expect_error(buffer$importance_weights(1, beta = -1), "The 'beta' parameter must be a finite number of at least 0.",
    fixed = TRUE)
})

test_that("what was drawn before a slot was overwritten does not change its new row", {
  buffer = buffer_of(0, 3)
  buffer$append(priorities = c(1, 2, 3))
  since = buffer$n_added()
  expect_identical(buffer$append(priorities = c(7, 8)), 1:2)
  buffer$update(1:3, c(0.25, 0.25, 0.25), since = since)
  expect_equal(buffer$priorities(), c(7, 8, 0.25))
})

test_that("a refused call changes nothing", {
  buffer = buffer_of(4, 4)
  buffer$update(1:4, c(1, 2, 3, 4))
  before = weights_of(buffer)
  expect_error(buffer$append(2, priorities = 1:3), "'priorities' parameter must have one value for each row, 2")
  expect_error(buffer$append(priorities = rep(1, 9)), "must have at most as many values as there is room for, 4")
  expect_error(buffer$append(priorities = c(1, NA)), "'priorities' parameter must hold finite numbers")
  expect_error(buffer$append(5), "'count' parameter must be an integer from 0 to 4. Got 5 instead")
  expect_error(buffer$update(1, 1, since = 5), "'since' parameter must be an integer from 0 to 4. Got 5 instead")
  expect_identical(weights_of(buffer), before)
  expect_identical(buffer$n_added(), 4)
})

test_that("the number of rows added is in states, recipes and copies", {
  buffer = buffer_of(2, 3)
  buffer$append(3)
  buffer$append(2)
  expect_identical(buffer$clone()$n_added(), 7)
  twin = buffer_of(2, 3)
  state = buffer$state_dict(batches_consumed = 0)
  twin$load_state_dict(state)
  expect_identical(twin$n_added(), 7)
  state$feedback$n_added = 8
  expect_error(twin$load_state_dict(state), "'n_added' parameter must be the number of rows that were ever added",
    fixed = TRUE)
})
