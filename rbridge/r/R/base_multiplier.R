# The number of rows that a multiplier keeps, in exact decimals.

# floor(multiplier * minority + 1/2), where the multiplier is the decimal number of 15 digits that is shown.
kept_count = function(multiplier, minority) {
  decimal = strsplit(sprintf("%.14e", multiplier), "e", fixed = TRUE)[[1L]]
  digits = as.double(strsplit(sub(".", "", decimal[1L], fixed = TRUE), "")[[1L]])
  n_whole = as.integer(decimal[2L]) + 1L
  if (n_whole > length(digits)) {
    return(Inf)
  }
  digits = c(numeric(max(0L, -n_whole)), digits)
  n_whole = max(0L, n_whole)
  whole = sum(digits[seq_len(n_whole)] * 10^rev(seq_len(n_whole) - 1L))
  # Multiplication by hand, from the last decimal on: `carry` is what the decimals add, and `digit` is finally the first
  # decimal.
  carry = digit = 0
  for (factor in rev(digits[seq_along(digits) > n_whole])) {
    product = factor * minority + carry
    digit = product %% 10
    carry = product %/% 10
  }
  kept = whole * minority + carry + (digit >= 5)
  if (kept == 0) {
    stop_parameter("multiplier", sprintf("keep at least 1 row: be at least 0.5 / %.0f", minority),
      show_value(multiplier))
  }
  kept
}

check_positive_number = function(value, parameter) {
  is_number = is.numeric(value) && !is.object(value) && length(value) == 1L
  if (!is_number || !is.finite(value) || value <= 0) {
    stop_parameter(parameter, "be a finite number above 0", show_value(value))
  }
  as.vector(value, "double")
}
