# Lua patterns (version 5.1, that of Torch) over bytes, matched without backtracking.
#
# A Lua pattern is a sequence of items: a class of bytes, which may be repeated by `*`, `+`, `-` or `?`; a parenthesis
# of a capture, which cannot be repeated; a back reference `%1`; a frontier `%f[set]`. There is no alternation.
# Every class is expanded to its bytes, and a malformed pattern is refused at once, while Lua may notice it only during
# a match.
#
# Lua tries one way after another through a text, and there may be exponentially many. Here all ways advance together:
# after each item, the places that some way has reached are a set. Only back references depend on the contents of
# captures, so there is one set for each content of the captures that are still referred to. A limit on the number of
# the places in these sets bounds time and memory. Contents are compared by numbers, so that the time does not depend on
# how long they are.
#
# Source: R. Ierusalimschy, L. H. de Figueiredo and W. Celes, "Lua 5.1 Reference Manual", 5.4.1 (2006-2012);
# R. M. Karp, R. E. Miller and A. L. Rosenberg, "Rapid identification of repeated patterns in strings, trees and arrays"
# (1972), for the numbers.

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

most_lua_steps = 200000L # places in sets that depend on captures, over all items of a pattern, for one text

# Whether Lua's string.match finds a pattern, given by its items, in a text.
# A pattern whose back references take too many steps is an error of class "too_many_steps".
#
# The sets are pairs of `set` and `place`, where place i is before the i-th byte. `held` has the captures that are still
# referred to, each with a list of columns, one value for each set: the beginning of an open capture, or the content.
is_lua_match = function(items, text) {
  bytes = as.integer(charToRaw(text))
  numbers = vapply(items, `[[`, 1L, "number")
  backs = which(vapply(items, `[[`, "", "kind") == "back")
  substrings = number_substrings(if (length(backs) > 0L) bytes)
  ways = list(set = rep(1L, length(bytes) + 1L), place = seq_len(length(bytes) + 1L), held = list())
  n_steps = 0
  for (place in seq_along(items)) {
    item = items[[place]]
    if (item$number == 0L) {
      ways = advance_lua(item, ways, bytes, n_steps)
    } else if (item$number %in% numbers[backs]) {
      is_last = item$kind == "back" && !item$number %in% numbers[backs[backs > place]]
      ways = advance_lua_captures(item, ways, substrings, is_last)
    } else {
      next
    }
    n_steps = n_steps + lua_steps(ways, length(ways$place))
    check_lua_steps(n_steps)
    if (length(ways$place) == 0L) {
      return(FALSE)
    }
  }
  TRUE
}

# How many of some places count.
lua_steps = function(ways, n_places) if (length(ways$held) > 0L) n_places else 0

check_lua_steps = function(n_steps) {
  if (n_steps > most_lua_steps) {
    stop(structure(class = c("too_many_steps", "error", "condition"), list(message = "too many steps", call = NULL)))
  }
}

# The places that an item reaches from others.
advance_lua = function(item, ways, bytes, n_steps) {
  places = seq_len(length(bytes) + 1L)
  switch(item$kind,
    begin = keep_ways(ways, ways$place == 1L),
    end = keep_ways(ways, ways$place == length(places)),
    frontier = keep_ways(ways, (!c(0L, bytes) %in% item$members & c(bytes, 0L) %in% item$members)[ways$place]),
    nothing = keep_ways(ways, logical(length(ways$place))),
    advance_lua_single(item$times, ways, bytes %in% item$members, n_steps)
  )
}

keep_ways = function(ways, is_kept) {
  ways$set = ways$set[is_kept]
  ways$place = ways$place[is_kept]
  ways
}

# Without the places that a set already has.
distinct_ways = function(ways) keep_ways(ways, !duplicated(lua_pair_numbers(ways$set, ways$place)))

# Distinct numbers for distinct pairs of integers from 0; exact, since both are far below 2^26.
lua_pair_numbers = function(first, second) as.double(first) * (max(second, 0L) + 1) + second

advance_lua_single = function(times, ways, fits, n_steps) {
  once = keep_ways(ways, c(fits, FALSE)[ways$place])
  once$place = once$place + 1L
  switch(times,
    "*" = ,
    "-" = run_lua(ways, fits, n_steps),
    "+" = run_lua(once, fits, n_steps),
    "?" = {
      ways$set = c(ways$set, once$set)
      ways$place = c(ways$place, once$place)
      distinct_ways(ways)
    },
    once
  )
}

# All places that have only matching bytes between them and a place before.
run_lua = function(ways, fits, n_steps) {
  # Places with only matching bytes between them have the same number of others before them.
  runs = c(0L, cumsum(!fits)) + 1L
  sorted = order(ways$set, ways$place)
  begins = keep_ways(ways, sorted[!duplicated(lua_pair_numbers(ways$set, runs[ways$place])[sorted])])
  ends = cumsum(tabulate(runs))[runs[begins$place]]
  counts = ends - begins$place + 1L
  check_lua_steps(n_steps + lua_steps(ways, sum(counts)))
  begins$set = rep(begins$set, counts)
  begins$place = sequence(counts, from = begins$place)
  begins
}

# Opens or closes a capture that is referred to later, or matches its content. Equal sets among the results are merged.
advance_lua_captures = function(item, ways, substrings, is_last) {
  name = as.character(item$number)
  held = lapply(ways$held, lapply, `[`, ways$set)
  known = held[[name]]
  place = ways$place
  if (item$kind == "open") {
    held[[name]] = list(place)
  } else if (item$kind == "close") {
    held[[name]] = substring_content(substrings, known[[1L]], place - known[[1L]])
  } else {
    fits = which(place + known$length <= nrow(substrings) + 1L)
    found = substring_content(substrings, place[fits], known$length[fits])
    fits = fits[found$first == known$first[fits] & found$last == known$last[fits]]
    held = lapply(held, lapply, `[`, fits)
    place = place[fits] + known$length[fits]
    if (is_last) {
      held[[name]] = NULL
    }
  }
  set = number_tuples(unlist(held, recursive = FALSE), length(place))
  is_first = !duplicated(set)
  distinct_ways(list(set = set, place = place, held = lapply(held, lapply, `[`, is_first)))
}

# Numbers tuples, given by columns of integers, from 1 in order of first appearance.
number_tuples = function(columns, n_rows) {
  numbers = rep(1L, n_rows)
  for (column in columns) {
    both = lua_pair_numbers(numbers, column)
    numbers = match(both, unique(both))
  }
  numbers
}

# A matrix with numbers for the substrings of 1, 2, 4, 8, ... bytes, one column for each of these lengths and one row
# for each beginning: equal if they are equal, 0 if there is none. Any other substring is covered by two of these.
number_substrings = function(bytes) {
  n = length(bytes)
  columns = list(bytes)
  width = 1L
  while (2L * width <= n) {
    halves = columns[[length(columns)]]
    begins = seq_len(n - 2L * width + 1L)
    columns = c(columns, list(number_tuples(list(halves[begins], halves[begins + width]), length(begins))))
    width = 2L * width
  }
  matrix(vapply(columns, function(column) c(column, integer(n - length(column))), integer(n)), nrow = n)
}

# The lengths of substrings, and two numbers for each, which are the same for equal substrings. The numbers of an empty
# one are 0.
substring_content = function(substrings, begin, length) {
  level = findInterval(length, 2^(0:30))
  first = last = integer(length(begin))
  is_any = which(level > 0L)
  begin = begin[is_any]
  level = level[is_any]
  first[is_any] = substrings[cbind(begin, level)]
  last[is_any] = substrings[cbind(begin + length[is_any] - as.integer(2^(level - 1L)), level)]
  list(length = length, first = first, last = last)
}
