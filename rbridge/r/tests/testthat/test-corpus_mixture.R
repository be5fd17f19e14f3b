# Mixtures of files: R's own draws, the rules, files that change, and invalid arguments.

sizes = c(IT1 = 30, MSDN = 60, gold = 5, news = 50)
rules = c("gold *", "IT,MSDN 20", "news 10")

mixture_of = function(folder, ..., sample = 50L, suffixes = ".txt", seed = 1) {
  batch_sampler_corpus_mixture(folder, 8, sample, ..., suffixes = suffixes, seed = seed)
}

drawn_by_r = function(seed, epoch, draw) {
  withr::with_seed(seed_of_epoch(seed, epoch), draw(),
    .rng_kind = "Mersenne-Twister", .rng_normal_kind = "Inversion", .rng_sample_kind = "Rejection")
}

test_that("lines are drawn as sample.int() draws them, file after file, and then shuffled", {
  folder = corpus_of(sizes)
  mixture = mixture_of(folder, rules)(NULL)
  plan = mixture$plan()
  expect_identical(plan$drawn, c(10, 20, 0, 15))
  expect_identical(plan$kept, c(0, 0, 5, 0))
  draw = function() {
    c(sample.int(30, 10, replace = TRUE), 30L + sample.int(60, 20, replace = TRUE), 91:95,
      95L + sample.int(50, 15, replace = TRUE))
  }
  in_order = mixture_of(folder, rules, shuffle = FALSE)(NULL)
  for (epoch in 0:2) {
    expect_identical(in_order$batches(epoch)$rows, sort(drawn_by_r(1, epoch, draw)))
    expect_identical(mixture$batches(epoch)$rows, drawn_by_r(1, epoch, function() {
      lines = draw()
      lines[sample.int(length(lines))]
    }))
  }
  expect_identical(diff(mixture$batches(0)$offsets), c(rep(8L, 6), 2L))
  expect_identical(mixture$.length(), 7L)
})

# A sampler whose recipe says that its files have these numbers of lines; the files are shorter.
with_lines = function(lines, drawn, seed, kept = 0 * lines, batch_size = 8, ...) {
  files = corpus_of(stats::setNames(rep(1, length(lines)), letters[seq_along(lines)]))
  recipe = recipe_of(batch_sampler_corpus_mixture(files, 8, 50L, suffixes = ".txt"))
  recipe$seed = seed
  recipe$parts = utils::modifyList(recipe$parts, list(lines = lines, drawn = drawn, kept = kept,
    batch_size = batch_size, ...))
  generator_of_recipe(recipe)(NULL)
}

test_that("more lines than integers count are doubles", {
  rows = with_lines(c(3e9, 2e9), c(600, 400), 5)$batches(0)$rows
  expect_type(rows, "double")
  expected = drawn_by_r(5, 0, function() {
    lines = c(sample.int(3e9, 600, replace = TRUE), 3e9 + sample.int(2e9, 400, replace = TRUE))
    lines[sample.int(1000)]
  })
  expect_identical(rows, expected)
})

test_that("without replacement, whole passes come first, and the rest as sample.int() draws it", {
  folder = corpus_of(sizes)
  until = function(epoch_end, ...) {
    batch_sampler_corpus_mixture(folder, 8, suffixes = ".txt", weights = list(2, 7, "*", 3), epoch_end = epoch_end,
      seed = 1, ...)(NULL)
  }
  first = until("first_exhausted")
  expect_identical(first$plan()$drawn, c(17, 60, 0, 25))
  last = until("all_exhausted")
  expect_identical(last$plan()$drawn, c(34, 117, 0, 50))
  for (epoch in 0:2) {
    expect_identical(first$batches(epoch)$rows, drawn_by_r(1, epoch, function() {
      lines = c(sample.int(30, 17), 31:90, 91:95, 95L + sample.int(50, 25))
      lines[sample.int(length(lines))]
    }))
    expect_identical(last$batches(epoch)$rows, drawn_by_r(1, epoch, function() {
      lines = c(1:30, sample.int(30, 4), 31:90, 30L + sample.int(60, 57), 91:95, 96:145)
      lines[sample.int(length(lines))]
    }))
  }
  expect_identical(last$.length(), 26L)
  expect_match(capture.output(last)[3], "* Lines: 201 drawn without replacement and 5 kept in an epoch", fixed = TRUE)
  expect_identical(until("all_exhausted", shuffle = FALSE)$batches(2)$rows, sort(last$batches(2)$rows))
})

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

test_that("with the mix in every batch, weights are lines of a batch, and plans say so", {
  folder = corpus_of(sizes)
  mixture = mixture_of(folder, weights = c(2, 3, 0, 3), assign = "even")(NULL)
  expect_identical(mixture$plan()$drawn, c(14, 21, 0, 21))
  file_of = rep(names(sizes), times = sizes)
  for (rows in as.list(mixture$batches(3))) {
    expect_identical(as.vector(table(file_of[rows])[c("IT1", "MSDN", "news")]), c(2L, 3L, 3L))
  }
  expect_match(capture.output(mixture)[3], "* Lines: 56 drawn without replacement", fixed = TRUE)
  by_epoch = mixture_of(folder, weights = function(epoch) c(1, 0, 0, 1 + 2 * epoch), assign = "even")(NULL)
  expect_identical(as.vector(table(file_of[by_epoch$batches(1)[[4]]])), c(2L, 6L))
  refused = function(...) message_of(mixture_of(folder, ..., assign = "even"))
  expect_match(refused(weights = c(0, 0, 1, 0)), "ask for at most 5 lines of 'gold' in a batch. Got 8", fixed = TRUE)
  expect_match(refused(window = 9), "'window' parameter must be left out if 'assign' is 'even'. Got 9", fixed = TRUE)
  expect_match(message_of(mixture_of(folder, cap = 3, weights = 1:4)), "'cap' parameter must be left out if 'weights'",
    fixed = TRUE)
})

test_that("of large files, few lines are drawn without a pool, as sample.int() does", {
  rows = with_lines(c(2e7, 5e9, 20), c(500, 300, 50), 5, replace = 0L)$batches(0)$rows
  expected = drawn_by_r(5, 0, function() {
    drawn = c(sample.int(2e7, 500), 2e7 + sample.int(5e9, 300), 2e7 + 5e9 + c(1:20, 1:20, sample.int(20, 10)))
    drawn[sample.int(850)]
  })
  expect_identical(rows, expected)
})

test_that("a share is one of the lines that no rule keeps", {
  mixture = mixture_of(corpus_of(sizes), rules, sample = 0.5)
  expect_identical(corpus_plan(mixture)$drawn, c(16, 32, 0, 24)) # of 140 lines, each share rounded up
  expect_identical(mixture(NULL)$.length(), 10L)
})

test_that("files are taken in the order of their bytes, or as they are given", {
  folder = corpus_of(b = 1, B = 2, "a-b" = 3, a = 4, ab = 5)
  expect_identical(corpus_plan(mixture_of(folder))$file, c("B", "a", "a-b", "ab", "b"))
  given = mixture_of(file.path(folder, c("b.txt", "a.txt")))
  expect_identical(corpus_plan(given)$lines, c(1, 4))
  expect_identical(corpus_plan(mixture_of(list(file.path(folder, "b.txt"))))$file, "b")
})

test_that("a file of rules is read as its lines are", {
  folder = corpus_of(sizes)
  file = write_bytes(tempfile(), "# a comment\r\ngold\t *\r\n\nIT,MSDN 20\nnews 10")
  expect_identical(corpus_plan(mixture_of(folder, file)), corpus_plan(mixture_of(folder, rules)))
  expect_identical(corpus_plan(mixture_of(folder, list("* 1"))), transform(corpus_plan(mixture_of(folder)), rule = 1))
})

test_that("rules are read line by line, in UTF-8, and cover the names of files", {
  lines = c(30, 60, 4, 10, 5, 7)
  names(lines) = c("IT1", "MSDN", "cafe", "caf\u00e9", "colloquial", "news")
  folder = corpus_of(lines)
  rules = write_bytes(tempfile(), "# mixture 3\r\nIT,MSDN\t 20\r\n\n  colloquial 10 \ncaf\u00e9 .5\nnews *\n* 1\n")
  plan = corpus_plan(mixture_of(folder, rules))
  expect_identical(plan$file, names(lines))
  expect_identical(plan$rule, c(1, 1, 5, 3, 2, 4))
  expect_identical(plan$kept, c(0, 0, 0, 0, 0, 7))
})

test_that("rules that are none are refused with their line", {
  folder = corpus_of(sizes)
  refused = function(rules, message) expect_error(mixture_of(folder, rules), message, fixed = TRUE)
  refused(c("# first", "generic"), "must have a pattern and a weight on each line. Got 'generic' on line 2 instead.")
  refused(c("# first", "* 0"), "must have weights that are positive decimal numbers, or '*'. Got '0' on line 2")
  refused(c("# first", "IT,[a 20"), "must have valid Lua patterns. Got '[a' on line 2 instead.")
  none = "The 'rules' parameter must be a file of rules, or a list of rules. Got"
  refused("IT 20", paste(none, "'IT 20', no file, instead. Put a rule that is written out into a list."))
  refused(3, paste(none, "3 instead."))
  refused(list(3), paste(none, "a list with 3 instead."))
  refused(list(c("IT 20", "* 1")), paste(none, "a list with 2 values instead."))
})

test_that("a plan follows from weights, a temperature, or the end of an epoch", {
  drawn = function(files, ...) {
    corpus_plan(batch_sampler_corpus_mixture(corpus_of(files), 8, suffixes = ".txt", ...))$drawn
  }
  expect_identical(drawn(c(a = 30, b = 60, c = 5, d = 900), sample = 100L, weights = c(3, 1, 0, 1)), c(60, 20, 0, 20))
  expect_identical(drawn(c(a = 10000, b = 100), sample = 1100L, temperature = 2), c(1000, 100))
  expect_identical(drawn(c(a = 30, b = 60, c = 5), weights = list("*", 12, 0.5), epoch_end = "all_exhausted"),
    c(0, 120, 5))
  expect_error(drawn(c(a = 3), sample = 2L, weights = factor(1)), "for each file. Got a value of class 'factor'")
  expect_error(drawn(c(a = 3, b = 3), sample = 2L, weights = c(3, "*")), fixed = TRUE,
    "Got a list with '3' instead. Numbers beside '*' are written as list(3, 1, '*').")
})

test_that("what is no mixture has no plan", {
  of = "The 'mixture' parameter must be made by batch_sampler_corpus_mixture()."
  expect_error(corpus_plan(3), paste(of, "Got 3 instead."), fixed = TRUE)
  expect_error(corpus_plan(NULL), "Got nothing instead.", fixed = TRUE)
  expect_error(corpus_plan(batch_sampler_epoch_subset(10, 5, 2)), of, fixed = TRUE)
})

test_that("files that no rule covers are named in a warning", {
  expect_warning(mixture_of(corpus_of(sizes), c("gold *", "IT 1")),
    "No rule covers these files, which are left out: 'MSDN', 'news'.", fixed = TRUE)
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

test_that("a changed file is refused at the next epoch", {
  folder = corpus_of(sizes)
  sampler = mixture_of(folder)(NULL)
  sampler$batches(0)
  write_bytes(file.path(folder, "news.txt"), "other\n")
  expect_error(sampler$batches(0), fixed = TRUE,
    "news.txt has changed since its lines were found (size, time of modification or inode)")
  unlink(file.path(folder, "news.txt"))
  expect_error(sampler$batches(0), "news.txt has changed")
})

test_that("wrong arguments are refused", {
  folder = corpus_of(sizes)
  refused = function(message, ...) {
    arguments = utils::modifyList(list(source = folder, batch_size = 8, sample = 50L, suffixes = ".txt"), list(...))
    expect_error(do.call(batch_sampler_corpus_mixture, arguments), message, fixed = TRUE)
  }
  of = "parameter must"
  refused(paste("The 'batch_size'", of, "be a positive integer. Got 0 instead."), batch_size = 0)
  refused(paste("The 'shuffle'", of, "be true or false. Got 1 instead."), shuffle = 1)
  refused(paste("The 'sample'", of, "be a share between 0 and 1, or a number of lines: an integer from 1. Got the",
    "floating-point number 1000.0 instead. A number of lines is written 1000, in R 1000L."), sample = 1000)
  refused("Got the floating-point number 2.5 instead.", sample = 2.5)
  refused("Got the floating-point number nan instead.", sample = NaN)
  refused("Got 0 instead.", sample = 0L)
  refused("Got TRUE instead.", sample = TRUE)
  refused("must be at least 5, the lines that rules keep. Got 4 instead.", sample = 4L, rules = rules)
  refused("must give an epoch at most 2147483647 lines. Got 2147483647, for 2147483649 instead.",
    sample = .Machine$integer.max)
  refused(paste("The 'source'", of, "be a folder or a list of files. Got 'nowhere' instead."), source = "nowhere")
  refused("must leave each batch a row: 52 are drawn for 53 batches. Got 53 instead.", num_replicas = 53)
})

test_that("a sampler shows what it draws", {
  generator = mixture_of(corpus_of(sizes), rules)
  expect_identical(capture.output(generator), c("<batch_sampler_corpus_mixture> generator", "* Files: 4, of 145 lines",
    "* Lines: 45 drawn and 5 kept in an epoch", "* Batches: 7, of at most 8 lines", "* shuffle: TRUE", "* seed: 1"))
  expect_identical(capture.output(generator(NULL))[5], "* Order: shuffled by seed 1, next epoch 0")
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
