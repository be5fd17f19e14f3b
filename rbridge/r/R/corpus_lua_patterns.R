# Lua patterns (version 5.1, that of Torch) over bytes, matched without backtracking by the core (lua_pattern.h).

# Checks a pattern and returns it; a malformed one, or one with %b, is an error of class "malformed_pattern".
read_lua_pattern = function(pattern) {
  reason = .Call(C_lua_reason, pattern)
  if (reason != "") {
    stop(structure(class = c("malformed_pattern", "error", "condition"), list(message = reason, call = NULL)))
  }
  pattern
}

most_lua_steps = 200000L # LUA_STEPS of the core

# Whether Lua's string.match finds a pattern in a text.
# A pattern whose back references take too many steps is an error of class "too_many_steps".
is_lua_match = function(pattern, text) {
  found = .Call(C_lua_match, pattern, text)
  if (is.na(found)) {
    stop(structure(class = c("too_many_steps", "error", "condition"), list(message = "too many steps", call = NULL)))
  }
  found
}
