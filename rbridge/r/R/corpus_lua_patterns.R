# Lua patterns (version 5.1, that of Torch) over bytes, matched without backtracking.
#
# A Lua pattern is a sequence of items: a class of bytes, which may be repeated by `*`, `+`, `-` or `?`; a parenthesis
# of a capture, which cannot be repeated; a back reference `%1`; a frontier `%f[set]`. There is no alternation.
# Every class is expanded to its bytes, and a malformed pattern is refused at once, while Lua may notice it only during
# a match.
#
# Lua tries one way after another through a text, and there may be exponentially many. Here all ways advance together:
# after each item, the places that some way has reached are a set, a logical vector. Only back references depend on the
# contents of captures, so there is one set for each content of the captures that are still referred to. A limit on the
# number of these sets bounds the time.
#
# Source: R. Ierusalimschy, L. H. de Figueiredo and W. Celes, "Lua 5.1 Reference Manual", 5.4.1 (2006-2012).

# The items of a pattern, each list(kind, members, times, number): `kind` is "single", "frontier", "begin", "end",
# "open", "close", "back" or "nothing", which never matches; `members` are the bytes of a single one or of the set of a
# frontier, `times` the sign of its repetition, and `number` that of the capture that is opened, closed or referred to.
# A malformed pattern, or one with %b, is an error of class "malformed_pattern".
read_lua_pattern = function(pattern) {
  reader = lua_reader(as.integer(charToRaw(pattern)))
  items = if (reader$take("^")) list(lua_item("begin"))
  while (!reader$is_at_end()) {
    items = c(items, list(next_lua_item(reader)))
  }
  if (length(reader$open) > 0L) {
    stop_malformed("a capture is not closed")
  }
  items
}

lua_item = function(kind, members = integer(), times = "", number = 0L) {
  list(kind = kind, members = members, times = times, number = number)
}

stop_malformed = function(reason) {
  stop(structure(class = c("malformed_pattern", "error", "condition"), list(message = reason, call = NULL)))
}

most_captures = 32L

# The bytes of a pattern and how far they are read; `open` are the captures that are not yet closed, `positions` is for
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
  # Skips `prefix` if it comes next, and returns whether it did.
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

next_lua_item = function(reader) {
  if (reader$following() == "$" && reader$following(1L) == "") {
    reader$skip(1L)
    return(lua_item("end"))
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
    if (reader$following() != "[") {
      stop_malformed("%f is not followed by a set")
    }
    return(lua_item("frontier", lua_single(reader)))
  }
  if (grepl("^[0-9]$", reader$following(1L), useBytes = TRUE)) {
    number = as.integer(reader$following(1L))
    reader$skip(2L)
    lua_back_reference(reader, number)
  }
}

# A class, and how often it occurs.
lua_repeated = function(reader) {
  members = lua_single(reader)
  for (sign in c("*", "+", "-", "?")) {
    if (reader$take(sign)) {
      return(lua_item("single", members, sign))
    }
  }
  lua_item("single", members)
}

open_lua_capture = function(reader) {
  if (length(reader$positions) == most_captures) {
    stop_malformed(sprintf("it has more than %d captures", most_captures))
  }
  is_position = reader$take(")")
  reader$positions = c(reader$positions, is_position)
  number = length(reader$positions)
  if (!is_position) {
    reader$open = c(reader$open, number)
  }
  lua_item("open", number = number)
}

close_lua_capture = function(reader) {
  if (length(reader$open) == 0L) {
    stop_malformed("a capture is closed that was not opened")
  }
  number = reader$open[length(reader$open)]
  reader$open = reader$open[-length(reader$open)]
  lua_item("close", number = number)
}

lua_back_reference = function(reader, number) {
  if (number < 1L || number > length(reader$positions) || number %in% reader$open) {
    stop_malformed(sprintf("%%%d refers to no finished capture", number))
  }
  # Lua treats a position as a capture of endless length, which is never found.
  if (reader$positions[number]) lua_item("nothing") else lua_item("back", number = number)
}

# Skips a class of one byte and returns its members.
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

# The place of the closing bracket; one that comes first, or after %, is a member.
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

most_lua_sets = 100000L # sets of places, over all items of a pattern, for one text

# Whether Lua's string.match finds a pattern, given by its items, in a text.
# A pattern whose back references need too many sets of places is an error of class "too_many_sets".
is_lua_match = function(items, text) {
  bytes = as.integer(charToRaw(text))
  numbers = vapply(items, `[[`, 1L, "number")
  backs = which(vapply(items, `[[`, "", "kind") == "back")
  states = list(list(held = list(), reached = rep(TRUE, length(bytes) + 1L)))
  n_sets = 0
  for (place in seq_along(items)) {
    item = items[[place]]
    check_lua_sets(n_sets <- n_sets + length(states))
    if (item$number == 0L) {
      states = lapply(states, function(state) replace(state, "reached", list(advance_lua(item, state$reached, bytes))))
    } else if (item$number %in% numbers[backs]) {
      is_last = item$kind == "back" && !item$number %in% numbers[backs[backs > place]]
      states = advance_lua_captures(item, states, bytes, is_last)
    }
    states = Filter(function(state) any(state$reached), states)
  }
  length(states) > 0L
}

check_lua_sets = function(n_sets) {
  if (n_sets > most_lua_sets) {
    stop(structure(class = c("too_many_sets", "error", "condition"), list(message = "too many sets", call = NULL)))
  }
}

# The places that an item reaches from others; place i is before the i-th byte.
advance_lua = function(item, reached, bytes) {
  n = length(bytes)
  switch(item$kind,
    begin = reached & seq_along(reached) == 1L,
    end = reached & seq_along(reached) == n + 1L,
    frontier = reached & !c(0L, bytes) %in% item$members & c(bytes, 0L) %in% item$members,
    nothing = logical(n + 1L),
    advance_lua_single(item$times, reached, bytes %in% item$members)
  )
}

advance_lua_single = function(times, reached, fits) {
  once = c(FALSE, reached[-length(reached)] & fits)
  if (times == "") {
    return(once)
  }
  if (times == "?") {
    return(reached | once)
  }
  reached = if (times == "+") once else reached
  # Places with only matching bytes between them have the same number of others before them.
  others = c(0L, cumsum(!fits))
  begins = which(reached)
  begins = begins[!duplicated(others[begins])]
  first = begins[match(others, others[begins])]
  !is.na(first) & seq_along(reached) >= first
}

# Opens or closes a capture that is referred to later, or matches its content. Equal states among the results are
# merged.
advance_lua_captures = function(item, states, bytes, is_last) {
  found = new.env(hash = TRUE, parent = emptyenv())
  name = as.character(item$number)
  for (state in states) {
    for (place in which(state$reached)) {
      held = state$held
      end = place
      if (item$kind == "open") {
        held[[name]] = place
      } else if (item$kind == "close") {
        held[[name]] = bytes[seq_len(place - held[[name]]) + held[[name]] - 1L]
      } else {
        content = held[[name]]
        end = place + length(content)
        if (!identical(bytes[seq_along(content) + place - 1L], content)) next
        if (is_last) held[[name]] = NULL
      }
      key = paste("holds", paste(names(held), vapply(held, paste, "", collapse = " "), collapse = ","))
      known = found[[key]]
      reached = if (is.null(known)) logical(length(bytes) + 1L) else known$reached
      reached[end] = TRUE
      assign(key, list(held = held, reached = reached), envir = found)
    }
    check_lua_sets(length(found))
  }
  unname(as.list(found))
}
