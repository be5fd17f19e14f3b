/* The recipes of Python, which recipes.py writes to standard input: as they are,
 * with hosts and memory that fail at each of their calls in turn, then mutated. No crash and no leak, every refusal
 * says why, every epoch has rows of the dataset, or numbers of pairs, in order of batches, and a call that failed
 * leaves the instance as it was. Nothing names a kind.
 *
 * Usage: replay TRIALS, the number of mutated recipes of each one. The sanitizers with which it is compiled end it at
 * errors of memory and of arithmetic.
 */

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <new>

#include "../tree/normal.hpp"
#include "kinds.hpp"

using namespace pystrat;

namespace {

constexpr size_t MOST_BYTES = 1 << 26; /* at once: memory lacks for more */
int64_t blocks_left = -1;              /* until memory lacks; -1 for as many as wanted */

}  // namespace

void *operator new(size_t size, const std::nothrow_t &) noexcept {
  bool lacks = size > MOST_BYTES || blocks_left == 0;
  blocks_left -= blocks_left > 0;
  return lacks ? nullptr : std::malloc(size + (size == 0));
}

void *operator new(size_t size) {
  void *memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void *memory) noexcept { std::free(memory); }

void operator delete(void *memory, size_t) noexcept { std::free(memory); }

namespace {

constexpr int64_t MOST_VALUES = 1 << 20; /* of a result */
constexpr int N_EPOCHS = 3;

/* The types of recipes.py. */
enum PartType { IS_BYTES, IS_INTEGERS, IS_DOUBLES, IS_TEXT };

void fail_unless(bool holds, const char *what) {
  if (holds) return;
  std::cerr << "not so: " << what << std::endl;
  std::exit(1);
}

int64_t next_number() {
  int64_t number = 0;
  fail_unless(static_cast<bool>(std::cin >> number), "there is another number");
  return number;
}

std::string next_text() {
  std::string text(static_cast<size_t>(next_number()), ' ');
  for (char &letter : text) letter = static_cast<char>(next_number());
  return text;
}

/* A value that can be changed: numbers of one type, or a text. */
struct Part {
  std::string name, text;
  int64_t type = IS_DOUBLES;
  std::vector<uint8_t> bytes;
  std::vector<int32_t> integers;
  std::vector<double> doubles;
};

struct Call {
  std::string kind;
  std::vector<Part> parts;
};

Part next_part() {
  Part part;
  part.name = next_text();
  part.type = next_number();
  if (part.type == IS_TEXT) {
    part.text = next_text();
    return part;
  }
  for (int64_t left = next_number(); left > 0; left--) {
    int64_t number = next_number();
    if (part.type == IS_BYTES) part.bytes.push_back(static_cast<uint8_t>(number));
    if (part.type == IS_INTEGERS) part.integers.push_back(static_cast<int32_t>(number));
    if (part.type == IS_DOUBLES) part.doubles.emplace_back();
    if (part.type == IS_DOUBLES) std::memcpy(&part.doubles.back(), &number, sizeof number);
  }
  return part;
}

std::vector<Call> read_calls() {
  std::vector<Call> calls(static_cast<size_t>(next_number()));
  for (Call &call : calls) {
    call.kind = next_text();
    call.parts.resize(static_cast<size_t>(next_number()));
    for (Part &part : call.parts) part = next_part();
  }
  return calls;
}

Values values_of(const std::vector<Part> &parts) {
  Values values;
  values.is_recipe = true;
  for (const Part &part : parts) {
    if (part.type == IS_TEXT) {
      values.add(part.name, part.text);
    } else if (part.type == IS_BYTES) {
      values.add_view(part.name, part.bytes.data(), static_cast<int64_t>(part.bytes.size()));
    } else if (part.type == IS_DOUBLES) {
      values.add_view(part.name, part.doubles.data(), static_cast<int64_t>(part.doubles.size()));
    } else {
      values.add_view(part.name, part.integers.data(), static_cast<int64_t>(part.integers.size()));
    }
  }
  return values;
}

/* Numbers of a fixed sequence. */
uint64_t state = 1;

size_t some_number(size_t limit) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return static_cast<size_t>(state >> 33) % limit;
}

template <class T>
void mutate_numbers(std::vector<T> &numbers, T wrong) {
  if (some_number(3) == 0) numbers.resize(some_number(2 * numbers.size() + 2));
  if (!numbers.empty()) numbers[some_number(numbers.size())] = wrong;
}

void mutate(std::vector<Part> &parts) {
  static const double wrong[] = {-1, 0, 0.5, 1, 2, 3, 7, 64, 255, 256, 2147483647, 2147483648.0, 1e300, NAN, INFINITY};
  if (parts.empty()) return;
  size_t place = some_number(parts.size());
  Part &part = parts[place];
  double number = wrong[some_number(sizeof wrong / sizeof *wrong)];
  switch (some_number(8)) {
    case 0: parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place)); break;
    case 1: part.name = "another"; break;
    case 2: part.type = static_cast<int64_t>(some_number(IS_TEXT + 1)); break;
    default:
      mutate_numbers(part.bytes, static_cast<uint8_t>(some_number(256)));
      mutate_numbers(part.integers, static_cast<int32_t>(some_number(40)) - 1);
      mutate_numbers(part.doubles, number);
  }
}

/* A host whose calls fail from one of them on, -1 for none. */
struct PlainHost : Host {
  std::map<std::string, std::vector<uint8_t>> results;
  Type type_of_rows = INTEGERS;
  int64_t n_calls = 0, fails_at = -1;
  bool has_failed = false;

  explicit PlainHost(int64_t fails_at) : fails_at(fails_at) {
    context = this;
    new_vector = [](void *of_call, const char *name, Type type, int64_t count) -> void * {
      PlainHost &host = *static_cast<PlainHost *>(of_call);
      if (count > MOST_VALUES || host.fails()) {
        host.has_failed = true;
        return nullptr;
      }
      size_t width = type == INTEGERS ? 4 : type == BYTES || type == TEXT ? 1 : 8;
      if (name == std::string("rows")) host.type_of_rows = type;
      std::vector<uint8_t> values(static_cast<size_t>(count) * width + 1, 0xA5);
      return (host.results[name] = std::move(values)).data();
    };
    goes_on = [](void *of_call) { return !static_cast<PlainHost *>(of_call)->fails(); };
  }
  PlainHost(const PlainHost &) = delete;

  bool fails() { return has_failed = has_failed || n_calls++ == fails_at; }
  int64_t length(const char *name, int64_t width) { return static_cast<int64_t>(results[name].size()) / width; }

  /* Check that a call that did not succeed says why. */
  bool checked(bool has_succeeded) const {
    fail_unless(has_succeeded || has_failed != refusal.has_value(), "a failure has one reason");
    if (refusal) fail_unless(!refusal->parameter.empty() && !refusal->requirement.empty(), "a refusal says why");
    return has_succeeded;
  }
};

/* Check that an epoch is rows of the dataset, or numbers of pairs, which are from 0 on, in order of batches. */
void check_epoch(PlainHost &host, int64_t n_rows, int64_t n_batches) {
  const uint8_t *rows = host.results["rows"].data();
  const int64_t *offsets = reinterpret_cast<const int64_t *>(host.results["offsets"].data());
  bool are_large = host.type_of_rows == LARGE;
  int64_t n_drawn = host.length("rows", are_large ? 8 : 4), first = are_large ? 0 : host.first_row;
  int64_t end = are_large ? static_cast<int64_t>(LARGEST_EXACT) : n_rows + first;
  for (int64_t i = 0; i < n_drawn; i++) {
    int64_t row = are_large ? reinterpret_cast<const int64_t *>(rows)[i] : reinterpret_cast<const int32_t *>(rows)[i];
    fail_unless(row >= first && row < end, "a row is of the dataset");
  }
  int64_t n_found = host.length("offsets", 8) - 1;
  fail_unless(n_batches == 0 || n_found == n_batches, "there are as many batches as promised, if a number is");
  fail_unless(offsets[0] == 0 && offsets[n_found] == n_drawn, "the offsets are those of all rows");
  for (int64_t i = 0; i < n_found; i++) fail_unless(offsets[i] < offsets[i + 1], "no batch is empty");
}

/* Draw an epoch with hosts that fail at each of the first calls, and without memory for each of the first blocks, then
 * with a host and memory that do not fail.
 */
bool draw(Sampler &sampler, uint32_t epoch, int32_t first_row, int64_t n_failures, PlainHost &host) {
  for (int64_t at = 0; at < n_failures; at++) {
    PlainHost failing(at);
    failing.first_row = first_row;
    failing.checked(draw_epoch(sampler, 7, epoch, failing));
    PlainHost without(-1);
    blocks_left = at;
    try {
      draw_epoch(sampler, 7, epoch, without);
    } catch (const std::bad_alloc &) {
    }
    blocks_left = -1;
  }
  host.first_row = first_row;
  return host.checked(draw_epoch(sampler, 7, epoch, host));
}

/* Begin a sampler of a recipe, and draw epochs; return whether the recipe is accepted. */
bool try_recipe(const Call &call) {
  const Kind &kind = *find_kind(call.kind);
  Values recipe = values_of(call.parts);
  std::unique_ptr<Sampler> sampler, other;
  for (int64_t at = 0; at < 3; at++) {
    PlainHost failing(at);
    failing.checked(begin_sampler(kind, recipe, 7, sampler, failing));
  }
  PlainHost host(-1), described(-1), identified(-1);
  if (!host.checked(begin_sampler(kind, recipe, 7, sampler, host))) return false;
  if (sampler->bytes() > 1e7) return true;
  fail_unless(begin_sampler(kind, recipe, 7, other, host), "a recipe is accepted again");
  fail_unless(described.checked(describe_sampler(*sampler, described)), "a sampler describes itself");
  fail_unless(identified.checked(identify_sampler(kind, *sampler, recipe, 7, identified)), "it has a fingerprint");
  if (dynamic_cast<Feedback *>(sampler.get()) != nullptr) return true; /* which draws from a state */
  int64_t n_rows = LARGEST_COUNT; /* unless a part says it */
  uint32_t last = LARGEST_EPOCH;
  for (const Part &part : call.parts) {
    if (part.name == "codes") n_rows = static_cast<int64_t>(part.bytes.size() + part.integers.size());
    if (part.name == "n_rows" && part.doubles.size() == 1) n_rows = static_cast<int64_t>(part.doubles[0]);
    if (part.name == "persistent") last = 2; /* such an epoch draws all epochs before it */
  }
  for (int epoch = 0; epoch < N_EPOCHS; epoch++) {
    uint32_t number = epoch == 2 ? last : static_cast<uint32_t>(epoch);
    PlainHost interrupted(-1), whole(-1);
    int32_t first_row = static_cast<int32_t>(some_number(2));
    bool is_drawn = draw(*sampler, number, first_row, 8, interrupted);
    fail_unless(is_drawn == draw(*other, number, first_row, 0, whole), "an interrupt changes no later draw");
    if (!is_drawn) continue;
    check_epoch(whole, n_rows, sampler->batches_of(number));
    fail_unless(interrupted.results == whole.results, "an interrupt changes no later epoch");
  }
  return true;
}

/* Quantiles of the least uniform numbers, as published tables have them, which no sampler of a test reaches. */
void check_quantiles() {
  const std::map<double, double> known = {{1e-10, -6.36134090240405615}, {1e-20, -9.26234008979840758}};
  for (const auto &[probability, expected] : known) {
    double error = std::fabs(standard_quantile(probability) - expected);
    fail_unless(error <= 1e-14 * std::fabs(expected), "quantiles are those of tables");
  }
  fail_unless(standard_quantile(1 - 0x1p-53) == -standard_quantile(0x1p-53), "quantiles are symmetric");
}

}  // namespace

int main(int n_arguments, char **arguments) {
  fail_unless(n_arguments == 2, "there is one argument");
  check_quantiles();
  std::vector<Call> calls = read_calls();
  int n_refused = 0;
  for (const Call &call : calls) {
    fail_unless(try_recipe(call), "a recipe of Python is accepted");
    for (int trial = std::atoi(arguments[1]); trial > 0; trial--) {
      Call changed = call;
      for (size_t n_changes = some_number(3) + 1; n_changes > 0; n_changes--) mutate(changed.parts);
      try {
        n_refused += !try_recipe(changed);
      } catch (const std::bad_alloc &) {
      }
    }
  }
  fail_unless(n_refused > 0, "some recipes are refused");
  std::cout << calls.size() << std::endl;
}
