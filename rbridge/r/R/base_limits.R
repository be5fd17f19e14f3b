# The largest numbers, as in pystrat/limits.py, and checks against them.

largest_count = 2147483647 # of rows, draws or batches

largest_exact = 2^53 # doubles hold all integers up to it

# A whole number; required.
check_between = function(value, parameter, least, most) {
  value = nearly_whole(value)
  if (!is_whole_between(value, least, most)) {
    stop_parameter(parameter, sprintf("be an integer from %.0f to %.0f", least, most), show_value(value))
  }
  as.double(value)
}

# The whole number that a product such as 0.07 * 100, which is 7.000000000000001, was meant to be; else the value.
nearly_whole = function(value) {
  is_number = is.double(value) && !is.object(value) && length(value) == 1L && is.finite(value)
  if (is_number && abs(value - round(value)) <= min(1e-9 * abs(value), 1e-6)) round(value) else value
}

is_whole_between = function(value, least, most) {
  is_whole_number(value) && value >= least && value <= most
}

# A number, at least the minimum, or above it; required.
check_number = function(value, parameter, minimum = 0, above = FALSE) {
  is_number = is.numeric(value) && !is.object(value) && length(value) == 1L && is.finite(value)
  if (!is_number || value < minimum || (above && value == minimum)) {
    required = sprintf("be a finite number %s %.15g", if (above) "above" else "of at least", minimum)
    stop_parameter(parameter, required, show_value(value))
  }
  as.double(value)
}
