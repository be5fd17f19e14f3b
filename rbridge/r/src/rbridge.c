/* The kinds of samplers of the core (core/kinds.h) and its functions for R: plans, and instances that draw
 * epochs.
 *
 * R leaves a C function by a jump if memory lacks or the user interrupts. No jump goes through the core: what may jump
 * is called by guarded(), the core returns, and R goes on to where it was going.
 */

#include <setjmp.h>

#include "core/functions.h"
#include "core/huge_pages.h"
#include "core/kinds.h"
#include "core/stream.h"
#include "r/binding.h"
#include "routines.h"

enum {
  MOST_RESULTS = 32 /* of one call */
};

/* The host of one call of the core. */
typedef struct {
  Host host; /* must be the first, for the functions of the host find the call by it */
  SEXP values;  /* the list that refusals show, and that keep() takes from */
  SEXP token;   /* where R was going */
  SEXP blocks;  /* the memory of the call and the results, behind the first cell of a list */
  SEXP kept;    /* the memory of the instance, also; or NULL */
  SEXP results[MOST_RESULTS]; /* LONGS in raw vectors, LARGE in doubles */
  const char *names[MOST_RESULTS];
  PartType types[MOST_RESULTS];
  int n_results;
  bool is_left;
} Call;

/* What is allocated within guarded(). */
typedef struct {
  SEXPTYPE type;
  R_xlen_t length;
  SEXP list;
} Wanted;

static void leave(void *place, Rboolean jumps) {
  if (jumps) longjmp(*(jmp_buf *)place, 1);
}

/* Call a function that may jump; return NULL if it did. */
static SEXP guarded(Call *call, SEXP (*function)(void *), void *data) {
  jmp_buf place;
  if (setjmp(place)) {
    call->is_left = true;
    return NULL;
  }
  return R_UnwindProtect(function, data, leave, &place, call->token);
}

static SEXP allocate(void *data) {
  const Wanted *wanted = data;
  SEXP block = PROTECT(Rf_allocVector(wanted->type, wanted->length));
  SETCDR(wanted->list, Rf_cons(block, CDR(wanted->list)));
  UNPROTECT(1);
  return block;
}

static SEXP check_interrupt(void *data) {
  (void)data;
  R_CheckUserInterrupt();
  return R_NilValue;
}

/* The memory of a new vector. */
static void *values_of(SEXP vector) {
  int64_t length = XLENGTH(vector);
  int width = TYPEOF(vector) == INTSXP ? 4 : TYPEOF(vector) == REALSXP ? 8 : 1;
  void *values = width == 4 ? (void *)INTEGER(vector) : width == 8 ? (void *)REAL(vector) : (void *)RAW(vector);
  ask_for_huge_pages(values, length * width);
  return values;
}

static void *host_memory(Host *host, Life life, int64_t bytes) {
  Call *call = (Call *)host;
  Wanted wanted = {RAWSXP, (R_xlen_t)bytes, life == FOR_THE_CALL ? call->blocks : call->kept};
  SEXP block = guarded(call, allocate, &wanted);
  return block == NULL ? NULL : values_of(block);
}

static SEXPTYPE type_in_r(PartType type) {
  return type == INTEGERS ? INTSXP : type == DOUBLES || type == LARGE ? REALSXP : RAWSXP;
}

static void add_result(Call *call, const char *name, PartType type, SEXP vector) {
  if (call->n_results == MOST_RESULTS) Rf_error("a kind of samplers has too many results"); /* which none has */
  call->results[call->n_results] = vector;
  call->names[call->n_results] = name;
  call->types[call->n_results] = type;
  call->n_results += 1;
}

static void *host_vector(Host *host, const char *name, PartType type, int64_t count) {
  Call *call = (Call *)host;
  int64_t length = type == LONGS ? count * (int64_t)sizeof(int64_t) : count;
  Wanted wanted = {type_in_r(type), (R_xlen_t)length, call->blocks};
  SEXP vector = guarded(call, allocate, &wanted);
  if (vector == NULL) return NULL;
  add_result(call, name, type, vector);
  return values_of(vector);
}

static bool host_number(Host *host, const char *name, double value) {
  double *number = host_vector(host, name, DOUBLES, 1);
  if (number != NULL) *number = value;
  return number != NULL;
}

/* Recipes have flags as integers. */
static bool host_flag(Host *host, const char *name, bool value) {
  int32_t *number = host_vector(host, name, INTEGERS, 1);
  if (number != NULL) *number = value;
  return number != NULL;
}

static SEXP value_of(SEXP values, const char *name) {
  SEXP names = Rf_getAttrib(values, R_NamesSymbol);
  for (R_xlen_t i = 0; i < Rf_xlength(values); i++) {
    if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(values, i);
  }
  return R_NilValue;
}

static bool host_keep(Host *host, const char *name) {
  Call *call = (Call *)host;
  add_result(call, name, OTHER, value_of(call->values, name));
  return true;
}

static bool host_go_on(Host *host) { return guarded((Call *)host, check_interrupt, NULL) != NULL; }

/* Whether text can be translated to UTF-8. */
static bool is_text(SEXP text) { return text != NA_STRING && Rf_getCharCE(text) != CE_BYTES; }

/* Fill a part with texts, in memory of R_alloc(), if all of them are text. */
static void fill_texts(Part *part, SEXP texts) {
  const char **values = (const char **)(void *)R_alloc((size_t)part->length + 1, sizeof *values);
  for (R_xlen_t i = 0; i < Rf_xlength(texts); i++) {
    if (!is_text(STRING_ELT(texts, i))) return;
    values[i] = Rf_translateCharUTF8(STRING_ELT(texts, i));
  }
  part->type = part->length == 1 ? TEXT : TEXTS;
  part->values = part->length == 1 ? (const void *)values[0] : (const void *)values;
}

/* Fill the part that the core reads for a value of R. */
static Part part_of(const char *name, SEXP value) {
  Part part = {.name = name, .type = OTHER, .length = (int64_t)Rf_xlength(value)};
  bool is_plain = !Rf_isObject(value) && (part.length == 1 || Rf_isNull(Rf_getAttrib(value, R_DimSymbol)));
  bool is_empty = TYPEOF(value) == VECSXP && part.length == 0 && is_plain;
  part.is_named = is_empty || !Rf_isNull(Rf_getAttrib(value, R_NamesSymbol));
  switch (TYPEOF(value)) {
    case NILSXP: part.type = NOTHING; break;
    case LGLSXP:
      if (part.length != 1 || LOGICAL(value)[0] == NA_LOGICAL) break;
      part.type = FLAG;
      part.values = LOGICAL(value);
      break;
    case INTSXP:
      if (!is_plain || (part.length == 1 && INTEGER(value)[0] == NA_INTEGER)) break;
      part.type = INTEGERS;
      part.values = INTEGER(value);
      break;
    case REALSXP:
      if (!is_plain) break;
      part.type = DOUBLES;
      part.values = REAL(value);
      break;
    case RAWSXP:
      part.type = BYTES;
      part.values = RAW(value);
      break;
    case STRSXP: fill_texts(&part, value); break;
    default: break;
  }
  return part;
}

/* Return the values of a named vector as parts, in memory of R_alloc(). Those that are no numbers are of no use. */
static const Part *items_of(SEXP values) {
  R_xlen_t count = Rf_xlength(values);
  Part *items = (Part *)(void *)R_alloc((size_t)count + 1, sizeof(Part));
  for (R_xlen_t i = 0; i < count; i++) {
    items[i] = (Part){.name = "", .type = OTHER};
    if (TYPEOF(values) == VECSXP) items[i] = part_of("", VECTOR_ELT(values, i));
    bool is_whole = TYPEOF(values) == INTSXP && !Rf_isObject(values) && INTEGER(values)[i] != NA_INTEGER;
    if (is_whole) items[i] = (Part){.name = "", .type = INTEGERS, .length = 1, .values = INTEGER(values) + i};
    bool is_double = TYPEOF(values) == REALSXP && !Rf_isObject(values);
    if (is_double) items[i] = (Part){.name = "", .type = DOUBLES, .length = 1, .values = REAL(values) + i};
  }
  return items;
}

/* Read a named list as parts, in memory of R_alloc(). */
static Parts parts_of(SEXP values, bool is_recipe) {
  R_xlen_t count = Rf_xlength(values);
  SEXP names = Rf_getAttrib(values, R_NamesSymbol);
  Part *parts = (Part *)(void *)R_alloc((size_t)count + 1, sizeof(Part));
  for (R_xlen_t i = 0; i < count; i++) {
    SEXP value = VECTOR_ELT(values, i);
    parts[i] = part_of(CHAR(STRING_ELT(names, i)), value);
    if (parts[i].is_named && !is_recipe) parts[i].items = items_of(value);
  }
  return (Parts){.parts = parts, .n_parts = (int64_t)count, .is_recipe = is_recipe};
}

/* Begin a call; the caller unprotects call->token and call->blocks. */
static void begin_call(Call *call, SEXP values, SEXP kept) {
  *call = (Call){.values = values, .kept = kept};
  call->host.first_row = 1;
  call->host.most_rows = LARGEST_COUNT;
  call->host.memory = host_memory;
  call->host.vector = host_vector;
  call->host.number = host_number;
  call->host.flag = host_flag;
  call->host.keep = host_keep;
  call->host.go_on = host_go_on;
  call->token = PROTECT(R_MakeUnwindCont());
  call->blocks = PROTECT(Rf_cons(R_NilValue, R_NilValue));
}

static SEXP text_in_r(const char *text) {
  return text == NULL ? R_NilValue : Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8));
}

/* Return a refusal as a list, which R raises. */
static SEXP refusal_in_r(const Refusal *refusal) {
  const char *names[] = {"parameter", "requirement", "got", "shown", "advice", "place", "stratum", "where", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, text_in_r(refusal->parameter));
  SET_VECTOR_ELT(result, 1, text_in_r(refusal->requirement));
  SET_VECTOR_ELT(result, 2, text_in_r(refusal->long_got == NULL ? refusal->got : refusal->long_got));
  SET_VECTOR_ELT(result, 3, text_in_r(refusal->shown));
  SET_VECTOR_ELT(result, 4, text_in_r(refusal->advice[0] == '\0' ? NULL : refusal->advice));
  if (refusal->place > 0) SET_VECTOR_ELT(result, 5, Rf_ScalarReal((double)refusal->place));
  SET_VECTOR_ELT(result, 6, Rf_ScalarReal((double)refusal->stratum + 1));
  SET_VECTOR_ELT(result, 7, text_in_r(refusal->where));
  UNPROTECT(1);
  return result;
}

/* Turn the bits of int64_t into doubles, in place. */
static void numbers_to_doubles(double *numbers, R_xlen_t count) {
  for (R_xlen_t i = 0; i < count; i++) {
    int64_t number;
    memcpy(&number, &numbers[i], sizeof number);
    numbers[i] = (double)number;
  }
}

/* Return a result in its type; plain, if it is a flag or text that the user gave. */
static SEXP result_in_r(const Call *call, int place) {
  SEXP vector = call->results[place];
  bool is_one = call->types[place] == OTHER && Rf_xlength(vector) == 1;
  if (is_one && TYPEOF(vector) == LGLSXP) return Rf_ScalarLogical(LOGICAL(vector)[0]);
  if (is_one && TYPEOF(vector) == STRSXP) return Rf_ScalarString(STRING_ELT(vector, 0));
  if (call->types[place] == LARGE) numbers_to_doubles(REAL(vector), Rf_xlength(vector));
  if (call->types[place] != LONGS) return vector;
  R_xlen_t count = Rf_xlength(vector) / (R_xlen_t)sizeof(int64_t);
  const int64_t *numbers = (const int64_t *)(const void *)RAW(vector);
  SEXP integers = PROTECT(Rf_allocVector(INTSXP, count));
  int *narrow = INTEGER(integers);
  for (R_xlen_t i = 0; i < count; i++) narrow[i] = (int)numbers[i];
  UNPROTECT(1);
  return integers;
}

/* Return the results by name. */
static SEXP results_in_r(const Call *call) {
  SEXP results = PROTECT(Rf_allocVector(VECSXP, call->n_results));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, call->n_results));
  for (int i = 0; i < call->n_results; i++) {
    SET_VECTOR_ELT(results, i, result_in_r(call, i));
    SET_STRING_ELT(names, i, Rf_mkChar(call->names[i]));
  }
  Rf_setAttrib(results, R_NamesSymbol, names);
  UNPROTECT(2);
  return results;
}

/* Return list(results =, refusal =, warning =, warnings =, stratum =), of which either the first or the second is not
 * NULL.
 */
static SEXP answer(const Call *call, bool has_succeeded) {
  if (call->is_left) R_ContinueUnwind(call->token);
  const char *names[] = {"results", "refusal", "warning", "warnings", "stratum", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  if (has_succeeded) {
    SET_VECTOR_ELT(result, 0, results_in_r(call));
  } else {
    SET_VECTOR_ELT(result, 1, refusal_in_r(&call->host.refusal));
  }
  if (call->host.warning[0] != '\0') SET_VECTOR_ELT(result, 2, text_in_r(call->host.warning));
  SET_VECTOR_ELT(result, 3, text_in_r(call->host.warnings));
  SET_VECTOR_ELT(result, 4, Rf_ScalarReal((double)call->host.refusal.stratum + 1));
  UNPROTECT(1);
  return result;
}

static const Kind *kind_of(SEXP name) {
  const Kind *kind = find_kind(CHAR(STRING_ELT(name, 0)));
  if (kind == NULL) Rf_error("the core has no such kind of samplers");
  return kind;
}

/* Samplers ------------------------------------------------------------------------------------------------------- */

/* The kinds are those of the core in C++ (r/binding.h), and those of kinds.h. */

SEXP C_plan(SEXP kind, SEXP request) {
  if (is_in_cpp(kind)) return plan_in_cpp(kind, request);
  Parts parts = parts_of(request, false);
  Call call;
  begin_call(&call, request, NULL);
  bool has_succeeded = kind_of(kind)->plan(&parts, &call.host);
  SEXP result = answer(&call, has_succeeded);
  UNPROTECT(2);
  return result;
}

SEXP C_call(SEXP function, SEXP request) {
  if (is_in_cpp(function)) return call_in_cpp(function, request);
  const Function *found = find_function(CHAR(STRING_ELT(function, 0)));
  if (found == NULL) Rf_error("the core has no such function");
  Parts parts = parts_of(request, false);
  Call call;
  begin_call(&call, request, NULL);
  bool has_succeeded = found->call(&parts, &call.host);
  SEXP result = answer(&call, has_succeeded);
  UNPROTECT(2);
  return result;
}

/* What draws the epochs of a recipe: a list that a weak reference holds as long as its key lives. */
enum {
  RECIPE, /* the parts of the recipe */
  SELF,   /* raw: an Instance, then what the kind works with */
  MEMORY, /* a list of raw vectors, behind its first cell */
  N_ENTRIES
};

typedef struct {
  const Kind *kind;
  uint32_t seed;
  void *self; /* what the kind works with; set when the instance is found */
} Instance;

/* Where what the kind works with begins, aligned for any type. */
enum { SELF_BEGIN = (sizeof(Instance) + 15) / 16 * 16 };

SEXP C_prepare(SEXP key, SEXP kind, SEXP recipe, SEXP seed) {
  if (is_in_cpp(kind)) return prepare_in_cpp(kind, recipe, seed);
  const Kind *found = kind_of(kind);
  SEXP entries = PROTECT(Rf_allocVector(VECSXP, N_ENTRIES));
  SET_VECTOR_ELT(entries, RECIPE, recipe);
  for (R_xlen_t i = 0; i < Rf_xlength(recipe); i++) MARK_NOT_MUTABLE(VECTOR_ELT(recipe, i));
  R_xlen_t size = SELF_BEGIN + (R_xlen_t)found->instance_bytes;
  SET_VECTOR_ELT(entries, SELF, Rf_allocVector(RAWSXP, size));
  SET_VECTOR_ELT(entries, MEMORY, Rf_cons(R_NilValue, R_NilValue));
  unsigned char *self = RAW(VECTOR_ELT(entries, SELF));
  memset(self, 0, (size_t)size);
  Instance instance = {.kind = found, .seed = (uint32_t)Rf_asReal(seed)};
  memcpy(self, &instance, sizeof instance);
  Parts parts = parts_of(recipe, true);
  Call call;
  begin_call(&call, recipe, VECTOR_ELT(entries, MEMORY));
  bool has_succeeded = found->prepare(self + SELF_BEGIN, &parts, instance.seed, &call.host);
  SEXP result = PROTECT(answer(&call, has_succeeded));
  if (has_succeeded) SET_VECTOR_ELT(result, 0, R_MakeWeakRef(key, entries, R_NilValue, FALSE));
  UNPROTECT(4);
  return result;
}

/* Find an instance; return the protected entries, or NULL if the reference has another key. */
static SEXP find_instance(SEXP reference, SEXP key, Instance *instance) {
  if (TYPEOF(reference) != WEAKREFSXP || R_WeakRefKey(reference) != key) return NULL;
  SEXP entries = PROTECT(R_WeakRefValue(reference));
  unsigned char *bytes = RAW(VECTOR_ELT(entries, SELF));
  memcpy(instance, bytes, sizeof *instance);
  instance->self = bytes + SELF_BEGIN;
  return entries;
}

SEXP C_draw(SEXP reference, SEXP key, SEXP epoch) {
  if (TYPEOF(reference) == EXTPTRSXP) return draw_in_cpp(reference, epoch);
  Instance instance;
  SEXP entries = find_instance(reference, key, &instance);
  if (entries == NULL) return R_NilValue;
  Call call;
  begin_call(&call, VECTOR_ELT(entries, RECIPE), VECTOR_ELT(entries, MEMORY));
  uint32_t number = (uint32_t)Rf_asReal(epoch);
  bool has_succeeded = draw_epoch(instance.kind, instance.self, instance.seed, number, &call.host);
  SEXP result = answer(&call, has_succeeded);
  UNPROTECT(3);
  return result;
}

SEXP C_count_batches(SEXP reference, SEXP key, SEXP epoch) {
  if (TYPEOF(reference) == EXTPTRSXP) return count_in_cpp(reference, epoch);
  Instance instance;
  if (find_instance(reference, key, &instance) == NULL) return R_NilValue;
  int64_t count = instance.kind->count_batches(instance.self, (uint32_t)Rf_asReal(epoch));
  UNPROTECT(1);
  return Rf_ScalarReal((double)count);
}

SEXP C_identify(SEXP reference, SEXP key) {
  if (TYPEOF(reference) == EXTPTRSXP) return identify_in_cpp(reference);
  Instance instance;
  SEXP entries = find_instance(reference, key, &instance);
  if (entries == NULL) return R_NilValue;
  SEXP recipe = VECTOR_ELT(entries, RECIPE);
  Parts parts = parts_of(recipe, true);
  Call call;
  begin_call(&call, recipe, NULL);
  bool has_succeeded = identify_recipe(instance.kind, instance.self, &parts, instance.seed, &call.host);
  SEXP result = answer(&call, has_succeeded);
  UNPROTECT(3);
  return result;
}

/* Kinds with feedback -------------------------------------------------------------------------------------------- */

SEXP C_check_state(SEXP reference, SEXP key, SEXP given) {
  if (TYPEOF(reference) == EXTPTRSXP) return begin_in_cpp(reference, key, given);
  Instance instance;
  if (find_instance(reference, key, &instance) == NULL) return R_NilValue;
  Parts parts = parts_of(given, true);
  Call call;
  begin_call(&call, given, NULL);
  bool has_succeeded = instance.kind->feedback->check(instance.self, &parts, &call.host);
  SEXP result = answer(&call, has_succeeded);
  UNPROTECT(3);
  return result;
}

SEXP C_begin_state(SEXP reference, SEXP key, SEXP given, SEXP is_recipe) {
  if (TYPEOF(reference) == EXTPTRSXP) return begin_in_cpp(reference, key, given);
  Instance instance;
  if (find_instance(reference, key, &instance) == NULL) return R_NilValue;
  Parts parts = parts_of(given, Rf_asLogical(is_recipe));
  Call call;
  begin_call(&call, given, NULL);
  bool has_succeeded = instance.kind->feedback->begin(instance.self, &parts, &call.host);
  SEXP result = PROTECT(answer(&call, has_succeeded));
  if (has_succeeded) {
    /* Not in the answer: nothing else may refer to vectors that are changed in place. */
    Rf_defineVar(Rf_install(".state"), VECTOR_ELT(result, 0), key);
    SET_VECTOR_ELT(result, 0, R_NilValue);
  }
  UNPROTECT(4);
  return result;
}

/* Read a stream, which may come from a file. */
static bool read_stream(SEXP stream, Generator *generator, Host *host) {
  bool is_right = TYPEOF(stream) == INTSXP && Rf_xlength(stream) == STATE_SIZE + 1 &&
                  restore_generator(generator, (const uint32_t *)(const void *)INTEGER(stream));
  return is_right || refuse(host, "stream", "other values", "be the state of a generator");
}

SEXP drawn_in_r(SEXP rows, SEXP stream, const Generator *generator) {
  if (!MAYBE_SHARED(stream)) {
    save_generator(generator, (uint32_t *)(void *)INTEGER(stream));
    return rows;
  }
  const char *names[] = {"rows", "stream", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(result, 0, rows);
  SEXP words = Rf_allocVector(INTSXP, STATE_SIZE + 1);
  SET_VECTOR_ELT(result, 1, words);
  save_generator(generator, (uint32_t *)(void *)INTEGER(words));
  UNPROTECT(1);
  return result;
}

SEXP C_draw_more(SEXP reference, SEXP key, SEXP state, SEXP stream, SEXP wanted) {
  if (TYPEOF(reference) == EXTPTRSXP) return draw_more_in_cpp(reference, state, stream, wanted);
  Instance instance;
  Generator generator;
  if (find_instance(reference, key, &instance) == NULL) return R_NilValue;
  Parts vectors = parts_of(state, true), parts = parts_of(wanted, false);
  Call call;
  begin_call(&call, wanted, NULL);
  bool has_succeeded = read_stream(stream, &generator, &call.host) &&
                       instance.kind->feedback->draw_more(instance.self, &vectors, &parts, &generator, &call.host);
  SEXP result = has_succeeded ? drawn_in_r(call.results[0], stream, &generator) : answer(&call, false);
  UNPROTECT(3);
  return result;
}

SEXP C_tell(SEXP reference, SEXP key, SEXP state, SEXP method, SEXP told) {
  if (TYPEOF(reference) == EXTPTRSXP) return tell_in_cpp(reference, key, state, method, told);
  Instance instance;
  if (find_instance(reference, key, &instance) == NULL) return R_NilValue;
  bool is_copied = MAYBE_SHARED(state); /* with a copy of the sampler */
  SEXP own = PROTECT(is_copied ? Rf_duplicate(state) : state);
  Parts vectors = parts_of(own, true), parts = parts_of(told, false);
  Call call;
  begin_call(&call, told, NULL);
  const Feedback *feedback = instance.kind->feedback;
  bool has_succeeded = feedback->tell(instance.self, &vectors, CHAR(STRING_ELT(method, 0)), &parts, &call.host);
  SEXP result = PROTECT(answer(&call, has_succeeded));
  if (is_copied && has_succeeded) Rf_defineVar(Rf_install(".state"), own, key);
  UNPROTECT(5);
  return result;
}

SEXP C_ask(SEXP reference, SEXP key, SEXP state, SEXP name, SEXP asked) {
  if (TYPEOF(reference) == EXTPTRSXP) return ask_in_cpp(reference, state, name, asked);
  Instance instance;
  if (find_instance(reference, key, &instance) == NULL) return R_NilValue;
  Parts vectors = parts_of(state, true), parts = parts_of(asked, false);
  Call call;
  begin_call(&call, asked, NULL);
  const Feedback *feedback = instance.kind->feedback;
  bool has_succeeded = feedback->ask(instance.self, &vectors, CHAR(STRING_ELT(name, 0)), &parts, &call.host);
  SEXP result = answer(&call, has_succeeded);
  UNPROTECT(3);
  return result;
}
