# The numbers of classes.

show_by_class = function(values) {
  numbers = vapply(unname(values), show_value, "")
  paste(if (is.null(names(values))) numbers else sprintf("'%s': %s", names(values), numbers), collapse = ", ")
}

downsampled_keep_rates = function(setup) {
  stats::setNames(setup$plan$counts / setup$rows, setup$plan$names)
}
