# Mixtures of files: the golden cases, files and rules as R reads them, and what only R can be given. tests/bridge
# compares plans, batches and lines with Python's.

sizes = c(IT1 = 30, MSDN = 60, gold = 5, news = 50)
rules = c("gold *", "IT,MSDN 20", "news 10")

mixture_of = function(folder, ..., sample = 50L, suffixes = ".txt", seed = 1) {
  batch_sampler_corpus_mixture(folder, 8, sample, ..., suffixes = suffixes, seed = seed)
}

# A sampler whose recipe says that its files have these numbers of lines; the files are shorter.
with_lines = function(lines, drawn, seed, kept = 0 * lines, batch_size = 8, ...) {
  files = corpus_of(stats::setNames(rep(1, length(lines)), letters[seq_along(lines)]))
  recipe = recipe_of(batch_sampler_corpus_mixture(files, 8, 50L, suffixes = ".txt"))
  recipe$seed = seed
  recipe$parts = utils::modifyList(recipe$parts, list(lines = lines, drawn = drawn, kept = kept,
    batch_size = batch_size, ...))
  generator_of_recipe(recipe)(NULL)
}

test_that("batches are those of the golden cases", {
  for (case in read_golden("mixtures.json")$cases) {
    given = case$input
    sampler = with_lines(as.double(given$lines), as.double(given$drawn), given$seed, as.double(given$kept),
      given$batch_size, shuffle = as.integer(given$shuffle), even = 1L)
    for (place in seq_along(given$epochs)) {
      drawn = sampler$batches(given$epochs[[place]])
      expected = lapply(case$expected[[place]], function(rows) as.integer(unlist(rows)) + 1L)
      expect_identical(drawn$rows, unlist(expected))
      expect_identical(as.integer(diff(drawn$offsets)), lengths(expected))
    }
  }
})

test_that("more lines than integers count are doubles", {
  rows = with_lines(c(3e9, 2e9), c(600, 400), 5)$batches(0)$rows
  expect_type(rows, "double")
  expect_identical(tabulate(1 + (rows > 3e9)), c(600L, 400L))
})

test_that("files are taken in the order of their bytes, or as they are given", {
  folder = corpus_of(b = 1, B = 2, "a-b" = 3, a = 4, ab = 5)
  expect_identical(corpus_plan(mixture_of(folder))$file, c("B", "a", "a-b", "ab", "b"))
  given = mixture_of(file.path(folder, c("b.txt", "a.txt")))
  expect_identical(corpus_plan(given)$lines, c(1, 4))
  expect_identical(corpus_plan(mixture_of(list(file.path(folder, "b.txt"))))$file, "b")
})

test_that("a file whose name is no text is found by absolute and relative paths", {
  skip_on_os(c("windows", "mac")) # which have no such names
  folder = withr::local_tempdir()
  withr::local_dir(folder)
  writeLines("line", rawToChar(as.raw(c(0x63, 0x61, 0x66, 0xe9, 0x2e, 0x74, 0x78, 0x74))))
  for (source in c(folder, ".", "././")) {
    sampler = batch_sampler_corpus_mixture(source, 1, 1L, suffixes = ".txt", seed = 1)
    expect_identical(corpus_plan(sampler)$file, "caf\\xe9")
    expect_identical(sampler(NULL)$dataset()$lines(1)[[1L]], "line")
  }
})

test_that("rules are those of a file, line by line in UTF-8, or written out", {
  lines = c(30, 60, 4, 10, 5, 7)
  names(lines) = c("IT1", "MSDN", "cafe", "caf\u00e9", "colloquial", "news")
  folder = corpus_of(lines)
  file = write_bytes(tempfile(), "# mixture 3\r\nIT,MSDN\t 20\r\n\n  colloquial 10 \ncaf\u00e9 .5\nnews *\n* 1\n")
  plan = corpus_plan(mixture_of(folder, file))
  expect_identical(plan$file, names(lines))
  expect_identical(plan$rule, c(1, 1, 5, 3, 2, 4))
  expect_identical(plan$kept, c(0, 0, 0, 0, 0, 7))
  written_out = list("IT,MSDN 20", "colloquial 10", "caf\u00e9 .5", "news *", "* 1")
  expect_identical(corpus_plan(mixture_of(folder, written_out)), plan)
  expect_identical(corpus_plan(mixture_of(folder, unlist(written_out))), plan)
})

test_that("what only R can be given is refused", {
  folder = corpus_of(sizes)
  refused = function(message, ..., sample = 50L) {
    expect_error(mixture_of(folder, sample = sample, ...), message, fixed = TRUE)
  }
  refused("must have a pattern and a weight on each line. Got 'generic' on line 2 instead.", c("# first", "generic"))
  none = "The 'rules' parameter must be a file of rules, or a list of rules. Got"
  refused(paste(none, "'IT 20', no file, instead. Put a rule that is written out into a list."), "IT 20")
  refused(paste(none, "3 instead."), 3)
  refused(paste(none, "a list with 3 instead."), list(3))
  refused(paste(none, "a list with 2 values instead."), list(c("IT 20", "* 1")))
  refused("for each file. Got a value of class 'factor'", weights = factor(1))
  refused("Got a list with '3' instead. Numbers beside '*' are written as list(3, 1, '*').",
    weights = c(3, "*", 1, 1))
  refused(paste("The 'sample' parameter must be a share between 0 and 1, or a number of lines: an integer from 1. Got",
    "the floating-point number 1000.0 instead. A number of lines is written 1000, in R 1000L."), sample = 1000)
  refused("Got the floating-point number NaN instead.", sample = NaN)
  refused("Got 0 instead.", sample = 0L)
  refused("Got TRUE instead.", sample = TRUE)
  refused("must be at least 5, the lines that rules keep. Got 4 instead.", rules, sample = 4L)
  of = "The 'mixture' parameter must be made by batch_sampler_corpus_mixture()."
  expect_error(corpus_plan(3), paste(of, "Got 3 instead."), fixed = TRUE)
  expect_error(corpus_plan(batch_sampler_epoch_subset(10, 5, 2)), of, fixed = TRUE)
})

test_that("a dataloader delivers the lines of the batches", {
  folder = corpus_of(sizes, suffixes = c(".src", ".tgt"))
  dataset = corpus_dataset(folder)
  sampler = mixture_of(folder, rules, suffixes = c(".src", ".tgt"))(dataset)
  delivered = deliver(dataset, batch_sampler = sampler)
  expect_identical(delivered, lapply(epoch_of(sampler, 0), dataset$lines))
  expect_identical(sampler$dataset()[1:3], dataset[1:3])
  expect_identical(sampler$dataset(transform = lengths)[1:3], c(src = 3L, tgt = 3L))
  expect_error(mixture_of(folder, suffixes = ".src")(dataset_of(3)), "as many rows as the sampler was made for, 145")
})

test_that("a sampler shows what it draws", {
  folder = corpus_of(sizes)
  generator = mixture_of(folder, rules)
  expect_identical(capture.output(generator), c("<batch_sampler_corpus_mixture> generator", "* Files: 4, of 145 lines",
    "* Lines: 45 drawn and 5 kept in an epoch", "* Batches: 7, of at most 8 lines", "* shuffle: TRUE", "* seed: 1"))
  expect_identical(capture.output(generator(NULL))[5], "* Order: shuffled by seed 1, next epoch 0")
  even = mixture_of(folder, weights = c(2, 3, 0, 3), assign = "even")
  expect_match(capture.output(even)[3], "* Lines: 56 drawn without replacement and 0 kept in ", fixed = TRUE)
})
