# Data in shards: the golden cases, refusals, and what plans and instances show. tests/bridge compares tables and plans.

strata = list(
  a = rep(c("x", "y"), c(9, 4)), b = rep(c("y", "x"), c(7, 3)), c = rep("x", 20), d = rep(c("z", "x", "y"), c(6, 2, 1)),
  e = rep(c("x", "z", "y"), 3), f = "y"
)
counts = shard_counts(strata)

sharded = function(shards, minimum = 2, ..., own = factor(unlist(strata[shards])), seed = 1) {
  batch_sampler_sharded(minimum, ..., counts = counts, shards = shards, strata = own, seed = seed)(NULL)
}

test_that("the same batches in every language", {
  for (case in read_golden("sharded.json")$cases) {
    given = case$input
    counts = do.call(rbind, lapply(case$expected$table, as.numeric))
    dimnames(counts) = list(paste0("r", seq_len(nrow(counts)) - 1), paste0("s", seq_len(ncol(counts)) - 1))
    shards = unlist(given$shards)
    own = unlist(lapply(shards + 1, function(shard) {
      rows = seq_len(given$sizes[[shard]]) - 1
      sprintf("s%.0f", (rows * given$multipliers[[shard]]) %% given$modulus %% given$n_strata)
    }))
    sampler = batch_sampler_sharded(given$min_samples_per_stratum, counts, paste0("r", shards), seed = given$seed,
      strata = factor(own), scope = given$scope, shuffle = given$shuffle)(NULL)
    expect_identical(lapply(epoch_of(sampler, given$epoch), function(rows) rows - 1L),
      lapply(case$expected$batches, function(rows) as.integer(unlist(rows))))
  }
})

test_that("strata may be those of a task, and sampler and generator show themselves", {
  skip_if_not_installed("mlr3")
  task = mlr3::tsk("iris")
  counts = shard_counts(list(u = task$truth()[1:90], v = task$truth()[91:150]))
  generator = batch_sampler_sharded(5, counts, c("u", "v"), seed = 1)
  expect_output(print(generator), "* strata: of the dataset\n* shards: 'u', 'v'", fixed = TRUE)
  sampler = generator(list(task = task))
  expect_output(print(sampler), "* strata: 3, of 150 rows\n* shards: 'u', 'v'", fixed = TRUE)
  expect_identical(sampler$plan()[1:2, c("rows", "fewest", "most")], data.frame(rows = c(50L, 40L), fewest = 5:4,
    most = 5:4))
  expect_match(message_of(generator(list(task = mlr3::tsk("sonar")))), "must name one of the strata, 'setosa'")
})

test_that("a plan needs no rows, and shows itself", {
  counts = matrix(1e6 * (1:10), 1e5, 10, byrow = TRUE, dimnames = list(sprintf("%05d", 1:1e5), letters[1:10]))
  expect_identical(sharded_plan(counts, 4e5)$n_batches, 1e11 / 4e5)
  expect_identical(sharded_plan(counts, 4e5)$fewest_rows("00001"), 220)
  small = sharded_plan(counts[1:2, ], 1e5, scope = "local")
  expect_output(print(small), "at least 100000 rows of every stratum and shard", fixed = TRUE)
  expect_output(print(small, most = 8L), "\n... and 2 more", fixed = TRUE)
  expect_identical(small$sizes(), rep(11000000, 10L))
})
