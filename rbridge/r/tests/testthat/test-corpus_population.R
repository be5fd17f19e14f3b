# Limits before drawing: excluded lines are never drawn, and shares are computed from the others.

# Two files of pairs, whose lines have 1 to 9 and 1 to 5 words.
corpus_of_words = function() {
  folder = corpus_of()
  for (name in c("a", "b")) {
    for (side in c("src", "tgt")) {
      counts = 1 + ((seq_len(if (name == "a") 90 else 30) - 1) * 7) %% (if (side == "src") 9 else 5)
      writeLines(vapply(counts, function(count) paste(rep("w", count), collapse = " "), ""),
        file.path(folder, paste0(name, ".", side)))
    }
  }
  folder
}

longest_side = function(lines) pmax(nchar(lines$src), nchar(lines$tgt)) %/% 2 + 1

test_that("lines beyond the limits are never drawn, and shares follow from the others", {
  folder = corpus_of_words()
  dataset = corpus_dataset(folder)
  within = which(longest_side(dataset$lines(1:120)) <= 6)
  generator = batch_sampler_corpus_mixture(folder, 16, 500L, max_length = 6, seed = 1)
  expect_identical(sort(unique(generator(dataset)$batches(0)$rows)), within)
  plan = corpus_plan(generator)
  expect_named(plan, c("file", "lines", "excluded", "rule", "uniform_share", "share", "drawn", "kept"))
  expect_identical(plan$lines, c(90, 30))
  expect_identical(plan$excluded, c(90 - sum(within <= 90), 30 - sum(within > 90)))
  expect_equal(plan$share, (plan$lines - plan$excluded) / length(within))
  different = function(lines) lines$src != lines$tgt
  sampler = batch_sampler_corpus_mixture(folder, 16, 500L, max_length = 6, accept = different, seed = 1)(NULL)
  expect_identical(sort(unique(sampler$batches(0)$rows)), within[different(dataset$lines(within))])
})

test_that("each side may have a limit, and a dataset with limits has only what remains", {
  folder = corpus_of_words()
  whole = corpus_dataset(folder)
  of_sides = vapply(whole$lines(1:120)[c("src", "tgt")], function(side) nchar(side) %/% 2 + 1, numeric(120L))
  for (limits in list(6, c(6, 2), c(4L, 5L))) {
    within = which(of_sides[, 1L] <= limits[1L] & of_sides[, 2L] <= limits[length(limits)])
    given = unname(of_sides)
    for (lengths in list(NULL, "words", given)) {
      limited = corpus_dataset(folder, max_length = limits, lengths = lengths)
      expect_length(limited, length(within))
      expect_identical(limited[rev(seq_along(within))], whole[rev(within)])
      expect_error(limited[length(within) + 1], "hold positions of lines from 1 to")
    }
  }
  expect_length(corpus_dataset(folder, accept = function(lines) rep(FALSE, length(lines$src))), 0L)
})

test_that("positions are delivered with the items", {
  folder = corpus_of_words()
  dataset = corpus_dataset(folder, positions = TRUE, transform = longest_side)
  whole = corpus_dataset(folder)
  limited = corpus_dataset(folder, positions = TRUE, max_length = 6)
  expect_identical(limited[3:4], list(positions = 3:4, items = corpus_dataset(folder, max_length = 6)[3:4]))
  sampler = batch_sampler_perplexity(length(dataset), 8, n_batches = 7, seed = 1)(dataset)
  for (batch in deliver(dataset, batch_sampler = sampler)) {
    expect_identical(batch$items, longest_side(whole[batch$positions]))
    sampler$report(batch$positions, batch$items / 9)
  }
  expect_identical(which(sampler$perplexities() != 15), sort(unique(sampler$batches(0)$rows)))
  mixture = batch_sampler_corpus_mixture(folder, 8, 40L, seed = 1)(NULL)
  rows = mixture$batches(0)$rows[1:8]
  expect_identical(mixture$dataset(positions = TRUE)[rows], list(positions = rows, items = whole[rows]))
})

test_that("wrong arguments are refused", {
  folder = corpus_of_words()
  refused = function(message, ...) {
    expect_error(batch_sampler_corpus_mixture(folder, 4, 20L, ...), message, fixed = TRUE)
    expect_error(corpus_dataset(folder, ...), message, fixed = TRUE)
  }
  refused("must be an integer from 0 to 2147483647. Got -1 instead.", max_length = -1)
  refused("must be an integer from 0 to 2147483647. Got -1 instead.", max_length = c(4, -1))
  refused("The 'max_length' parameter must have one number for each side, 2, or be one number.", max_length = 1:3)
  refused("must be 'words' or have a column for each side if 'max_length' does.",
    max_length = c(4, 5), lengths = rep(1, 120))
  refused("must be a function, or nothing. Got TRUE instead.", accept = TRUE)
  refused("must return true or false for each position. Got TRUE instead.", accept = function(lines) TRUE)
  expect_error(corpus_dataset(folder, lengths = "words"), "must be given together with 'max_length'")
  expect_error(batch_sampler_corpus_mixture("missing", 2, 3, max_length = 1:3), "one number for each side, 2, or be")
  expect_error(corpus_dataset(folder, positions = 1), "must be true or false. Got 1 instead.")
  expect_error(corpus_dataset(folder, transform = 3), "'transform' .* must be a function, or nothing. Got 3")
})
