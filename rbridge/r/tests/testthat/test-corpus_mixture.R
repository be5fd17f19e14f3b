# Mixtures of files: the golden cases, rules as R reads them, and what only R can be given. tests/bridge compares plans,
# batches, lines and refusals with Python's.

sizes = c(IT1 = 30, MSDN = 60, gold = 5, news = 50)
rules = c("gold *", "IT,MSDN 20", "news 10")

mixture_of = function(folder, ..., sample = 50, suffixes = ".txt", seed = 1) {
  batch_sampler_corpus_mixture(folder, 8, sample, ..., suffixes = suffixes, seed = seed)
}

test_that("plans and batches are those of the golden cases", {
  for (case in read_golden("mixtures.json")$cases) {
    given = case$input
    lines = as.double(unlist(given$lines))
    folder = corpus_of(stats::setNames(lines, paste0("f", seq_along(lines) - 1)))
    arguments = given[setdiff(names(given), c("lines", "epochs"))]
    if (!is.null(arguments$rules)) {
      arguments$rules = unlist(arguments$rules)
    }
    mixture = do.call(batch_sampler_corpus_mixture, c(list(folder, suffixes = ".txt"), arguments))
    sampler = mixture(NULL)
    for (place in seq_along(given$epochs)) {
      epoch = given$epochs[[place]]
      plan = corpus_plan(mixture, epoch)
      expect_equal(plan[c("drawn", "kept")], as.data.frame(lapply(case$expected[c("drawn", "kept")], function(counts) {
        as.double(unlist(counts[[place]]))
      })))
      drawn = sampler$batches(epoch)
      expected = lapply(case$expected$batches[[place]], function(rows) as.integer(unlist(rows)) + 1L)
      expect_identical(drawn$rows, unlist(expected))
      expect_identical(as.integer(diff(drawn$offsets)), lengths(expected))
      sampler$set_epoch(epoch)
      expect_identical(sampler$.length(), length(expected))
      expect_identical(sampler$plan(), plan)
    }
  }
})

test_that("files are taken in the order of their bytes, or as they are given", {
  folder = corpus_of(b = 1, B = 2, "a-b" = 3, a = 4, ab = 5)
  expect_identical(corpus_plan(mixture_of(folder))$file, c("B", "a", "a-b", "ab", "b"))
  given = mixture_of(file.path(folder, c("b.txt", "a.txt")))
  expect_identical(corpus_plan(given)$lines, c(1, 4))
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
  refused = function(message, ..., sample = 50) {
    expect_error(mixture_of(folder, sample = sample, ...), message, fixed = TRUE)
  }
  refused("must have a pattern and a weight on each line. Got 'generic' on line 2 instead.", c("# first", "generic"))
  none = "The 'rules' parameter must be a file of rules, or a list of rules. Got"
  refused(paste(none, "'IT 20', no file, instead. Put a rule that is written out into a list."), "IT 20")
  refused(paste(none, "a list with 2 values instead."), list(c("IT 20", "* 1")))
  refused("'weights' parameter must hold numbers. Got a value of class 'character'", weights = c(3, "*", 1, 1))
  refused("must be a share below 1, or a number of lines from 2. Got 1 instead.", sample = 1L)
  refused("The 'weights' parameter must be a table from epochs, integers from 0 to 6700000, to lists of weights. Got",
    weights = list("0" = 1:4, "6700001" = 1:4))
  expect_no_error(mixture_of(folder, sample = 50, weights = list("0" = 1:4, "6700000" = 1:4)))
  refused("must have one number for each side, 1, or be one number.", max_length = 1:3)
  refused("must return true or false for each position. Got TRUE instead.", accept = function(lines) TRUE)
  of = "The 'mixture' parameter must be made by batch_sampler_corpus_mixture()."
  expect_error(corpus_plan(3), paste(of, "Got 3 instead."), fixed = TRUE)
  expect_error(corpus_plan(batch_sampler_epoch_subset(10, 5, 2)), of, fixed = TRUE)
})

test_that("lines beyond the limits are never drawn, and a dataset with limits has only what remains", {
  folder = corpus_of(a = 9, b = 7, suffixes = c(".src", ".tgt"))
  for (side in c("src", "tgt")) {
    for (name in c("a", "b")) {
      writeLines(strrep("w ", seq_len(if (name == "a") 9 else 7) %% (if (side == "src") 5 else 3)),
        file.path(folder, paste0(name, ".", side)))
    }
  }
  whole = corpus_dataset(folder)
  of_sides = vapply(whole$lines(1:16), function(side) nchar(side) %/% 2, numeric(16L))
  different = function(lines) lines$src != lines$tgt
  for (limits in list(3, c(4, 1), c(.tgt = 1, .src = 4))) {
    most = if (length(limits) == 1L) c(3, 3) else c(4, 1)
    within = which(of_sides[, 1L] <= most[1L] & of_sides[, 2L] <= most[2L] & different(whole$lines(1:16)))
    generator = mixture_of(folder, sample = 300, suffixes = c(".src", ".tgt"), max_length = limits, accept = different)
    expect_identical(sort(unique(generator(whole)$batches(0)$rows)), within)
    expect_identical(corpus_plan(generator)$excluded, c(9 - sum(within <= 9), 7 - sum(within > 9)))
    limited = corpus_dataset(folder, max_length = limits, accept = different)
    expect_length(limited, length(within))
    expect_identical(limited[rev(seq_along(within))], whole[rev(within)])
    expect_equal(limited$lengths(), pmax(of_sides[, 1L], of_sides[, 2L])[within])
    expect_error(limited[length(within) + 1], "hold positions of lines from 1 to")
  }
  expect_identical(corpus_dataset(folder, positions = TRUE)[3:4], list(positions = 3:4, items = whole[3:4]))
})

test_that("a dataloader delivers the lines of the batches", {
  folder = corpus_of(sizes, suffixes = c(".src", ".tgt"))
  dataset = corpus_dataset(folder)
  sampler = mixture_of(folder, rules, suffixes = c(".src", ".tgt"))(dataset)
  delivered = deliver(dataset, batch_sampler = sampler)
  expect_identical(delivered, lapply(epoch_of(sampler, 0), dataset$lines))
  expect_identical(sampler$dataset(transform = lengths)[1:3], c(src = 3L, tgt = 3L))
  expect_error(mixture_of(folder, suffixes = ".src")(dataset_of(3)), "as many rows as the sampler was made for, 145")
})
