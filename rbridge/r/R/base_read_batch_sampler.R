#' @title Read and Write a Batch Sampler
#'
#' @description
#' `write_batch_sampler()` writes the recipe of a generator to a file, and `read_batch_sampler()` returns its generator,
#' in any R session.
#' Python's `rbridge.export_r()` writes the same bytes for the same sampler, and a script that reads them.
#'
#' A recipe holds numbers and text alone, in the layout of safetensors, and everything in it is checked before it is
#' used: the file may come from anyone.
#'
#' @param file (`character(1)`)\cr
#'   Path of the recipe, a regular file, by convention with the suffix `.recipe`.
#'   An existing file is replaced.
#' @param md5 (`character(1)`)\cr
#'   The MD5 checksum that the file must have.
#'   `NULL` (default): the checksum is not compared.
#' @param max_bytes (`numeric(1)`)\cr
#'   The most memory, in bytes, that the recipe may need, and an instance with an epoch besides it; by default 1 GiB.
#'   A short file can describe a sampler of 2^31 - 1 rows.
#' @param generator (`batch_sampler_generator`)\cr
#'   The result of a function such as [batch_sampler_stratified()] with given data.
#'   A generator that takes its strata from a task, or that calls functions of the user, cannot be written.
#'
#' @return `read_batch_sampler()` returns a generator with the same batches as the one that was written, row for row.
#' `write_batch_sampler()` returns `file`, invisibly.
#'
#' @export
#' @examples
#' file = tempfile(fileext = ".recipe")
#' write_batch_sampler(batch_sampler_uniform(n_rows = 100, batch_size = 10, seed = 1), file)
#' read_batch_sampler(file)
read_batch_sampler = function(file, md5 = NULL, max_bytes = 2^30) {
  max_bytes = check_between(max_bytes, "max_bytes", 1, largest_exact)
  check_regular_file(file, "file")
  if (!is.null(md5)) {
    refuse_if(!is.character(md5) || length(md5) != 1L || is.na(md5), "md5",
      "be the MD5 checksum of the file, or nothing", show_value(md5))
    found = unname(tools::md5sum(file))
    refuse_if(found != md5, "file", sprintf("have the MD5 checksum %s", show_value(md5)), found,
      advice = "Export the script and its file again.")
  }
  recipe = read_recipe(file, max_bytes)
  check_instances(recipe, max_bytes)
  new_generator(recipe)
}

# Makes an instance, and one of a sampler inside.
check_instances = function(recipe, max_bytes) {
  core_instance(recipe, max_bytes)
  inside = sampler_kind(recipe$kind)$inside
  if (!is.null(inside)) {
    check_instances(inside(recipe), max_bytes)
  }
}

check_recipe_bytes = function(needed, max_bytes) {
  refuse_if(!isTRUE(needed <= max_bytes), "file",
    sprintf("hold a recipe that needs at most %.0f bytes of memory, 'max_bytes'", max_bytes),
    sprintf("one that needs %.0f", needed), "Raise 'max_bytes' if you expect so much data.")
}
