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
  if (is.object(plain)) as.double(plain) else if (is.null(dim(plain))) plain else as.vector(plain)
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

# Any number of doubles.
feedback_values = function(values, parameter) {
  as.double(vector_or_tensor(values, parameter, "hold numbers"))
}

# Rows as the core reads them.
feedback_rows = function(rows, parameter = "rows") vector_or_tensor(rows, parameter, "hold row positions")

# The state of a random number generator after set.seed(seed): integers, like .Random.seed without its first number.
new_stream = function(seed) {
  .Call(C_new_stream, seed)
}

# A kind of samplers with feedback: a list as in R/base_generator.R, of which the core does the rest.
# Its instances draw batches one after another, according to the feedback so far.
feedback_kind = function(...) {
  shared = list(
    check = core_check_state,
    checked_by_setup = TRUE,
    setup = function(recipe, private) {
      core_begin(private, recipe$state)
      private$.recipe$state[first_state] = NULL # they are now in .state
      NULL
    },
    draw = draw_feedback_epoch,
    iterate = feedback_batches
  )
  utils::modifyList(core_kind(private = list(.instance = NULL, .state = NULL)), utils::modifyList(shared, list(...)))
}

# What changes by feedback, in the state of a recipe.
first_state = c("weights", "priorities", "next_position", "largest")

# The recipe of a sampler that the core has planned; what only the first state shows is refused as well.
feedback_recipe = function(kind, seed, planned) {
  force(planned) # before the seed
  vectors = sampler_kind(kind)$vectors
  of = function(entry) {
    names = intersect(vectors[[entry]], names(planned))
    if (length(names) > 0L) planned[names] else list()
  }
  seed = if (!is.null(seed)) check_range(seed, "seed", largest_seed)
  recipe = new_recipe(kind, seed, of("parts"), of("state"), of("labels"))
  trial = new_memory()
  trial$.recipe = recipe
  core_begin(trial, planned, is_recipe = FALSE)
  recipe
}

# Iterates over an epoch whose batches are drawn one after another, according to the feedback so far:
# a function that returns the rows of the next batch at each call, NULL at the end.
# `private` is that of an instance whose recipe has the parts batch_size, n_batches and num_replicas.
# Batches that several processes train on at the same time are drawn together.
feedback_batches = function(private, epoch) {
  parts = private$.recipe$parts
  batch_size = parts$batch_size
  resumed = take_place(private, epoch)
  left = parts$n_batches - resumed$batch
  rows = resumed$rows
  stream = resumed$stream
  wanted = list(count = parts$num_replicas)
  taken = 0
  function() {
    if (left == 0) {
      return(NULL)
    }
    if (taken == length(rows)) {
      drawn = core_draw_more(private, stream, wanted)
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
draw_feedback_epoch = function(private, epoch) {
  parts = private$.recipe$parts
  stream = new_stream(epoch_seed(private$.recipe$seed, epoch))
  list(
    rows = core_draw_more(private, stream, list(count = parts$n_batches))$rows,
    offsets = as.integer(parts$batch_size * 0:parts$n_batches)
  )
}

# `k` rows according to the feedback so far, outside of epochs, from a separate stream of random numbers.
sample_rows = function(private, k) {
  check_is_trained_on(private)
  stream = private$.recipe$state$sample_generator
  if (is.null(stream)) {
    stream = new_stream(epoch_seed(private$.recipe$seed, largest_epoch + 1))
  }
  drawn = core_draw_more(private, stream, list(k = k, count = 1))
  private$.recipe$state$sample_generator = drawn$stream
  drawn$rows
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

# While mlr3torch predicts, an instance only returns all rows in order.
check_is_trained_on = function(private) {
  if (!is.null(private$.in_order)) {
    stop("This instance draws nothing, since mlr3torch predicts with it. ",
      "Tell the one of the training.", call. = FALSE)
  }
}
