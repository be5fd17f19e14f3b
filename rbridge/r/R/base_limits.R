# The largest numbers, as in pystrat/limits.py, and checks against them.

largest_count = 2147483647 # of rows, draws or batches
largest_seed = 2147483646

# A whole number that must be given.
check_between = function(value, parameter, least, most, of) {
  if (!is_whole_number(value) || value < least || value > most) {
    stop_parameter(parameter, sprintf("be an integer from %.0f to %.0f", least, most), show_value(value), of = of)
  }
  as.double(value)
}
