#' @title Read a Batch Sampler Exported From Python
#'
#' @description
#' Reads the recipe of a batch sampler that `rbridge.export_r()` of the Python package wrote, and returns its generator.
#' The scripts that `rbridge.export_r()` writes call this function.
#'
#' @param file (`character(1)`)\cr
#'   Path of the recipe, a file in the format of [saveRDS()].
#' @param md5 (`character(1)`)\cr
#'   The MD5 checksum that the file must have.
#'   `NULL` (default): the file is not checked.
#'
#' @return A generator with the same batches as in Python, row for row; it does not need Python.
#' Its class is that of the R function that creates such samplers, for instance [batch_sampler_stratified()].
#'
#' @section Errors:
#' The file does not exist, has another checksum, or does not contain a recipe.
#'
#' @export
#' @examples
#' # In Python: rbridge.export_r(sampler, "batches.R"). In R:
#' script = "batches.R"
#' if (file.exists(script)) source(script)$value
read_batch_sampler = function(file, md5 = NULL) {
  name_errors("read_batch_sampler")
  if (!is.character(file) || length(file) != 1L || !file.exists(file)) {
    stop_parameter("file", "be the path of a file that exists", show_value(file))
  }
  found = unname(tools::md5sum(file))
  if (!is.null(md5) && found != md5) {
    stop_parameter("file", sprintf("have the MD5 checksum %s", md5), found,
      advice = "Export the script and its file again.")
  }
  recipe = tryCatch(readRDS(file), error = function(condition) {
    stop_parameter("file", "be written by rbridge.export_r()", "another file")
  })
  check_recipe(recipe)
  sampler_kind(recipe$kind)$check(recipe)
  new_generator(recipe)
}
