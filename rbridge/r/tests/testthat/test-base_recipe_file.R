# Files of recipes: the layout, and what others could make of such files.

test_that("a generator of every kind that was written and read is the same, and draws the same", {
  generators = lapply(chosen_specimens(), generator_of_specimen)
  for (name in names(generators)) {
    file = tempfile()
    expect_identical(write_batch_sampler(generators[[name]], file), file)
    again = read_batch_sampler(file)
    expect_identical(recipe_of(again), recipe_of(generators[[name]]), info = name)
    expect_identical(class(again), class(generators[[name]]), info = name)
    expect_identical(utils::capture.output(again), utils::capture.output(generators[[name]]), info = name)
    expect_identical(reaction_to(readBin(file, "raw", file.size(file))), "drew", info = name)
    if (!is.na(again(NULL)$.length())) {
      expect_identical(again(NULL)$batches(0), generators[[name]](NULL)$batches(0), info = name)
    }
  }
  recipe = recipe_of(batch_sampler_stratified(1, strata = factor(c("", "\u65e5\u672c", "a b", "NA"))))
  expect_identical(recipe_of(generator_of_recipe(recipe)), recipe)
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
  write_batch_sampler(batch_sampler_stratified(1, strata = factor(c("b", "", "\u65e5")), seed = 7), file)
  # Each text of labels ends in a zero.
  texts = as.raw(c(0x62, 0, 0, 0xe6, 0x97, 0xa5, 0))
  expect_identical(utils::tail(readBin(file, "raw", 1000), 7), texts)
})

test_that("what is no generator of given data, and what is no path, cannot be written", {
  file = tempfile()
  expect_error(write_batch_sampler(1, file), "'generator' .* must be a generator.* Got 1 instead")
  expect_error(write_batch_sampler(batch_sampler_stratified(1), file), "must be made for given data. Got one that")
  own = batch_sampler_prioritized(4, 2, beta = function(batch) 1)
  expect_error(write_batch_sampler(own, file), "must call no function. Got one that does")
  expect_false(file.exists(file))
  for (wrong in list(1, NA_character_, "", c("a", "b"))) {
    expect_error(write_batch_sampler(batch_sampler_uniform(3, 2, seed = 1), wrong), "'file' .* must be a path")
  }
})

test_that("a file whose header lies is refused before its vectors are used", {
  bytes = recipe_files(list(uniform = batch_sampler_uniform(30, 2, seed = 7)))$uniform
  file = tempfile()
  refused = function(bytes, got) {
    writeBin(bytes, file)
    expect_error(read_batch_sampler(file), got, fixed = TRUE)
  }
  for (cut in list(raw(), bytes[1:7], replace(bytes, 8, as.raw(0x7f)), replace(bytes, 20, as.raw(0)))) {
    refused(cut, "Got a file without a header")
  }
  refused(bytes[-length(bytes)], "Got vectors of another size than its header says")
  lie = function(from, to, got = "Got a header of another form") {
    refused(replace_header(bytes, function(header) sub(from, to, header, fixed = TRUE)), got)
  }
  lie("[8,16]", "[0,8]")
  lie("[8,16]", "[8, 16]")
  lie("parts.replacement", "parts.batch_size")
  lie("parts.n_rows\"", "other.n_rows\"")
  lie("\"version\":\"1\"", "\"version\":\"2\"", "be of version 1. Got 2")
  lie("\"seed\":\"7\"", "\"seed\":\"3000000000\"", "'seed' parameter must be an integer from 0 to 2147483646")
  lie("parts.replacement", "parts.weights", "have the vectors of the kind 'uniform' in 'parts'. Got 'weights'")
  lie("uniform", "sorted", "has no such kind")
  expect_error(read_batch_sampler("nowhere"), "must be the path of a file that exists. Got 'nowhere' instead.")
  expect_error(read_batch_sampler(file, md5 = "0"), "must have the MD5 checksum '0'. Got")
})

test_that("a recipe that needs more memory than it may is refused before the memory is taken", {
  file = recipe_file(recipe_of(batch_sampler_uniform(2^31 - 1, 10, n_batches = 1, seed = 1)))
  expect_lt(file.size(file), 500)
  refused = "at most 1073741824 bytes of memory, 'max_bytes'. Got one that needs 8[0-9]{9} instead. Raise 'max_bytes'"
  expect_error(read_batch_sampler(file), refused)
  expect_s3_class(read_batch_sampler(file, max_bytes = 1e10), "batch_sampler_uniform")
  # Planning itself may need it.
  pairs = recipe_file(modifyList(
    recipe_of(batch_sampler_pairs(1:2, 1:2, 0.5, 2, n_users = 4, n_items = 2, method = "per_user", seed = 1)),
    list(parts = list(n_users = 2^31 - 1))
  ))
  expect_error(read_batch_sampler(pairs), "at most 1073741824 bytes of memory, 'max_bytes'. Got one that needs 34")
  # The vectors of a file count before they are read.
  texts = recipe_file(recipe_of(batch_sampler_stratified(1, strata = factor(seq_len(1e5)), seed = 1)))
  expect_error(read_batch_sampler(texts, max_bytes = 5e6), "at most 5000000 bytes of memory, 'max_bytes'. Got one that")
})

test_that("an instance and an epoch take at most the memory that is said", {
  skip_on_cran()
  n = 3e5 # what an instance takes exceeds by far what is always allowed
  peak_of = function(code) {
    gc(reset = TRUE)
    before = sum(gc()[, 2L])
    force(code)
    2^20 * (sum(gc()[, 6L]) - before)
  }
  for (generator in list(
    batch_sampler_stratified(mean_batch_size = 20, balance = "over", strata = factor(seq_len(n) %% 5), seed = 1),
    batch_sampler_prioritized(n, 20, method = "rank", stratified = TRUE, seed = 1),
    batch_sampler_pairs(1, 1, 0.5, 20, n_users = n, n_items = 5, method = "per_user", unique = TRUE, seed = 1),
    batch_sampler_epoch_subset(n, n, 20, method = "partition", seed = 1)
  )) {
    recipe = recipe_of(generator)
    file = recipe_file(recipe)
    refused = conditionMessage(tryCatch(core_instance(recipe, 1), error = identity))
    needed = as.double(sub(".*needs ([0-9]+) .*", "\\1", refused)) + as.double(utils::object.size(recipe)) + 2^22
    taken = peak_of(read_batch_sampler(file)(NULL)$batches(0))
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
  expect_gt(min(reactions), count / 50)
})
