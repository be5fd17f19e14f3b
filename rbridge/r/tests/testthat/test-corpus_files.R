# Files with unrelated names, listed pair by pair; tests/bridge compares the messages with Python's.

# A folder of parallel files whose names have nothing in common.
unrelated_files = function() {
  folder = tempfile("unrelated")
  dir.create(folder)
  write_bytes(file.path(folder, "europarl.en"), paste0("en ", 1:30, "\n", collapse = ""))
  write_bytes(file.path(folder, "ep-de.txt"), paste0("de ", 1:30, "\n", collapse = ""))
  write_bytes(file.path(folder, "news_2020.txt"), paste0("en news ", 1:10, "\n", collapse = ""))
  write_bytes(file.path(folder, "nachrichten.de"), paste0("de news ", 1:10, "\n", collapse = ""))
  folder
}

sources = c("europarl.en", "news_2020.txt")
targets = c("ep-de.txt", "nachrichten.de")

test_that("pair i is source i with target i", {
  withr::local_dir(unrelated_files())
  dataset = corpus_dataset(sources, targets = as.list(targets))
  expect_identical(dataset[c(4, 31)], list(src = c("en 4", "en news 1"), tgt = c("de 4", "de news 1")))
  named = corpus_dataset(sources[1], c(".en", "german"), targets = targets[1])
  expect_identical(named[2], list(en = "en 2", german = "de 2"))
})

test_that("rules look at the whole name of the source", {
  withr::local_dir(unrelated_files())
  rules = c("%.en$ 1", "nachrichten 50", "^news_2020%.txt$ 3")
  mixture = batch_sampler_corpus_mixture(sources, 8, 20L, rules, targets = targets, seed = 1)
  expect_identical(corpus_plan(mixture)[c("file", "drawn")], data.frame(file = sources, drawn = c(5, 15)))
  sampler = mixture(NULL)
  lines = sampler$dataset()[sampler$batches(0)$rows]
  expect_identical(sub("en", "de", lines$src), lines$tgt)
})

test_that("files of one name are told apart by their folders", {
  withr::local_dir(unrelated_files())
  for (name in c("x", "y", "y/in")) {
    dir.create(name)
    for (side in c("a.en", "a.de", "a.fr")) write_bytes(file.path(name, side), "1\n2\n")
  }
  source = c("x/a.en", "y/./a.en", "y/a.en", "./europarl.en")
  mixture = batch_sampler_corpus_mixture(source, 8, 30L, c("^a%.en$ 1", "* 1"), seed = 1,
    targets = c("x/a.de", "y/a.de", "y/a.fr", "ep-de.txt"))
  expect_identical(corpus_plan(mixture)$file, c("x/a.en", "y/a.en", "y/a.en (2)", "europarl.en"))
  expect_identical(corpus_plan(mixture)$drawn, c(5, 5, 5, 15))
  by_suffix = batch_sampler_corpus_mixture(c("x/a.en", "y/a.en", "y/in/a.en"), 8, 2L, suffixes = ".en")
  expect_identical(corpus_plan(by_suffix)$file, c("x/a", "y/a", "in/a"))
})

test_that("lists that make no pairs are refused", {
  withr::local_dir(unrelated_files())
  refused = function(message, source = sources, ...) {
    arguments = utils::modifyList(list(source = source, targets = targets), list(...))
    expect_error(do.call(corpus_dataset, arguments), message, fixed = TRUE)
  }
  refused("The 'source' parameter must be a list of files if 'targets' is given. Got 3 instead.", 3)
  refused("'targets' parameter must be a list of files, one for each of 'source'. Got a list with NA",
    targets = c(NA, "x"))
  refused("The 'targets' parameter must list at least one file. Got none", targets = character())
  refused("must have regular files. Got the folder '.' instead.", c(".", sources[2]))
})
