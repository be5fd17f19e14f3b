# The plan of an epoch: one for all epochs, or from a table of weights or a function of the epoch.

# -> list(
#   begins = the first epochs of the stages,
#   plans = the plan of each, as make_corpus_plan() returns it; for a function, that of epoch 0,
#   plan_of = a function of the epoch that returns its plan, NULL unless `weights` is one
# )
make_stages = function(names, lines, weights, settings) {
  plan_for = planning(names, lines, settings)
  if (is.function(weights)) {
    plan_of = plan_by_function(plan_for, weights)
    return(list(begins = 0, plans = list(plan_of(0)), plan_of = plan_of))
  }
  is_table = is.list(weights) && !is.object(weights) && !is.null(names(weights))
  table = if (is_table) read_weights_table(weights) else list("0" = weights)
  list(begins = as.double(names(table)), plans = lapply(unname(table), plan_for), plan_of = NULL)
}

# The environments of these functions are saved with a generator, and contain nothing else.
planning = function(names, lines, settings) {
  list(names, lines, settings) # evaluated now, not when the function is called
  function(weights) do.call(make_corpus_plan, c(list(names, lines, weights = weights), settings), quote = TRUE)
}

plan_by_function = function(plan_for, weights) {
  force(plan_for)
  force(weights)
  function(epoch) {
    given = weights(epoch)
    if (is.null(given)) {
      stop_parameter("weights", "return the weights of each epoch", sprintf("nothing for epoch %.0f", epoch))
    }
    plan_for(given)
  }
}

# A list of weights by the first epoch in which they apply, in order of the epochs.
read_weights_table = function(weights) {
  table = read_epoch_table(weights, "weights", "weights", "lists of weights")
  if (any(vapply(table, is.null, NA))) {
    stop_parameter("weights", "have a list of weights for each epoch of the table", "nothing")
  }
  table
}

# The parts of a recipe that apply to an epoch: list(drawn, kept, uniform_share, share), with a number for each file.
# `plan_of` is the function that returns the plan of an epoch, NULL for weights that are not a function.
stage_of = function(recipe, plan_of, epoch) {
  fields = c("drawn", "kept", "uniform_share", "share")
  if (!is.null(plan_of)) {
    return(plan_of(epoch)[fields])
  }
  n_files = length(recipe$parts$files)
  places = seq_len(n_files) + (stage_number(recipe, epoch) - 1L) * n_files
  lapply(c(recipe$parts, recipe$labels)[fields], `[`, places)
}

begins_of = function(recipe) if (is.null(recipe$parts$begins)) 0 else recipe$parts$begins

stage_number = function(recipe, epoch) findInterval(epoch, begins_of(recipe))

# The numbers of lines of the epochs of all stages, for a recipe whose numbers are checked.
lines_of_stages = function(recipe) {
  vapply(begins_of(recipe), function(begin) sum(unlist(stage_of(recipe, NULL, begin)[c("drawn", "kept")])), 0)
}
