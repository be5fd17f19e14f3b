# Lines of files by number: files that change, and what is refused. tests/bridge compares lines with Python's.

test_that("positions are the lines of all files in order, for each suffix, of which a function makes the batch", {
  folder = corpus_of(IT1 = 30, IT2 = 10, empty = 0, news = 50, suffixes = c(".src", ".tgt"))
  dir.create(file.path(folder, "folder.src"))
  dataset = corpus_dataset(folder)
  expect_length(dataset, 90)
  expect_identical(dataset[c(90, 1, 31, 40, 41, 1)], list(
    src = paste(c("news 50", "IT1 1", "IT2 1", "IT2 10", "news 1", "IT1 1"), ".src"),
    tgt = paste(c("news 50", "IT1 1", "IT2 1", "IT2 10", "news 1", "IT1 1"), ".tgt")
  ))
  expect_identical(dataset[integer()], list(src = character(), tgt = character()))
  of_sizes = corpus_dataset(folder, transform = function(lines) nchar(lines$src))
  expect_identical(deliver(of_sizes, batch_size = 89), list(nchar(dataset[1:89]$src), nchar(dataset[90]$src)))
  for (position in list(0, 91, NA, 1.5, "1", NULL)) {
    expect_error(dataset[position], "'positions' .* must hold positions of lines from 1 to 90. Got ")
  }
})

test_that("no line of a file that has changed is read, without a mixture and at once", {
  text = paste0("line ", 1:9, "\n", collapse = "")
  other = sub("line 1\nline 2", "a\nlonger line", text) # as long in all
  changes = list(
    rewrite = function(path) write_bytes(path, other),
    longer = function(path) write_bytes(path, paste0(text, "more\n")),
    truncate = function(path) write_bytes(path, substr(text, 1, 20)),
    move = function(path) file.rename(path, paste0(path, ".elsewhere"))
  )
  for (change in changes) {
    path = write_bytes(tempfile(fileext = ".txt"), text)
    Sys.setFileTime(path, .POSIXct(1e9, "UTC"))
    seen = NULL
    dataset = corpus_dataset(list(path), ".txt", transform = function(lines) seen <<- lines)
    saved = unserialize(serialize(dataset, NULL))
    mixture = batch_sampler_corpus_mixture(list(path), 2, 5, suffixes = ".txt", seed = 1)(NULL)
    mixture$batches(0)
    dataset[1]
    seen = NULL
    change(path)
    message = "has changed since its lines were found .* Make the sampler and the dataset anew."
    for (again in 1:2) {
      expect_error(dataset[c(2, 1)], message)
    }
    expect_error(saved[1], message)
    expect_error(mixture$batches(1), message)
    expect_null(seen)
  }
})

test_that("what is no text is refused, with the file and the line", {
  path = write_bytes(tempfile(fileext = ".txt"), c(charToRaw("fine\ncaf"), as.raw(0xe9), charToRaw("\nx"), as.raw(0)))
  dataset = corpus_dataset(list(path), ".txt")
  expect_identical(dataset[1]$txt, "fine")
  lines = corpus_dataset(list(write_bytes(tempfile(), "a\r\n\n\nb\r\r\n\nc\r")), "")
  expect_identical(lines[c(2:6, 1, 5)]$line, c("", "", "b\r", "", "c\r", "a", ""))
  expect_error(corpus_dataset("no folder", transform = 3), "'transform' parameter must be a function, or nothing.")
  expect_error(dataset[c(1, 2)], sprintf("%s, line 2, is not UTF-8.", path), fixed = TRUE)
  expect_error(dataset[3], sprintf("%s, line 3, has a zero byte, which text in R cannot have.", path), fixed = TRUE)
})

test_that("compressed files and UTF-16 are refused at once", {
  path = tempfile(fileext = ".txt")
  output = gzfile(path, "wb")
  writeLines("line", output)
  close(output)
  refused = sprintf("must have files of text in UTF-8. Got the compressed or UTF-16 file '%s' instead.", path)
  expect_error(corpus_dataset(list(path), ".txt"), refused, fixed = TRUE)
  write_bytes(path, as.raw(c(0xff, 0xfe, 0x61, 0)))
  expect_error(corpus_dataset(list(path), ".txt"), refused, fixed = TRUE)
})

test_that("wrong sources and suffixes are refused", {
  folder = corpus_of(news = 50, old = 3, suffixes = c(".src", ".tgt"))
  write_bytes(file.path(folder, "old.tgt"), "one\ntwo\n")
  path = function(name) file.path(folder, name)
  file.symlink("nowhere", path("broken.link"))
  write_bytes(path("lonely.tgt"), "line\n")
  refused = function(message, source, suffixes = ".txt") {
    expect_error(corpus_dataset(source, suffixes), message, fixed = TRUE)
  }
  refused("must be a folder or a list of files. Got 'nowhere' instead.", "nowhere")
  refused("must have files that end in '.md'. Got none instead.", folder, ".md")
  refused("must list files that end in '.md'. Got", list(path("lonely.tgt")), ".md")
  refused(sprintf("must have regular files. Got no file '%s'", path("broken.link")), folder, ".link")
  refused(sprintf("must have regular files. Got no file '%s' instead.", path("lonely.src")), folder, c(".src", ".tgt"))
  unlink(path("lonely.tgt"))
  refused(sprintf(paste("must have parallel files with the same number of lines. Got 3 lines in '%s' and 2 lines in",
    "'%s' instead."), path("old.src"), path("old.tgt")), folder, c(".src", ".tgt"))
  refused("Got ('.txt', '.txt') instead.", folder, c(".txt", ".txt"))
})
