# torch would print a generator as the code of its class.

#' @export
print.batch_sampler_stratified = function(x, ...) {
  print_generator(x, format_generator, ...)
}

#' @export
print.batch_sampler_downsampled = function(x, ...) {
  print_generator(x, format_generator, ...)
}

#' @export
print.batch_sampler_python = function(x, ...) {
  print_generator(x, format_python_generator, ...)
}

#' @export
print.batch_sampler_tree = function(x, ...) {
  print_generator(x, format_tree_generator, ...)
}

# An instance has the same class as its generator, and prints itself.
print_generator = function(x, format_configuration, ...) {
  if (!is.function(x)) {
    return(x$print(...))
  }
  cat(sprintf("<%s> generator", class(x)[1L]), format_configuration(attr(x, "settings")$configuration), sep = "\n")
  invisible(x)
}
