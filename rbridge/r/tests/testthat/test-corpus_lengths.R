# Batches of rows of similar length: the golden cases, lengths of lines, and invalid lengths.

test_that("batches are those of the golden cases", {
  for (case in read_golden("lengths.json")$cases) {
    given = case$input
    limits = given[intersect(names(given), c("batch_size", "max_tokens", "window", "num_replicas",
      "balance_replicas"))]
    lengths = as.integer((seq_len(given$n) * given$lengths$multiplier) %% given$lengths$modulus)
    sampler = do.call(batch_sampler_epoch_subset, c(list(given$n, given$sample, lengths = lengths, seed = given$seed),
      limits))(NULL)
    batches = sampler$batches(given$epoch)
    found = list(rows = cut_list(batches$rows - 1), sizes = cut_list(diff(batches$offsets)))
    expect_parts(found, case$expected, info = toString(limits))
  }
})

by_length_sampler = function(method = "uniform") {
  batch_sampler_epoch_subset(200, 120, lengths = 1L + (0:199 * 13L) %% 29L, seed = 3, max_tokens = 90, window = 50,
    method = method)(NULL)
}

test_that("an iteration has the batches that .length() says, epoch after epoch", {
  for (method in c("uniform", "uniform_without_replacement", "partition")) {
    sampler = by_length_sampler(method)
    counts = vapply(0:4, function(epoch) {
      announced = sampler$.length()
      batches = next_epoch_of(sampler)
      expect_length(batches, announced)
      expect_identical(batches, epoch_of(by_length_sampler(method), epoch))
      announced
    }, 0L)
    expect_gt(length(unique(counts)), 1L)
  }
  expect_length(deliver(dataset_of(200), batch_sampler = by_length_sampler()), by_length_sampler()$.length())
})

test_that("the longest side of a pair counts", {
  folder = corpus_of()
  write_bytes(file.path(folder, "a.src"), "a b c\na\n")
  write_bytes(file.path(folder, "a.tgt"), "a\na b\r\n")
  write_bytes(file.path(folder, "b.src"), "a\n")
  write_bytes(file.path(folder, "b.tgt"), " a b\tc d")
  mixture = function(...) batch_sampler_corpus_mixture(folder, sample = 30L, max_tokens = 8, seed = 1, ...)
  recipe = recipe_of(mixture())
  expect_identical(recipe$parts$lengths, c(3L, 2L, 4L))
  of_function = function(lines) {
    expect_named(lines, c("src", "tgt"))
    pmax(lengths(strsplit(trimws(lines$src), "[ \t]")), lengths(strsplit(trimws(lines$tgt), "[ \t]")))
  }
  for (given in list("words", c(3, 2, 4), of_function)) {
    expect_identical(recipe_of(mixture(lengths = given)), recipe)
  }
  in_order = mixture(shuffle = FALSE)(NULL)
  expect_false(is.unsorted(c(3L, 2L, 4L)[in_order$batches(0)$rows]))
})

test_that("lines and words are found across blocks and in empty files", {
  folder = corpus_of()
  write_bytes(file.path(folder, "a.txt"), paste0(strrep("a bc ", 1e6), "\n", strrep("x\n", 1000), "end"))
  write_bytes(file.path(folder, "b.txt"), "")
  mixture = batch_sampler_corpus_mixture(folder, 5, 10L, suffixes = ".txt", window = 5)
  expect_identical(recipe_of(mixture)$parts$lengths, c(2000000L, rep(1L, 1001)))
  expect_identical(corpus_dataset(folder, ".txt")[c(2, 1002)]$txt, c("x", "end"))
})

test_that("wrong lengths are refused, with the row positions of R", {
  refused = function(lengths, message) {
    expect_error(batch_sampler_epoch_subset(5, 8, lengths = lengths, max_tokens = 5), message, fixed = TRUE)
  }
  of_each = "The 'lengths' parameter must be 5 whole numbers from 0 to 2147483647, one for each example. Got"
  refused(1:4, paste(of_each, "4 values"))
  refused(c(1, 2, 3, 4, -5), paste(of_each, "-5 instead."))
  refused(c(1, 2, 3, 4, NA), paste(of_each, "NA instead."))
  refused(c(1, 2, 3, 4, 0.5), paste(of_each, "0.5 instead."))
  refused(c(1, 2, 9, 8, 5), paste("The 'max_tokens' parameter must be at least 9, the length of the longest example.",
    "Got 5 instead. 2 examples are longer, the first at row position 3, counted from 1."))
  folder = corpus_of(a = 3)
  for (lengths in list(function(lines) "2", function(lines) c(1, 2), function(lines) c(-1, 1, 1))) {
    expect_error(
      batch_sampler_corpus_mixture(folder, sample = 2L, suffixes = ".txt", max_tokens = 5, lengths = lengths),
      "must return a whole number from 0 to 2147483647 for each position. Got"
    )
  }
})

test_that("a sampler shows what it draws", {
  shown = function(...) capture.output(batch_sampler_epoch_subset(3, 5, 2, lengths = 1:3, seed = 1, ...))[3L]
  expect_identical(shown(max_tokens = 4, window = 2),
    "* Batches: of at most 4 tokens and 2 rows, by length in windows of 2 rows")
  expect_identical(shown(window = 4, num_replicas = 2, balance_replicas = TRUE),
    "* Batches: 4, of at most 2 rows, by length in windows of 4 rows, balanced over 2 replicas")
})
