# mlr3 tells learners apart by a hash of their parameters, and for a function it looks at the text alone:
# without these methods, samplers of different settings would count as the same.
# They are for the classes of this package alone, so that samplers of others are hashed as ever.

#' @exportS3Method mlr3misc::hash_input
hash_input.batch_sampler_stratified = function(x) { # nolint
  generator_hash_input(x)
}

#' @exportS3Method mlr3misc::hash_input
hash_input.batch_sampler_python = function(x) { # nolint
  generator_hash_input(x)
}

#' @exportS3Method mlr3misc::hash_input
hash_input.batch_sampler_downsampled = function(x) { # nolint
  generator_hash_input(x)
}

generator_hash_input = function(x) {
  if (is.function(x)) list(class(x)[1L], attr(x, "settings")$configuration) else x
}
