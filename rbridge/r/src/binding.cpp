/* The kinds of samplers of the core in C++ for R: requests, and instances that draw epochs.
 *
 * R leaves a function by a jump if memory lacks or the user interrupts. No jump goes through C++: what may jump is
 * called by guarded(), which throws, and R goes on to where it was going when all objects of C++ are gone.
 */

#include <csetjmp>

#include "core/kinds.hpp"
#include "core/generator.hpp"

#define R_NO_REMAP
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>
#include <Rinternals.h>

using namespace pystrat;

namespace {

/* Where R was going, of the innermost call: a finalizer may call others. */
SEXP token = nullptr;

/* Call a function that may jump, and has no objects to destroy. */
template <class Function>
auto guarded(Function function) {
  struct Data {
    Function function;
    decltype(function()) result;
  } data = {function, {}};
  std::jmp_buf place;
  if (setjmp(place)) throw Left();
  R_UnwindProtect(
      [](void *of_call) {
        Data &inside = *static_cast<Data *>(of_call);
        inside.result = inside.function();
        return R_NilValue;
      },
      &data,
      [](void *of_call, Rboolean jumps) {
        if (jumps) std::longjmp(*static_cast<std::jmp_buf *>(of_call), 1);
      },
      &place, token
  );
  return data.result;
}

/* Call what may throw; R jumps when no object is left to destroy. */
template <class Work>
SEXP unwound(Work work) {
  SEXP result = nullptr, before = token, own = PROTECT(R_MakeUnwindCont());
  bool is_left = false, is_fault = false;
  token = own;
  try {
    result = work();
  } catch (const Left &) {
    is_left = true;
  } catch (const std::bad_alloc &) {
  } catch (const std::exception &) {
    is_fault = true;
  }
  token = before;
  if (is_left) R_ContinueUnwind(own);
  if (is_fault) Rf_error("the core failed");
  if (result == nullptr) Rf_error("cannot allocate memory");
  UNPROTECT(1);
  return result;
}

/* The values of requests and recipes ------------------------------------------------------------------------------ */

template <class T>
View<T> view_of(SEXP value, const T *(*values)(SEXP)) {
  return {guarded([=] { return values(value); }), int64_t(Rf_xlength(value))};
}

bool has_attribute(SEXP value, SEXP name) {
  return !Rf_isNull(guarded([=] { return Rf_getAttrib(value, name); }));
}

/* A text in UTF-8, if it is one. */
Value text_of(SEXP value) {
  const char *text = guarded([=]() -> const char * {
    SEXP first = STRING_ELT(value, 0);
    return first == NA_STRING || Rf_getCharCE(first) == CE_BYTES ? nullptr : Rf_translateCharUTF8(first);
  });
  return text == nullptr ? Value(Other()) : Value(std::string(text));
}

/* Numbers with names, also of a list. */
Named named_of(SEXP values) {
  Named named;
  for (R_xlen_t i = 0; i < Rf_xlength(values); i++) {
    SEXP value = TYPEOF(values) == VECSXP ? VECTOR_ELT(values, i) : values;
    R_xlen_t place = TYPEOF(values) == VECSXP ? 0 : i;
    bool is_one = value == values || Rf_xlength(value) == 1, is_plain = is_one && !Rf_isObject(value);
    double number = NAN;
    bool is_number = is_plain && (TYPEOF(value) == INTSXP || TYPEOF(value) == REALSXP);
    if (is_number) {
      number = guarded([=] {
        if (TYPEOF(value) == REALSXP) return REAL_ELT(value, place);
        return INTEGER_ELT(value, place) == NA_INTEGER ? NA_REAL : double(INTEGER_ELT(value, place));
      });
      is_number = TYPEOF(value) == REALSXP || !std::isnan(number);
    }
    named.numbers.push_back(number);
    named.are_numbers.push_back(is_number);
  }
  return named;
}

/* Recipes and data have vectors alone: flags as integers. */
Value value_of(SEXP value, bool is_vector) {
  bool is_one = Rf_xlength(value) == 1;
  bool is_empty_list = TYPEOF(value) == VECSXP && Rf_xlength(value) == 0;
  if (Rf_isNull(value)) return Value();
  if (!is_vector && (is_empty_list || has_attribute(value, R_NamesSymbol))) return named_of(value);
  if (Rf_isObject(value) || (!is_one && has_attribute(value, R_DimSymbol))) return Other();
  switch (TYPEOF(value)) {
    case LGLSXP: {
      int flag = is_one ? guarded([=] { return LOGICAL_ELT(value, 0); }) : NA_LOGICAL;
      return flag == NA_LOGICAL ? Value(Other()) : Value(flag != 0);
    }
    case INTSXP: {
      View<int32_t> integers = view_of<int32_t>(value, INTEGER_RO);
      if (!is_one || is_vector) return integers;
      return integers[0] == NA_INTEGER ? Value(Other()) : Value(double(integers[0]));
    }
    case REALSXP: {
      View<double> doubles = view_of<double>(value, REAL_RO);
      return is_one && !is_vector ? Value(doubles[0]) : Value(doubles);
    }
    case RAWSXP: return view_of<uint8_t>(value, RAW_RO);
    case STRSXP: return is_one ? text_of(value) : Value(Other());
    default: return Other();
  }
}

/* Read a named list. */
Values values_of(SEXP list, bool is_recipe, const Kind &kind) {
  Values values;
  values.is_recipe = is_recipe;
  SEXP names = guarded([=] { return Rf_getAttrib(list, R_NamesSymbol); });
  for (R_xlen_t i = 0; i < Rf_xlength(list); i++) {
    std::string name = CHAR(STRING_ELT(names, i));
    bool is_vector = is_recipe || std::find(kind.data.begin(), kind.data.end(), name) != kind.data.end();
    values.items.emplace_back(name, value_of(VECTOR_ELT(list, i), is_vector));
  }
  return values;
}

/* Results --------------------------------------------------------------------------------------------------------- */

/* The results of a call, of which an element of `list`, behind its first cell, protects each. */
struct Results {
  struct Result {
    std::string name;
    Type type;
    SEXP vector;
  };

  SEXP list;
  std::vector<Result> results;
};

void *new_vector(void *context, const char *name, Type type, int64_t count) {
  Results &results = *static_cast<Results *>(context);
  SEXP list = results.list;
  SEXP vector = guarded([=] {
    SEXPTYPE in_r = type == INTEGERS ? INTSXP : type == DOUBLES || type == LARGE ? REALSXP : RAWSXP;
    SEXP made = PROTECT(Rf_allocVector(in_r, type == LONGS ? count * int64_t(sizeof(int64_t)) : count));
    SETCDR(list, Rf_cons(made, CDR(list)));
    UNPROTECT(1);
    return made;
  });
  results.results.push_back({name, type, vector});
  void *values = type == INTEGERS ? static_cast<void *>(INTEGER(vector))
                 : type == DOUBLES || type == LARGE ? static_cast<void *>(REAL(vector))
                                                      : static_cast<void *>(RAW(vector));
  ask_for_huge_pages(values, count * (type == INTEGERS ? 4 : type == BYTES || type == TEXT ? 1 : 8));
  return values;
}

bool goes_on(void *) {
  return guarded([] {
    R_CheckUserInterrupt();
    return true;
  });
}

SEXP text_in_r(const char *text, size_t size) {
  return Rf_ScalarString(Rf_mkCharLenCE(text, static_cast<int>(size), CE_UTF8));
}

SEXP text_in_r(const std::string &text) { return text.empty() ? R_NilValue : text_in_r(text.data(), text.size()); }

SEXP in_r(const Results::Result &result) {
  SEXP vector = result.vector;
  if (result.type == TEXT) return text_in_r(reinterpret_cast<const char *>(RAW(vector)), size_t(XLENGTH(vector)));
  if (result.type == LARGE) {
    const int64_t *numbers = reinterpret_cast<const int64_t *>(REAL(vector)); /* each in the place of its double */
    for (R_xlen_t i = 0; i < XLENGTH(vector); i++) REAL(vector)[i] = static_cast<double>(numbers[i]);
  }
  if (result.type != LONGS) return vector;
  R_xlen_t count = XLENGTH(vector) / R_xlen_t(sizeof(int64_t));
  const int64_t *numbers = reinterpret_cast<const int64_t *>(RAW(vector));
  SEXP integers = Rf_allocVector(INTSXP, count);
  std::transform(numbers, numbers + count, INTEGER(integers), [](int64_t number) { return int(number); });
  return integers;
}

SEXP results_in_r(const Results &results) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, R_xlen_t(results.results.size())));
  SEXP names = PROTECT(Rf_allocVector(STRSXP, XLENGTH(list)));
  for (R_xlen_t i = 0; i < XLENGTH(list); i++) {
    SET_VECTOR_ELT(list, i, in_r(results.results[size_t(i)]));
    SET_STRING_ELT(names, i, Rf_mkChar(results.results[size_t(i)].name.c_str()));
  }
  Rf_setAttrib(list, R_NamesSymbol, names);
  UNPROTECT(2);
  return list;
}

/* A refusal as a list, which R raises. */
SEXP refusal_in_r(const Refusal &refusal) {
  const char *names[] = {"parameter", "requirement", "got", "shown", "advice", "place", "stratum", ""};
  SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(list, 0, text_in_r(refusal.parameter));
  SET_VECTOR_ELT(list, 1, text_in_r(refusal.requirement));
  SET_VECTOR_ELT(list, 2, text_in_r(refusal.got));
  if (refusal.got.empty()) SET_VECTOR_ELT(list, 3, text_in_r(refusal.parameter));
  SET_VECTOR_ELT(list, 4, text_in_r(refusal.advice));
  if (refusal.place > 0) SET_VECTOR_ELT(list, 5, Rf_ScalarReal(double(refusal.place)));
  SET_VECTOR_ELT(list, 6, Rf_ScalarReal(double(refusal.stratum) + 1));
  UNPROTECT(1);
  return list;
}

/* Let the core work; return list(results =, refusal =, warning =, stratum =), of which either the first or the second
 * is not NULL. What work() assigns to `instead` takes the place of the results.
 */
template <class Work>
SEXP answer(Work work) {
  SEXP kept = PROTECT(Rf_cons(R_NilValue, R_NilValue));
  SEXP result = unwound([&] {
    Results results{kept, {}};
    Host host;
    host.context = &results;
    host.first_row = 1;
    host.most_rows = LARGEST_COUNT;
    host.new_vector = new_vector;
    host.goes_on = goes_on;
    SEXP instead = R_NilValue;
    bool has_succeeded = work(host, instead);
    if (!has_succeeded && !host.refusal) throw Left();
    return guarded([&] {
      const char *names[] = {"results", "refusal", "warning", "stratum", ""};
      SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
      if (!has_succeeded) SET_VECTOR_ELT(list, 1, refusal_in_r(*host.refusal));
      if (has_succeeded) SET_VECTOR_ELT(list, 0, Rf_isNull(instead) ? results_in_r(results) : instead);
      SET_VECTOR_ELT(list, 2, text_in_r(host.warning));
      SET_VECTOR_ELT(list, 3, Rf_ScalarReal(double(has_succeeded ? host.stratum : host.refusal->stratum) + 1));
      UNPROTECT(1);
      return list;
    });
  });
  UNPROTECT(1);
  return result;
}

/* What an external pointer leads to, which protects the recipe. */
struct Instance {
  const Kind *kind;
  uint32_t seed;
  Values recipe;
  std::unique_ptr<Sampler> sampler;
};

void end_instance(SEXP pointer) {
  delete static_cast<Instance *>(R_ExternalPtrAddr(pointer));
  R_ClearExternalPtr(pointer);
}

/* NULL if there is none, or if the pointer was saved. */
Instance *find_instance(SEXP pointer) {
  return TYPEOF(pointer) == EXTPTRSXP ? static_cast<Instance *>(R_ExternalPtrAddr(pointer)) : nullptr;
}

/* Let an instance work; return NULL if there is none. */
template <class Work>
SEXP of_instance(SEXP pointer, Work work) {
  Instance *instance = find_instance(pointer);
  return instance == nullptr ? R_NilValue : answer([&](Host &host, SEXP &) { return work(*instance, host); });
}

SEXP results_of(SEXP answer) { return Rf_isNull(answer) ? R_NilValue : VECTOR_ELT(answer, 0); }

const Kind &kind_of(SEXP name) {
  const Kind *found = find_kind(CHAR(STRING_ELT(name, 0)));
  if (found == nullptr) Rf_error("the core has no such kind of samplers");
  return *found;
}

/* Read a stream, the words of a generator; return whether it is one. */
bool read_stream(SEXP stream, Generator &generator) {
  return TYPEOF(stream) == REALSXP && generator.restore(REAL(stream), Rf_xlength(stream));
}

/* Routines, each documented at the R function that calls it -------------------------------------------------------- */

SEXP C_plan(SEXP kind, SEXP request) {
  const Kind &found = kind_of(kind);
  return answer([&](Host &host, SEXP &) {
    Values given = values_of(request, false, found);
    std::unique_ptr<Sampler> sampler;
    bool is_complete = found.make != nullptr && (found.data.empty() || given.has(found.data[0]));
    if (!check_request(found, given, host)) return false;
    for (const char *name : {"seed", "rank"}) given.remove(name);
    return !is_complete || begin_sampler(found, given, 0, sampler, host);
  });
}

SEXP C_call(SEXP function, SEXP request) {
  const Kind &found = kind_of(function);
  return answer([&](Host &host, SEXP &) { return answer_request(found, values_of(request, false, found), host); });
}

SEXP C_prepare(SEXP kind, SEXP recipe, SEXP seed, SEXP most_bytes) {
  const Kind *found = &kind_of(kind);
  for (R_xlen_t i = 0; i < Rf_xlength(recipe); i++) MARK_NOT_MUTABLE(VECTOR_ELT(recipe, i));
  SEXP pointer = PROTECT(R_MakeExternalPtr(nullptr, R_NilValue, recipe));
  R_RegisterCFinalizer(pointer, end_instance);
  uint32_t number = static_cast<uint32_t>(Rf_asReal(seed));
  double most = Rf_asReal(most_bytes);
  SEXP result = answer([&](Host &host, SEXP &instead) {
    host.most_bytes = most;
    std::unique_ptr<Instance> instance(new Instance{found, number, values_of(recipe, true, *found), nullptr});
    bool has_begun = begin_sampler(*found, instance->recipe, number, instance->sampler, host);
    if (has_begun) R_SetExternalPtrAddr(pointer, instance.release());
    host.warning.clear(); /* which planning has told */
    instead = pointer;
    return has_begun;
  });
  UNPROTECT(1);
  return result;
}

SEXP C_count_batches(SEXP pointer, SEXP epoch) {
  Instance *instance = find_instance(pointer);
  if (instance == nullptr) return R_NilValue;
  return Rf_ScalarReal(double(instance->sampler->batches_of(static_cast<uint32_t>(Rf_asReal(epoch)))));
}

SEXP C_describe(SEXP pointer) {
  return of_instance(pointer, [](Instance &own, Host &host) { return describe_sampler(*own.sampler, host); });
}

SEXP C_draw(SEXP pointer, SEXP epoch) {
  uint32_t number = static_cast<uint32_t>(Rf_asReal(epoch));
  return of_instance(pointer, [&](Instance &own, Host &host) {
    return draw_epoch(*own.sampler, own.seed, number, host);
  });
}

SEXP C_identify(SEXP pointer) {
  return of_instance(pointer, [](Instance &own, Host &host) {
    return identify_sampler(*own.kind, *own.sampler, own.recipe, own.seed, host);
  });
}

SEXP C_begin_state(SEXP pointer, SEXP key, SEXP given) {
  SEXP result = PROTECT(of_instance(pointer, [&](Instance &own, Host &host) {
    return begin_state(*own.sampler, values_of(given, true, *own.kind), host);
  }));
  if (!Rf_isNull(results_of(result))) {
    /* Not in the answer: nothing else may refer to vectors that are changed in place. */
    Rf_defineVar(Rf_install(".state"), results_of(result), key);
    SET_VECTOR_ELT(result, 0, R_NilValue);
  }
  UNPROTECT(1);
  return result;
}

SEXP C_draw_more(SEXP pointer, SEXP state, SEXP stream, SEXP wanted) {
  return of_instance(pointer, [&](Instance &own, Host &host) {
    Generator generator;
    if (!read_stream(stream, generator)) {
      host.refusal = Refusal{"stream", "be the state of a generator", "other values", ""};
      return false;
    }
    Values vectors = values_of(state, true, *own.kind), asked = values_of(wanted, false, *own.kind);
    if (!draw_more(*own.sampler, vectors, asked, generator, host)) return false;
    generator.save(host.make<double>("stream", Generator::N_NUMBERS));
    return true;
  });
}

SEXP C_tell(SEXP pointer, SEXP key, SEXP state, SEXP method, SEXP told) {
  bool is_copied = MAYBE_SHARED(state); /* with a copy of the sampler */
  SEXP vectors = PROTECT(is_copied ? Rf_duplicate(state) : state);
  SEXP result = PROTECT(of_instance(pointer, [&](Instance &own, Host &host) {
    std::string name = CHAR(STRING_ELT(method, 0));
    return tell(*own.sampler, values_of(vectors, true, *own.kind), name, values_of(told, false, *own.kind), host);
  }));
  if (is_copied && !Rf_isNull(results_of(result))) Rf_defineVar(Rf_install(".state"), vectors, key);
  UNPROTECT(2);
  return result;
}

SEXP C_ask(SEXP pointer, SEXP state, SEXP name, SEXP asked) {
  return of_instance(pointer, [&](Instance &own, Host &host) {
    Values vectors = values_of(state, true, *own.kind), arguments = values_of(asked, false, *own.kind);
    return ask(*own.sampler, vectors, CHAR(STRING_ELT(name, 0)), arguments, host);
  });
}

template <class... Arguments>
R_CallMethodDef routine(const char *name, SEXP (*function)(Arguments...)) {
  return {name, reinterpret_cast<DL_FUNC>(reinterpret_cast<void (*)()>(function)), int(sizeof...(Arguments))};
}

}  // namespace

/* Register the routines, so that R finds only them, by name and number of arguments. */
extern "C" void attribute_visible R_init_rbridge(DllInfo *library) {
  const R_CallMethodDef routines[] = {
      routine("C_plan", C_plan),
      routine("C_call", C_call),
      routine("C_prepare", C_prepare),
      routine("C_draw", C_draw),
      routine("C_count_batches", C_count_batches),
      routine("C_identify", C_identify),
      routine("C_describe", C_describe),
      routine("C_begin_state", C_begin_state),
      routine("C_draw_more", C_draw_more),
      routine("C_tell", C_tell),
      routine("C_ask", C_ask),
      {nullptr, nullptr, 0},
  };
  R_registerRoutines(library, nullptr, routines, nullptr, nullptr);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
