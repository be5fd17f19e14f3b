# Files of recipes: the layout, and what others could make of such files.

test_that("a generator of every kind that was written and read is the same, and draws the same", {
  generators = lapply(chosen_specimens(), generator_of_specimen)
  for (name in names(generators)) {
    file = tempfile()
    expect_identical(write_batch_sampler(generators[[name]], file), file)
    bytes = readBin(file, "raw", file.size(file))
    expect_identical(bytes, readBin(recipe_file(recipe_of(generators[[name]])), "raw", length(bytes) + 1L), info = name)
    again = read_batch_sampler(file)
    expect_identical(recipe_of(again), recipe_of(generators[[name]]), info = name)
    expect_identical(class(again), class(generators[[name]]), info = name)
    expect_identical(utils::capture.output(again), utils::capture.output(generators[[name]]), info = name)
    expect_identical(reaction_to(bytes), "drew", info = name)
    if (!is.na(again(NULL)$.length())) {
      expect_identical(again(NULL)$batches(0), generators[[name]](NULL)$batches(0), info = name)
    }
  }
})

test_that("a file has the size of its header, the header, and the vectors", {
  file = tempfile()
  write_batch_sampler(batch_sampler_uniform(3, 2, seed = 7), file)
  header = paste0(
    '{"__metadata__":{"format":"pystrat.recipe","version":"1","kind":"uniform","seed":"7"},',
    '"parts.n_rows":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},',
    '"parts.batch_size":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},',
    '"parts.replacement":{"dtype":"I32","shape":[1],"data_offsets":[16,20]}}'
  )
  numbers = c(writeBin(c(3, 2), raw(), endian = "little"), raw(4))
  size = c(as.raw(c(nchar(header) %% 256, 1)), raw(6))
  expect_identical(readBin(file, "raw", 1000), c(size, charToRaw(header), numbers))
})

test_that("text of any length crosses", {
  generator = batch_sampler_stratified(1, strata = factor(c("", "\u65e5\u672c", "a b", "NA")), seed = 1)
  for (seed in list(1, NULL)) {
    recipe = recipe_of(generator)
    recipe["seed"] = list(seed)
    expect_identical(recipe_of(generator_of_recipe(recipe)), recipe)
  }
})

test_that("what is no generator of given data, and what is no path, cannot be written", {
  file = tempfile()
  expect_error(write_batch_sampler(1, file), "'generator' .* must be a generator.* Got 1 instead")
  expect_error(write_batch_sampler(batch_sampler_stratified(1), file), "must be made for given data. Got one that")
  own = batch_sampler_prioritized(4, 2, beta = function(batch) 1)
  expect_error(write_batch_sampler(own, file), "must call no function. Got one that does")
  expect_false(file.exists(file))
  generator = batch_sampler_uniform(3, 2, seed = 1)
  for (wrong in list(1, NA_character_, "", c("a", "b"), `Encoding<-`("\xff", "bytes"))) {
    expect_error(write_batch_sampler(generator, wrong), "'file' .* must be a path")
  }
  folder = tempfile()
  expect_error(suppressWarnings(write_batch_sampler(generator, file.path(folder, "x"))), "cannot open")
  dir.create(folder)
  expect_error(write_batch_sampler(generator, folder), "'file' .* must be a regular file. Got the folder")
  skip_on_os("windows")
  expect_error(write_batch_sampler(generator, "/dev/null"), "be a regular file. Got the device '/dev/null' instead")
  expect_identical(list.files(folder), character())
})

test_that("a path may begin with the home folder; files that are not regular are refused, and do not hang", {
  skip_on_cran()
  skip_on_os("windows")
  home = tempfile()
  dir.create(home)
  fifo = tempfile(fileext = ".yaml")
  system2("mkfifo", shQuote(fifo))
  told = callr::r(function(fifo) {
    message_of = function(code) tryCatch(code, error = conditionMessage)
    rbridge::write_batch_sampler(rbridge::batch_sampler_uniform(1, 1, seed = 1), "~/one.recipe")
    cat("name: one", file = "~/one.yaml")
    cat("a\n", file = "~/a.txt")
    tree = rbridge::batch_sampler_tree("~/one.yaml", 1, 1, table = list(x = 1), seed = 1)
    list(
      drawn = c(rbridge::read_batch_sampler("~/one.recipe")(NULL)$batches(0)$rows, tree(NULL)$batches(0)$rows),
      refused = c(
        message_of(rbridge::read_batch_sampler(fifo)),
        message_of(rbridge::read_batch_sampler("/dev/zero")),
        message_of(rbridge::batch_sampler_corpus_mixture("~", 1, suffixes = ".txt", sample = 2, rules = fifo)),
        message_of(rbridge::batch_sampler_tree(fifo, 1, 1, table = list(x = 1)))
      )
    )
  }, list(fifo), libpath = c(installed_library(), .libPaths()), env = c(callr::rcmd_safe_env(), HOME = home),
  timeout = 60)
  expect_identical(told$drawn, c(1L, 1L))
  expect_in(c("one.recipe", "one.yaml"), list.files(home))
  refused = "The '%s' parameter must be a regular file. Got the %s '%s' instead."
  of_fifo = sprintf(refused, c("file", "rules", "spec"), "FIFO", fifo)
  expect_identical(told$refused, append(of_fifo, sprintf(refused, "file", "device", "/dev/zero"), after = 1L))
})

test_that("a file whose header lies is refused before its vectors are used", {
  bytes = recipe_files(list(uniform = batch_sampler_uniform(30, 2, seed = 7)))$uniform
  file = tempfile()
  refused = function(bytes, got) {
    writeBin(bytes, file)
    expect_error(read_batch_sampler(file), got, fixed = TRUE)
  }
  for (cut in list(raw(), bytes[1:7], replace(bytes, 8, as.raw(0x7f)), replace(bytes, 20, as.raw(0)),
    serialize(list(1), NULL))) {
    refused(cut, "Got a file without a header")
  }
  refused(bytes[-length(bytes)], "Got vectors of another size than its header says")
  refused(c(bytes, raw(1)), "Got vectors of another size than its header says")
  lie = function(from, to, got = "Got a header of another form") {
    refused(replace_header(bytes, function(header) sub(from, to, header, fixed = TRUE)), got)
  }
  lie("[8,16]", "[0,8]")
  lie("[8,16]", "[8, 16]")
  lie("parts.replacement", "parts.batch_size")
  lie("pystrat.recipe", "another")
  lie("parts.n_rows\"", "other.n_rows\"")
  lie("\"seed\":\"7\"", "\"seed\":\"07\"")
  lie("\"seed\":\"7\"", "\"seed\":\"3000000000\"", "'seed' parameter must be an integer from 0 to 2147483646")
  lie("parts.replacement", "parts.weights", "have the vectors of the kind 'uniform' in 'parts'. Got 'weights'")
  lie("uniform", "sorted", "be of a kind of 'by_length'")
  expect_error(read_batch_sampler("nowhere"), "must be the path of a file that exists. Got 'nowhere' instead.")
  expect_error(read_batch_sampler(file, md5 = "0"), "must have the MD5 checksum '0'. Got")
  expect_error(read_batch_sampler(file, md5 = 0), "'md5' .* must be the MD5 checksum of the file, or nothing. Got 0")
})

# The memory that a recipe needs, as the error says.
# A limit of 1 byte is too small for the vectors of the file; a limit of their size is too small for the sampler.
bytes_needed = function(file) {
  needed_above = function(max_bytes) {
    as.double(sub(".* needs ([0-9]+) instead.*", "\\1", message_of(read_batch_sampler(file, max_bytes = max_bytes))))
  }
  needed_above(needed_above(1))
}

test_that("a recipe that needs more memory than it may is refused before the memory is taken", {
  file = recipe_file(recipe_of(batch_sampler_uniform(2^31 - 1, 10, n_batches = 1, seed = 1)))
  expect_lt(file.size(file), 500)
  refused = paste("The 'file' parameter must hold a recipe that needs at most %.0f bytes of",
    "memory, 'max_bytes'. Got one that needs %.0f instead. Raise 'max_bytes' if you expect so much data.")
  needed = bytes_needed(file)
  expect_gt(needed, 8e9)
  expect_error(read_batch_sampler(file), sprintf(refused, 2^30, needed), fixed = TRUE)
  expect_s3_class(read_batch_sampler(file, max_bytes = needed), "batch_sampler_uniform")
  expect_error(read_batch_sampler(file, max_bytes = needed - 1), sprintf(refused, needed - 1, needed), fixed = TRUE)
  expect_error(read_batch_sampler(file, max_bytes = -1), "'max_bytes' .* must be an integer from 1 to 9007199254740992")
  # The vectors of a file count before they are read.
  texts = recipe_file(recipe_of(batch_sampler_stratified(1, strata = factor(seq_len(1e5)), seed = 1)))
  expect_error(read_batch_sampler(texts, max_bytes = 5e6), "at most 5000000 bytes of memory, 'max_bytes'. Got one that")
  # Listed rows take memory for themselves, not for all rows of the dataset.
  few = recipe_of(batch_sampler_epoch_subset(2^31 - 1, 2, 2, rows = list("0" = c(7, 2^31 - 1)), seed = 1))
  expect_identical(read_batch_sampler(recipe_file(few), max_bytes = 2^24)(NULL)$.length(), 1L)
})

test_that("an instance and an epoch take at most the memory that is said", {
  skip_on_cran()
  n = 3e5 # what an instance takes exceeds by far what is always allowed
  strata = factor(rep(c("a", "b", "c", "b", "e"), n / 5))
  peak_of = function(code) {
    gc(reset = TRUE)
    before = sum(gc()[, 2L])
    force(code)
    2^20 * (sum(gc()[, 6L]) - before)
  }
  users = as.double(rep(1:1000, n / 2000))
  items = rep(seq_len(n / 2000), each = 1000) + users %% 3
  folder = corpus_of(fraud = 5e4, mon = 1e5)
  files = file.path(folder, c("fraud.txt", "mon.txt"))
  large = alist(
    batch_sampler_stratified(4, strata = strata, seed = 1),
    batch_sampler_stratified(mean_batch_size = 20, balance = "over", strata = strata, seed = 1),
    batch_sampler_stratified_group(mean_batch_size = 200, rare = "allow", groups = seq_len(n) %/% 100,
      strata = factor(seq_len(n) %% 5000), seed = 1),
    batch_sampler_weighted(seq_len(n) + 0, n / 2, replacement = FALSE, seed = 1),
    batch_sampler_prioritized(n, 20, method = "rank", stratified = TRUE, seed = 1),
    batch_sampler_pairs(1, 1, 0.5, 20, n_users = n, n_items = 5, method = "per_user", unique = TRUE, seed = 1),
    batch_sampler_triples(users, items, 20, 3, n_items = 500, unique = TRUE, seed = 1),
    batch_sampler_multilabel(cbind(x = seq_len(n) %% 2, y = seq_len(n) %% 3 == 0, z = 1), 2, seed = 1),
    batch_sampler_per_label(cbind(x = seq_len(n) %% 2, y = seq_len(n) %% 3 == 0), 2, 3, n_batches = n, seed = 1),
    batch_sampler_tree(list(mode = "shuffle", children = list(list(column = "s", for_each = TRUE, mode = "shuffle"))),
      20, n, table = list(s = seq_len(n) %% 1000), seed = 1),
    batch_sampler_epoch_subset(n, n, 20, method = "partition", seed = 1),
    batch_sampler_perplexity(n, 2, maximum = -1.5, seed = 1),
    batch_sampler_sharded(4, counts = shard_counts(list(s = strata)), shards = "s", seed = 1, strata = strata),
    batch_sampler_corpus_mixture(folder, 20, n, suffixes = ".txt", max_length = 3, seed = 1),
    batch_sampler_rare_events(files[1], files[2], 2, 20, negative_files_per_epoch = 1, seed = 1)
  )
  for (call in some_of(large, 4)) {
    recipe = recipe_of(eval(call))
    file = recipe_file(recipe)
    needed = bytes_needed(file)
    taken = peak_of({
      instance = read_batch_sampler(file, max_bytes = 1e12)(NULL)
      instance$batches(0)
    })
    expect_lt(taken / needed, 1, label = paste(recipe$kind, taken, needed))
  }
})

test_that("files of all kinds that others changed are refused, or draw rows within bounds", {
  skip_on_cran()
  count = if (is_thorough()) 2000L else 150L
  wrong = character()
  reactions = reactions_to_hostile_files(count, seed = 20, note = function(number, kind, what, bytes) {
    wrong <<- c(wrong, sprintf("file %d, of '%s': %s", number, kind, what))
  })
  expect_identical(wrong, character())
  expect_identical(sum(reactions[c("refused", "drew")]), count)
  expect_gt(min(reactions), count / 20)
})
