# Files with unrelated names, listed pair by pair. tests/bridge compares plans with Python's, also of files without
# partners.

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

test_that("pair i is source i with target i", {
  withr::local_dir(unrelated_files())
  dataset = corpus_dataset(sources, targets = as.list(targets))
  expect_identical(dataset[c(4, 31)], list(src = c("en 4", "en news 1"), tgt = c("de 4", "de news 1")))
  named = corpus_dataset(sources[1], c(".en", "german"), targets = targets[1])
  expect_identical(named[2], list(en = "en 2", german = "de 2"))
})
