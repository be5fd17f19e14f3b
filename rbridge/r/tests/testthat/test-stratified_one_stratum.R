# Batches of one stratum each. tests/bridge compares the batches with Python's; here are R's own draws, and
# the output of an instance.

labels = rep(c("news", "web", "mail"), times = c(6, 3, 2))

one_stratum = function(..., strata = labels, seed = 1) {
  batch_sampler_one_stratum(..., strata = strata, seed = seed)(NULL)
}

test_that("rows and turns are in the orders of sample.int()", {
  sampler = one_stratum(2, order = "round_robin")
  drawn = withr::with_seed(seed_of_epoch(1, 3), {
    rows = sample.int(11)
    turns = sample.int(3)
    own = split(rows, factor(labels[rows], unique(labels)))
    batches = list(split(own$news, c(1, 1, 2, 2, 3, 3)), split(own$web, c(1, 2, 2)), list(own$mail))
    unlist(lapply(1:3, function(round) {
      lapply(turns, function(turn) {
        if (round <= length(batches[[turn]])) batches[[turn]][[round]]
      })
    }))
  }, .rng_kind = "Mersenne-Twister", .rng_normal_kind = "Inversion", .rng_sample_kind = "Rejection")
  expect_identical(sampler$batches(3)$rows, drawn)
})

test_that("an instance shows its plan", {
  sampler = one_stratum(4)
  plan = sampler$plan()
  expect_identical(plan$batches, c(2L, 1L, 1L))
  expect_identical(plan$most, c(3L, 3L, 2L))
  expect_output(print(plan), "* Batches: 4, of one stratum each", fixed = TRUE)
  expect_output(print(sampler), "* Order: shuffled by seed 1, next epoch 0", fixed = TRUE)
  expect_output(print(one_stratum(4, shuffle = FALSE)), "* Order: of the dataset", fixed = TRUE)
  expect_identical(dim(sampler$composition(0)), c(4L, 3L))
})
