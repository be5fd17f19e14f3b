# What others could make of the files of recipes of every kind: for test-base_recipe_file.R, and for tools/sanitize_r.R,
# which runs the same under sanitizers.

# The files of long specimens of all kinds: a list of raw vectors.
recipe_files = function(generators = lapply(long_specimens(), generator_of_specimen)) {
  lapply(generators, function(generator) {
    file = tempfile()
    write_batch_sampler(generator, file)
    readBin(file, "raw", file.size(file))
  })
}

# Values at the borders of what may be, by the type of a vector.
hostile_values_of = list(
  raw = as.raw(0:255),
  integer = c(-2:5, 159:161, .Machine$integer.max, NA),
  double = c(-1, 0, -0, 1, 2, 5, 159, 160, 161, 256, 0.5, 2^31 - 1, 2^31, 2^53, 1e300, 5e-324, NaN, Inf, -Inf),
  character = c("", "a", "uniform", "per_user", "popularity", "rank", "\u00e9", "'local'", "choice", "counter")
)

hostile_vector = function(vector) {
  values = function(size) sample(hostile_values_of[[typeof(vector)]], size, TRUE)
  n = length(vector)
  switch(sample(8L, 1L),
    vector[0L],
    rep(vector, 2L),
    rev(vector),
    utils::head(vector, -1L),
    c(vector, values(1L)),
    as.double(seq_len(n)),
    if (is.character(vector)) seq_len(n) else as.character(vector),
    replace(vector, sample(n, min(n, 2L)), values(min(n, 2L)))
  )
}

# A recipe some of whose vectors are others; the functions of the package write it, so only its meaning is wrong.
hostile_recipe = function(recipe) {
  for (time in seq_len(sample(2L, 1L))) {
    entry = sample(names(Filter(length, recipe[c("parts", "state", "labels")])), 1L)
    name = sample(names(recipe[[entry]]), 1L)
    vector = recipe[[entry]][[name]]
    change = sample(12L, 1L)
    if (change == 1L) {
      recipe[[entry]][[name]] = NULL
    } else if (change == 2L) {
      recipe$seed = sample(c(0, 2^31 - 2, 2^31 - 1, 2^40), 1L)
    } else if (change == 3L) {
      recipe[[entry]][[sample(c("x", "length", "taken", "weights", "epoch", "drawn"), 1L)]] = vector
    } else if (change == 4L) {
      recipe$kind = sample(c("uniform", "stratified", "tree", "pairs", "weighted", "mixture"), 1L)
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

# A file that others made of a valid one.
hostile_file = function(bytes) {
  switch(sample(c("bytes", "cut", "longer", "meaning"), 1L, prob = c(3, 1, 1, 6)),
    bytes = {
      places = sample(length(bytes), sample(4L, 1L))
      if (stats::runif(1) < 0.5) { # within the vectors
        places = length(bytes) - sample(min(600L, length(bytes) - 1L), length(places)) + 1L
      }
      replace(bytes, places, as.raw(sample(0:255, length(places), TRUE)))
    },
    cut = utils::head(bytes, sample(0:(length(bytes) - 1L), 1L)),
    longer = c(bytes, as.raw(sample(0:255, sample(40L, 1L), TRUE))),
    meaning = {
      file = tempfile()
      on.exit(unlink(file))
      writeBin(bytes, file)
      recipe = recipe_of(read_batch_sampler(file))
      recipe_file(hostile_recipe(recipe), file)
      readBin(file, "raw", file.size(file))
    }
  )
}

# "refused" if a file is refused, "drew" if it draws rows within bounds; anything else is wrong.
# The instance is drawn from as training does, and shown.
reaction_to = function(bytes, max_bytes = 2^26) {
  file = tempfile()
  on.exit(unlink(file))
  writeBin(bytes, file)
  setTimeLimit(elapsed = 20)
  on.exit(setTimeLimit(), add = TRUE)
  tryCatch({
    generator = read_batch_sampler(file, max_bytes = max_bytes)
    instance = generator(NULL)
    utils::capture.output(print(generator), print(instance))
    drawn = if (is.na(instance$.length())) list() else list(instance$batches(instance$epoch))
    following = instance$.iter()
    for (batch in 1:3) {
      rows = following()
      if (!coro::is_exhausted(rows)) {
        drawn = c(drawn, list(list(rows = rows, offsets = c(0L, length(rows)))))
      }
    }
    wrong = Filter(function(batches) !are_batches(batches, largest_row(recipe_of(generator))), drawn)
    if (length(wrong) > 0L) "batches with other rows than there are" else "drew"
  }, error = function(error) {
    if (grepl("elapsed time limit", conditionMessage(error))) "too slow" else "refused"
  })
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
  switch(recipe$kind,
    pairs = ,
    triples = 2 * parts$n_users * parts$n_items - 1,
    per_label = 2 * parts$n_rows * parts$n_labels - 1,
    mixture = ,
    rare_events = sum(parts$lines),
    by_length = length(parts$lengths),
    no_duplicates = length(parts$keys) / parts$n_columns,
    prioritized = max(length(c(recipe$state$weights, recipe$state$priorities)), parts$n_rows),
    c(parts[["n"]], parts[["n_rows"]], length(parts[["codes"]]))[1L]
  )
}

# The reactions to `count` files made of those of all kinds, as a table; `note` is called with the number of each that
# is wrong, its kind, what is wrong, and its bytes.
reactions_to_hostile_files = function(count, seed, note = function(...) NULL, files = recipe_files()) {
  set.seed(seed)
  names = rep_len(names(files), count)
  table(vapply(seq_len(count), function(number) {
    bytes = hostile_file(files[[names[number]]])
    reaction = reaction_to(bytes)
    if (!reaction %in% c("refused", "drew")) {
      note(number, names[number], reaction, bytes)
    }
    reaction
  }, ""))
}
