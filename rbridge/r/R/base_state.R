# The states of samplers, the same as in Python, and the place of an iteration: the epoch, the number of its batches
# that are done, counted over all ranks, and what was drawn of it, `ahead`, if later batches depend on feedback.

state_version = 1L
state_entries = c("version", "fingerprint", "epoch", "batch")

new_place = function(epoch, batch = 0, ahead = NULL) list(epoch = epoch, batch = batch, ahead = ahead)

# The place after this many of this rank's batches; the end of an epoch is the beginning of the next.
place_after = function(private, epoch, batches_done) {
  epoch = check_range(epoch, "epoch", private$.last_epoch())
  most = most_batches(private, epoch)
  done = check_between(batches_done, "batches_done", 0, most %/% private$.stride) * private$.stride
  if (done == most) {
    return(new_place(epoch + 1))
  }
  new_place(epoch, done, if (epoch == private$.place$epoch) private$.place$ahead)
}

# The largest number of batches in a state of an epoch.
most_batches = function(private, epoch) {
  most_of_kind = private$.kind()$most_batches
  n_batches = if (is.null(most_of_kind)) private$.n_batches(epoch) else most_of_kind(private, epoch)
  if (is.na(n_batches)) largest_exact else n_batches
}

state_at = function(private, place) {
  state = list(version = state_version, fingerprint = private$.fingerprint(), epoch = place$epoch, batch = place$batch)
  kept = private$.kind()$feedback_state
  c(state, if (!is.null(kept)) kept(private, place))
}

# The place of a state.
place_of_state = function(private, state) {
  check_state(state, private$.fingerprint())
  epoch = check_range(state$epoch, "epoch", private$.last_epoch())
  batch = check_between(state$batch, "batch", 0, most_batches(private, epoch))
  load = private$.kind()$load_feedback
  ahead = if (!is.null(load)) load(private, state)
  if (identical(batch, as.double(private$.n_batches(epoch)))) {
    return(new_place(epoch + 1))
  }
  own = ceiling(max(0, batch - private$.rank) / private$.stride)
  new_place(epoch, own * private$.stride, ahead)
}

# Refuses what is no state of a sampler with this fingerprint; the core knows what differs.
check_state = function(state, fingerprint) {
  refuse_if(!is.list(state) || !all(state_entries %in% names(state)), "state",
    "have the entries 'version', 'fingerprint', 'epoch' and 'batch'", show_value(state))
  core_call("state", list(version = state$version, own = fingerprint, fingerprint = state$fingerprint))
}

check_rank = function(private, rank, num_replicas) {
  num_replicas = check_between(num_replicas, "num_replicas", 1, largest_count)
  check_range(rank, "rank", num_replicas - 1)
  n_batches = private$.n_batches()
  parts = private$.recipe$parts
  made_for = if (is.null(parts$num_replicas)) 1 else parts$num_replicas
  is_made_for_it = isTRUE(private$.kind()$draws_by_replicas) && made_for != num_replicas
  refuse_if(is_made_for_it || !is.na(n_batches) && n_batches %% num_replicas != 0, "num_replicas",
    "be that of the generator, so that all processes have as many batches", show_value(num_replicas))
}

# The fingerprint of a recipe of the core.
core_fingerprint = function(private) {
  answer = with_instance(private, function() .Call(C_identify, private$.instance))
  rawToChar(core_results(answer, private$.recipe$parts)$fingerprint)
}

# The fingerprint of named vectors of text, as the Python package makes it.
fingerprint_of = function(...) {
  digests = vapply(list(...), function(texts) {
    core_call("digest", list(bytes = charToRaw(enc2utf8(paste(texts, collapse = "\n")))))$digest
  }, "")
  paste(names(digests), digests, sep = "=", collapse = " ")
}
