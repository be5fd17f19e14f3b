# The plans of all epochs: one for all, or from a table of weights.

# -> list(begins = the first epochs of the stages, plans = the plan of each, as make_corpus_plan() returns it)
make_stages = function(names, lines, weights, settings) {
  is_table = is.list(weights) && !is.object(weights) && !is.null(names(weights))
  table = list("0" = weights)
  if (is_table) {
    table = read_epoch_table(weights, "weights", "weights", "lists of weights")
    if (any(vapply(table, is.null, NA))) {
      stop_parameter("weights", "have a list of weights for each epoch of the table", "nothing")
    }
  }
  plan_for = function(given) do.call(make_corpus_plan, c(list(names, lines, weights = given), settings), quote = TRUE)
  list(begins = as.double(names(table)), plans = lapply(unname(table), plan_for))
}

# The parts of a recipe that apply to an epoch: list(drawn, kept, uniform_share, share), with a number for each file.
stage_of = function(recipe, epoch) {
  n_files = length(recipe$parts$files)
  places = seq_len(n_files) + (findInterval(epoch, begins_of(recipe)) - 1L) * n_files
  lapply(c(recipe$parts, recipe$labels)[c("drawn", "kept", "uniform_share", "share")], `[`, places)
}

begins_of = function(recipe) if (is.null(recipe$parts$begins)) 0 else recipe$parts$begins

# The numbers of lines of the epochs of all stages, for a recipe whose numbers are checked.
lines_of_stages = function(recipe) {
  vapply(begins_of(recipe), function(begin) sum(unlist(stage_of(recipe, begin)[c("drawn", "kept")])), 0)
}
