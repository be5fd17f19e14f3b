# The rule on counts alone: number of batches, composition, offsets, and the batches of rows in the order of their
# strata.

plan_of = function(counts, n_batches, assign) {
  make_plan(as.double(counts), names = as.character(seq_along(counts)), n_batches = n_batches, assign = assign)
}

# The batches of rows that stand stratum after stratum, in this order.
batches_in_order = function(plan) {
  codes = rep(seq_along(plan$counts), times = plan$counts)
  epoch_batches(list(codes = recipe_codes(codes, length(plan$counts)), plan = plan, shuffle = FALSE), 0)
}

# What these batches hold: a matrix, one row a batch, one column a stratum.
laid_out = function(plan) {
  batches = batches_in_order(plan)
  stratum = rep(seq_along(plan$counts), times = plan$counts)[batches$rows]
  batch = rep(seq_len(plan$n_batches), times = diff(batches$offsets))
  matrix(tabulate(batch + plan$n_batches * (stratum - 1), plan$n_batches * length(plan$counts)), plan$n_batches)
}

# The rule as it is written, in doubles, which are exact for small numbers.
batch_by_rule = function(plan) {
  rank = sequence(plan$counts)
  rows = rep(plan$counts, plan$counts)
  if (plan$assign == "even") {
    (seq_along(rows) - 1) %% plan$n_batches + 1
  } else {
    (rank * plan$n_batches + rows - 1) %/% rows
  }
}

# The names of the promises that a plan breaks.
broken_promises = function(counts, n_batches, assign) {
  plan = plan_of(counts, n_batches, assign)
  batches = batches_in_order(plan)
  delivered = laid_out(plan)
  exact = rep(counts, each = n_batches) / n_batches
  kept = c(
    "every row once" = identical(sort(batches$rows), seq_len(sum(counts))),
    "the batch of the rule, in order of strata, then ranks" = identical(batches$rows, order(batch_by_rule(plan))),
    "the offsets are what is delivered" = identical(batch_offsets(plan), batches$offsets),
    "at least the promised minimum" = min(delivered) >= plan$minimum && plan$minimum == min(counts) %/% n_batches,
    "floor or ceiling" = all(delivered == floor(exact) | delivered == ceiling(exact)),
    "no batch empty" = all(rowSums(delivered) > 0),
    "sizes differ by at most 1" = assign == "proportional" || diff(range(rowSums(delivered))) <= 1,
    "the composition is what is delivered" = all(batch_composition(plan) == delivered)
  )
  names(kept)[!kept]
}

all_broken_promises = function(settings) {
  broken = character()
  for (counts in settings) {
    for (n_batches in unique(min(counts) %/% seq_len(min(counts)))) {
      for (assign in c("proportional", "even")) {
        failed = broken_promises(counts, n_batches, assign)
        broken = c(broken, sprintf("%s: %d batches of %s, %s", failed, n_batches, toString(counts), assign))
      }
    }
  }
  broken
}

test_that("all promises are kept for every pair of stratum sizes up to 60 x 60 and every minimum", {
  pairs = subset(expand.grid(a = 1:60, b = 1:60), a <= b)
  expect_identical(all_broken_promises(Map(c, pairs$a, pairs$b)), character())
})

test_that("all promises are kept for every triple of stratum sizes up to 12 and every minimum", {
  triples = subset(expand.grid(a = 1:12, b = 1:12, c = 1:12), a <= b & b <= c)
  expect_identical(all_broken_promises(Map(c, triples$a, triples$b, triples$c)), character())
})

test_that("all promises are kept whichever stratum is the smallest", {
  orders = list(c(7, 3, 20), c(3, 7, 20), c(20, 7, 3), c(20, 3, 7), c(3, 3, 3), c(1, 100, 1))
  expect_identical(all_broken_promises(orders), character())
})

test_that("even assignment leaves no batch empty, also with more batches than rows of a stratum", {
  for (n_batches in 1:23) {
    plan = plan_of(c(3, 20), n_batches, "even")
    sizes = rowSums(laid_out(plan))
    expect_gt(min(sizes), 0)
    expect_lte(diff(range(sizes)), 1)
    expect_equal(batch_composition(plan), laid_out(plan), ignore_attr = TRUE)
  }
})

test_that("the number of batches is the smallest stratum divided by the minimum, rounded down, and at least 1", {
  for (rows in 1:60) {
    batches = vapply(1:60, function(minimum) {
      batches_of_minimum(list(rows = rows, name = "a"), list(min_samples_per_stratum = minimum, rare = "allow"))
    }, numeric(1L))
    expect_identical(batches, pmax(1, rows %/% 1:60))
  }
})

test_that("the number of batches of a mean size is rounded half up", {
  batches = function(n_rows, mean) {
    batches_of_mean(n_rows, list(rows = n_rows, name = "a"), list(mean_batch_size = mean, rare = "error"))
  }
  expect_identical(batches(10, 4), 3)
  expect_identical(batches(9, 4), 2)
  expect_identical(batches(14, 4), 4)
  expect_identical(batches(10, 1), 10)
  expect_identical(batches(10, 20), 1)
  expect_identical(batches(10, 1000), 1)
})

test_that("the number of batches is rounded down to a multiple of the replicas", {
  expect_equal(sampler_of(rep(1:2, c(11, 40)), min_samples_per_stratum = 1, num_replicas = 4)$.length(), 8L)
  expect_equal(sampler_of(rep(1:2, c(40, 40)), mean_batch_size = 7, num_replicas = 4)$.length(), 8L)
  expect_equal(sampler_of(rep(1:2, c(11, 40)), min_samples_per_stratum = 1, num_replicas = 1)$.length(), 11L)
})

test_that("the value that a message advises works, and the next one does not", {
  advised = function(message, pattern) as.numeric(sub(paste0(".*", pattern, " ([0-9]+).*"), "\\1", message))
  for (replicas in c(1, 2, 3)) {
    labels = rep(1:2, c(7, 30))
    make = function(...) batch_sampler_stratified(..., strata = labels, num_replicas = replicas)
    minimum = advised(message_of(make(20)), "must be at most")
    expect_s3_class(make(minimum), "torch_sampler")
    expect_error(make(minimum + 1), "must be at most")
    mean = advised(message_of(make(mean_batch_size = 1)), "must be at least")
    expect_s3_class(make(mean_batch_size = mean), "torch_sampler")
    expect_error(make(mean_batch_size = mean - 1), "must be at least")
  }
})

test_that("the rule gives the published numbers of batches", {
  # T. D. Hocking, "custom torch sampler with mlr3torch" (2025): strata of 12 and 111 rows
  labels = rep(c("a", "b"), times = c(12, 111))
  batches = function(minimum) sampler_of(labels, min_samples_per_stratum = minimum)
  expect_equal(batches(1)$.length(), 12L)
  expect_equal(batches(2)$.length(), 6L)
  expect_equal(sort(rowSums(batches(5)$plan())), c(61, 62), ignore_attr = TRUE)
  expect_equal(rowSums(batches(7)$plan()), 123, ignore_attr = TRUE)
})

test_that("the rule gives 97 and 3 rows in each of 200 batches where the published formula in fractions does not", {
  counts = c(600, 19400)
  expect_identical(unique(laid_out(plan_of(counts, 200, "proportional"))), matrix(c(3L, 97L), 1))
  rank = seq_len(600)
  published = table(ceiling(rank / max(rank) * 600 / 3))
  expect_identical(sum(published == 2), 11L)
  expect_identical(sum(published == 4), 11L)
})

test_that("the rule gives 3 batches of strata of 3 and 187 rows where the other published formula gives 4", {
  delivered = laid_out(plan_of(c(3, 187), 3, "proportional"))
  expect_identical(delivered[, 1], c(1L, 1L, 1L))
  expect_identical(max(ceiling(3 / 187 * seq_len(187) / 1)), 4)
})

test_that("products beyond 2^53, which doubles do not hold exactly, are exact", {
  n_batches = 2^23 + 2
  counts = c(n_batches, 2^31 - 1 - n_batches)
  plan = plan_of(counts, n_batches, "proportional")
  composition = batch_composition(plan)
  # batch * count %/% n_batches, in quotients and remainders, whose products are small
  batch = seq_len(n_batches)
  so_far = function(batch) batch * (counts[2] %/% n_batches) + (batch * (counts[2] %% n_batches)) %/% n_batches
  expect_identical(composition[, 1], rep(1L, n_batches))
  expect_true(all(composition[, 2] == so_far(batch) - so_far(batch - 1)))
  expect_true(all(batch_offsets(plan) == c(0, batch + so_far(batch))))
  # What doubles make of the products
  expect_false(all((batch * counts[2]) %/% n_batches == so_far(batch)))
})

# Codes come from files and from other programs; those out of range would have the core write outside of its memory.
test_that("strata, plans and seeds that do not fit together are refused", {
  refused = function(codes = c(0L, 1L, 1L), counts = c(1, 2), n_batches = 1, assign = "even", seed = 1) {
    plan = list(counts = counts, n_batches = n_batches, assign = assign)
    message_of(epoch_batches(list(codes = codes, plan = plan, shuffle = TRUE, seed = seed), 0))
  }
  said = function(parameter, text) sprintf("The '%s' parameter must %s", parameter, text)
  numbers = said("codes", "be numbers of strata from 0, or the number of strata. Got others instead.")
  for (code in c(-1L, 3L, 2147483647L, -2147483647L, NA)) {
    expect_identical(refused(codes = c(0L, 1L, code)), numbers)
  }
  expect_identical(refused(codes = as.raw(c(0, 1, 3))), numbers)
  expect_identical(refused(codes = c(0, 1, 1)),
    said("codes", "be raw or integers. Got 3 values of type 'double' instead."))
  fewer = said("codes", "have as many rows of each stratum as an epoch takes. Got fewer instead.")
  expect_identical(refused(codes = c(0L, 1L)), fewer)
  expect_identical(refused(codes = c(0L, 1L, 2L)), fewer)
  expect_identical(refused(codes = as.raw(c(0, 1, 2))), fewer)
  expect_identical(refused(codes = integer()), fewer)
  for (count in c(0, -1, 1.5, 2147483648, NA, NaN, Inf)) {
    expect_match(refused(counts = c(1, count)), said("counts", "be an integer from 1 to 2147483647. Got"), fixed = TRUE)
  }
  expect_identical(refused(counts = c(2147483647, 1)),
    said("counts", "add up to at most 2147483647. Got more instead."))
  expect_match(refused(counts = c(1L, 2L)), said("counts", "be doubles, one for each stratum."), fixed = TRUE)
  expect_match(refused(counts = numeric()), said("counts", "be doubles, one for each stratum."), fixed = TRUE)
  for (n_batches in c(0, 4, 0.5, NA, -Inf)) {
    expect_match(refused(n_batches = n_batches), said("n_batches", "be an integer from 1 to 3. Got"), fixed = TRUE)
  }
  expect_match(refused(n_batches = c(1, 2)), said("n_batches", "be one number. Got 2 values of"), fixed = TRUE)
  expect_match(refused(assign = NA), said("even", "be true or false. Got 1 value of type 'logical'"), fixed = TRUE)
  expect_identical(refused(seed = 2147483647),
    "The 'seed' parameter must be an integer from 0 to 2147483646. Got 2147483647 instead.")
})

test_that("an error of a compiled routine has the call of the user and the class of a refusal", {
  recipe = attr(batch_sampler_stratified(1, strata = factor(c("a", "b", "b")), seed = 1), "settings")$recipe
  recipe$parts$codes[2] = as.raw(7)
  error = tryCatch(new_generator(recipe)(NULL), error = identity)
  expect_s3_class(error, "rbridge_refusal")
  expect_identical(error$parameter, "codes")
  expect_identical(conditionCall(error), quote(new_generator(recipe)(NULL)))
  expect_match(conditionMessage(error), "The 'codes' parameter must be", fixed = TRUE)
})

test_that("strata of every number are scattered alike, also where their codes take two bytes or four", {
  for (n_strata in c(2L, 255L, 256L, 65535L, 65536L, 70000L)) {
    plan = plan_of(rep(2, n_strata), 2, "proportional")
    codes = rep(c(NA, seq_len(n_strata), seq_len(n_strata)), length.out = 2 * n_strata + 1)
    for (shuffle in c(TRUE, FALSE)) {
      setup = list(codes = recipe_codes(codes, n_strata), plan = plan, shuffle = shuffle, seed = 3)
      delivered = epoch_batches(setup, 1)
      order = if (shuffle) shuffled_rows(length(codes), epoch_seed(3, 1)) else seq_along(codes)
      by_stratum = order[order(codes[order])][seq_len(2 * n_strata)]
      expect_identical(delivered$rows, c(by_stratum[c(TRUE, FALSE)], by_stratum[c(FALSE, TRUE)]))
    }
  }
})
