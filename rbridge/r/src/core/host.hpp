/* What the core gets from the language that calls it, its host: vectors for results, and whether to go on. */

#pragma once

#include <new>
#include <optional>
#include <type_traits>

#include "memory.hpp"
#include "values.hpp"

namespace pystrat {

/* The types of results. R makes integers of longs, and doubles of large numbers, which are below 2^53; text is bytes in
 * UTF-8.
 */
enum Type { BYTES, INTEGERS, DOUBLES, LONGS, LARGE, TEXT };

template <class T>
constexpr Type type_of = std::is_same_v<T, uint8_t>   ? BYTES
                         : std::is_same_v<T, int32_t> ? INTEGERS
                         : std::is_same_v<T, double>  ? DOUBLES
                         : std::is_same_v<T, char>    ? TEXT
                                                      : LONGS;

/* The host has failed, by an interrupt or a lack of memory, and knows how to go on. */
struct Left {};

struct Host {
  void *context = nullptr; /* the host's own */
  int32_t first_row = 0;   /* the number of the first row: 0 in Python, 1 in R */
  int64_t most_rows = INT64_MAX;
  double most_bytes = INFINITY; /* of memory, that a recipe may need */
  void *(*new_vector)(void *context, const char *name, Type type, int64_t count) = nullptr; /* may return NULL */
  bool (*goes_on)(void *context) = nullptr; /* false after an interrupt */

  std::optional<Refusal> refusal;
  std::string warning; /* empty if there is none */
  int64_t stratum = 0; /* that the warning names */

  /* Return room for the numbers of a result. */
  template <class T>
  T *make(const char *name, int64_t count) {
    void *values = new_vector(context, name, type_of<T>, count);
    if (values == nullptr) throw Left();
    return static_cast<T *>(values);
  }

  int64_t *make_large(const char *name, int64_t count) {
    void *values = new_vector(context, name, LARGE, count);
    if (values == nullptr) throw Left();
    return static_cast<int64_t *>(values);
  }

  template <class T>
  void give(const char *name, const T *values, int64_t count) {
    std::copy(values, values + count, make<T>(name, count));
  }

  void number(const char *name, double value) { give(name, &value, 1); }

  void words(const char *name, const std::string &text) { give(name, text.data(), static_cast<int64_t>(text.size())); }

  /* Give whole numbers as doubles. */
  template <class Counts>
  void counts(const char *name, const Counts &counts) {
    std::copy(counts.begin(), counts.end(), make<double>(name, static_cast<int64_t>(counts.size())));
  }

  /* Count rows as the host does. */
  void number_rows(int32_t *rows, int64_t count) const {
    for (int64_t i = 0; first_row != 0 && i < count; i++) rows[i] += first_row;
  }

  /* Refuse a recipe that needs more memory than it may. */
  void need(double bytes) const {
    if (bytes <= most_bytes) return;
    std::string requirement = text("hold a recipe that needs at most ", most_bytes, " bytes of memory, 'max_bytes'");
    refuse("file", text("one that needs ", bytes), requirement, "Raise 'max_bytes' if you expect so much data.");
  }

  /* Ask whether to go on after every 2^16 steps of a loop. */
  void go_on(int64_t n_steps = STEPS) {
    since += n_steps;
    if (since < STEPS) return;
    since = 0;
    if (!goes_on(context)) throw Left();
  }

  /* Call work(begin, end) for parts of 0 to `count`, and ask after each whether to go on. */
  template <class Work>
  void in_steps(int64_t count, Work work) {
    for (int64_t begin = 0; begin < count; begin += STEPS) {
      work(begin, std::min(begin + STEPS, count));
      go_on();
    }
  }

  static constexpr int64_t STEPS = 1 << 16;

 private:
  int64_t since = 0;
};

/* Make a value of a request a result. */
inline void give(const char *name, const Value &value, Host &host) {
  if (const double *number = std::get_if<double>(&value)) host.give(name, number, 1);
  if (const std::string *text = std::get_if<std::string>(&value)) host.give(name, text->data(), int64_t(text->size()));
  if (const Named *named = std::get_if<Named>(&value)) {
    host.give(name, named->numbers.data(), static_cast<int64_t>(named->numbers.size()));
  }
  if (const bool *flag = std::get_if<bool>(&value)) {
    int32_t number = *flag;
    host.give(name, &number, 1);
  }
}

/* Memory without initial values, in large pages if it is large. */
template <class T>
struct Pages {
  using value_type = T;
  Pages() = default;
  template <class U>
  Pages(const Pages<U> &) {}

  T *allocate(size_t count) {
    T *memory = static_cast<T *>(::operator new(count * sizeof(T)));
    ask_for_huge_pages(memory, static_cast<int64_t>(count * sizeof(T)));
    return memory;
  }
  void deallocate(T *memory, size_t) { ::operator delete(memory); }

  template <class U>
  void construct(U *) {}
  template <class U, class... Arguments>
  void construct(U *place, Arguments &&...arguments) {
    ::new (static_cast<void *>(place)) U(std::forward<Arguments>(arguments)...);
  }
  template <class U>
  bool operator==(const Pages<U> &) const { return true; }
  template <class U>
  bool operator!=(const Pages<U> &) const { return false; }
};

/* A vector that any type of integers counts. */
template <class T, class Memory = std::allocator<T>>
class List : public std::vector<T, Memory> {
  using Base = std::vector<T, Memory>;

 public:
  using Base::Base;
  template <class Count, class = std::enable_if_t<std::is_integral_v<Count>>>
  explicit List(Count count) : Base(static_cast<size_t>(count)) {}
  template <class Count, class = std::enable_if_t<std::is_integral_v<Count>>>
  List(Count count, const T &value) : Base(static_cast<size_t>(count), value) {}
  template <class Place>
  T &operator[](Place place) { return Base::data()[place]; }
  template <class Place>
  const T &operator[](Place place) const { return Base::data()[place]; }
  int64_t count() const { return static_cast<int64_t>(Base::size()); }
};

template <class T>
using Numbers = List<T, Pages<T>>;

using Rows = Numbers<int32_t>;

/* Give the offsets of batches of one size; return them. */
inline const int64_t *give_offsets(int64_t n_batches, int64_t size, Host &host) {
  int64_t *offsets = host.make<int64_t>("offsets", n_batches + 1);
  for (int64_t batch = 0; batch <= n_batches; batch++) offsets[batch] = batch * size;
  return offsets;
}

}  // namespace pystrat
