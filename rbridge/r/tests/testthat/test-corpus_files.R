# Files with unrelated names, listed pair by pair, or taken as they are. tests/bridge compares plans and refusals with
# Python's.

sources = c("europarl.en", "news_2020.txt")
targets = c("ep-de.txt", "nachrichten.de")

# A folder of parallel files whose names have nothing in common.
unrelated_files = function() {
  folder = tempfile("unrelated")
  dir.create(folder)
  lines = list("europarl.en" = paste("en", 1:30), "ep-de.txt" = paste("de", 1:30),
    "news_2020.txt" = paste("en news", 1:10), "nachrichten.de" = paste("de news", 1:10))
  for (name in names(lines)) writeLines(lines[[name]], file.path(folder, name))
  folder
}

test_that("pair i is source i with target i, and rules look at the whole name of the source", {
  withr::local_dir(unrelated_files())
  dataset = corpus_dataset(sources, targets = as.list(targets))
  expect_identical(dataset[c(4, 31)], list(src = c("en 4", "en news 1"), tgt = c("de 4", "de news 1")))
  named = corpus_dataset(sources[1], c(".en", "german"), targets = targets[1])
  expect_identical(named[2], list(en = "en 2", german = "de 2"))
  rules = c("%.en$ 1", "nachrichten 50", "^news_2020%.txt$ 3")
  mixture = batch_sampler_corpus_mixture(sources, 8, 20L, rules, targets = targets, seed = 1)
  expect_identical(corpus_plan(mixture)[c("file", "drawn")], data.frame(file = sources, drawn = c(5, 15)))
  lines = mixture(NULL)$dataset()[mixture(NULL)$batches(0)$rows]
  expect_identical(sub("en", "de", lines$src), lines$tgt)
})

test_that("files without partners are taken as they are", {
  withr::local_dir(unrelated_files())
  files = c("news_2020.txt", "nachrichten.de")
  dataset = corpus_dataset(files, "")
  expect_equal(dataset$.length(), 20)
  expect_identical(dataset$lines(c(1, 11)), list(line = c("en news 1", "de news 1")))
  mixture = batch_sampler_corpus_mixture(files, 4, 8L, c("^news 3", "%.de$ 1"), "", seed = 1)(NULL)
  expect_identical(mixture$plan()$file, files)
  expect_identical(mixture$dataset()$lines(20), list(line = "de news 10"))
  expect_error(corpus_dataset(files), fixed = TRUE,
    "To take files of any names, without partners, pass one empty text as 'suffixes'.")
  expect_error(corpus_dataset(files, "", targets = rev(files)), "Got ('') instead.", fixed = TRUE)
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
  by_suffix = batch_sampler_corpus_mixture(c("x/a.en", "y/a.en", "y/in/a.en"), 8, 2L, suffixes = ".en")
  expect_identical(corpus_plan(by_suffix)$file, c("x/a", "y/a", "in/a"))
})
