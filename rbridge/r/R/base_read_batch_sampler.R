#' @title Read a Batch Sampler From a File
#'
#' @description
#' Reads the recipe of a batch sampler that [write_batch_sampler()] or `rbridge.export_r()` of the Python package wrote,
#' and returns its generator.
#' The scripts that `rbridge.export_r()` writes call this function.
#'
#' A file of a recipe holds numbers and text, in the layout of safetensors, and no code.
#' Everything in it is checked before it is used, so the file may come from anyone.
#'
#' @param file (`character(1)`)\cr
#'   Path of the recipe, a regular file.
#' @param md5 (`character(1)`)\cr
#'   The MD5 checksum that the file must have.
#'   `NULL` (default): the checksum is not compared.
#' @param max_bytes (`numeric(1)`)\cr
#'   The most memory, in bytes, that the recipe, an instance and an epoch of it may need, by default 1 GiB.
#'   A short file can describe a sampler of 2^31 - 1 rows.
#'
#' @return A generator with the same batches as the one that was written, row for row; it does not need Python.
#' Its class is that of the R function that creates such samplers, for instance [batch_sampler_stratified()].
#'
#' @export
#' @examples
#' file = tempfile(fileext = ".recipe")
#' labels = factor(c("a", "a", "b", "b", "b"))
#' generator = batch_sampler_stratified(
#'   min_samples_per_stratum = 1, strata = labels, seed = 1)
#' write_batch_sampler(generator, file)
#' read_batch_sampler(file)
read_batch_sampler = function(file, md5 = NULL, max_bytes = 2^30) {
  max_bytes = check_between(max_bytes, "max_bytes", 1, largest_exact)
  check_regular_file(file, "file")
  if (!is.null(md5)) {
    check_md5(file, md5)
  }
  recipe = read_recipe(file, max_bytes)
  check_recipe_bytes(as.double(utils::object.size(recipe)) + bytes_of_instance(recipe) + 2^22, max_bytes)
  new_generator(recipe)
}

# The memory that an instance and an epoch need, with those of a sampler inside.
bytes_of_instance = function(recipe) {
  bytes = core_described(recipe)$bytes
  inside = sampler_kind(recipe$kind)$inside
  if (is.null(inside)) bytes else bytes + bytes_of_instance(inside(recipe))
}

check_recipe_bytes = function(needed, max_bytes) {
  if (!isTRUE(needed <= max_bytes)) {
    stop_parameter("file", sprintf("hold a recipe that needs at most %.0f bytes of memory, 'max_bytes'", max_bytes),
      sprintf("one that needs %.0f", needed), "Raise 'max_bytes' if you expect so much data.")
  }
}

check_md5 = function(file, md5) {
  if (!is.character(md5) || length(md5) != 1L || is.na(md5)) {
    stop_parameter("md5", "be the MD5 checksum of the file, or nothing", show_value(md5))
  }
  found = unname(tools::md5sum(file))
  if (found != md5) {
    stop_parameter("file", sprintf("have the MD5 checksum %s", show_value(md5)), found,
      advice = "Export the script and its file again.")
  }
}
