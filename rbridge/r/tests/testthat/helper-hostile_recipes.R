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

# The header of a file, another one in its place, and its length put right.
replace_header = function(bytes, change) {
  size = sum(as.integer(bytes[1:8]) * 256^(0:7))
  header = charToRaw(change(rawToChar(bytes[8 + seq_len(size)])))
  c(as.raw(length(header) %/% 256^(0:7) %% 256), header, bytes[-seq_len(8 + size)])
}

# A file that others made of a valid one: other bytes, often within the vectors, fewer bytes or more.
hostile_file = function(bytes) {
  change = stats::runif(1)
  if (change < 0.2) {
    return(utils::head(bytes, sample(0:(length(bytes) - 1L), 1L)))
  }
  if (change < 0.3) {
    return(c(bytes, as.raw(sample(0:255, sample(40L, 1L), TRUE))))
  }
  n_last = if (change < 0.8) min(600L, length(bytes)) else length(bytes)
  places = length(bytes) + 1L - sample(n_last, sample(4L, 1L))
  replace(bytes, places, as.raw(sample(0:255, length(places), TRUE)))
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
    no_duplicates = length(parts$keys) / round(parts$n_columns), # which a file may have almost whole
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
