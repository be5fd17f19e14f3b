# Vectors of numbers as one text, in base64, which all formats of checkpoints can store.

base64_digits = charToRaw("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

# Doubles or integers -> text
pack_numbers = function(values) {
  bytes = writeBin(values, raw(), endian = "little")
  n_missing = -length(bytes) %% 3
  of = matrix(c(as.integer(bytes), integer(n_missing)), nrow = 3L)
  digits = rbind(of[1L, ] %/% 4L, of[1L, ] %% 4L * 16L + of[2L, ] %/% 16L, of[2L, ] %% 16L * 4L + of[3L, ] %/% 64L,
    of[3L, ] %% 64L)
  text = base64_digits[digits + 1L]
  text[length(text) + 1L - seq_len(n_missing)] = charToRaw("=")
  rawToChar(text)
}

# The inverse: `prototype` has the type of the numbers. NULL if it is not text of that form, or not of whole numbers.
unpack_numbers = function(text, prototype) {
  if (!is.character(text) || length(text) != 1L || is.na(text)) {
    return(NULL)
  }
  coded = charToRaw(text)
  n_missing = sum(utils::tail(coded, 2L) == charToRaw("="))
  digits = match(coded[seq_len(length(coded) - n_missing)], base64_digits) - 1L
  if (length(coded) %% 4L != 0L || anyNA(digits)) {
    return(NULL)
  }
  of = matrix(c(digits, integer(n_missing)), nrow = 4L)
  bytes = rbind(of[1L, ] * 4L + of[2L, ] %/% 16L, of[2L, ] %% 16L * 16L + of[3L, ] %/% 4L,
    of[3L, ] %% 4L * 64L + of[4L, ])
  bytes = as.raw(bytes)[seq_len(length(bytes) - n_missing)]
  size = if (is.double(prototype)) 8L else 4L
  if (length(bytes) %% size == 0L) readBin(bytes, prototype, length(bytes) %/% size, endian = "little")
}
