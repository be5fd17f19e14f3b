# Samplers of every kind, for test-hostile_values.R, and what others could make of the files of their recipes: for
# test-base_recipe_file.R, and for tools/sanitize_r.R, which runs the same under sanitizers.

# Calls of the constructors of every kind: their names, the functions, and the arguments. Their vectors are long enough
# that a sanitizer guards their ends. The first call of a function is one without choices.
specimens = function() {
  n = 160L
  strata = factor(rep(c("a", "b", "c", "b", "\u00e9"), n / 5)) # text could be names of columns
  wide = seq_len(n) %% 80 + 300 # codes of 4 bytes are rare, so that one kind has them
  lengths = seq_len(n) %% 7L
  counts = shard_counts(list(s = strata[1:80], t = strata[81:160]))
  folder = corpus_of(fraud = 40, mon = 60, tue = 60)
  files = file.path(folder, paste0(c("fraud", "mon", "tue"), ".txt"))
  users = rep(1:40, 4) + 0
  items = rep(1:4, each = 40) + users %% 3
  leaf = list(name = "a", column = "s", value = "a", row_weight = "w", weight = 3)
  others = list(name = "others", column = "s", op = "ne", value = "a", mode = "shuffle")
  auxiliary = list(angle = "uniform(-10, 10)", side = "choice(['l', 'r'])", step = "counter()")
  tree = list(auxiliary = auxiliary, children = list(leaf, others))
  calls = alist(
    stratified = batch_sampler_stratified(4, strata = strata),
    even = batch_sampler_stratified(1, strata = wide, assign = "even", shuffle = FALSE),
    taken = batch_sampler_stratified(mean_batch_size = 20, balance = "over", strata = strata),
    strata_subset = batch_sampler_strata_subset(2, 4, strata = strata),
    exact_subset = batch_sampler_strata_subset(2, 4, strata = strata, exact = TRUE),
    balanced_subset = batch_sampler_strata_subset(2, 4, strata = strata, balance = "mean"),
    no_duplicates = batch_sampler_no_duplicates(8, seq_len(n) %% 50, strata = strata, min_samples_per_stratum = 1),
    two_keys = batch_sampler_no_duplicates(8, list(seq_len(n) %% 50, seq_len(n) %% 41)),
    across_columns = batch_sampler_no_duplicates(4, list(seq_len(n) %% 50, seq_len(n) %% 41), across_columns = TRUE),
    one_stratum = batch_sampler_one_stratum(20, strata = strata),
    round_robin = batch_sampler_one_stratum(20, strata = strata, order = "round_robin"),
    together = batch_sampler_stratified_group(2, groups = factor(paste(strata, seq_len(n) %% 16)), strata = strata),
    mixed = batch_sampler_stratified_group(2, groups = seq_len(n) %% 16, strata = strata),
    apart = batch_sampler_stratified_group(2, groups = seq_len(n) %% 16, keep = "apart", strata = strata),
    sharded = batch_sampler_sharded(4, counts = counts, shards = c("s", "t"), strata = strata),
    downsampled = batch_sampler_downsampled(1.5, 20, strata = strata == "b"),
    walked = batch_sampler_downsampled(1.5, 20, strata = strata == "b", in_turn = TRUE),
    uniform = batch_sampler_uniform(n, 20),
    replaced = batch_sampler_uniform(n, 20, replacement = TRUE),
    weighted = batch_sampler_weighted(seq_len(n) + 0, 20),
    weighted_by_epoch = batch_sampler_weighted(list("0" = seq_len(n) + 0, "2" = rep(1, n)), 20),
    distinct = batch_sampler_weighted(seq_len(n) + 0, 20, replacement = FALSE),
    prioritized = batch_sampler_prioritized(n, 20, capacity = n + 20),
    ranked = batch_sampler_prioritized(n, 20, method = "rank", stratified = TRUE),
    pairs = batch_sampler_pairs(users, items, 0.5, 20, n_items = 50),
    per_user = batch_sampler_pairs(users, items, 0.5, 20, n_items = 50, method = "per_user", unique = TRUE),
    popular = batch_sampler_pairs(users, items, 0.5, 20, n_items = 50, method = "popularity", power = 0.5),
    triples = batch_sampler_triples(users, items, 20, n_items = 50),
    several = batch_sampler_triples(users, items, 20, 3, n_items = 50, unique = TRUE),
    multilabel = batch_sampler_multilabel(cbind(x = seq_len(n) %% 2, y = seq_len(n) %% 3 == 0, z = 1), 2),
    per_label = batch_sampler_per_label(cbind(x = seq_len(n) %% 2, y = seq_len(n) %% 3 == 0), 2, 3),
    tree = batch_sampler_tree(tree, 20, n, table = list(s = as.character(strata), w = seq_len(n) + 0)),
    persistent = batch_sampler_tree(list(mode = "shuffle", children = list(list(column = "s", for_each = TRUE))), 20, n,
      table = list(s = as.character(strata)), persistent = TRUE),
    endless = batch_sampler_tree(list(mode = "sequential"), 20, NULL, table = list(s = as.character(strata))),
    epoch_subset = batch_sampler_epoch_subset(n, 100, 20, method = "uniform_without_replacement"),
    in_turn = batch_sampler_epoch_subset(n, 100, method = "partition", lengths = lengths, max_tokens = 50),
    balanced = batch_sampler_epoch_subset(n, 100, 8, lengths = lengths, window = 40, num_replicas = 3,
      balance_replicas = TRUE),
    mixture = batch_sampler_corpus_mixture(folder, 20, 100L, suffixes = ".txt"),
    stages = batch_sampler_corpus_mixture(folder, 20, 100L, suffixes = ".txt", max_length = 9, lengths = "words",
      weights = list("0" = c(1, 1, 1), "2" = c(1, 2, 3))),
    rare_events = batch_sampler_rare_events(files[1], files[-1], 1.5, 20, negative_files_per_epoch = 1),
    perplexity = batch_sampler_perplexity(n, 100, 20, maximum = "published")
  )
  here = environment()
  lapply(calls, function(call) {
    named = match.call(get(as.character(call[[1L]])), call)
    list(name = as.character(call[[1L]]), args = lapply(as.list(named)[-1L], eval, here))
  })
}

generators_of_all_kinds = function() {
  lapply(specimens(), function(specimen) {
    do.call(specimen$name, c(specimen$args, seed = 1), quote = TRUE)
  })
}

# The files of all kinds: a list of raw vectors.
recipe_files = function(generators = generators_of_all_kinds()) {
  lapply(generators, function(generator) {
    file = tempfile()
    write_batch_sampler(generator, file)
    readBin(file, "raw", file.size(file))
  })
}

# Numbers and texts at the borders of what may be.
hostile_numbers = c(
  -1, 0, -0, 1, 2, 3, 5, 19, 40, 159, 160, 161, 255, 256, 0.5, 1e5, 2^24, 2^31 - 2, 2^31 - 1, 2^31, 2^32, 2^52, 2^53,
  2^53 + 2, 1e300, 5e-324, NaN, NA, Inf, -Inf
)
hostile_texts = c("", "a", "uniform", "per_user", "popularity", "rank", "NA", "\u00e9", "'local'", "choice", "counter")

hostile_vector = function(vector) {
  numbers = function(size) {
    switch(typeof(vector),
      raw = as.raw(sample(0:255, size, TRUE)),
      integer = as.integer(c(sample(c(-2:5, 159:161, .Machine$integer.max, NA), size, TRUE))),
      double = sample(hostile_numbers, size, TRUE),
      character = sample(hostile_texts, size, TRUE)
    )
  }
  n = length(vector)
  switch(sample(9L, 1L),
    vector[0L],
    rep(vector, 2L),
    rev(vector),
    if (n > 0L) vector[-sample(n, 1L)] else numbers(1L),
    c(vector, numbers(1L)),
    if (n > 0L) rep(vector[sample(n, 1L)], n) else numbers(3L),
    as.double(seq_len(n)),
    if (is.character(vector)) seq_len(n) else suppressWarnings(as.character(vector)),
    if (n > 0L) replace(vector, sample(n, min(n, 2L)), numbers(min(n, 2L))) else numbers(2L)
  )
}

# A recipe some of whose vectors are others; the functions of the package write it, so only its meaning is wrong.
hostile_recipe = function(recipe) {
  for (time in seq_len(sample(2L, 1L))) {
    entry = sample(c("parts", "parts", "parts", "state", "labels"), 1L)
    if (length(recipe[[entry]]) == 0L) {
      entry = "parts"
    }
    name = sample(names(recipe[[entry]]), 1L)
    vector = recipe[[entry]][[name]]
    change = sample(12L, 1L)
    if (change == 1L) {
      recipe[[entry]][[name]] = NULL
    } else if (change == 2L) {
      recipe$seed = sample(c(0, 2^31 - 2, 2^31 - 1, 2^40), 1L)
    } else if (change == 3L) {
      recipe[[entry]][[sample(c("x", "length", "taken", "state", "weights", "epoch", "drawn"), 1L)]] = vector
    } else if (change == 4L) {
      recipe$kind = sample(rbridge:::recipe_kinds(), 1L)
    } else if (change <= 8L && is.double(vector)) {
      recipe[[entry]][[name]][sample(length(vector), 1L)] = sample(hostile_numbers, 1L)
    } else {
      recipe[[entry]][[name]] = hostile_vector(vector)
    }
    if (length(recipe$parts) == 0L) {
      break
    }
  }
  recipe
}

# The header of a file, another one in its place, and its length put right.
replace_header = function(bytes, change) {
  size = sum(as.integer(bytes[1:8]) * 256^(0:7))
  header = charToRaw(change(rawToChar(bytes[8 + seq_len(size)])))
  c(as.raw(length(header) %/% 256^(0:7) %% 256), header, bytes[-seq_len(8 + size)])
}

hostile_header = function(header) {
  entries = strsplit(header, '},"', fixed = TRUE)[[1L]]
  one = sample(length(entries), 1L)
  joined = function(entries) paste(entries, collapse = '},"')
  some_number = function(by) {
    found = gregexpr("[0-9]+", header)[[1L]]
    place = sample(length(found), 1L)
    paste0(substr(header, 1L, found[place] - 1L), by,
      substring(header, found[place] + attr(found, "match.length")[place]))
  }
  switch(sample(12L, 1L),
    some_number(sample(c("-1", "0", "00", "1", "999999999999999", "1e9", "2147483648", "0.5", "null", "[]"), 1L)),
    some_number(sample(c("4294967295", "9007199254740993", "18446744073709551616"), 1L)),
    joined(entries[-one]),
    joined(entries[c(one, seq_along(entries))]),
    joined(sample(entries)),
    sub("F64|I32|U8", sample(c("F64", "I32", "U8", "BF16", "BOOL", ""), 1L), header),
    sub("\"parts[.]([a-z_]+)\"", sample(c("\"parts.x\"", "\"state.\\1\"", "\"parts.\\1.text\"", "\"\\1\"", "\"\""), 1L),
      header),
    paste0(header, strrep(" ", sample(8L, 1L))),
    gsub(",", ", ", header, fixed = TRUE),
    paste0(strrep("[", 30000), strrep("]", 30000)),
    paste0(strrep("{\"a\":", 10000), "1", strrep("}", 10000)),
    sub('"kind":"[a-z_]+"', sample(c('"kind":"quit"', '"kind":1', '"kind":"tree","x":"y"'), 1L), header)
  )
}

# A file that others made of a valid one.
hostile_file = function(bytes) {
  switch(sample(c("bytes", "cut", "longer", "header", "meaning"), 1L, prob = c(2, 1, 1, 2, 6)),
    bytes = {
      places = sample(length(bytes), sample(4L, 1L))
      if (stats::runif(1) < 0.5) { # within the vectors
        places = length(bytes) - sample(min(600L, length(bytes) - 1L), length(places)) + 1L
      }
      replace(bytes, places, as.raw(sample(0:255, length(places), TRUE)))
    },
    cut = utils::head(bytes, sample(0:(length(bytes) - 1L), 1L)),
    longer = c(bytes, as.raw(sample(0:255, sample(40L, 1L), TRUE))),
    header = replace_header(bytes, hostile_header),
    meaning = {
      file = tempfile()
      on.exit(unlink(file))
      writeBin(bytes, file)
      recipe = rbridge:::read_recipe(file, 2^30)
      rbridge:::write_recipe(hostile_recipe(recipe), file)
      readBin(file, "raw", file.size(file))
    }
  )
}

# "refused" if a file is refused in the grammar, "drew" if it draws rows within bounds; anything else is wrong.
# The instance is drawn from as training does, and shown.
reaction_to = function(bytes, max_bytes = 2^26) {
  file = tempfile()
  on.exit(unlink(file))
  writeBin(bytes, file)
  setTimeLimit(elapsed = 20)
  on.exit(setTimeLimit(), add = TRUE)
  tryCatch({
    generator = read_batch_sampler(file, max_bytes = max_bytes)
    utils::capture.output(print(generator))
    instance = generator(NULL)
    utils::capture.output(print(instance))
    recipe = attr(generator, "settings")$recipe
    drawn = if (is.na(instance$.length())) list() else list(instance$batches(instance$epoch))
    following = instance$.iter()
    for (batch in 1:3) {
      rows = following()
      if (!coro::is_exhausted(rows)) {
        rows = if (is.list(rows)) rows$rows else rows
        drawn = c(drawn, list(list(rows = rows, offsets = c(0L, length(rows)))))
      }
    }
    if (is.function(instance$sample)) {
      rows = instance$sample(3)
      drawn = c(drawn, list(list(rows = rows, offsets = c(0L, length(rows)))))
    }
    wrong = Filter(function(batches) !are_batches(batches, largest_row(recipe)), drawn)
    if (length(wrong) > 0L) "batches with other rows than there are" else "drew"
  }, error = function(error) {
    text = conditionMessage(error)
    of_grammar = inherits(error, "rbridge_refusal") && validUTF8(text) &&
      grepl("^The '[^']+' parameter( (of|at) .+)? must .+[.] Got .+ instead[.]", text)
    of_files = grepl(" has changed since its lines were found | cannot be read[.]$", text)
    if (of_grammar || of_files) "refused" else text
  }, warning = function(warning) paste("warns:", conditionMessage(warning)))
}

are_batches = function(batches, most) {
  rows = batches$rows
  offsets = batches$offsets
  least = if (is.double(rows)) 0 else 1 # pair numbers count from 0
  is.numeric(rows) && !anyNA(rows) && all(rows >= least & rows <= most) && offsets[1L] == 0L &&
    offsets[length(offsets)] == length(rows) && all(diff(offsets) >= 0L)
}

largest_row = function(recipe) {
  parts = recipe$parts
  if (recipe$kind %in% c("pairs", "triples")) {
    return(2 * parts$n_users * parts$n_items - 1)
  }
  if (recipe$kind == "per_label") {
    return(2 * parts$n_rows * parts$n_labels - 1)
  }
  if (recipe$kind %in% c("mixture", "rare_events")) {
    return(sum(parts$lines))
  }
  if (recipe$kind == "no_duplicates") {
    return(length(parts$keys) / parts$n_columns)
  }
  if (recipe$kind == "prioritized") {
    return(length(c(recipe$state$weights, recipe$state$priorities)))
  }
  c(parts[["n"]], parts[["n_rows"]], length(parts[["codes"]]))[1L]
}

# The reactions to `count` files made of those of all kinds, as a table; `note` is called with the number of each that
# is wrong, its kind, what is wrong, and its bytes.
reactions_to_hostile_files = function(count, seed, note = function(...) NULL, files = recipe_files()) {
  set.seed(seed)
  kinds = rep_len(names(files), count)
  table(vapply(seq_len(count), function(number) {
    bytes = hostile_file(files[[kinds[number]]])
    reaction = reaction_to(bytes)
    if (!reaction %in% c("refused", "drew")) {
      note(number, kinds[number], reaction, bytes)
    }
    reaction
  }, ""))
}
