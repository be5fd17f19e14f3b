#' @title Batch Sampler Written in Python
#'
#' @description
#' Creates a batch sampler from any Python batch sampler, through reticulate.
#' A sampler of `pystrat` becomes the sampler of this package that draws the same batches, without Python.
#' Any other sampler stays in Python and is called once per epoch, for all of its batches.
#'
#' @param sampler (Python object)\cr
#'   One of
#'   * an object with a method `batches(epoch)`, such as your own subclass of `pystrat.BatchSampler`;
#'   * an iterable of lists of row positions, such as the `BatchSampler` of PyTorch; its method `set_epoch`, if any, is
#'     called before each epoch;
#'   * a function without arguments, such as a generator function, that returns the batches of a new epoch at each call.
#'
#'   Python counts rows from 0; the sampler in R counts the same rows from 1.
#'   If the Python sampler has `yields = "numbers"`, its numbers are not positions and do not change.
#' @param n_batches (`integer(1)`)\cr
#'   The number of batches per epoch, for a sampler without a length.
#'   `NULL` (default): the length of the sampler.
#'
#' @return A generator of class `"batch_sampler_python"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance]; `seed` is `NULL` if the sampler stays in Python.
#' The generator works only in this process, as long as its Python runs.
#'
#' @export
#' @examplesIf nzchar(Sys.getenv("RETICULATE_PYTHON")) && requireNamespace("reticulate", quietly = TRUE)
#' if (reticulate::py_module_available("rbridge")) {
#'   pystrat = reticulate::import("pystrat")
#'   batch_sampler_python(pystrat$UniformBatchSampler(12L, 3L, seed = 1L))
#' }
batch_sampler_python = function(sampler, n_batches = NULL) {
  refuse_if(!inherits(sampler, "python.builtin.object"), "sampler", "be a Python object", show_value(sampler),
    advice = if (is.list(sampler)) {
      "reticulate has converted it; with 'convert = FALSE' its functions leave objects of Python as they are."
    })
  n_batches = if (!is.null(n_batches)) check_count(n_batches, "n_batches")
  # The recipe of a sampler of pystrat, NULL for other samplers.
  module = reticulate::import("rbridge.torch_sampler", convert = FALSE)
  found = if (is.null(n_batches)) from_python(reticulate::py_to_r(module$guarded_recipe(sampler)))
  if (!is.null(found)) {
    # One-dimensional arrays cross as such.
    vectors = lapply(found[c("parts", "state", "labels")], function(part) lapply(part, as.vector))
    return(generator_from_python(found$kind, found$seed, vectors$parts, vectors$state, vectors$labels, found$functions))
  }
  source = reticulate::import("rbridge.callbacks", convert = FALSE)
  made = from_python(reticulate::py_to_r(source$guarded_source(sampler, n_batches)))
  batches = function(epoch) {
    if (reticulate::py_is_null_xptr(made)) { # after saving and loading, or in another process
      stop("batch_sampler_python() works in the process alone in which it was made. Make it again here.", call. = FALSE)
    }
    result = reticulate::py_to_r(made$guarded(epoch))
    result$value = lapply(result$value, as.vector) # arrays have a dim attribute
    result
  }
  n_batches = as.double(reticulate::py_to_r(made$n_batches))
  python_class = reticulate::py_to_r(made$class_name)
  callback_generator(batches, n_batches, python_class, reticulate::py_to_r(made$identity))
}
