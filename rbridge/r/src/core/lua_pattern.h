/* Lua patterns (version 5.1, that of Torch) over bytes, matched without backtracking.
 *
 * A Lua pattern is a sequence of items: a class of bytes, which may be repeated by `*`, `+`, `-` or `?`; a parenthesis
 * of a capture, which cannot be repeated; a back reference `%1`; a frontier `%f[set]`. There is no alternation. A
 * malformed pattern is refused at once, while Lua may notice it only during a match.
 *
 * Lua tries one way after another through a text, and there may be exponentially many. Here all ways advance together:
 * after each item, there is one row for each place that some way has reached. Only back references depend on the
 * contents of captures, so a row also has the contents of the captures that are still referred to, and equal rows are
 * one. A limit on the number of rows with captures bounds time and memory. Contents are compared by numbers, so that
 * the time does not depend on how long they are.
 *
 * Source: R. Ierusalimschy, L. H. de Figueiredo and W. Celes, "Lua 5.1 Reference Manual", 5.4.1 (2006-2012);
 * R. M. Karp, R. E. Miller and A. L. Rosenberg, "Rapid identification of repeated patterns in strings, trees and
 * arrays" (1972), for the numbers.
 */

#ifndef PYSTRAT_LUA_PATTERN_H
#define PYSTRAT_LUA_PATTERN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
  LUA_CAPTURES = 32,
  LUA_REFERENCES = 9, /* %1 to %9 */
  LUA_STEPS = 200000, /* rows with captures, over all items of a pattern, for one text */
  LUA_WORK = 1 << 22  /* numbers that are written between two checks for an interrupt */
};

typedef enum {
  LUA_SINGLE,
  LUA_FRONTIER,
  LUA_TEXT_BEGIN,
  LUA_TEXT_END,
  LUA_OPEN,
  LUA_CLOSE,
  LUA_BACK,
  LUA_NOTHING /* never matches */
} LuaKind;

typedef struct {
  LuaKind kind;
  uint8_t repeat;    /* of a LUA_SINGLE: one of * + - ?, or 0 */
  int number;        /* the capture, from 1, that is opened, closed or referred to */
  bool members[256]; /* the bytes of a LUA_SINGLE or of the set of a LUA_FRONTIER */
} LuaItem;

/* Reads the items of a pattern one by one. */
typedef struct {
  const uint8_t *pattern;
  int64_t length;
  int64_t place; /* how far it has been read */
  int n_captures, n_open;
  int open[LUA_CAPTURES];             /* the captures that are not yet closed */
  bool is_position[LUA_CAPTURES + 1]; /* for each capture, whether it is a position, () */
  char reason[48];                    /* why the pattern is malformed */
} LuaReader;

/* A pattern that is not malformed; the caller owns its bytes. */
typedef struct {
  const uint8_t *bytes;
  int64_t length;
  int64_t last_use[LUA_REFERENCES + 1]; /* the place behind the last reference to a capture; 0 if there is none */
  int column[LUA_REFERENCES + 1];       /* of a row, for a capture with a reference */
  int width;                            /* of a row: two numbers a capture with a reference, and a place */
} LuaPattern;

/* Reading ---------------------------------------------------------------------------------------------------------- */

static inline bool lua_malformed(LuaReader *reader, const char *reason) {
  snprintf(reader->reason, sizeof reader->reason, "%s", reason);
  return false;
}

/* The byte that follows, or one further ahead; -1 behind the end. */
static inline int lua_next(const LuaReader *reader, int64_t ahead) {
  int64_t place = reader->place + ahead;
  return place < reader->length ? reader->pattern[place] : -1;
}

/* Skip a byte if it comes next; return whether it did. */
static inline bool lua_take(LuaReader *reader, int byte) {
  bool found = lua_next(reader, 0) == byte;
  reader->place += found;
  return found;
}

/* Whether a byte is in the class of a small letter, whatever the locale is; -1 if the letter has no class. */
static inline int lua_class(int letter, int byte) {
  int small = byte | 32;
  bool is_letter = small >= 'a' && small <= 'z', is_digit = byte >= '0' && byte <= '9';
  switch (letter) {
    case 'a': return is_letter;
    case 'c': return byte < 32 || byte == 127;
    case 'd': return is_digit;
    case 'l': return is_letter && byte == small;
    case 'p': return byte > 32 && byte < 127 && !is_letter && !is_digit;
    case 's': return byte == ' ' || (byte >= '\t' && byte <= '\r');
    case 'u': return is_letter && byte != small;
    case 'w': return is_letter || is_digit;
    case 'x': return is_digit || (is_letter && small <= 'f');
    case 'z': return byte == 0;
    default: return -1;
  }
}

/* Add the members of what follows a %: a class, its complement or a byte. */
static inline bool read_lua_escape(LuaReader *reader, bool *members) {
  int letter = lua_next(reader, 0);
  if (letter < 0) return lua_malformed(reader, "it ends with %");
  reader->place++;
  bool is_capital = letter >= 'A' && letter <= 'Z';
  if (lua_class(is_capital ? letter | 32 : letter, 0) < 0) {
    members[letter] = true;
    return true;
  }
  for (int byte = 0; byte < 256; byte++) members[byte] |= lua_class(letter | 32, byte) != is_capital;
  return true;
}

/* Read a set behind its opening bracket. A closing one that comes first, or after %, is a member. */
static inline bool read_lua_set(LuaReader *reader, bool *members) {
  bool is_negated = lua_take(reader, '^');
  int64_t ahead = 0;
  while (ahead == 0 || lua_next(reader, ahead) != ']') {
    if (lua_next(reader, ahead) < 0) return lua_malformed(reader, "a set is not closed (']' is missing)");
    ahead += lua_next(reader, ahead) == '%' ? 2 : 1;
  }
  int64_t end = reader->place + ahead;
  while (reader->place < end) {
    if (lua_take(reader, '%')) {
      read_lua_escape(reader, members);
    } else if (lua_next(reader, 1) == '-' && reader->place + 2 < end) {
      for (int byte = lua_next(reader, 0); byte <= lua_next(reader, 2); byte++) members[byte] = true;
      reader->place += 3;
    } else {
      members[lua_next(reader, 0)] = true;
      reader->place++;
    }
  }
  reader->place = end + 1;
  for (int byte = 0; byte < 256; byte++) members[byte] ^= is_negated;
  return true;
}

/* Read a class of one byte. */
static inline bool read_lua_class(LuaReader *reader, bool *members) {
  memset(members, 0, 256 * sizeof *members);
  if (lua_take(reader, '.')) {
    for (int byte = 0; byte < 256; byte++) members[byte] = true;
    return true;
  }
  if (lua_take(reader, '[')) return read_lua_set(reader, members);
  if (lua_take(reader, '%')) return read_lua_escape(reader, members);
  members[lua_next(reader, 0)] = true;
  reader->place++;
  return true;
}

static inline bool open_lua_capture(LuaReader *reader, LuaItem *item) {
  if (reader->n_captures == LUA_CAPTURES) {
    snprintf(reader->reason, sizeof reader->reason, "it has more than %d captures", LUA_CAPTURES);
    return false;
  }
  item->kind = LUA_OPEN;
  item->number = ++reader->n_captures;
  reader->is_position[item->number] = lua_take(reader, ')');
  if (!reader->is_position[item->number]) reader->open[reader->n_open++] = item->number;
  return true;
}

static inline bool close_lua_capture(LuaReader *reader, LuaItem *item) {
  if (reader->n_open == 0) return lua_malformed(reader, "a capture is closed that was not opened");
  item->kind = LUA_CLOSE;
  item->number = reader->open[--reader->n_open];
  return true;
}

static inline bool refer_to_lua_capture(LuaReader *reader, LuaItem *item) {
  int number = lua_next(reader, 1) - '0';
  bool is_finished = number >= 1 && number <= reader->n_captures;
  for (int i = 0; i < reader->n_open; i++) is_finished &= reader->open[i] != number;
  if (!is_finished) {
    snprintf(reader->reason, sizeof reader->reason, "%%%d refers to no finished capture", number);
    return false;
  }
  reader->place += 2;
  /* Lua treats a position as a capture of endless length, which is never found. */
  item->kind = reader->is_position[number] ? LUA_NOTHING : LUA_BACK;
  item->number = number;
  return true;
}

/* Read the next item of a pattern that is not at its end; return false if it is malformed. */
static inline bool read_lua_item(LuaReader *reader, LuaItem *item) {
  int byte = lua_next(reader, 0), second = lua_next(reader, 1);
  item->repeat = 0;
  item->number = 0;
  if (reader->place == 0 && lua_take(reader, '^')) {
    item->kind = LUA_TEXT_BEGIN;
    return true;
  }
  if (byte == '$' && second < 0) {
    item->kind = LUA_TEXT_END;
    reader->place++;
    return true;
  }
  if (lua_take(reader, '(')) return open_lua_capture(reader, item);
  if (lua_take(reader, ')')) return close_lua_capture(reader, item);
  if (byte == '%' && second == 'b') return lua_malformed(reader, "%b, a balanced pair, is not supported");
  if (byte == '%' && second == 'f') {
    reader->place += 2;
    item->kind = LUA_FRONTIER;
    if (lua_next(reader, 0) != '[') return lua_malformed(reader, "%f is not followed by a set");
    return read_lua_class(reader, item->members);
  }
  if (byte == '%' && second >= '0' && second <= '9') return refer_to_lua_capture(reader, item);
  item->kind = LUA_SINGLE;
  if (!read_lua_class(reader, item->members)) return false;
  int sign = lua_next(reader, 0);
  if (sign == '*' || sign == '+' || sign == '-' || sign == '?') item->repeat = reader->pattern[reader->place++];
  return true;
}

/* Read a pattern; return false if it is malformed, with the reason in the reader. */
static inline bool read_lua_pattern(const uint8_t *bytes, int64_t length, LuaReader *reader, LuaPattern *pattern) {
  LuaItem item;
  *reader = (LuaReader){.pattern = bytes, .length = length};
  *pattern = (LuaPattern){.bytes = bytes, .length = length, .width = 1};
  if (length > 0 && memchr(bytes, 0, (size_t)length) != NULL) {
    return lua_malformed(reader, "it contains a zero byte (write %z)");
  }
  while (reader->place < length) {
    if (!read_lua_item(reader, &item)) return false;
    if (item.kind != LUA_BACK) continue;
    if (pattern->last_use[item.number] == 0) {
      pattern->column[item.number] = pattern->width - 1;
      pattern->width += 2;
    }
    pattern->last_use[item.number] = reader->place;
  }
  return reader->n_open == 0 || lua_malformed(reader, "a capture is not closed");
}

/* Searching -------------------------------------------------------------------------------------------------------- */

typedef enum { LUA_GOES_ON, LUA_FOUND, LUA_NOT_FOUND, LUA_TOO_MANY_STEPS } LuaAnswer;

enum { LUA_HELD_OPEN = -1 };

/* A search for a pattern in a text.
 *
 * A row has two numbers for each capture with a reference, and ends with a place; place i is before the i-th byte. The
 * two numbers are LUA_HELD_OPEN and the place where the capture begins, or the length of its content and the code of
 * that. If the capture is not opened yet or no longer referred to, they are zeros. Rows are distinct and in ascending
 * order.
 */
typedef struct {
  const LuaPattern *pattern;
  LuaReader reader;
  const uint8_t *text;
  int64_t length;
  int64_t *rows, *spare; /* room for lua_rows() rows each */
  int64_t n_rows;
  int n_held; /* captures whose numbers are held */
  int64_t n_steps;
  int32_t *numbers; /* for each level and place: the same for equal substrings of 2^level bytes that begin there */
  int n_levels;     /* 0 without references */
  int level;        /* the levels that are done */
} LuaSearch;

/* Return the largest number of rows: those without captures are one a place, the others are within the limit. */
static inline int64_t lua_rows(const LuaPattern *pattern, int64_t length) {
  int64_t most = 1;
  for (int column = 0; column < pattern->width && most <= LUA_STEPS; column++) most *= length + 1;
  if (most > LUA_STEPS) most = LUA_STEPS;
  return most > length ? most : length + 1;
}

/* Return the number of levels: of 1, 2, 4, 8, ... bytes, as far as the text has them. */
static inline int lua_levels(const LuaPattern *pattern, int64_t length) {
  int n_levels = 0;
  if (pattern->width == 1) return 0;
  while (length >> n_levels > 0) n_levels++;
  return n_levels;
}

/* Return the number of 64-bit integers that a search needs; the length of the text is at most 2^31 - 1. */
static inline int64_t lua_memory(const LuaPattern *pattern, int64_t length) {
  return 2 * lua_rows(pattern, length) * pattern->width + lua_levels(pattern, length) * length / 2 + 1;
}

/* Begin a search; the caller owns the text and the memory. */
static inline void begin_lua_search(
    LuaSearch *search, const LuaPattern *pattern, const uint8_t *text, int64_t length, int64_t *memory
) {
  int64_t size = lua_rows(pattern, length) * pattern->width;
  *search = (LuaSearch){.pattern = pattern, .text = text, .length = length, .n_rows = length + 1};
  search->reader = (LuaReader){.pattern = pattern->bytes, .length = pattern->length};
  search->rows = memory;
  search->spare = memory + size;
  search->numbers = (int32_t *)(void *)(memory + 2 * size);
  search->n_levels = lua_levels(pattern, length);
}

/* Compare two rows. */
static inline int compare_lua_rows(const int64_t *one, const int64_t *other, int width) {
  for (int i = 0; i < width; i++) {
    if (one[i] != other[i]) return one[i] < other[i] ? -1 : 1;
  }
  return 0;
}

/* Sort rows, by merging runs of 1, 2, 4, ... rows from one half of the memory to the other. */
static inline void sort_lua_rows(LuaSearch *search, int64_t count, int width) {
  size_t bytes = (size_t)width * sizeof(int64_t);
  for (int64_t run = 1; run < count; run *= 2) {
    int64_t *rows = search->rows, *next = search->spare;
    for (int64_t begin = 0; begin < count; begin += 2 * run) {
      int64_t left = begin, middle = begin + run < count ? begin + run : count;
      int64_t right = middle, end = middle + run < count ? middle + run : count;
      while (left < middle || right < end) {
        bool is_left = left < middle &&
            (right == end || compare_lua_rows(rows + left * width, rows + right * width, width) <= 0);
        memcpy(next, rows + (is_left ? left++ : right++) * width, bytes);
        next += width;
      }
    }
    search->rows = search->spare;
    search->spare = rows;
  }
}

/* Number the substrings of the next level. They are pairs of those of the level before, sorted as rows. */
static inline void number_lua_level(LuaSearch *search) {
  int32_t *numbers = search->numbers + search->level * search->length;
  int64_t half = search->level > 0 ? (int64_t)1 << (search->level - 1) : 0, count = search->length;
  if (search->level == 0) {
    for (int64_t i = 0; i < count; i++) numbers[i] = search->text[i];
  } else {
    const int32_t *halves = numbers - search->length;
    count -= 2 * half - 1;
    for (int64_t i = 0; i < count; i++) {
      int64_t *row = search->rows + 3 * i;
      row[0] = halves[i];
      row[1] = halves[i + half];
      row[2] = i;
    }
    sort_lua_rows(search, count, 3);
    int32_t number = 0;
    for (int64_t i = 0; i < count; i++) {
      const int64_t *row = search->rows + 3 * i;
      if (i > 0 && compare_lua_rows(row - 3, row, 2) != 0) number++;
      numbers[row[2]] = number;
    }
  }
  search->level++;
}

/* Return a code of a substring, the same for equal ones of one length: two substrings of 2^level bytes cover it. */
static inline int64_t lua_code(const LuaSearch *search, int64_t begin, int64_t length) {
  if (length == 0) return 0;
  int level = 0;
  while (length >> (level + 1) > 0) level++;
  const int32_t *numbers = search->numbers + level * search->length;
  return numbers[begin] * search->length + numbers[begin + length - ((int64_t)1 << level)];
}

/* Merge equal rows, after the captures changed. */
static inline void merge_lua_rows(LuaSearch *search) {
  int width = search->pattern->width;
  int64_t n_kept = 0;
  sort_lua_rows(search, search->n_rows, width);
  for (int64_t i = 0; i < search->n_rows; i++) {
    const int64_t *row = search->rows + i * width;
    if (n_kept > 0 && compare_lua_rows(row - width, row, width) == 0) continue;
    memmove(search->spare + n_kept++ * width, row, (size_t)width * sizeof *row);
  }
  int64_t *rows = search->rows;
  search->rows = search->spare;
  search->spare = rows;
  search->n_rows = n_kept;
}

/* Open or close a capture that is referred to later, or match its content. */
static inline void follow_lua_capture(LuaSearch *search, const LuaItem *item) {
  int width = search->pattern->width, column = search->pattern->column[item->number];
  bool is_last = item->kind == LUA_BACK && search->reader.place == search->pattern->last_use[item->number];
  int64_t n_kept = 0;
  for (int64_t i = 0; i < search->n_rows; i++) {
    int64_t *row = search->rows + n_kept * width, *held = row + column, *place = row + width - 1;
    memmove(row, search->rows + i * width, (size_t)width * sizeof *row);
    if (item->kind == LUA_OPEN) {
      held[0] = LUA_HELD_OPEN;
      held[1] = *place;
    } else if (item->kind == LUA_CLOSE) {
      held[0] = *place - held[1];
      held[1] = lua_code(search, held[1], held[0]);
    } else {
      if (*place + held[0] > search->length || lua_code(search, *place, held[0]) != held[1]) continue;
      *place += held[0];
      if (is_last) held[0] = held[1] = 0;
    }
    n_kept++;
  }
  search->n_rows = n_kept;
  search->n_held += item->kind == LUA_OPEN;
  search->n_held -= is_last;
  merge_lua_rows(search);
}

/* Keep the rows whose place an item allows, and move them behind the byte of a single one. */
static inline void keep_lua_rows(LuaSearch *search, const LuaItem *item) {
  int width = search->pattern->width;
  const uint8_t *text = search->text;
  int64_t length = search->length, n_kept = 0;
  for (int64_t i = 0; i < search->n_rows; i++) {
    int64_t *row = search->rows + n_kept * width;
    memmove(row, search->rows + i * width, (size_t)width * sizeof *row);
    int64_t place = row[width - 1];
    /* A zero byte represents both ends of the text. */
    uint8_t before = place > 0 ? text[place - 1] : 0, after = place < length ? text[place] : 0;
    bool fits = item->kind == LUA_SINGLE ? place < length && item->members[after]
        : item->kind == LUA_FRONTIER     ? item->members[after] && !item->members[before]
        : item->kind == LUA_TEXT_BEGIN   ? place == 0
                                     : item->kind == LUA_TEXT_END && place == length;
    row[width - 1] += item->kind == LUA_SINGLE;
    n_kept += fits;
  }
  search->n_rows = n_kept;
}

/* Add the rows behind the bytes that match: behind one of them, or behind any number. Return false if there are more
 * rows with captures than the limit allows.
 */
static inline bool spread_lua_rows(LuaSearch *search, const LuaItem *item) {
  int width = search->pattern->width;
  int64_t most = search->n_held > 0 ? LUA_STEPS - search->n_steps : search->length + 1, n_found = 0;
  int64_t *last = NULL;
  for (int64_t i = 0; i < search->n_rows; i++) {
    const int64_t *row = search->rows + i * width;
    int64_t place = row[width - 1], end = place;
    bool is_run = last != NULL && compare_lua_rows(last, row, width - 1) == 0;
    if (is_run && last[width - 1] >= place) {
      if (item->repeat != '?') continue; /* the run behind this place is found */
      place++;
    }
    while (end < search->length && item->members[search->text[end]]) {
      end++;
      if (item->repeat == '?') break;
    }
    for (; place <= end; place++) {
      if (n_found == most) return false;
      last = search->spare + n_found++ * width;
      memcpy(last, row, (size_t)width * sizeof *row);
      last[width - 1] = place;
    }
  }
  int64_t *rows = search->rows;
  search->rows = search->spare;
  search->spare = rows;
  search->n_rows = n_found;
  return true;
}

/* Advance all rows by an item; return false if there are too many. */
static inline bool follow_lua_item(LuaSearch *search, const LuaItem *item) {
  if (item->kind == LUA_OPEN || item->kind == LUA_CLOSE || item->kind == LUA_BACK) {
    bool is_referred = item->number <= LUA_REFERENCES && search->pattern->last_use[item->number] > 0;
    if (!is_referred) return true;
    follow_lua_capture(search, item);
  } else {
    if (item->repeat == 0 || item->repeat == '+') keep_lua_rows(search, item);
    if (item->repeat != 0 && !spread_lua_rows(search, item)) return false;
  }
  if (search->n_held > 0) search->n_steps += search->n_rows;
  return search->n_steps <= LUA_STEPS;
}

/* Go on with a search, until it has an answer or it is time to check for an interrupt. The answer is that of Lua's
 * string.match, or LUA_TOO_MANY_STEPS if the back references take more than LUA_STEPS steps.
 */
static inline LuaAnswer continue_lua_search(LuaSearch *search) {
  LuaItem item;
  if (search->level < search->n_levels) {
    number_lua_level(search);
    return LUA_GOES_ON;
  }
  if (search->reader.place == 0) {
    for (int64_t i = 0; i <= search->length; i++) {
      int64_t *row = search->rows + i * search->pattern->width;
      memset(row, 0, (size_t)search->pattern->width * sizeof *row);
      row[search->pattern->width - 1] = i;
    }
  }
  for (int64_t work = 0; work < LUA_WORK; work += 256 + search->n_rows * search->pattern->width) {
    if (search->reader.place == search->reader.length) return LUA_FOUND;
    read_lua_item(&search->reader, &item); /* which is not malformed */
    if (!follow_lua_item(search, &item)) return LUA_TOO_MANY_STEPS;
    if (search->n_rows == 0) return LUA_NOT_FOUND;
  }
  return LUA_GOES_ON;
}

#endif
