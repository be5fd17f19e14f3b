# Checks of arguments that many samplers share; each returns the value in a plain type.

is_whole_number = function(value) {
  is.numeric(value) && !is.object(value) && length(value) == 1L && is.finite(value) && value == floor(value)
}

# The whole number that a product such as 0.07 * 100, which is 7.000000000000001, was meant to be; else the value.
nearly_whole = function(value) {
  value = plain_value(value)
  is_number = is.double(value) && !is.object(value) && length(value) == 1L && is.finite(value)
  if (is_number && abs(value - round(value)) <= min(1e-9 * abs(value), 1e-6)) round(value) else value
}

check_count = function(value, parameter) {
  value = nearly_whole(value)
  refuse_if(!is_whole_number(value) || value < 1, parameter, "be a positive integer", show_value(value))
  as.double(value)
}

check_between = function(value, parameter, least, most) {
  value = nearly_whole(value)
  refuse_if(!is_whole_number(value) || value < least || value > most, parameter,
    if (least == most) sprintf("be %.0f", least) else sprintf("be an integer from %.0f to %.0f", least, most),
    show_value(value))
  as.double(value)
}

check_range = function(value, parameter, largest) check_between(value, parameter, 0, largest)

check_flag = function(value, parameter) {
  refuse_if(!is.logical(value) || length(value) != 1L || is.na(value), parameter, "be true or false", show_value(value))
  as.vector(value)
}

# The largest numbers, as in pystrat/core/limits.py and src/core/numbers.hpp.
largest_count = 2147483647 # of rows, draws or batches
largest_exact = 2^53 # doubles hold all integers up to it
largest_seed = 2147483646
largest_epoch = 6700000
