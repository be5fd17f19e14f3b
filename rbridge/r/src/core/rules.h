/* Rules, which choose files by their names: a line of text has patterns with commas between them, blanks or tabs, and a
 * weight, a positive decimal number or "*" if all lines of the files are kept. A file has the rule if one of the
 * patterns is found in its name; the pattern "*" alone is found in every name. Lines that begin with "#" are comments.
 */

#ifndef PYSTRAT_RULES_H
#define PYSTRAT_RULES_H

#include "lua_pattern.h"
#include "recipe.h"

enum { LONGEST_WEIGHT = 4300 /* the digits that Python converts to an integer */ };

/* Some bytes of the text of rules. */
typedef struct {
  int64_t begin, end;
} Span;

typedef struct {
  Span pattern, weight;
  int64_t patterns_end; /* behind its Lua patterns among those of all rules; it has none if it is "*" */
} Rule;

typedef struct {
  const uint8_t *text;
  Rule *rules;
  LuaPattern *patterns;
  int64_t n_rules, n_patterns;
} Rules;

static inline bool is_star(const Rules *rules, Span word) {
  return word.end - word.begin == 1 && rules->text[word.begin] == '*';
}

/* Refuse a word of a line; return false. */
static inline bool refuse_word(Span word, int64_t line, Host *host, const char *requirement) {
  char got[SENTENCE];
  snprintf(
      got, SENTENCE, "{text %lld %lld} on line %lld", (long long)word.begin, (long long)word.end, (long long)line
  );
  return refuse(host, "rules", got, "%s", requirement);
}

/* Whether a word is a positive number in digits, possibly with a point. */
static inline bool is_positive_decimal(const uint8_t *text, Span word) {
  int64_t n_digits = 0, n_points = 0;
  bool is_positive = false;
  for (int64_t place = word.begin; place < word.end; place++) {
    bool is_digit = text[place] >= '0' && text[place] <= '9';
    if (!is_digit && text[place] != '.') return false;
    n_digits += is_digit;
    n_points += !is_digit;
    is_positive |= is_digit && text[place] != '0';
  }
  return is_positive && n_digits > 0 && n_points <= 1;
}

/* Read the patterns of a rule. */
static inline bool read_patterns(Rules *rules, Span pattern, int64_t line, Host *host) {
  const uint8_t *text = rules->text;
  for (int64_t place = pattern.begin; place <= pattern.end; place++) {
    bool is_end = place == pattern.end || text[place] == ',';
    bool is_begin = place == pattern.begin || text[place - 1] == ',';
    if (is_end && is_begin) return refuse_word(pattern, line, host, "have no empty alternative between commas");
  }
  for (int64_t begin = pattern.begin; begin < pattern.end;) {
    Span one = {begin, begin};
    LuaReader reader;
    while (one.end < pattern.end && text[one.end] != ',') one.end++;
    if (!read_lua_pattern(text + begin, one.end - begin, &reader, &rules->patterns[rules->n_patterns++])) {
      refuse_word(one, line, host, "have valid Lua patterns");
      return advise(host, "In this one, %s.", reader.reason);
    }
    begin = one.end + 1;
  }
  return true;
}

/* Read a line of rules. */
static inline bool read_rule(Rules *rules, Span bytes, int64_t line, Host *host) {
  const uint8_t *text = rules->text;
  Span words[3];
  int n_words = 0;
  while (bytes.end > bytes.begin && text[bytes.end - 1] == '\r') bytes.end--;
  for (int64_t place = bytes.begin; place < bytes.end && n_words < 3; place++) {
    if (text[place] == ' ' || text[place] == '\t') continue;
    words[n_words].begin = place;
    while (place < bytes.end && text[place] != ' ' && text[place] != '\t') place++;
    words[n_words++].end = place;
  }
  if (n_words == 0 || text[bytes.begin] == '#') return true;
  if (n_words > 2) {
    return refuse_word(words[2], line, host, "have a pattern and a weight on each line, and no third word");
  }
  if (n_words < 2) return refuse_word(words[0], line, host, "have a pattern and a weight on each line");
  Span pattern = words[0], weight = words[1];
  if (weight.end - weight.begin > LONGEST_WEIGHT) {
    char got[SENTENCE];
    snprintf(got, SENTENCE, "%lld on line %lld", (long long)(weight.end - weight.begin), (long long)line);
    return refuse(host, "rules", got, "have weights of at most %d digits", LONGEST_WEIGHT);
  }
  if (!is_star(rules, weight) && !is_positive_decimal(text, weight)) {
    return refuse_word(weight, line, host, "have weights that are positive decimal numbers, or '*'");
  }
  if (!is_star(rules, pattern) && !read_patterns(rules, pattern, line, host)) return false;
  rules->rules[rules->n_rules++] = (Rule){pattern, weight, rules->n_patterns};
  return true;
}

/* Read the "rules" of a request: their text, as bytes. */
static inline bool read_rules(const Parts *request, Rules *rules, Host *host) {
  Part part = find_part(request, "rules");
  int64_t n_lines = 1, n_commas = 0, since = 0;
  if (part.type != BYTES) return refuse(host, "rules", "another value", "be text, as bytes");
  *rules = (Rules){.text = part.values};
  for (int64_t place = 0; place < part.length; place++) {
    n_lines += rules->text[place] == '\n';
    n_commas += rules->text[place] == ',';
  }
  rules->rules = host->memory(host, FOR_THE_CALL, n_lines * (int64_t)sizeof *rules->rules);
  rules->patterns = host->memory(host, FOR_THE_CALL, (n_lines + n_commas) * (int64_t)sizeof *rules->patterns);
  if (rules->rules == NULL || rules->patterns == NULL) return false;
  Span line = {0, 0};
  for (int64_t number = 1; number <= n_lines; number++) {
    while (line.end < part.length && rules->text[line.end] != '\n') line.end++;
    if (!read_rule(rules, line, number, host)) return false;
    if (!may_go_on(&since, line.end - line.begin, host)) return false;
    line.begin = ++line.end;
  }
  return true;
}

/* Find whether a rule covers a name; `memory` is for the search. */
static inline bool covers(
    const Rules *rules, int64_t rule, const uint8_t *name, int64_t size, int64_t *memory, LuaAnswer *answer, Host *host
) {
  int64_t begin = rule == 0 ? 0 : rules->rules[rule - 1].patterns_end, end = rules->rules[rule].patterns_end;
  *answer = begin == end ? LUA_FOUND : LUA_NOT_FOUND;
  for (int64_t pattern = begin; pattern < end && *answer == LUA_NOT_FOUND; pattern++) {
    LuaSearch search;
    begin_lua_search(&search, &rules->patterns[pattern], name, size, memory);
    while ((*answer = continue_lua_search(&search)) == LUA_GOES_ON) {
      if (!host->go_on(host)) return false;
    }
  }
  return true;
}

/* Find the number of the rule of a file, NAN if it has none: the first that keeps all lines, else the first. */
static inline bool find_rule(
    const Rules *rules, int64_t file, const uint8_t *name, int64_t size, int64_t *memory, double *number, Host *host
) {
  *number = NAN;
  for (int64_t step = 0; step < 2 * rules->n_rules; step++) {
    int64_t rule = step % rules->n_rules;
    const Rule *tried = &rules->rules[rule];
    LuaAnswer answer;
    if (is_star(rules, tried->weight) != (step < rules->n_rules)) continue;
    if (!covers(rules, rule, name, size, memory, &answer, host)) return false;
    if (answer == LUA_TOO_MANY_STEPS) {
      char got[SENTENCE];
      long long begin = tried->pattern.begin, end = tried->pattern.end;
      snprintf(got, SENTENCE, "{text %lld %lld} for {file %lld}", begin, end, (long long)file + 1);
      refuse(host, "rules", got, "have patterns that take at most %d steps for a name", LUA_STEPS);
      return advise(host, "Use fewer captures that are referred to.");
    }
    if (answer == LUA_NOT_FOUND) continue;
    *number = (double)rule + 1;
    return true;
  }
  return true;
}

/* Find the rules of all files; the "names" of a request are bytes, with a zero byte between two of them. */
static inline bool find_rules(const Parts *request, const Rules *rules, int64_t n_files, double *numbers, Host *host) {
  Part part = find_part(request, "names");
  const uint8_t *names = part.values;
  int64_t n_names = 1, longest = 0, most = 1, length = part.type == BYTES ? part.length : 0;
  for (int64_t place = 0, begin = 0; place < length; place++) {
    if (names[place] == 0) {
      n_names++;
      begin = place + 1;
    } else if (place + 1 - begin > longest) {
      longest = place + 1 - begin;
    }
  }
  if (n_files > 0 && n_names != n_files) {
    return refuse(host, "names", "zero bytes", "hold text that names of files can have");
  }
  for (int64_t pattern = 0; pattern < rules->n_patterns; pattern++) {
    int64_t needed = lua_memory(&rules->patterns[pattern], longest);
    most = needed > most ? needed : most;
  }
  int64_t *memory = host->memory(host, FOR_THE_CALL, most * (int64_t)sizeof *memory);
  if (memory == NULL) return false;
  Span name = {0, 0};
  int64_t since = 0;
  for (int64_t file = 0; file < n_files; file++) {
    while (name.end < length && names[name.end] != 0) name.end++;
    int64_t size = name.end - name.begin;
    if (!find_rule(rules, file, names + name.begin, size, memory, &numbers[file], host)) return false;
    if (!may_go_on(&since, size + rules->n_rules, host)) return false;
    name.begin = ++name.end;
  }
  return true;
}

#endif
