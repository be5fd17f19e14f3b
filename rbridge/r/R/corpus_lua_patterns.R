# Lua patterns as regular expressions, which match the same bytes in R, as PCRE, and in Python.

lua_classes = list(a = c(65:90, 97:122), c = c(0:31, 127), d = 48:57, l = 97:122, p = c(33:47, 58:64, 91:96, 123:126),
  s = c(9:13, 32), u = 65:90, w = c(48:57, 65:90, 97:122), x = c(48:57, 65:70, 97:102), z = 0)

end_of_text = "(?![\\x00-\\xff])"

# The regular expression of a pattern, a raw vector: a search with it finds what Lua 5.1 finds.
# -> list(regex), or list(reason) if Lua would find the pattern malformed, or it has %b
lua_to_regex = function(pattern) {
  tryCatch(list(regex = translated(as.integer(pattern))), malformed_pattern = function(condition) {
    list(reason = conditionMessage(condition))
  })
}

malformed = function(...) {
  stop(structure(class = c("malformed_pattern", "error", "condition"), list(message = sprintf(...), call = NULL)))
}

translated = function(bytes) {
  if (0L %in% bytes) {
    malformed("it contains a zero byte")
  }
  letters = rawToChar(as.raw(bytes), multiple = TRUE)
  out = character()
  captures = character() # of each capture: "open", "closed" or "position"
  place = 1L
  if (identical(letters[1L], "^")) {
    out = "^"
    place = 2L
  }
  while (place <= length(bytes)) {
    letter = letters[place]
    following = if (place < length(bytes)) letters[place + 1L] else ""
    if (letter == "$" && following == "") {
      part = list(regex = end_of_text, place = place + 1L)
    } else if (letter %in% c("(", ")")) {
      is_position = letter == "(" && following == ")"
      captures = if (letter == "(") opened(captures, is_position) else closed(captures)
      part = list(regex = if (is_position) "()" else letter, place = place + 1L + is_position)
    } else if (letter == "%" && following %in% c(0:9, "b", "f")) {
      part = escaped(bytes, place, following, captures)
    } else {
      part = repeated(bytes, letters, place)
    }
    out = c(out, part$regex)
    place = part$place
  }
  if ("open" %in% captures) {
    malformed("a capture is not closed")
  }
  paste(out, collapse = "")
}

opened = function(captures, is_position) {
  if (length(captures) == 32L) {
    malformed("it has more than 32 captures")
  }
  c(captures, if (is_position) "position" else "open")
}

closed = function(captures) {
  if (!"open" %in% captures) {
    malformed("a capture is closed that was not opened")
  }
  replace(captures, max(which(captures == "open")), "closed")
}

# A back reference or a frontier.
escaped = function(bytes, place, following, captures) {
  if (following == "b") {
    malformed("%%b, a balanced pair, is not supported")
  }
  if (following == "f") {
    return(frontier(bytes, place + 2L))
  }
  list(regex = back_reference(captures, as.integer(following)), place = place + 2L)
}

back_reference = function(captures, number) {
  if (number < 1L || number > length(captures) || captures[number] == "open") {
    malformed("%%%d refers to no finished capture", number)
  }
  if (captures[number] == "position") "(?!)" else sprintf("(?:\\%d)", number)
}

# A single item, and the sign behind it that repeats it.
repeated = function(bytes, letters, place) {
  item = lua_item(bytes, place)
  sign = letters[item$place]
  is_repeated = sign %in% c("*", "+", "-", "?")
  list(
    regex = paste0(byte_set(item$members), if (is_repeated) if (sign == "-") "*?" else sign),
    place = item$place + is_repeated
  )
}

# Where a byte outside of a set is followed by one in it; both ends of a text count as a zero byte.
frontier = function(bytes, place) {
  if (!identical(bytes[place], 91L)) {
    malformed("%%f is not followed by a set")
  }
  item = lua_item(bytes, place)
  inside = byte_set(item$members)
  regex = if (0 %in% item$members) {
    sprintf("(?<=%s)(?=%s|%s)", byte_set(setdiff(0:255, item$members)), inside, end_of_text)
  } else {
    sprintf("(?<!%s)(?=%s)", inside, inside)
  }
  list(regex = regex, place = item$place)
}

# The bytes that the single item at a place matches, and the place behind it.
lua_item = function(bytes, place) {
  if (bytes[place] == 37L) { # %
    if (place == length(bytes)) {
      malformed("it ends with %%")
    }
    return(list(members = lua_class(bytes[place + 1L]), place = place + 2L))
  }
  if (bytes[place] != 91L) { # no set
    return(list(members = if (bytes[place] == 46L) 0:255 else bytes[place], place = place + 1L))
  }
  is_negated = identical(bytes[place + 1L], 94L)
  begin = place + 1L + is_negated
  end = end_of_set(bytes, begin)
  members = set_members(bytes, begin, end)
  list(members = if (is_negated) setdiff(0:255, members) else members, place = end + 1L)
}

# The place of the bracket that closes a set; its first byte may be one, and so may one behind %.
end_of_set = function(bytes, end) {
  repeat {
    end = end + if (end <= length(bytes) && bytes[end] == 37L) 2L else 1L
    if (end > length(bytes)) {
      malformed("a set is not closed")
    }
    if (bytes[end] == 93L) {
      return(end)
    }
  }
}

set_members = function(bytes, begin, end) {
  members = integer()
  while (begin < end) {
    if (bytes[begin] == 37L) {
      members = c(members, lua_class(bytes[begin + 1L]))
      begin = begin + 2L
    } else if (bytes[begin + 1L] == 45L && begin + 2L < end) {
      members = c(members, if (bytes[begin] <= bytes[begin + 2L]) bytes[begin]:bytes[begin + 2L])
      begin = begin + 3L
    } else {
      members = c(members, bytes[begin])
      begin = begin + 1L
    }
  }
  members
}

# The bytes of a letter behind %: those of a class, those that are not in it, or the letter itself.
lua_class = function(byte) {
  letter = if (byte < 128L) rawToChar(as.raw(byte)) else ""
  members = lua_classes[[tolower(letter)]]
  if (is.null(members)) byte else if (letter %in% LETTERS) setdiff(0:255, members) else members
}

# The regular expression of one of some bytes.
byte_set = function(members) {
  members = sort(unique(members))
  if (length(members) == 0L) {
    return("(?!)")
  }
  begins = which(c(TRUE, diff(members) != 1))
  ends = c(begins[-1L] - 1L, length(members))
  ranges = sprintf("\\x%02x-\\x%02x", as.integer(members[begins]), as.integer(members[ends]))
  sprintf("[%s]", paste(ranges, collapse = ""))
}
