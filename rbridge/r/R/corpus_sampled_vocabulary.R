#' @title Ids of a Sampled Vocabulary
#'
#' @description
#' Returns the ids that occur in sequences, each once and in ascending order.
#' [sampled_output()] trains an output layer on these ids alone.
#'
#' @param sequences (`list()` | `integer()` | `matrix()` | `torch::torch_tensor`)\cr
#'   The target sequences of an epoch's sample: a list of vectors or tensors of ids, or one vector, matrix or tensor.
#'   Ids are counted from 1, like all classes in torch for R.
#' @eval described("sampled_vocabulary", always = "`integer()`")
#'
#' @return `integer()`, sorted, each id once.
#'
#' @section Guarantees:
#' The ids are those of `pystrat.corpus.vocabulary.sampled_vocabulary` in Python plus one, if the sequences are.
#'
#' @section Errors:
#' An id is not an integer, below 1, or above 2147483647.
#'
#' @seealso [sampled_output()]
#'
#' @export
#' @examples
#' sampled_vocabulary(list(c(5, 17, 3), c(17, 999)), always = 1)
sampled_vocabulary = function(sequences, always = NULL) {
  found = list(vocabulary_ids(always, "always"))
  is_several = is.list(sequences) && !is.object(sequences)
  if (is.null(sequences) || !(is_several || is.atomic(sequences) || inherits(sequences, "torch_tensor"))) {
    stop_parameter("sequences", "be a list of sequences of ids", show_value(sequences))
  }
  sequences = if (is_several) sequences else list(sequences)
  found = c(found, lapply(sequences, vocabulary_ids, "sequences"))
  sort(unique(unlist(found)))
}

# The ids in a vector, a matrix or a tensor.
vocabulary_ids = function(values, parameter) {
  if (inherits(values, "torch_tensor")) {
    check_integer_tensor(values, parameter)
    values = tensor_values(values)
  }
  if (length(values) == 0L && (is.atomic(values) || is.null(values))) {
    return(integer())
  }
  values = exact_numbers(values)
  if (!is.numeric(values) || is.object(values)) {
    stop_parameter(parameter, "hold integers", show_value(values))
  }
  wrong = which(is.na(values) | values != floor(values))
  if (length(wrong) > 0L) {
    stop_parameter(parameter, "hold integers", show_value(values[[wrong[[1L]]]]))
  }
  if (min(values) < 1) {
    stop_parameter(parameter, "hold ids from 1", show_number(as.double(min(values))))
  }
  if (max(values) > .Machine$integer.max) {
    stop_parameter(parameter, "hold ids up to 2147483647", show_number(as.double(max(values))))
  }
  as.integer(values)
}

check_integer_tensor = function(values, parameter) {
  if (!inherits(values, "torch_tensor")) {
    stop_parameter(parameter, "be a tensor of integers", show_value(values))
  }
  is_other = values$is_floating_point() || values$is_complex() || values$dtype == torch::torch_bool()
  if (is_other && values$numel() > 0) {
    kind = if (values$is_floating_point()) "floating-point numbers" else tensor_kind(values)
    stop_parameter(parameter, "be a tensor of integers", kind)
  }
}
