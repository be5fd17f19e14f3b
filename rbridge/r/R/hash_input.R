# mlr3 tells learners apart by a hash of their parameters, and for a function it looks at the text alone:
# without this method, samplers of different settings would count as the same.
#' @exportS3Method mlr3misc::hash_input
hash_input.batch_sampler_stratified = function(x) { # nolint
  if (is.function(x)) list(sampler_name, attr(x, "settings")$configuration) else x
}
