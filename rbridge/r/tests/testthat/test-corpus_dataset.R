# Lines of files by number: the place of the index, files that change, and what is refused. tests/bridge compares lines
# with Python's.

lines_in = function(path) {
  dataset = corpus_dataset(list(path), suffixes = sub(".*(?=[.])", "", path, perl = TRUE))
  if (length(dataset) == 0) character() else dataset$lines(seq_len(length(dataset)))[[1]]
}

test_that("the index is kept beside the file, in 8 bytes a line, as private as the file", {
  path = write_bytes(tempfile(fileext = ".txt"), strrep("line\n", 1000))
  Sys.chmod(path, "600")
  lines_in(path)
  index = file.info(index_beside(path))
  expect_identical(index$size, 8 * 1001 + 64)
  expect_identical(format(index$mode), "600")
  expect_identical(lines_in(path), rep("line", 1000))
  expect_identical(file.info(index_beside(path))$mtime, index$mtime)
  expect_length(list.files(dirname(path), "^[.].*pystrat-lines.+", all.files = TRUE), 0L)
})

test_that("an index that is damaged, gone or of another text is made again", {
  lines = sprintf("line %d%s", 1:40, strrep("x", 1:40 %% 7))
  path = write_bytes(tempfile(fileext = ".txt"), paste0(lines, "\n", collapse = ""))
  Sys.setFileTime(path, .POSIXct(1e9, "UTC"))
  dataset = corpus_dataset(list(path), ".txt")
  index = index_beside(path)
  whole = readBin(index, "raw", 1000)
  expect_length(whole, 64 + 8 * 41)
  places = some_of(seq_along(whole), 12)
  damage = c(
    lapply(places, function(place) replace(whole, place, xor(whole[place], as.raw(1 + place %% 255)))),
    lapply(c(0, 63, 64, length(whole) - 8), function(size) whole[seq_len(size)]),
    list(c(whole, whole[1:8])),
    lapply(c(-1, 0, 2^62, -2^62, 17), function(number) replace(whole, 64 + 8 * 20 + 1:8, number_bytes(number)))
  )
  for (bytes in damage) {
    write_bytes(index, bytes)
    expect_identical(lines_in(path), lines)
    expect_identical(readBin(index, "raw", 1000), whole)
  }
  unlink(index) # before the first line is read
  expect_identical(dataset[c(40, 1)]$txt, lines[c(40, 1)])
  expect_identical(readBin(index, "raw", 1000), whole)
  # In place, as long as before, and the time is put back.
  write_bytes(path, paste0(rev(lines), "\n", collapse = ""))
  Sys.setFileTime(path, .POSIXct(1e9, "UTC"))
  expect_identical(lines_in(path), rev(lines))
})

test_that("where the folder cannot be written to, the index is in the cache folder, else in memory", {
  path = write_bytes(tempfile(fileext = ".txt"), "a\nb")
  dir.create(index_beside(path)) # which even root cannot replace by a file
  cache = tempfile()
  withr::with_envvar(c(XDG_CACHE_HOME = cache), expect_identical(lines_in(path), c("a", "b")))
  expect_length(list.files(file.path(cache, "pystrat", "lines")), 1L)
  withr::with_envvar(c(XDG_CACHE_HOME = path), { # a file: no folder can be made in it
    dataset = corpus_dataset(list(path), ".txt")
    expect_identical(dataset[1:2]$txt, c("a", "b"))
    expect_identical(unserialize(serialize(dataset, NULL))[2]$txt, "b")
  })
  withr::with_envvar(c(XDG_CACHE_HOME = NA, HOME = ""), expect_identical(lines_in(path), c("a", "b")))
})

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
    replace = function(path) {
      aside = write_bytes(paste0(path, ".aside"), text)
      Sys.setFileTime(aside, .POSIXct(1e9, "UTC"))
      file.link(path, paste0(path, ".backup"))
      file.rename(aside, path)
    },
    move = function(path) file.rename(path, paste0(path, ".elsewhere")),
    fifo = function(path) {
      unlink(path)
      system2("mkfifo", shQuote(path))
    }
  )
  for (change in changes) {
    path = write_bytes(tempfile(fileext = ".txt"), text)
    Sys.setFileTime(path, .POSIXct(1e9, "UTC"))
    seen = NULL
    dataset = corpus_dataset(list(path), ".txt", transform = function(lines) seen <<- lines)
    saved = unserialize(serialize(dataset, NULL))
    mixture = batch_sampler_corpus_mixture(list(path), 2, 5L, suffixes = ".txt", seed = 1)(NULL)
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
  expect_error(dataset[c(1, 2)], sprintf("%s, line 2, is not UTF-8.", path), fixed = TRUE)
  expect_error(dataset[3], sprintf("%s, line 3, has a zero byte, which text in R cannot have.", path), fixed = TRUE)
})

test_that("what a killed process left is deleted, and what another one is writing is kept", {
  path = write_bytes(tempfile(fileext = ".txt"), "first\nsecond\n")
  written = paste0(index_beside(path), ".1a2b.pystrat-lines")
  other = file.path(dirname(path), sprintf(".%s.b.pystrat-lines", basename(path))) # the index of another text
  file.create(written, other)
  lock = .Call(C_lock_file, written)
  expect_identical(lines_in(path), c("first", "second"))
  expect_identical(file.exists(written, other), c(TRUE, TRUE))
  .Call(C_unlock_file, lock)
  unlink(index_beside(path))
  expect_identical(lines_in(path), c("first", "second"))
  expect_identical(file.exists(written, other), c(FALSE, TRUE))
})

test_that("a FIFO is refused and does not hang, and neither does one in the place of an index", {
  skip_on_cran()
  folder = tempfile()
  dir.create(folder)
  fifo = file.path(folder, "a.txt")
  path = write_bytes(file.path(folder, "b.txt"), "a\nb\n")
  for (place in c(fifo, index_beside(path))) {
    system2("mkfifo", shQuote(place))
  }
  found = callr::r(function(folder, fifo, path) {
    message_of = function(code) tryCatch(code, error = conditionMessage)
    c(
      message_of(rbridge::corpus_dataset(folder, ".txt")),
      message_of(rbridge::corpus_dataset(list(fifo), ".txt")),
      message_of(rbridge::batch_sampler_corpus_mixture(folder, 2, 2L, suffixes = ".txt")),
      rbridge::corpus_dataset(list(path), ".txt")[1:2]$txt
    )
  }, list(folder, fifo, path), libpath = c(installed_library(), .libPaths()), timeout = 60)
  refused = sprintf("The 'source' parameter must have regular files. Got the FIFO '%s' instead.", fifo)
  expect_identical(found, c(rep(refused, 3), "a", "b"))
  expect_identical(system2("test", c("-f", shQuote(index_beside(path)))), 0L)
})

test_that("files stay open as long as the dataset lives, and those that have changed are closed", {
  n_open = function() length(list.files("/dev/fd"))
  folder = corpus_of(a = 3, b = 3)
  gc()
  before = n_open()
  dataset = corpus_dataset(folder, ".txt")
  expect_identical(n_open(), before)
  dataset[1:6]
  expect_identical(n_open(), before + 2L)
  saved = unserialize(serialize(dataset, NULL))
  expect_identical(saved[6:1], dataset[6:1])
  expect_identical(n_open(), before + 4L)
  write_bytes(file.path(folder, "b.txt"), "other\n")
  expect_error(dataset[1:6], "became shorter while it was read: line 1 is not there any more.")
  expect_identical(n_open(), before + 3L)
  expect_error(saved[1:6], "became shorter")
  expect_identical(n_open(), before + 2L)
  rm(dataset, saved)
  gc()
  expect_identical(n_open(), before)
})

if (is_thorough()) test_that("more files than a process can have open are read", {
  sizes = rep(2, 240)
  names(sizes) = sprintf("f%03d", 1:240)
  dataset = corpus_dataset(corpus_of(sizes), ".txt")
  file = tempfile(fileext = ".rds")
  saveRDS(dataset, file)
  # A shell in which a process can have 200 files open, of which R itself needs some.
  script = tempfile(fileext = ".R")
  writeLines(sprintf("cat(readRDS('%s')[c(480, 1:480, 2)]$txt, sep = '\\n')", file), script)
  libraries = paste(c(installed_library(), .libPaths()), collapse = .Platform$path.sep)
  command = sprintf("ulimit -n 200; R_LIBS='%s' '%s' '%s'", libraries, file.path(R.home("bin"), "Rscript"), script)
  read = system(command, intern = TRUE)
  expect_identical(read, sprintf("f%03d %d .txt", c(240, rep(1:240, each = 2), 1), c(2, rep(1:2, 240), 2)))
})

test_that("wrong sources and suffixes are refused", {
  folder = corpus_of(news = 50, old = 3, suffixes = c(".src", ".tgt"))
  write_bytes(file.path(folder, "old.tgt"), "one\ntwo\n")
  path = function(name) file.path(folder, name)
  file.symlink("/dev/zero", path("device.dev"))
  file.symlink("nowhere", path("broken.link"))
  write_bytes(path("alone.txt"), "line\n")
  write_bytes(path("lonely.tgt"), "line\n")
  refused = function(message, source, suffixes = ".txt") {
    expect_error(corpus_dataset(source, suffixes), message, fixed = TRUE)
  }
  refused("must be a folder or a list of files. Got 'nowhere' instead.", "nowhere")
  refused("must be a folder or a list of files. Got 3 instead.", 3)
  refused("must be a folder or a list of files. Got a list with 3 instead.", list(3))
  refused("must have files that end in '.md'. Got none instead.", folder, ".md")
  refused("must list files that end in '.md'. Got", list(path("alone.txt")), ".md")
  refused("must have a file of each suffix. Got no file 'other.txt' instead.", list("other.txt"))
  refused(sprintf("must have regular files. Got the device '%s' instead.", path("device.dev")), folder, ".dev")
  refused(sprintf("must have a file of each suffix. Got no file '%s'", path("broken.link")), folder, ".link")
  refused(sprintf("must have a file of each suffix. Got '%s' without '%s' instead.", path("lonely.tgt"),
    path("lonely.src")), folder, c(".src", ".tgt"))
  unlink(path("lonely.tgt"))
  refused(sprintf(paste("must have parallel files with the same number of lines. Got 3 lines in '%s' and 2 lines in",
    "'%s' instead."), path("old.src"), path("old.tgt")), folder, c(".src", ".tgt"))
  refused("'suffixes' parameter must be different endings of names, such as ('.src', '.tgt'). Got 3", folder, 3)
  refused("Got ('.txt', '.txt') instead.", folder, c(".txt", ".txt"))
  refused("Got ('') instead.", folder, "")
  refused("Got () instead.", folder, character())
})
