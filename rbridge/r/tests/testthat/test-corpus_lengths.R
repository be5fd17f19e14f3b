# Batches of rows of similar length: the golden vectors, made by the sampler and by R alone, and invalid arguments.

# As the documents describe it, with R's own generator.
batches_in_plain_r = function(case) {
  lengths = (seq_len(case$n) * case$lengths$multiplier) %% case$lengths$modulus
  or = function(value, otherwise) if (is.null(value)) otherwise else value
  replicas = or(case$num_replicas, 1)
  withr::with_seed(seed_of_epoch(case$seed, case$epoch), {
    rows = sample.int(case$n, case$sample, replace = TRUE)
    drawn = lengths[rows]
    window = (seq_along(rows) - 1) %/% or(case$window, case$sample)
    order = order(window, drawn, method = "radix")
    batches = list()
    for (place in order) {
      last = if (length(batches) > 0L) batches[[length(batches)]]
      longer = c(last, place)
      is_within = !is.null(last) && window[last[1L]] == window[place] && length(longer) <= or(case$batch_size, Inf) &&
        length(longer) * max(1, drawn[longer]) <= or(case$max_tokens, Inf)
      batches[[length(batches) + !is_within]] = if (is_within) longer else place
    }
    batches = split_in_plain_r(batches, ceiling(length(batches) / replicas) * replicas)
    batches = batches[if (isTRUE(case$balance_replicas)) balanced_in_plain_r(batches, drawn, replicas) else
      sample.int(length(batches))]
    list(rows = rows[unlist(batches)], sizes = lengths(batches))
  }, .rng_kind = "Mersenne-Twister", .rng_normal_kind = "Inversion", .rng_sample_kind = "Rejection")
}

balanced_in_plain_r = function(batches, drawn, replicas) {
  tokens = vapply(batches, function(batch) length(batch) * max(1, drawn[batch]), 0)
  steps = matrix(order(tokens, method = "radix"), replicas)
  steps = steps[, sample.int(ncol(steps)), drop = FALSE]
  as.vector(apply(steps, 2L, function(step) step[sample.int(replicas)]))
}

split_in_plain_r = function(batches, n_batches) {
  sizes = lengths(batches)
  most = 1
  while (sum(ceiling(sizes / most)) > n_batches) {
    most = most + 1
  }
  counts = ceiling(sizes / most)
  further = if (most > 1) ceiling(sizes / (most - 1)) - counts else 0 * counts
  missing = n_batches - sum(counts)
  counts = counts + pmin(further, pmax(0, missing - (cumsum(further) - further)))
  unlist(Map(function(batch, count) {
    ends = (0:count * length(batch)) %/% count
    lapply(seq_len(count), function(part) batch[(ends[part] + 1):ends[part + 1]])
  }, batches, counts), recursive = FALSE)
}

lengths_of_case = function(case) as.integer((seq_len(case$n) * case$lengths$multiplier) %% case$lengths$modulus)

test_that("the golden vectors are met, by the sampler and by R alone", {
  cases = read_golden("lengths.json")$cases
  expect_gt(length(cases), 10)
  for (case in cases) {
    given = case$input
    limits = given[intersect(names(given), c("batch_size", "max_tokens", "window", "num_replicas",
      "balance_replicas"))]
    sampler = do.call(batch_sampler_epoch_subset,
      c(list(given$n, given$sample, lengths = lengths_of_case(given), seed = given$seed), limits))(NULL)
    batches = sampler$batches(given$epoch)
    found = list(rows = cut_list(batches$rows - 1), sizes = cut_list(diff(batches$offsets)))
    expect_equal(found, case$expected, info = toString(limits))
    plain = batches_in_plain_r(given)
    expect_equal(list(rows = batches$rows, sizes = diff(batches$offsets)), plain, info = toString(limits))
  }
})

by_length_sampler = function(method = "uniform", ...) {
  given = utils::modifyList(list(200, 120, lengths = 1L + (0:199 * 13L) %% 29L, seed = 3, max_tokens = 90, window = 50),
    list(...))
  if (method == "perplexity") {
    return(do.call(batch_sampler_perplexity, given)(NULL))
  }
  do.call(batch_sampler_epoch_subset, c(given, list(method = method)))(NULL)
}

test_that("an iteration has the batches that .length() says, epoch after epoch", {
  for (method in c("uniform", "uniform_without_replacement", "partition")) {
    sampler = by_length_sampler(method)
    counts = vapply(0:4, function(epoch) {
      announced = sampler$.length()
      batches = next_epoch_of(sampler)
      expect_length(batches, announced)
      expect_identical(batches, epoch_of(by_length_sampler(method), epoch))
      expect_true(all(vapply(batches, function(rows) {
        length(rows) * max(1L + ((rows - 1L) * 13L) %% 29L) <= 90
      }, NA)))
      announced
    }, 0L)
    expect_gt(length(unique(counts)), 1L)
  }
  expect_length(deliver(dataset_of(200), batch_sampler = by_length_sampler()), by_length_sampler()$.length())
})

test_that("the rows that a recipe has drawn by length are those of the epoch", {
  recipe = recipe_of(batch_sampler_perplexity(3, 5, lengths = c(1, 2, 4), max_tokens = 4, seed = 1))
  recipe$state = c(recipe$state, list(epoch = 2, batch = 0, drawn = c(0L, 1L, 2L, 2L, 0L), weighted = 1L))
  expect_identical(sort(diff(generator_of_recipe(recipe)(NULL)$batches(2)$offsets)), c(1L, 1L, 1L, 2L))
})

mixture_of_lines = function(folder, ...) {
  batch_sampler_corpus_mixture(folder, sample = 30L, max_tokens = 8, seed = 1, ...)
}

test_that("the longest side of a pair counts", {
  folder = corpus_of()
  write_bytes(file.path(folder, "a.src"), "a b c\na\n")
  write_bytes(file.path(folder, "a.tgt"), "a\na b\r\n")
  write_bytes(file.path(folder, "b.src"), "a\n")
  write_bytes(file.path(folder, "b.tgt"), " a b\tc d")
  words = mixture_of_lines(folder)
  recipe = recipe_of(words)
  expect_identical(recipe$parts$lengths, c(3L, 2L, 4L))
  of_function = function(lines) {
    expect_named(lines, c("src", "tgt"))
    pmax(lengths(strsplit(trimws(lines$src), "[ \t]")), lengths(strsplit(trimws(lines$tgt), "[ \t]")))
  }
  for (given in list("words", c(3, 2, 4), of_function)) {
    expect_identical(recipe_of(mixture_of_lines(folder, lengths = given)), recipe)
  }
  in_order = mixture_of_lines(folder, shuffle = FALSE)(NULL)
  expect_false(is.unsorted(c(3L, 2L, 4L)[in_order$batches(0)$rows]))
})

test_that("words are counted across blocks and in empty files", {
  folder = corpus_of()
  write_bytes(file.path(folder, "a.txt"), paste0(strrep("a bc ", 1e6), "\n", strrep("x\n", 1000), "end"))
  write_bytes(file.path(folder, "b.txt"), "")
  mixture = batch_sampler_corpus_mixture(folder, 5, 10L, suffixes = ".txt", window = 5)
  expect_identical(recipe_of(mixture)$parts$lengths, c(2000000L, rep(1L, 1001)))
})

test_that("wrong arguments are refused", {
  of = "parameter must"
  refused = function(message, ...) {
    expect_error(batch_sampler_epoch_subset(5, 8, ...), message, fixed = TRUE)
  }
  refused(paste("The 'lengths'", of, "be given together with 'max_tokens' or 'window'. Got 5 values"), 2, lengths = 1:5)
  refused(paste("The 'max_tokens'", of, "be given together with 'lengths'. Got 5 instead."), max_tokens = 5)
  refused(paste("The 'window'", of, "be given together with 'lengths'. Got 5 instead."), 2, window = 5)
  refused(paste("The 'batch_size'", of, "be a positive integer. Got nothing"), lengths = 1:5, window = 5)
  refused(paste("The 'batch_size'", of, "be a positive integer. Got nothing"))
  of_each = "be 5 whole numbers from 0 to 2147483647, one for each example. Got"
  refused(paste("The 'lengths'", of, of_each, "4 values"), lengths = 1:4, max_tokens = 5)
  refused(paste(of_each, "-5 instead."), lengths = c(1, 2, 3, 4, -5), max_tokens = 5)
  refused(paste(of_each, "NA instead."), lengths = c(1, 2, 3, 4, NA), max_tokens = 5)
  refused(paste(of_each, "0.5 instead."), lengths = c(1, 2, 3, 4, 0.5), max_tokens = 5)
  refused(paste("The 'max_tokens'", of, "be at least 9, the length of the longest example. Got 5 instead. 2 examples",
    "are longer, the first at row position 3, counted from 1."), lengths = c(1, 2, 9, 8, 5), max_tokens = 5)
  refused("must be an integer from 1 to", lengths = 1:5, max_tokens = 0)
  refused("must leave each batch a row: 8 are drawn for 9 batches. Got 9",
    lengths = 1:5, max_tokens = 5, num_replicas = 9)
  refused("'balance_replicas' parameter must be given together with 'num_replicas'. Got TRUE instead.",
    lengths = 1:5, max_tokens = 5, balance_replicas = TRUE)
  refused("'balance_replicas' parameter must be given together with 'max_tokens' or 'window'. Got TRUE instead.", 2,
    num_replicas = 2, balance_replicas = TRUE)
  refused("'balance_replicas' parameter must be true or false. Got 1 instead.", 2, num_replicas = 2,
    balance_replicas = 1)
  sampler = batch_sampler_epoch_subset(3, 5, lengths = c(9, 9, 9), max_tokens = 9, num_replicas = 2)(NULL)
  expect_error(sampler$.length(), paste("The 'num_replicas'", of, "leave each batch a row: 5 are drawn for 6 batches."),
    fixed = TRUE)
  folder = corpus_of(a = 3)
  for (lengths in list(function(lines) "2", function(lines) c(1, 2), function(lines) c(-1, 1, 1))) {
    expect_error(
      batch_sampler_corpus_mixture(folder, sample = 2L, suffixes = ".txt", max_tokens = 5, lengths = lengths),
      "must return a whole number from 0 to 2147483647 for each position. Got"
    )
  }
})

test_that("steps of replicas are balanced if weights of files are a function, too", {
  folder = withr::local_tempdir()
  for (name in c("a", "b")) {
    writeLines(strrep("w ", 1L + (0:59 * 7L) %% 31L), file.path(folder, paste0(name, ".txt")))
  }
  mixture = function(weights) {
    batch_sampler_corpus_mixture(folder, 4, sample = 48L, suffixes = ".txt", weights = weights, window = 24, seed = 1,
      num_replicas = 3, balance_replicas = TRUE)(NULL)
  }
  by_function = mixture(function(epoch) c(1, 1 + epoch))
  by_table = mixture(list("0" = c(1, 1), "1" = c(1, 2)))
  words = 1L + (c(0:59, 0:59) * 7L) %% 31L
  for (epoch in 0:1) {
    batches = by_function$batches(epoch)
    expect_identical(batches, by_table$batches(epoch))
    tokens = vapply(batches, function(rows) length(rows) * max(words[rows]), 0)
    steps = apply(matrix(tokens, 3L), 2L, sort)
    expect_identical(as.vector(steps[, order(steps[1L, ], steps[3L, ])]), sort(tokens))
  }
  expect_error(
    batch_sampler_corpus_mixture(folder, 4, sample = 48L, suffixes = ".txt", window = 24, num_replicas = 3,
      balance_replicas = TRUE, shuffle = FALSE),
    "The 'balance_replicas' parameter must be false if 'shuffle' is false. Got TRUE instead.", fixed = TRUE
  )
})

test_that("a sampler shows what it draws", {
  generator = batch_sampler_epoch_subset(3, 5, 2, lengths = 1:3, max_tokens = 4, window = 2, seed = 1)
  expect_identical(capture.output(generator)[3L],
    "* Batches: of at most 4 tokens and 2 rows, by length in windows of 2 rows")
  generator = batch_sampler_epoch_subset(3, 5, 2, lengths = 1:3, window = 4, seed = 1)
  expect_identical(capture.output(generator)[3L], "* Batches: 3, of at most 2 rows, by length in windows of 4 rows")
  generator = batch_sampler_epoch_subset(3, 5, 2, lengths = 1:3, window = 4, seed = 1, num_replicas = 2,
    balance_replicas = TRUE)
  expect_identical(capture.output(generator)[3L],
    "* Batches: 4, of at most 2 rows, by length in windows of 4 rows, balanced over 2 replicas")
})
