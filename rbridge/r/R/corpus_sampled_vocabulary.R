#' @title Ids of a Sampled Vocabulary
#'
#' @description
#' Returns the ids that occur in sequences, each once and in ascending order.
#' [sampled_output()] trains an output layer on these ids alone.
#'
#' @eval described("sampled_vocabulary",
#'   sequences = "`list()`, `integer()`, `matrix()` or `torch::torch_tensor`, with ids from 1", always = "`integer()`")
#'
#' @return `integer()`, sorted, each id once.
#'
#' @seealso [sampled_output()]
#'
#' @export
#' @examples
#' sampled_vocabulary(list(c(5, 17, 3), c(17, 999)), always = 1)
sampled_vocabulary = function(sequences, always = NULL) {
  is_several = is.list(sequences) && !is.object(sequences)
  refuse_if(is.null(sequences) || !(is_several || is.atomic(sequences) || is_tensor(sequences)),
    "sequences", "be a list of sequences of ids", show_value(sequences))
  found = lapply(if (is_several) sequences else list(sequences), vocabulary_ids, "sequences")
  sort(unique(c(integer(), vocabulary_ids(always, "always"), unlist(found))))
}

# The ids in a vector, a matrix or a tensor; or in nothing, such as an empty list.
vocabulary_ids = function(values, parameter, most = .Machine$integer.max) {
  is_empty = !is_tensor(values) && length(values) == 0L
  if (is_empty) integer() else as.integer(check_positions(values, most, parameter, "ids"))
}
