# Shared by samplers with feedback: arguments, and batches drawn one after another.

# Accepts vectors and tensors.
vector_or_tensor = function(value, parameter, required) {
  plain = plain_value(if (is_tensor(value)) torch::as_array(value$cpu()) else value)
  refuse_if(inherits(plain, "integer64"), parameter, required, "integers beyond 2^53")
  refuse_if(!is.numeric(plain), parameter, required, sprintf("a value of class '%s'", class(plain)[1L]))
  as.vector(plain)
}

# Rows of the dataset, from 1 on, or other whole numbers between bounds.
check_positions = function(values, most, parameter = "rows", noun = "row positions", first = 1) {
  required = sprintf("hold %s from %.0f to %.0f", noun, first, most)
  values = vector_or_tensor(values, parameter, required)
  wrong = which(is.na(values) | values < first | values > most | values != trunc(values))
  refuse_if(length(wrong) > 0L, parameter, required, show_value(values[wrong[1L]]))
  values
}

# Any number of doubles.
feedback_values = function(values, parameter) as.double(vector_or_tensor(values, parameter, "hold numbers"))

# Rows as the core reads them.
feedback_rows = function(rows, parameter = "rows") vector_or_tensor(rows, parameter, "hold row positions")

# The state of a random number generator after set.seed(seed): 625 words from 0 to 2^32 - 1, as states have it.
new_stream = function(seed) core_call("random_stream", list(seed = seed))$words

# A kind of samplers with feedback, which `of_rows` says that a dataset supplies.
# Its instances draw batches one after another, according to the feedback so far.
feedback_kind = function(kind, of_rows, ...) {
  shared = list(
    plan = function(settings) {
      feedback_recipe(kind, lapply(settings, function(value) if (is.integer(value)) as.double(value) else value), list())
    },
    setup = function(recipe, private) {
      core_begin(private, recipe$state)
      if (!is.null(recipe$state$generator)) { # it was resumed within an epoch
        private$.place = new_place(recipe$state$epoch, recipe$state$batch, drawn_ahead(private, recipe$state))
      }
      private$.recipe$state = recipe$state["sample_generator"] # the others are now in .state and .place
      NULL
    },
    draw = function(private, epoch) {
      n_batches = core_count(private, epoch)
      stream = new_stream(epoch_seed(private$.recipe$seed, epoch))
      list(
        rows = core_draw_more(private, stream, list(count = n_batches, epoch = epoch))$rows,
        offsets = as.integer(private$.recipe$parts$batch_size * 0:n_batches)
      )
    },
    iterate = feedback_batches,
    feedback_state = feedback_state,
    load_feedback = load_feedback,
    methods = list(sample = function(k) sample_rows(private, k))
  )
  utils::modifyList(table_kind(kind, of_rows = of_rows), utils::modifyList(shared, list(...)))
}

# The recipe of checked arguments, the data of the kind, and the first state; what only that shows is refused as well.
feedback_recipe = function(kind, arguments, data, state = list()) {
  parts = core_plan(kind, c(arguments[setdiff(names(arguments), "seed")], data))
  is_label = names(parts) %in% c("beta", "normalize") # which affect no batches
  data = data[setdiff(names(data), names(parts))]
  recipe = new_recipe(kind, arguments$seed, c(parts[!is_label], data), state, c(list(), parts[is_label]))
  trial = list2env(list(.recipe = recipe), parent = emptyenv())
  core_begin(trial, state)
  recipe$state = core_ask(trial, "state")
  recipe
}

# Iterates over an epoch whose batches are drawn one after another, according to the feedback so far, from a place on:
# a function that returns the rows of the next batch at each call, NULL at the end.
# Batches that several processes train on at the same time are drawn together.
# All that was drawn is kept until the next iteration begins, because a state may be requested after any batch.
feedback_batches = function(private, place) {
  draws = list2env(if (is.null(place$ahead)) { # those before the place are drawn again
    list(first = 0, batches = list(), stream = new_stream(epoch_seed(private$.recipe$seed, place$epoch)))
  } else {
    place$ahead
  }, parent = emptyenv())
  private$.begun$ahead = draws
  parts = private$.recipe$parts
  wanted = list(count = if (is.null(parts$num_replicas)) 1 else parts$num_replicas, epoch = place$epoch)
  taken = place$batch - draws$first
  left = core_count(private, place$epoch) - draws$first
  function() {
    if (taken == left) {
      return(NULL)
    }
    while (taken >= length(draws$batches)) {
      drawn = core_draw_more(private, draws$stream, wanted)
      draws$stream = drawn$stream
      draws$batches[length(draws$batches) + seq_len(wanted$count)] = batches_of_rows(drawn$rows, parts$batch_size)
    }
    taken <<- taken + 1
    draws$batches[[taken]]
  }
}

batches_of_rows = function(rows, batch_size) {
  lapply(seq_len(length(rows) / batch_size), function(batch) rows[(batch - 1) * batch_size + seq_len(batch_size)])
}

# What was drawn beyond the place of a state: batches, of which the first is number `first` over all ranks.
drawn_ahead = function(private, state) {
  batches = batches_of_rows(as.integer(state$drawn) + 1L, private$.recipe$parts$batch_size)
  list(first = as.double(state$batch), batches = batches, stream = state$generator)
}

# What a state of a sampler with feedback contains besides its place: what feedback has changed, the generator of
# sample(), the rows that were drawn beyond the place, from 0, and the generator after them.
feedback_state = function(private, place) {
  state = core_ask(private, "state")
  state$sample_generator = private$.recipe$state$sample_generator
  draws = if (identical(private$.begun$epoch, place$epoch)) private$.begun$ahead else place$ahead
  if (is.null(draws)) {
    return(state)
  }
  done = place$batch - draws$first
  n_drawn = length(draws$batches)
  known = (draws$first + c(0, n_drawn)) / private$.stride
  refuse_if(done < 0 || done > n_drawn, "batches_done",
    sprintf("be from %.0f to %.0f, where draws are known", known[1L], known[2L]),
    show_value(place$batch / private$.stride))
  beyond = unlist(draws$batches[seq_len(n_drawn) > done])
  c(state, list(drawn = as.integer(beyond) - 1L, generator = draws$stream))
}

# The inverse of feedback_state(); returns what was drawn beyond the place.
load_feedback = function(private, state) {
  refuse_if(is.null(state$next_position), "state", "have the entries of a sampler with feedback too", show_value(state))
  state = Filter(Negate(is.null), state[setdiff(names(state), c("version", "fingerprint"))])
  state = lapply(state, function(values) feedback_values(c(numeric(), unlist(values)), "state"))
  refuse_if(isTRUE(state$batch %% private$.stride != 0), "state",
    sprintf("be at a multiple of the number of replicas, %.0f, to be continued by one rank", private$.stride),
    sprintf("batch %.0f", state$batch))
  core_begin(private, state)
  private$.recipe$state$sample_generator = state$sample_generator
  if (!is.null(state$generator)) drawn_ahead(private, state)
}

# `k` rows according to the feedback so far, outside of epochs, from a separate stream of random numbers.
sample_rows = function(private, k) {
  kept = private$.recipe$state$sample_generator
  stream = if (is.null(kept)) new_stream(epoch_seed(private$.recipe$seed, largest_epoch + 1)) else kept
  drawn = core_draw_more(private, stream, list(k = k, count = private$.stride, epoch = private$.place$epoch))
  private$.recipe$state$sample_generator = drawn$stream
  if (private$.stride == 1) drawn$rows else drawn$rows[private$.rank * k + seq_len(k)]
}
