# Shared by samplers with feedback: arguments, and batches drawn one after another.

# Accepts vectors and tensors.
vector_or_tensor = function(value, parameter, required) {
  plain = plain_value(if (is.object(value) && inherits(value, "torch_tensor")) torch::as_array(value) else value)
  if (inherits(plain, "integer64")) {
    stop_parameter(parameter, required, "integers beyond 2^53")
  }
  if (!is.numeric(plain)) {
    stop_parameter(parameter, required, sprintf("a value of class '%s'", class(plain)[1L]))
  }
  unname(if (is.object(plain)) as.double(plain) else if (is.null(dim(plain))) plain else as.vector(plain))
}

# Any number of doubles.
feedback_values = function(values, parameter) {
  as.double(vector_or_tensor(values, parameter, "hold numbers"))
}

# Rows as the core reads them.
feedback_rows = function(rows, parameter = "rows") vector_or_tensor(rows, parameter, "hold row positions")

# The state of a random number generator after set.seed(seed): integers, like .Random.seed without its first number.
new_stream = function(seed) {
  core_call("random_stream", list(seed = seed))$words
}

# A kind of samplers with feedback, which `of_rows` says that a dataset supplies.
# Its instances draw batches one after another, according to the feedback so far.
feedback_kind = function(kind, of_rows, ...) {
  shared = list(
    vectors = list(parts = NA, state = c(first_state, place_entries, "sample_generator"), labels = feedback_labels),
    setup = function(recipe, private) {
      state = recipe$state
      core_begin(private, state)
      if (!is.null(state$epoch)) { # it was resumed within this epoch
        ahead = list(rows = state$drawn + 1L, stream = state$generator)
        private$.place = new_place(state$epoch, state$batch, ahead)
      }
      private$.recipe$state[c(first_state, place_entries)] = NULL # they are now in .state and .place
      NULL
    },
    draw = draw_feedback_epoch,
    iterate = feedback_batches,
    feedback_state = feedback_state,
    load_feedback = load_feedback,
    private = list(.state = NULL)
  )
  utils::modifyList(table_kind(kind, of_rows = of_rows), utils::modifyList(shared, list(...)))
}

# What changes by feedback, in the state of a recipe.
first_state = c("weights", "priorities", "next_position", "largest", "n_added")

# Its place: an epoch, the number of its batches that are done, the rows that were drawn beyond them, counted from 0,
# and the words of the random number generator after these.
place_entries = c("epoch", "batch", "drawn", "generator")

# What affects no batches.
feedback_labels = c("beta", "normalize")

# The recipe of checked arguments, the data of the kind, and the first state; what only that shows is refused as well.
feedback_recipe = function(kind, arguments, data, state = list()) {
  parts = core_plan(kind, c(arguments[setdiff(names(arguments), "seed")], data))
  labels = parts[intersect(feedback_labels, names(parts))]
  parts = parts[setdiff(names(parts), feedback_labels)]
  parts = c(parts, data[setdiff(names(data), names(parts))])
  recipe = new_recipe(kind, arguments$seed, parts, state, c(list(), labels))
  trial = new_memory()
  trial$.recipe = recipe
  core_begin(trial, state)
  recipe$state = core_ask(trial, "state")
  recipe
}

# Iterates over an epoch whose batches are drawn one after another, according to the feedback so far, from a place on:
# a function that returns the rows of the next batch at each call, NULL at the end.
# Batches that several processes train on at the same time are drawn together.
# All that was drawn is kept until the next iteration begins, because a state may be requested after any batch.
feedback_batches = function(private, place) {
  parts = private$.recipe$parts
  batch_size = parts$batch_size
  draws = new.env(parent = emptyenv())
  draws$epoch = place$epoch
  ahead = place$ahead
  if (is.null(ahead)) { # those before the place are drawn again
    draws$first = 0
    draws$drawn = list()
    draws$stream = new_stream(epoch_seed(private$.recipe$seed, place$epoch))
  } else {
    draws$first = place$batch
    draws$drawn = batches_of_rows(ahead$rows, batch_size)
    draws$stream = ahead$stream
  }
  taken = place$batch - draws$first
  left = core_count(private, place$epoch) - draws$first
  wanted = list(count = if (is.null(parts$num_replicas)) 1 else parts$num_replicas, epoch = place$epoch)
  private$.draws = draws
  function() {
    if (taken == left) {
      return(NULL)
    }
    while (taken >= length(draws$drawn)) {
      drawn = core_draw_more(private, draws$stream, wanted)
      draws$stream = drawn$stream
      draws$drawn[length(draws$drawn) + seq_len(wanted$count)] = batches_of_rows(drawn$rows, batch_size)
    }
    taken <<- taken + 1
    draws$drawn[[taken]]
  }
}

batches_of_rows = function(rows, batch_size) {
  if (length(rows) == batch_size) {
    return(list(rows))
  }
  lapply(seq_len(length(rows) / batch_size), function(batch) rows[(batch - 1) * batch_size + seq_len(batch_size)])
}

# What a state of a sampler with feedback contains besides its place: the batches that were drawn beyond it, one per
# row, of rows from 0; the words of the generator after them; those of sample(); and the vectors of the state.
feedback_state = function(private, place) {
  feedback = core_ask(private, "state")
  if (private$.recipe$kind == "prioritized" && is.null(feedback$largest)) {
    feedback["largest"] = list(NULL) # Python has the entry
  }
  draws = private$.draws
  ahead = place$ahead
  if (!is.null(draws) && draws$epoch == place$epoch) {
    done = place$batch - draws$first
    n_drawn = length(draws$drawn)
    if (done > n_drawn) {
      required = sprintf("be at most %.0f, the number of batches that were requested", n_drawn / private$.stride)
      stop_parameter("batches_done", required, show_value(done / private$.stride))
    }
    beyond = done + seq_len(n_drawn - done)
    ahead = list(rows = unlist(draws$drawn[beyond]), stream = draws$stream)
  }
  list(
    drawn = matrix(as.integer(ahead$rows) - 1L, ncol = private$.recipe$parts$batch_size, byrow = TRUE),
    generator = words_of_stream(ahead$stream),
    sample_generator = words_of_stream(private$.recipe$state$sample_generator),
    feedback = feedback
  )
}

# The words of a random number generator from 0 to 2^32 - 1, which R's integers are not.
words_of_stream = function(stream) {
  if (is.null(stream)) {
    return(NULL)
  }
  words = as.double(stream)
  words[is.na(words)] = -2^31
  words %% 2^32
}

stream_of_words = function(words) {
  if (is.null(words)) {
    return(NULL)
  }
  words = as.double(unlist(words))
  are_words = length(words) == 625L && all(words == floor(words) & words >= 0 & words < 2^32)
  if (!isTRUE(are_words) || words[1L] >= 625) {
    stop_parameter("state", "hold 625 words of the generator", "others")
  }
  signed = ifelse(words >= 2^31, words - 2^32, words)
  signed[signed == -2^31] = NA
  as.integer(signed)
}

# The inverse of feedback_state(); returns what was drawn beyond the place.
load_feedback = function(private, state) {
  entries = c("drawn", "generator", "sample_generator", "feedback")
  if (!all(entries %in% names(state))) {
    stop_parameter("state", "have the entries 'drawn', 'generator', 'sample_generator' and 'feedback' too",
      show_value(state))
  }
  if (state$batch %% private$.stride != 0) {
    stop_parameter("state", sprintf("be at a multiple of the number of replicas, %.0f, to be continued by one rank",
      private$.stride), sprintf("batch %.0f", state$batch))
  }
  rows = rows_of_state(state$drawn, private$.recipe$parts$batch_size)
  stream = stream_of_words(state$generator)
  if (is.null(stream) && (length(rows) > 0L || state$batch > 0)) {
    stop_parameter("state", "hold the state of the generator", "nothing")
  }
  sample_stream = stream_of_words(state$sample_generator)
  given = feedback_of_state(private, state$feedback)
  place = if (!is.null(stream)) {
    list(epoch = as.double(state$epoch), batch = as.double(state$batch), drawn = rows, generator = stream)
  }
  core_begin(private, c(given, place))
  private$.recipe$state$sample_generator = sample_stream
  if (!is.null(stream)) list(rows = rows + 1L, stream = stream)
}

# What feedback has changed, as numbers by name.
feedback_of_state = function(private, feedback) {
  values = lapply(Filter(Negate(is.null), as.list(feedback)), unlist)
  entry = if (identical(private$.recipe$parts$method, "rank")) "priorities" else "weights"
  is_whole = is.list(feedback) && all(c(entry, "next_position") %in% names(values))
  if (!is_whole || !all(vapply(values, is.numeric, NA))) {
    stop_parameter("state", sprintf("hold the %s of the rows", entry), show_value(feedback))
  }
  lapply(values, as.double)
}

# The drawn rows of a state, a matrix or a list of batches, batch after batch.
rows_of_state = function(drawn, batch_size) {
  is_matrix = is.matrix(drawn) && ncol(drawn) == batch_size
  rows = if (is_matrix) t(drawn) else unlist(drawn)
  is_right = is_matrix || length(rows) == 0L || is.list(drawn) && all(lengths(drawn) == batch_size)
  are_rows = is.null(rows) || is.numeric(rows) && all(is.finite(rows)) && all(rows == floor(rows)) &&
    all(abs(rows) <= largest_count)
  if (!is_right || !are_rows) {
    stop_parameter("state", sprintf("hold drawn batches of %.0f rows", batch_size), show_value(drawn))
  }
  as.integer(rows)
}

# All batches of an epoch, according to the feedback so far.
draw_feedback_epoch = function(private, epoch) {
  n_batches = core_count(private, epoch)
  stream = new_stream(epoch_seed(private$.recipe$seed, epoch))
  list(
    rows = core_draw_more(private, stream, list(count = n_batches, epoch = epoch))$rows,
    offsets = as.integer(private$.recipe$parts$batch_size * 0:n_batches)
  )
}

# `k` rows according to the feedback so far, outside of epochs, from a separate stream of random numbers.
sample_rows = function(private, k) {
  check_is_trained_on(private)
  stream = private$.recipe$state$sample_generator
  if (is.null(stream)) {
    stream = new_stream(epoch_seed(private$.recipe$seed, largest_epoch + 1))
  }
  wanted = list(k = k, count = private$.stride, epoch = private$.place$epoch)
  drawn = core_draw_more(private, stream, wanted)
  private$.recipe$state$sample_generator = drawn$stream
  if (private$.stride == 1) drawn$rows else drawn$rows[private$.rank * k + seq_len(k)]
}

# While mlr3torch predicts, an instance only returns all rows in order.
check_is_trained_on = function(private) {
  if (!is.null(private$.in_order)) {
    stop("This instance draws nothing, since mlr3torch predicts with it. ",
      "Tell the one of the training.", call. = FALSE)
  }
}
