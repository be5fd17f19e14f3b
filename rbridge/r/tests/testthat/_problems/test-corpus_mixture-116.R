# Extracted from test-corpus_mixture.R:116

# setup ------------------------------------------------------------------------
library(testthat)
test_env <- simulate_test_env(package = "rbridge", path = "..")
attach(test_env, warn.conflicts = FALSE)

# prequel ----------------------------------------------------------------------
sizes = c(IT1 = 30, MSDN = 60, gold = 5, news = 50)
rules = c("gold *", "IT,MSDN 20", "news 10")
mixture_of = function(folder, ..., sample = 50L, suffixes = ".txt", seed = 1) {
  batch_sampler_corpus_mixture(folder, 8, sample, ..., suffixes = suffixes, seed = seed)
}
drawn_by_r = function(seed, epoch, draw) {
  withr::with_seed(seed_of_epoch(seed, epoch), draw(),
    .rng_kind = "Mersenne-Twister", .rng_normal_kind = "Inversion", .rng_sample_kind = "Rejection")
}
with_lines = function(lines, drawn, seed, kept = 0 * lines, batch_size = 8, ...) {
  files = corpus_of(stats::setNames(rep(1, length(lines)), letters[seq_along(lines)]))
  recipe = recipe_of(batch_sampler_corpus_mixture(files, 8, 50L, suffixes = ".txt"))
  recipe$seed = seed
  recipe$parts = utils::modifyList(recipe$parts, list(lines = lines, drawn = drawn, kept = kept,
    batch_size = batch_size, ...))
  generator_of_recipe(recipe)(NULL)
}
for (case in read_golden("mixtures.json")$cases) {
  given = case$input
  test_that(sprintf("every batch has the mix, as in every language: %s, batches of %d", paste(given$drawn,
    collapse = ", "), given$batch_size), {
    sampler = with_lines(as.double(given$lines), as.double(given$drawn), given$seed, as.double(given$kept),
      given$batch_size, shuffle = as.integer(given$shuffle), even = 1L)
    for (place in seq_along(given$epochs)) {
      drawn = sampler$batches(given$epochs[[place]])
      expected = lapply(case$expected[[place]], function(rows) as.integer(unlist(rows)) + 1L)
      expect_identical(drawn$rows, unlist(expected))
      expect_identical(as.integer(diff(drawn$offsets)), lengths(expected))
    }
  })
}

# test -------------------------------------------------------------------------
rows = drawn_of(c(2e7, 5e9, 20), c(500, 300, 50), 5, replace = FALSE)
