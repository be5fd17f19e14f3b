# The states of samplers, the same as in Python, and the place of an iteration: the epoch, the number of its batches
# that are done, counted over all ranks, and what was drawn of it, `ahead`, if later batches depend on feedback.

new_place = function(epoch, batch = 0, ahead = NULL) list(epoch = epoch, batch = batch, ahead = ahead)

# The place after this many of this rank's batches, by default where the instance is, or the beginning; the end of an
# epoch is the beginning of the next.
place_after = function(private, epoch, batches_done) {
  epoch = check_range(epoch, "epoch", private$.last_epoch())
  own = if (epoch == private$.place$epoch) private$.place
  if (is.null(batches_done)) {
    return(if (is.null(own)) new_place(epoch) else own)
  }
  most = most_batches(private, epoch)
  done = check_between(batches_done, "batches_done", 0, most %/% private$.stride) * private$.stride
  if (done == most) new_place(epoch + 1) else new_place(epoch, done, own$ahead)
}

# The largest number of batches in a state of an epoch, which may have no end.
most_batches = function(private, epoch) {
  n_batches = private$.n_batches(epoch)
  if (is.na(n_batches)) largest_exact else n_batches
}

state_at = function(private, place) {
  state = list(version = 1L, fingerprint = private$.fingerprint(), epoch = place$epoch, batch = place$batch)
  kept = private$.kind()$feedback_state
  c(state, if (!is.null(kept)) kept(private, place))
}

# The place of a state, whose feedback is loaded; the core knows what differs in a fingerprint.
place_of_state = function(private, state) {
  refuse_if(!is.list(state) || !all(c("version", "fingerprint", "epoch", "batch") %in% names(state)), "state",
    "have the entries 'version', 'fingerprint', 'epoch' and 'batch'", show_value(state))
  core_call("state", list(version = state$version, own = private$.fingerprint(), fingerprint = state$fingerprint))
  epoch = check_range(state$epoch, "epoch", private$.last_epoch())
  load = private$.kind()$load_feedback
  ahead = if (!is.null(load)) load(private, state)
  most = most_batches(private, epoch)
  batch = check_between(state$batch, "batch", 0, most)
  if (batch == most) {
    return(new_place(epoch + 1))
  }
  own = ceiling(max(0, batch - private$.rank) / private$.stride)
  new_place(epoch, own * private$.stride, ahead)
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
