/* The auxiliary values of the draws of a tree: their functions, the arguments, and the numbers that are drawn. */

#ifndef PYSTRAT_TREE_VALUES_H
#define PYSTRAT_TREE_VALUES_H

#include "normal.h"
#include "recipe.h"
#include "rounding.h"
#include "stream.h"

/* A user's function is the host's. */
enum { OF_USER, OF_UNIFORM, OF_NORMAL, OF_INTEGERS, OF_CHOICE, OF_CYCLE, OF_COUNTER, N_FUNCTIONS };

/* How the arguments of a function are written: values, a list of values, or neither; or the function is no text. */
enum { AS_VALUES, AS_LIST, NOT_AS_CALL, NOT_AS_TEXT, AS_ITERATOR };

/* The kinds of all arguments of a function. */
enum { NUMBER_VALUES, LOGICAL_VALUES, TEXT_VALUES, N_KINDS };

static const double LARGEST_ARGUMENT = 1e300; /* so that differences and quantiles are finite */
static const double EXACT_NUMBERS = 9007199254740992.0; /* 2^53 */

/* The function and its arguments; that of OF_CHOICE and OF_CYCLE is the number of items, as `second`. */
typedef struct {
  int function;
  double first, second;
} DrawnValue;

static inline int place_of_text(const char *text, const char *const *texts, int n_texts) {
  int place = 0;
  while (place < n_texts && strcmp(text, texts[place]) != 0) place++;
  return place;
}

static const char *const FUNCTION_NAMES[] = {"function", "uniform", "normal", "integers", "choice", "cycle", "counter"};

static inline int function_of_values(const char *name) { return place_of_text(name, FUNCTION_NAMES, N_FUNCTIONS); }

static inline int find_kind_of_values(const char *name) {
  static const char *const names[] = {"number", "logical", "text"};
  return place_of_text(name, names, N_KINDS);
}

/* Whether the whole numbers from the first to the last, and their number, are exact in doubles. */
static inline bool is_exact_range(double first, double last) {
  return -EXACT_NUMBERS < first && first <= last && last < EXACT_NUMBERS && last - first < EXACT_NUMBERS;
}

/* Whether a function takes these arguments, of which `numbers` has those that are no text. */
static inline bool takes_arguments(int function, int kind, const double *numbers, int64_t count) {
  bool are_numbers = kind == NUMBER_VALUES;
  if (function == OF_COUNTER || function == OF_USER) return count == 0;
  if (function == OF_CHOICE || function == OF_CYCLE) {
    for (int64_t i = 0; are_numbers && i < count; i++) {
      if (!(fabs(numbers[i]) <= EXACT_NUMBERS)) return false;
    }
    return count > 0;
  }
  if (function >= N_FUNCTIONS || count != 2 || !are_numbers) return false;
  double first = numbers[0], second = numbers[1];
  if (!(fabs(first) <= LARGEST_ARGUMENT) || !(fabs(second) <= LARGEST_ARGUMENT)) return false;
  if (function == OF_NORMAL) return second > 0;
  if (function == OF_UNIFORM) return first < second;
  return floor(first) == first && floor(second) == second && is_exact_range(first, second);
}

/* The vectors of functions that a request and a recipe have. */
typedef struct {
  Part names, functions, kinds;
  const int32_t *n_arguments;
  const double *numbers;
  int64_t n_values, n_numbers, n_texts;
} Functions;

/* Find the vectors; return whether their types and lengths fit together. */
static inline bool find_functions(const Parts *parts, const char *numbers_name, Functions *found) {
  Part n_arguments = find_part(parts, "n_arguments"), numbers = find_part(parts, numbers_name);
  Part texts = find_part(parts, "texts");
  found->names = find_part(parts, "auxiliary");
  found->functions = find_part(parts, "functions");
  found->kinds = find_part(parts, "kinds");
  found->n_values = found->names.length;
  found->n_arguments = n_arguments.values;
  found->numbers = numbers.values;
  found->n_numbers = found->n_texts = 0;
  int64_t count = found->n_values;
  bool fits = are_texts(&found->names) && are_texts(&found->functions) && are_texts(&found->kinds) &&
              are_texts(&texts) && n_arguments.type == INTEGERS && numbers.type == DOUBLES &&
              found->functions.length == count && found->kinds.length == count && n_arguments.length == count;
  for (int64_t i = 0; fits && i < count; i++) {
    int kind = find_kind_of_values(text_at(&found->kinds, i));
    fits = kind < N_KINDS && found->n_arguments[i] >= 0;
    if (!fits) break;
    *(kind == TEXT_VALUES ? &found->n_texts : &found->n_numbers) += found->n_arguments[i];
  }
  return fits && found->n_numbers == numbers.length && found->n_texts == texts.length;
}

/* Read the functions of a recipe, in memory of the instance. */
static inline bool read_values(const Parts *recipe, DrawnValue **values, int64_t *n_values, Host *host) {
  Functions given;
  *n_values = 0;
  if (!is_given(recipe, "auxiliary")) return true;
  if (!find_functions(recipe, "numbers", &given)) {
    return refuse(host, "recipe", "others", "have a function and its arguments for each of 'auxiliary'");
  }
  *values = host->memory(host, FOR_THE_INSTANCE, given.n_values * (int64_t)sizeof **values);
  if (*values == NULL) return false;
  const double *numbers = given.numbers;
  for (int64_t i = 0; i < given.n_values; i++) {
    int function = function_of_values(text_at(&given.functions, i));
    int kind = find_kind_of_values(text_at(&given.kinds, i));
    int32_t count = given.n_arguments[i];
    if (function == N_FUNCTIONS) return refuse_part(host, "functions", "functions of auxiliary values");
    if (!takes_arguments(function, kind, numbers, count)) {
      return refuse(host, "recipe", "others", "have arguments that fit '%s'", FUNCTION_NAMES[function]);
    }
    DrawnValue *value = &(*values)[i];
    *value = (DrawnValue){.function = function, .second = count};
    if (function != OF_CHOICE && function != OF_CYCLE && count == 2) {
      *value = (DrawnValue){function, numbers[0], numbers[1]};
    }
    if (kind != TEXT_VALUES) numbers += count;
  }
  *n_values = given.n_values;
  return true;
}

/* Refuse the functions of a request that are none, or have other arguments. */
static inline bool check_values(const Parts *request, Host *host) {
  Functions given;
  if (!is_given(request, "auxiliary")) return true;
  find_functions(request, "arguments", &given);
  const uint8_t *forms = find_part(request, "written").values, *are_whole = find_part(request, "are_whole").values;
  const double *numbers = given.numbers;
  for (int64_t i = 0; i < given.n_values; i++) {
    int function = function_of_values(text_at(&given.functions, i));
    int kind = find_kind_of_values(text_at(&given.kinds, i));
    bool takes_list = function == OF_CHOICE || function == OF_CYCLE;
    bool is_right = forms[i] == (takes_list ? AS_LIST : AS_VALUES);
    if (function == OF_INTEGERS && !are_whole[i]) is_right = false;
    if (is_right && takes_arguments(function, kind, numbers, given.n_arguments[i])) {
      if (kind != TEXT_VALUES) numbers += given.n_arguments[i];
      continue;
    }
    char got[NUMBER];
    snprintf(got, NUMBER, "{value %lld}", (long long)i);
    host->refusal.is_type = forms[i] >= NOT_AS_TEXT;
    host->refusal.where = "of 'auxiliary'";
    refuse(
        host, text_at(&given.names, i), got,
        "be uniform(a, b), normal(m, s), integers(a, b), choice([...]), cycle([...]) or counter(), with a < b, s > 0, "
        "values of one kind and no number beyond %g", LARGEST_ARGUMENT
    );
    if (forms[i] != AS_ITERATOR) return false;
    return advise(host, "A function of the epoch and the draw can be resumed, an iterator cannot.");
  }
  return true;
}

/* Whether numbers are drawn, or counted, for a value; and whether it has a stream. */
static inline bool is_drawn(const DrawnValue *value) { return value->function != OF_USER; }

static inline bool has_stream(const DrawnValue *value) {
  return value->function >= OF_UNIFORM && value->function <= OF_CHOICE;
}

/* Draw the next `count` numbers, at most BLOCK_SIZE; those of OF_CHOICE are places of items. */
static inline void draw_block(const DrawnValue *value, Generator *stream, int64_t count, double *numbers) {
  double first = value->first, second = value->second;
  if (value->function == OF_INTEGERS || value->function == OF_CHOICE) {
    int64_t indices[BLOCK_SIZE];
    draw_numbers(stream, (uint64_t)(value->function == OF_CHOICE ? second : second - first + 1), count, indices);
    for (int64_t i = 0; i < count; i++) numbers[i] = first + (double)indices[i];
    return;
  }
  draw_uniforms(stream, count, numbers);
  if (value->function == OF_NORMAL) {
    make_normal(count, first, second, numbers);
  } else {
    for (int64_t i = 0; i < count; i++) numbers[i] = first + rounded_product(second - first, numbers[i]);
  }
}

/* Draw the numbers of `count` draws, before which there were `position`. */
static inline bool draw_values(
    const DrawnValue *value, Generator *stream, int64_t position, int64_t count, double *numbers, Host *host
) {
  for (int64_t begin = 0; begin < count; begin += BLOCK_SIZE) {
    int64_t end = smaller(begin + BLOCK_SIZE, count);
    int64_t n_items = value->function == OF_CYCLE ? (int64_t)value->second : 0; /* other numbers may be too large */
    if (has_stream(value)) {
      draw_block(value, stream, end - begin, numbers + begin);
    } else {
      for (int64_t i = begin; i < end; i++) {
        numbers[i] = (double)(value->function == OF_CYCLE ? (position + i) % n_items : position + i);
      }
    }
    if (end / GO_ON_ROWS != begin / GO_ON_ROWS && !host->go_on(host)) return false;
  }
  return true;
}

#endif
