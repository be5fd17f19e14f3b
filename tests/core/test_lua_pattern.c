/* Lua patterns: known answers, reasons of malformed patterns, and the limit of steps. tests/corpus/test_lua_patterns.py
 * compares the matcher with Lua itself.
 */

#include "check.h"
#include "lua_pattern.h"

/* Search for a pattern in a text; both end with a zero byte, which does not count. */
static LuaAnswer answer_of(const char *bytes, const char *text) {
  LuaReader reader;
  LuaPattern pattern;
  LuaSearch search;
  int64_t length = (int64_t)strlen(text);
  CHECK(read_lua_pattern((const uint8_t *)bytes, (int64_t)strlen(bytes), &reader, &pattern));
  int64_t *memory = new_array(lua_memory(&pattern, length), sizeof *memory);
  begin_lua_search(&search, &pattern, (const uint8_t *)text, length, memory);
  LuaAnswer answer = LUA_GOES_ON;
  while (answer == LUA_GOES_ON) answer = continue_lua_search(&search);
  free(memory);
  return answer;
}

static void check_answers(void) {
  const char *cases[][3] = {
    {"", "", NULL},         {"IT", "my-IT1", "it"},       {"^IT%d+$", "IT12", "IT12b"}, {"news-", "new", "ne"},
    {"a$", "ba", "ab"},     {"(%w+)%-%1", "en-en", "en-fr"}, {"[]]", "]", "["},            {"[^%s]", "a", " \t"},
    {"()a", "a", "b"},      {"%f[%w]it%f[%W]", "x it", "bit"}, {"a?b?$", "ab", NULL},     {"^a?b$", "b", "aab"},
    {"^(.*)(.*)%2%1$", "abab", "aba"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CHECK_EQUAL(answer_of(cases[i][0], cases[i][1]), LUA_FOUND);
    if (cases[i][2] != NULL) CHECK_EQUAL(answer_of(cases[i][0], cases[i][2]), LUA_NOT_FOUND);
  }
}

static void check_reasons(void) {
  const char *cases[][2] = {
    {"%", "it ends with %"},
    {"[a", "a set is not closed (']' is missing)"},
    {"[%", "a set is not closed (']' is missing)"},
    {"(a", "a capture is not closed"},
    {"a)", "a capture is closed that was not opened"},
    {"(a)%0", "%0 refers to no finished capture"},
    {"(%1)", "%1 refers to no finished capture"},
    {"%fa", "%f is not followed by a set"},
    {"%bxy", "%b, a balanced pair, is not supported"},
  };
  LuaReader reader;
  LuaPattern pattern;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *bytes = cases[i][0];
    CHECK(!read_lua_pattern((const uint8_t *)bytes, (int64_t)strlen(bytes), &reader, &pattern));
    CHECK(strcmp(reader.reason, cases[i][1]) == 0);
  }
  CHECK(!read_lua_pattern((const uint8_t *)"a", 2, &reader, &pattern));
  CHECK(strcmp(reader.reason, "it contains a zero byte (write %z)") == 0);
}

/* With one way that begins at each place, the places after each of three items count, and those after the last. */
static void check_limit(void) {
  char text[LUA_STEPS / 4 + 2];
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = 0;
  CHECK_EQUAL(answer_of("(.?)%1y", text + sizeof text - 1 - 100), LUA_NOT_FOUND);
  CHECK_EQUAL(answer_of("()(.)%2y", text + 3), LUA_NOT_FOUND);
  CHECK_EQUAL(answer_of("(.)..%1y", text), LUA_TOO_MANY_STEPS);
  CHECK_EQUAL(answer_of("(.-)%1y", text), LUA_TOO_MANY_STEPS);
  CHECK_EQUAL(answer_of(".-.-.-.-y", text), LUA_NOT_FOUND);
}

int main(void) {
  check_answers();
  check_reasons();
  check_limit();
  return 0;
}
