#' @title Write a Batch Sampler to a File
#'
#' @description
#' Writes the recipe of a generator to a file that [read_batch_sampler()] reads, in any R session.
#' Unlike a file of [saveRDS()], it holds numbers and text alone, in the layout of safetensors, and no code.
#' The same generator gives the same bytes as `rbridge.export_r()` of the Python package.
#'
#' @param generator (`batch_sampler_generator`)\cr
#'   The result of a function such as [batch_sampler_stratified()] with given data.
#'   A generator that takes its strata from a task, or that calls functions of the user, cannot be written.
#' @param file (`character(1)`)\cr
#'   Path of the file, by convention with the suffix `.recipe`.
#'   An existing file is replaced, once the new one is complete.
#'
#' @return `file`, invisibly.
#'
#' @export
#' @examples
#' file = tempfile(fileext = ".recipe")
#' generator = batch_sampler_uniform(n_rows = 100, batch_size = 10, seed = 1)
#' write_batch_sampler(generator, file)
#' read_batch_sampler(file)
write_batch_sampler = function(generator, file) {
  refuse_if(!inherits(generator, "batch_sampler_generator"), "generator",
    "be a generator, such as that of batch_sampler_stratified()", show_value(generator))
  is_path = is.character(file) && !is.object(file) && length(file) == 1L && !is.na(file) && nzchar(file)
  refuse_if(!is_path || Encoding(file) == "bytes", "file", "be a path", show_value(file))
  refuse_irregular(file, "file")
  settings = attr(generator, "settings")
  recipe = settings$recipe
  refuse_if(!is.null(recipe$open), "generator", "be made for given data", "one that waits for a task",
    "Give it the values of the columns.")
  refuse_if(length(settings$functions) > 0L, "generator", "call no function", "one that does")
  write_recipe(recipe, file)
  invisible(file)
}
