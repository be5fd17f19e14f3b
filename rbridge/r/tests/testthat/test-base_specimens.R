# What generators and instances of all kinds do in R, over the calls that both languages share.

skip_on_cran()

all_specimens = chosen_specimens()
generators = lapply(all_specimens, generator_of_specimen)

# The next batches of an iterator, but at most `most`, because an epoch may be endless.
next_batches = function(following, most = 50L) {
  batches = list()
  while (length(batches) < most && !coro::is_exhausted(batch <- following())) { # nolint
    batches[[length(batches) + 1L]] = batch
  }
  batches
}

batches_of_epoch = function(instance, epoch = instance$epoch) next_batches(instance$set_epoch(epoch)$.iter())

# An instance in the middle of epoch 2: it has taken a batch of it, or two.
within_epoch = function(generator) {
  instance = generator(NULL)$set_epoch(2)
  next_batches(instance$.iter(), taken_of(instance))
  instance
}

taken_of = function(instance) if (isTRUE(instance$.length() < 3L)) 1L else 2L

refusal_of = function(code) tryCatch(code, rbridge_refusal = identity)

through_file = function(object) {
  file = withr::local_tempfile()
  saveRDS(object, file)
  readRDS(file)
}

# Gives feedback to an instance that takes it; weights by epoch cannot be updated.
tell = function(instance) {
  if (is.function(instance$report)) {
    instance$report(1:2, c(0.5, 2))
  } else if (is.function(instance$update)) {
    refusal_of(instance$update(1:2, c(0.25, 5)))
  }
}

feedback_of = function(instance) instance$state()[c("feedback", "reports")]

for (name in names(generators)) {
  generator = generators[[name]]
  class_name = all_specimens[[name]]$name
  is_endless = is.na(generator(NULL)$.length())
  knows_all_epochs = !is_endless && is.null(generator(NULL)$report)

  test_that(paste("the protocol of torch, and the next epoch:", name), {
    expect_identical(class(generator), c(class_name, "batch_sampler_generator", "torch_sampler"))
    expect_identical(names(formals(generator)), "data_source")
    instance = generator(NULL)
    first = instance$.iter()
    second = instance$.iter()
    expect_identical(instance$epoch, 0)
    of_second = next_batches(second)
    expect_identical(instance$epoch, 1)
    expect_identical(next_batches(first), batches_of_epoch(generator(NULL), 1))
    expect_identical(instance$epoch, 2)
    expect_identical(of_second, batches_of_epoch(generator(NULL), 0))
    if (!is_endless) {
      expect_length(of_second, generator(NULL)$.length())
      expect_true(coro::is_exhausted(first()))
      expect_true(coro::is_exhausted(first()))
      expect_identical(as.list(instance$batches()), batches_of_epoch(generator(NULL), 2))
      expect_identical(instance$epoch, 2)
    }
    if (knows_all_epochs) {
      expect_identical(as.list(instance$batches(0)), of_second)
    }
    expect_identical(withVisible(instance$set_epoch(4L)), list(value = instance, visible = FALSE))
    expect_identical(instance$epoch, 4)
    following = next_batches(instance$.iter())
    if (knows_all_epochs) {
      expect_identical(following, as.list(generator(NULL)$batches(4)))
    }
    expect_match(conditionMessage(refusal_of(instance$set_epoch(-1))),
      "^The 'epoch' parameter must be an integer from 0 to [0-9]+[.] Got -1 instead[.]$")
    expect_error(instance$epoch <- 3, "cannot be assigned. Use 'set_epoch()'.", fixed = TRUE)
    for (object in list(generator, instance)) {
      shown = utils::capture.output(print(object))
      expect_match(shown[1L], sprintf("<%s>", class_name), fixed = TRUE)
      expect_gt(length(shown), 1L)
    }
  })

  test_that(paste("after a state within an epoch come exactly the remaining batches:", name), {
    instance = within_epoch(generator)
    taken = taken_of(instance)
    rest = utils::tail(batches_of_epoch(generator(NULL), 2), -taken)
    for (state in list(instance$state(2, taken), through_file(instance)$state(2, taken))) {
      copy = generator(NULL)
      expect_identical(withVisible(copy$load_state_dict(through_file(state))), list(value = copy, visible = FALSE))
      expect_true(is_endless || length(rest) == 0L || copy$.length() == length(rest))
      remaining = if (length(rest) > 0L) next_batches(copy$.iter(), length(rest)) else list()
      expect_identical(remaining, rest)
      expect_identical(copy$epoch, 3)
      expect_identical(batches_of_epoch(copy, 3), batches_of_epoch(generator(NULL), 3))
    }
  })

  test_that(paste("saved instances and clones are independent of the first:", name), {
    expected = lapply(2:3, function(epoch) batches_of_epoch(generator(NULL), epoch))
    copies_of = function(instance) list(through_file(instance), instance$clone(), instance$clone(deep = TRUE))
    instance = within_epoch(generator)
    before = feedback_of(instance)
    for (copy in copies_of(instance)) {
      expect_identical(copy$epoch, 3)
      copy$set_epoch(7)
      tell(copy)
      next_batches(copy$.iter(), 1L)
      expect_identical(feedback_of(instance), before)
    }
    expect_identical(next_batches(instance$.iter()), expected[[2L]])
    instance = within_epoch(generator)
    copies = copies_of(instance)
    tell(instance)
    rm(instance)
    gc(full = FALSE)
    for (copy in copies) {
      expect_identical(feedback_of(copy), before)
      expect_identical(batches_of_epoch(copy, 2), expected[[1L]])
    }
  })
}

takes_replicas = function(specimen) "num_replicas" %in% names(formals(getExportedValue("rbridge", specimen$name)))

for (name in names(Filter(takes_replicas, all_specimens))) {
  test_that(paste("ranks divide the batches of an epoch, and continue the state of others:", name), {
    specimen = all_specimens[[name]]
    specimen$args$num_replicas = 2
    generator = generator_of_specimen(specimen)
    whole = next_batches(generator(NULL)$.iter())
    alone = generator(NULL)
    next_batches(alone$.iter(), 2L)
    state = alone$state(0, 2)
    expect_null(alone$rank)
    for (rank in 0:1) {
      instance = generator(NULL)$set_rank(rank, 2)
      expect_identical(instance$rank, as.double(rank))
      expected = whole[seq_along(whole) %% 2L == 1L - rank]
      if (!is.na(instance$.length())) {
        expect_identical(instance$.length(), length(expected))
        expect_identical(as.list(instance$batches(0)), expected)
      }
      expect_identical(next_batches(instance$.iter(), length(expected)), expected)
      continued = generator(NULL)$set_rank(rank, 2)$load_state_dict(state)
      expect_identical(next_batches(continued$.iter(), length(expected) - 1L), expected[-1L])
    }
  })
}
