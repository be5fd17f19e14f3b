# Lua's patterns (version 5.1, the one of Torch) as regular expressions over bytes.
#
# A Lua pattern is a row of items: a class of bytes, which may be repeated by `*`, `+`, `-` or `?`; a parenthesis of a
# capture, which cannot be repeated; a back reference `%1`; a frontier `%f[set]`. There is no alternation.
# Every class is worked out to the bytes that belong to it, so that no character means anything in the regular
# expression by accident, and what Lua would find malformed only when it gets there is refused at once.
#
# Source: R. Ierusalimschy, L. H. de Figueiredo and W. Celes, "Lua 5.1 Reference Manual", 5.4.1 (2006-2012).

# A regular expression for grepl(perl = TRUE, useBytes = TRUE) that is found where Lua's string.match finds the pattern.
# A malformed pattern, or one with %b, is an error of class "malformed_pattern".
regex_of_lua = function(pattern) {
  reader = lua_reader(as.integer(charToRaw(pattern)))
  parts = if (reader$take("^")) "\\A"
  while (!reader$is_at_end()) {
    parts = c(parts, lua_item(reader))
  }
  if (length(reader$open) > 0L) {
    stop_malformed("a capture is not closed")
  }
  paste0("(?s)", paste(parts, collapse = ""))
}

stop_malformed = function(reason) {
  stop(structure(class = c("malformed_pattern", "error", "condition"), list(message = reason, call = NULL)))
}

most_captures = 32L

# The bytes of a pattern and how far they are read; `open` are the captures that are not closed yet, `positions` says of
# each capture whether it is a position, ().
lua_reader = function(bytes) {
  reader = new.env(parent = emptyenv())
  reader$place = 1L
  reader$open = integer()
  reader$positions = logical()
  reader$is_at_end = function() reader$place > length(bytes)
  # The next byte, or one further ahead, as a character; "" beyond the end.
  reader$following = function(ahead = 0L) {
    place = reader$place + ahead
    if (place <= length(bytes)) rawToChar(as.raw(bytes[place])) else ""
  }
  reader$byte = function(ahead = 0L) bytes[reader$place + ahead]
  reader$skip = function(count) reader$place = reader$place + count
  # Pass over what comes next if it is that.
  reader$take = function(prefix) {
    wanted = as.integer(charToRaw(prefix))
    found = identical(bytes[reader$place - 1L + seq_along(wanted)], wanted)
    if (found) {
      reader$skip(length(wanted))
    }
    found
  }
  reader
}

lua_item = function(reader) {
  if (reader$following() == "$" && reader$following(1L) == "") {
    reader$skip(1L)
    return("\\z")
  }
  if (reader$take("(")) {
    return(open_lua_capture(reader))
  }
  if (reader$take(")")) {
    return(close_lua_capture(reader))
  }
  item = if (reader$following() == "%") lua_escaped_item(reader)
  if (is.null(item)) lua_repeated(reader) else item
}

# An item that begins with %, NULL if it is a class.
lua_escaped_item = function(reader) {
  if (reader$take("%b")) {
    stop_malformed("%b, a balanced pair, is not supported")
  }
  if (reader$take("%f")) {
    return(lua_frontier(reader))
  }
  if (grepl("^[0-9]$", reader$following(1L), useBytes = TRUE)) {
    number = as.integer(reader$following(1L))
    reader$skip(2L)
    lua_back_reference(reader, number)
  }
}

# A class, and how often it occurs.
lua_repeated = function(reader) {
  members = bytes_as_class(lua_single(reader))
  for (sign in c("*", "+", "-", "?")) {
    if (reader$take(sign)) {
      return(paste0(members, if (sign == "-") "*?" else sign))
    }
  }
  members
}

open_lua_capture = function(reader) {
  if (length(reader$positions) == most_captures) {
    stop_malformed(sprintf("it has more than %d captures", most_captures))
  }
  is_position = reader$take(")")
  reader$positions = c(reader$positions, is_position)
  if (is_position) {
    return("()")
  }
  reader$open = c(reader$open, length(reader$positions))
  "("
}

close_lua_capture = function(reader) {
  if (length(reader$open) == 0L) {
    stop_malformed("a capture is closed that was not opened")
  }
  reader$open = reader$open[-length(reader$open)]
  ")"
}

lua_back_reference = function(reader, number) {
  if (number < 1L || number > length(reader$positions) || number %in% reader$open) {
    stop_malformed(sprintf("%%%d refers to no finished capture", number))
  }
  # Lua takes a position for a capture of endless length, which is found nowhere.
  if (reader$positions[number]) "(?!)" else sprintf("(?:\\%d)", number)
}

# Between a byte outside the set and one inside; a zero byte is at both ends of the text.
lua_frontier = function(reader) {
  if (reader$following() != "[") {
    stop_malformed("%f is not followed by a set")
  }
  inside = lua_single(reader)
  before = sprintf("(?<=%s)", bytes_as_class(setdiff(0:255, inside)))
  after = sprintf("(?=%s)", bytes_as_class(inside))
  if (0L %in% inside) sprintf("%s(?:%s|\\z)", before, after) else sprintf("(?:%s|\\A)%s", before, after)
}

# Pass over a class of one byte and return its members.
lua_single = function(reader) {
  if (reader$take(".")) {
    return(0:255)
  }
  if (reader$take("[")) {
    return(lua_set(reader))
  }
  if (reader$take("%")) {
    return(lua_escaped(reader))
  }
  reader$skip(1L)
  reader$byte(-1L)
}

lua_escaped = function(reader) {
  letter = reader$following()
  if (letter == "") {
    stop_malformed("it ends with %")
  }
  reader$skip(1L)
  members = if (reader$byte(-1L) < 128L) lua_classes()[[tolower(letter)]]
  if (is.null(members)) {
    return(reader$byte(-1L))
  }
  if (letter == tolower(letter)) members else setdiff(0:255, members)
}

lua_classes = function() {
  bytes = function(text) as.integer(charToRaw(text))
  digits = bytes("0123456789")
  lower = bytes("abcdefghijklmnopqrstuvwxyz")
  upper = lower - 32L
  list(
    a = c(upper, lower),
    c = c(0:31, 127L),
    d = digits,
    l = lower,
    p = c(33:47, 58:64, 91:96, 123:126),
    s = c(9:13, 32L),
    u = upper,
    w = c(digits, upper, lower),
    x = bytes("0123456789abcdefABCDEF"),
    z = 0L
  )
}

lua_set = function(reader) {
  is_negated = reader$take("^")
  end = end_of_lua_set(reader)
  members = integer()
  while (reader$place < end) {
    if (reader$take("%")) {
      members = c(members, lua_escaped(reader))
    } else if (reader$following(1L) == "-" && reader$place + 2L < end) {
      range = c(reader$byte(), reader$byte(2L))
      members = c(members, if (range[1L] <= range[2L]) range[1L]:range[2L])
      reader$skip(3L)
    } else {
      members = c(members, reader$byte())
      reader$skip(1L)
    }
  }
  reader$place = end + 1L
  if (is_negated) setdiff(0:255, members) else unique(members)
}

# The place of the bracket that closes; one that comes first, or after %, is a member.
end_of_lua_set = function(reader) {
  ahead = 0L
  while (ahead == 0L || reader$following(ahead) != "]") {
    if (reader$following(ahead) == "") {
      stop_malformed("a set is not closed (']' is missing)")
    }
    ahead = ahead + if (reader$following(ahead) == "%") 2L else 1L
  }
  reader$place + ahead
}

# A class written out, in ranges.
bytes_as_class = function(members) {
  if (length(members) == 256L) {
    return(".")
  }
  if (length(members) == 0L) {
    return("[^\\x00-\\xff]")
  }
  members = sort(members)
  begins = c(TRUE, diff(members) > 1L)
  ends = c(begins[-1L], TRUE)
  sprintf("[%s]", paste(sprintf("\\x%02x-\\x%02x", members[begins], members[ends]), collapse = ""))
}
