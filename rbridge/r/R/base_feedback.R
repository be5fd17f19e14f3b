# Shared by samplers with feedback: arguments, and batches drawn one after another.

# Accepts vectors and tensors.
vector_or_tensor = function(value, parameter, required) {
  plain = if (is.object(value) && inherits(value, "torch_tensor")) torch::as_array(value) else value
  if (!is.numeric(plain)) {
    stop_parameter(parameter, required, sprintf("a value of class '%s'", class(plain)[1L]))
  }
  if (inherits(plain, "integer64")) {
    return(doubles_of_integer64(plain, parameter, required))
  }
  if (is.object(plain)) as.double(plain) else plain
}

# Numbers of 64 bits, such as those of long tensors, as doubles; refuses those that no double can represent.
doubles_of_integer64 = function(numbers, parameter, required) {
  if (!requireNamespace("bit64", quietly = TRUE)) { # without it, R would read their bits as doubles
    stop_parameter(parameter, required, "a value of class 'integer64'")
  }
  doubles = suppressWarnings(as.double(numbers))
  if (any(abs(doubles) > largest_exact, na.rm = TRUE)) {
    stop_parameter(parameter, required, "integers beyond 2^53")
  }
  doubles
}

# Positions of rows from 1 to n, as integers.
row_positions = function(rows, n, parameter) {
  .Call(C_row_positions, vector_or_tensor(rows, parameter, "hold row positions"), n, parameter)
}

# One double for each row, or any number of doubles.
feedback_values = function(values, parameter, n_rows = NULL) {
  values = as.double(vector_or_tensor(values, parameter, "hold numbers"))
  if (!is.null(n_rows) && length(values) != n_rows) {
    stop_parameter(parameter, sprintf("have one value for each row, %.0f", n_rows), show_count(length(values), "value"))
  }
  values
}

# The state of a random number generator after set.seed(seed): integers, like .Random.seed without its first number.
new_stream = function(seed) {
  .Call(C_new_stream, seed)
}

# Iterates over an epoch whose batches are drawn one after another, according to the feedback so far:
# a function that returns the rows of the next batch at each call, NULL at the end.
# `private` is that of an instance whose recipe has the parts batch_size, n_batches and num_replicas.
# `draw(private, stream, count)` draws `count` batches: list(rows, stream), where `stream` is for the next draw.
# Batches that several processes train on at the same time are drawn together.
feedback_batches = function(private, epoch, draw) {
  parts = private$.recipe$parts
  batch_size = parts$batch_size
  together = parts$num_replicas
  resumed = take_place(private, epoch)
  left = parts$n_batches - resumed$batch
  rows = resumed$rows
  stream = resumed$stream
  taken = 0
  function() {
    if (left == 0) {
      return(NULL)
    }
    if (taken == length(rows)) {
      drawn = draw(private, stream, together)
      stream <<- drawn$stream
      rows <<- drawn$rows
      taken <<- 0
    }
    left <<- left - 1
    begin = taken
    taken <<- begin + batch_size
    if (length(rows) == batch_size) rows else rows[(begin + 1):taken]
  }
}

# All batches of an epoch, according to the feedback so far.
draw_feedback_epoch = function(private, epoch, draw) {
  parts = private$.recipe$parts
  list(
    rows = draw(private, new_stream(epoch_seed(private$.recipe$seed, epoch)), parts$n_batches)$rows,
    offsets = fixed_size_offsets(parts$batch_size, parts$n_batches)
  )
}

# `k` rows according to the feedback so far, outside of epochs, from a separate stream of random numbers.
# `draw(private, stream, k)` is as in feedback_batches(), for one batch of `k` rows.
sample_rows = function(private, k, draw) {
  check_is_trained_on(private)
  k = check_between(k, "k", 0, largest_count)
  stream = private$.recipe$state$sample_generator
  if (is.null(stream)) {
    stream = new_stream(epoch_seed(private$.recipe$seed, largest_epoch + 1))
  }
  drawn = draw(private, stream, k)
  private$.recipe$state$sample_generator = drawn$stream
  drawn$rows
}

# The words of a generator in the state of a recipe; the core checks the first one, the position, again.
check_words = function(recipe, name) {
  words = recipe$state[[name]]
  if (!is.integer(words) || length(words) != 625L || is.na(words[1L]) || words[1L] < 0L || words[1L] > 624L) {
    stop_parameter("recipe", sprintf("have the 625 words of a generator as '%s'", name), show_value(words))
  }
}

# The beginning of an epoch: -> list(batch = the number of batches before it, rows = rows that are already drawn, from
# 1, stream).
# This is the first batch, unless the sampler was resumed within this epoch; the next iteration resets that.
take_place = function(private, epoch) {
  state = private$.recipe$state
  private$.recipe$state[place_entries] = NULL
  if (!is.null(state$epoch) && state$epoch == epoch) {
    list(batch = state$batch, rows = state$drawn + 1L, stream = state$generator)
  } else {
    list(batch = 0, rows = integer(), stream = new_stream(epoch_seed(private$.recipe$seed, epoch)))
  }
}

# Entries in the state of a resumed sampler: the epoch, the number of its batches that are done, the rows that were
# drawn beyond them, counted from 0, and the words of the random number generator after these.
place_entries = c("epoch", "batch", "drawn", "generator")

check_place = function(recipe, n_rows) {
  state = recipe$state
  if (!is.null(state$sample_generator)) {
    check_words(recipe, "sample_generator")
  }
  given = place_entries %in% names(state)
  if (!any(given)) {
    return(invisible())
  }
  if (!all(given) || !is_whole_between(state$epoch, 0, largest_epoch) ||
    !is_whole_between(state$batch, 0, recipe$parts$n_batches) || !is.integer(state$generator)) {
    stop_parameter("recipe", paste("have a place in an epoch as", show_names(place_entries)), "another state")
  }
  drawn = state$drawn
  if (!is.integer(drawn) || length(drawn) %% recipe$parts$batch_size != 0) {
    stop_parameter("recipe", "have whole batches of integers as 'drawn'", show_value(drawn))
  }
  if (length(drawn) > 0L) {
    row_positions(drawn + 1, n_rows, "drawn")
  }
}

# While mlr3torch predicts, an instance only returns all rows in order.
check_is_trained_on = function(private) {
  if (!is.null(private$.in_order)) {
    stop("This instance draws nothing, since mlr3torch predicts with it. ",
      "Tell the one of the training.", call. = FALSE)
  }
}
