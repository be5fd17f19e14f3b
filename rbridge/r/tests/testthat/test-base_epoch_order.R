# The order of the rows is that of R's own generator, whose state does not change.

# With "Box-Muller", R keeps the second of a pair of normal numbers out of sight.
all_kinds = list(
  list(kind = "Mersenne-Twister", normal = "Inversion", sample = "Rejection"),
  list(kind = "Mersenne-Twister", normal = "Box-Muller", sample = "Rounding"),
  list(kind = "L'Ecuyer-CMRG", normal = "Kinderman-Ramage", sample = "Rejection"),
  list(kind = "Knuth-TAOCP-2002", normal = "Ahrens-Dieter", sample = "Rejection")
)

# Evaluates code with these kinds, from a known state, and then restores R's defaults. "Rounding" gives a warning.
with_kinds = function(kinds, code) {
  on.exit(RNGkind("default", "default", "default"))
  suppressWarnings(RNGkind(kinds$kind, kinds$normal, kinds$sample))
  set.seed(7)
  force(code)
}

random_state = function() {
  list(get0(".Random.seed", envir = globalenv(), inherits = FALSE), RNGkind())
}

use_everything = function() {
  generator = batch_sampler_stratified(min_samples_per_stratum = 1, strata = rep(1:2, c(3, 9)), seed = 5)
  sampler = generator(NULL)
  sampler$batches(3)
  sampler$plan()
  next_epoch_of(sampler)
  collect_rows(generator, 12)
  try(sampler$batches(-1), silent = TRUE)
  utils::capture.output(print(sampler), print(generator))
}

# What R itself gives, from the generator whose kinds are R's defaults.
sampled_by_r = function(n, seed) {
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  sample.int(n)
}

test_that("the order in epoch 0 is what sample(n) gives after set.seed(seed)", {
  expect_identical(head(order_of_epoch(20000, 1)), c(17401L, 4775L, 13218L, 10539L, 8462L, 4050L))
  for (n in c(1:200, 622:626, 65535:65538, 131071:131074)) {
    expect_identical(order_of_epoch(n, 1), sampled_by_r(n, 1))
  }
  for (seed in c(0:50, 2^30, 2147483645, 2147483646)) {
    expect_identical(order_of_epoch(1000, seed), sampled_by_r(1000, seed))
  }
})

test_that("R's generator has no influence on the order, and goes on as if nothing had been drawn", {
  expected = sampled_by_r(1000, 4)
  for (kinds in all_kinds) {
    undisturbed = with_kinds(kinds, c(rnorm(1), rnorm(1), runif(2), sample(9)))
    with_kinds(kinds, {
      first = rnorm(1)
      before = random_state()
      expect_identical(order_of_epoch(1000, 4), expected)
      use_everything()
      expect_identical(random_state(), before)
      expect_identical(c(first, rnorm(1), runif(2), sample(9)), undisturbed)
    })
  }
})

test_that("if there is no random state, there is none afterwards, and the kinds are kept", {
  for (kinds in all_kinds) {
    with_kinds(kinds, {
      rm(".Random.seed", envir = globalenv())
      before = RNGkind()
      use_everything()
      expect_identical(random_state(), list(NULL, before))
    })
  }
})

test_that("without a seed one is drawn from R's generator when the generator is called, and not before", {
  # If LibTorch is installed, the seed comes from torch, which the next test is about.
  local_mocked_bindings(torch_is_installed = function() FALSE, .package = "torch")
  with_kinds(all_kinds[[3L]], {
    before = random_state()
    generator = batch_sampler_stratified(1, strata = c(1, 1, 2, 2))
    expect_identical(random_state(), before)
    sampler = generator(NULL)
    other = generator(NULL)
    set.seed(7)
    expect_identical(sampler$seed, sample.int(2147483647L, 1L) - 1)
    expect_false(sampler$seed == other$seed)
    set.seed(7)
    expect_identical(generator(NULL)$batches(3), sampler$batches(3))
  })
})

test_that("without a seed one is drawn from torch's generator if a draw succeeds, else from R's", {
  item = NULL
  local_mocked_bindings(
    torch_is_installed = function() TRUE,
    torch_long = function() "long",
    torch_randint = function(low, high, size, dtype) {
      if (is.null(item)) stop("LibTorch is not loaded")
      list(item = function() item)
    },
    .package = "torch"
  )
  item = 11L
  before = random_state()
  expect_identical(sampler_of(1:2, 1)$seed, 11)
  expect_identical(random_state(), before)
  item = NULL
  set.seed(7)
  seed = sampler_of(1:2, 1)$seed
  set.seed(7)
  expect_identical(seed, sample.int(2147483647L, 1L) - 1)
})
