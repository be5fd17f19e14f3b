#' @rdname read_batch_sampler
#' @export
write_batch_sampler = function(generator, file) {
  refuse_if(!inherits(generator, "batch_sampler_generator"), "generator",
    "be a generator, such as that of batch_sampler_stratified()", show_value(generator))
  refuse_if(!is_path(file) || is.object(file) || !nzchar(file), "file", "be a path", show_value(file))
  settings = attr(generator, "settings")
  recipe = settings$recipe
  refuse_if(!is.null(recipe$open), "generator", "be made for given data", "one that waits for a task",
    "Give it the values of the columns.")
  refuse_if(length(settings$functions) > 0L, "generator", "call no function", "one that does")
  write_recipe(recipe, file)
  invisible(file)
}
