/* Lua patterns, which files are chosen by. */

#include "core/lua_pattern.h"

#include "arguments.h"
#include "memory.h"
#include "routines.h"

/* Return the bytes of one text; R's text has no zero byte. */
static const uint8_t *bytes_of(SEXP text, const char *parameter, int64_t *length) {
  if (TYPEOF(text) != STRSXP || Rf_xlength(text) != 1) refuse_kind(text, parameter, "be text");
  *length = LENGTH(STRING_ELT(text, 0));
  return (const uint8_t *)CHAR(STRING_ELT(text, 0));
}

SEXP C_lua_reason(SEXP pattern) {
  int64_t length;
  const uint8_t *bytes = bytes_of(pattern, "pattern", &length);
  LuaReader reader;
  LuaPattern read;
  return Rf_mkString(read_lua_pattern(bytes, length, &reader, &read) ? "" : reader.reason);
}

SEXP C_lua_match(SEXP pattern, SEXP text) {
  int64_t n_pattern, n_text;
  const uint8_t *bytes = bytes_of(pattern, "pattern", &n_pattern), *subject = bytes_of(text, "text", &n_text);
  LuaReader reader;
  LuaPattern read;
  LuaSearch search;
  if (!read_lua_pattern(bytes, n_pattern, &reader, &read)) refuse("pattern", "be a valid Lua pattern", "another");
  begin_lua_search(&search, &read, subject, n_text, new_numbers(lua_memory(&read, n_text)));
  LuaAnswer answer = continue_lua_search(&search);
  while (answer == LUA_GOES_ON) {
    R_CheckUserInterrupt();
    answer = continue_lua_search(&search);
  }
  return Rf_ScalarLogical(answer == LUA_TOO_MANY_STEPS ? NA_LOGICAL : answer == LUA_FOUND);
}
