/* The values of a request or a recipe, and refusals.
 *
 * A reader checks one value, whoever wrote it, and returns it in the type of the core; it refuses a wrong one.
 */

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "numbers.hpp"

namespace pystrat {

/* Memory of the host. */
template <class T>
struct View {
  const T *values = nullptr;
  int64_t length = 0;
  const T *begin() const { return values; }
  const T *end() const { return values + length; }
  const T &operator[](int64_t i) const { return values[i]; }
};

/* Values with names, which the host knows: all that are no numbers have `are_numbers` false. */
struct Named {
  std::vector<double> numbers;
  std::vector<bool> are_numbers;
};

/* What only the host can show. */
struct Other {};

using Value = std::variant<
    std::monostate, bool, double, std::string, Named, View<uint8_t>, View<int32_t>, View<double>, Other>;

/* A number with at most 15 digits. */
inline std::string shown(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Inf" : "-Inf";
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.15g", number);
  return digits;
}

inline std::string shown(int64_t number) { return std::to_string(number); }

inline std::string shown(int32_t number) { return std::to_string(number); }

inline std::string shown(const std::string &shown) { return shown; }

/* Texts and numbers one after another. */
template <class... T>
std::string text(const T &...parts) {
  return (std::string() + ... + shown(parts));
}

/* "1 row", "2 rows", "2 batches" */
inline std::string count_of(int64_t count, const std::string &noun) {
  return text(count, " ", noun, count == 1 ? "" : noun.back() == 'h' ? "es" : "s");
}

/* Why a value is refused: "The 'parameter' parameter must requirement. Got got instead. advice".
 *
 * The host shows the value of the parameter if `got` is empty, or the one at `place`, from 1, of several. It puts the
 * name of the stratum in place of {stratum}.
 */
struct Refusal {
  std::string parameter, requirement, got, advice;
  int64_t stratum = 0, place = 0;
  bool is_type = false; /* the value has the wrong type */
};

[[noreturn]] inline void refuse(
    const std::string &parameter, const std::string &got, const std::string &requirement,
    const std::string &advice = "", int64_t stratum = 0
) {
  throw Refusal{parameter, requirement, got, advice, stratum};
}

/* 'a', 'b' */
inline std::string listed(const std::vector<std::string> &choices) {
  std::string list;
  for (const std::string &choice : choices) list += (list.empty() ? "'" : ", '") + choice + "'";
  return list;
}

/* The whole number that a product of doubles, such as 0.07 * 100, was meant to be; else the number. */
inline double nearly_whole(double number) {
  double nearest = std::round(number);
  return std::fabs(number - nearest) <= std::fmin(1e-9 * std::fabs(number), 1e-6) ? nearest : number;
}

inline std::string whole_numbers(double least, double most) {
  if (std::isfinite(most)) return text("an integer from ", least, " to ", most);
  return least == 1 ? "a positive integer" : "a non-negative integer";
}

class Values {
 public:
  std::vector<std::pair<std::string, Value>> items;
  bool is_recipe = false;

  template <class T>
  void add(const std::string &name, const T &value) {
    items.emplace_back(name, Value(value));
  }

  template <class T>
  void add_view(const std::string &name, const T *values, int64_t length) {
    add(name, View<T>{values, length});
  }

  void remove(const std::string &name) {
    items.erase(
        std::remove_if(items.begin(), items.end(), [&](const auto &item) { return item.first == name; }), items.end()
    );
  }

  const Value &operator[](const std::string &name) const {
    static const Value nothing;
    for (const auto &item : items) {
      if (item.first == name) return item.second;
    }
    return nothing;
  }

  /* Whether something has this name, be it nothing. */
  bool names(const std::string &name) const {
    return std::any_of(items.begin(), items.end(), [&](const auto &item) { return item.first == name; });
  }

  bool has(const std::string &name) const { return !std::holds_alternative<std::monostate>((*this)[name]); }

  /* A number, which is a vector in a recipe and of data; NULL if it is none. */
  const double *number_of(const std::string &name) const {
    const auto *view = std::get_if<View<double>>(&(*this)[name]);
    if (view != nullptr && view->length == 1) return view->values;
    return std::get_if<double>(&(*this)[name]);
  }

  double whole(const std::string &name, double least, double most = INFINITY) const {
    const double *given = number_of(name);
    return checked_whole(name, given == nullptr ? NAN : *given, given != nullptr, 0, least, most);
  }

  int64_t count(const std::string &name, double least = 1, double most = LARGEST_COUNT) const {
    return static_cast<int64_t>(whole(name, least, most));
  }

  double whole_or(const std::string &name, double other, double least, double most = INFINITY) const {
    return has(name) ? whole(name, least, most) : other;
  }

  double number(const std::string &name, double least) const {
    const double *given = number_of(name);
    if (given != nullptr && std::isfinite(*given) && *given >= least) return *given;
    std::string range = std::isfinite(least) ? text(" of at least ", least) : "";
    wrong(name, "be a finite number" + range, given == nullptr);
  }

  double positive(const std::string &name) const {
    const double *given = number_of(name);
    return checked_positive(name, given == nullptr ? NAN : *given, given != nullptr, 0);
  }

  /* Whether a value is several numbers: those with names in a request, which are a vector in a recipe. */
  bool has_several(const std::string &name) const {
    const Value &value = (*this)[name];
    const auto *view = std::get_if<View<double>>(&value);
    return std::holds_alternative<Named>(value) || (is_recipe && view != nullptr && view->length != 1);
  }

  /* Several whole numbers from 0 on, or numbers above 0. A recipe may have one of them as a number. */
  std::vector<double> several(const std::string &name, bool are_whole) const {
    const Value &value = (*this)[name];
    Named given;
    if (const Named *named = std::get_if<Named>(&value)) given = *named;
    if (const auto *view = std::get_if<View<double>>(&value)) given.numbers.assign(view->begin(), view->end());
    if (const double *number = std::get_if<double>(&value)) given.numbers = {*number};
    given.are_numbers.resize(given.numbers.size(), true);
    for (size_t i = 0; i < given.numbers.size(); i++) {
      int64_t place = has_several(name) ? static_cast<int64_t>(i) + 1 : 0;
      double &number = given.numbers[i];
      number = are_whole ? checked_whole(name, number, given.are_numbers[i], place, 0, INFINITY)
                         : checked_positive(name, number, given.are_numbers[i], place);
    }
    return given.numbers;
  }

  bool flag(const std::string &name) const {
    if (const bool *given = std::get_if<bool>(&(*this)[name])) return *given;
    const auto *view = std::get_if<View<int32_t>>(&(*this)[name]);
    if (view != nullptr && view->length == 1 && ((*view)[0] | 1) == 1) return (*view)[0] == 1;
    wrong(name, "be true or false", true);
  }

  /* The place of one of some texts among them; their number if it is a number of rows. */
  int choice_or_rows(const std::string &name, const std::vector<std::string> &choices) const {
    const double *number = number_of(name);
    if (number != nullptr && std::isfinite(*number) && *number >= 1 && nearly_whole(*number) == std::floor(*number)) {
      return static_cast<int>(choices.size());
    }
    const std::string *given = std::get_if<std::string>(&(*this)[name]);
    auto found = given == nullptr ? choices.end() : std::find(choices.begin(), choices.end(), *given);
    if (found == choices.end()) wrong(name, "be " + listed(choices) + " or a positive integer", false);
    return static_cast<int>(found - choices.begin());
  }

  /* The place of one of some texts among them. */
  int choice(const std::string &name, const std::vector<std::string> &choices) const {
    const std::string *given = std::get_if<std::string>(&(*this)[name]);
    auto found = given == nullptr ? choices.end() : std::find(choices.begin(), choices.end(), *given);
    if (found == choices.end()) wrong(name, "be one of " + listed(choices), false);
    return static_cast<int>(found - choices.begin());
  }

  template <class T>
  View<T> array(const std::string &name, const std::string &requirement) const {
    const Value &value = (*this)[name];
    if (const View<T> *found = std::get_if<View<T>>(&value)) return *found;
    if constexpr (std::is_same_v<T, double>) {
      if (const double *number = std::get_if<double>(&value)) return {number, 1};
    }
    wrong(name, requirement, true);
  }

 private:
  static double checked_whole(
      const std::string &name, double given, bool is_number, int64_t place, double least, double most
  ) {
    double number = nearly_whole(given);
    if (std::isfinite(number) && std::floor(number) == number && number >= least && number <= most) return number;
    wrong(name, "be " + whole_numbers(least, most), !is_number, place);
  }

  static double checked_positive(const std::string &name, double number, bool is_number, int64_t place) {
    if (std::isfinite(number) && number > 0) return number;
    wrong(name, "be a finite number above 0", !is_number, place);
  }

  [[noreturn]] static void wrong(
      const std::string &name, const std::string &requirement, bool is_type, int64_t place = 0
  ) {
    throw Refusal{name, requirement, "", "", 0, place, is_type};
  }
};

/* The first epochs of several stages, ascending from 0; without any, all epochs are one stage. */
struct Stages {
  View<double> begins;

  Stages() = default;

  explicit Stages(const Values &given) {
    if (given.has("begins")) begins = given.array<double>("begins", "be epochs");
    for (int64_t i = 0; i < begins.length; i++) {
      bool is_next = i == 0 ? begins[0] == 0 : begins[i] > begins[i - 1] && begins[i] <= double(LARGEST_EPOCH);
      if (!is_next || std::floor(begins[i]) != begins[i]) refuse("begins", "others", "be epochs from 0, ascending");
    }
  }

  int64_t count() const { return std::max<int64_t>(1, begins.length); }

  int64_t of(double epoch) const {
    return std::max<int64_t>(0, std::upper_bound(begins.begin(), begins.end(), epoch) - begins.begin() - 1);
  }

  double begin(int64_t stage) const { return begins.length == 0 ? 0 : begins[stage]; }
};

}  // namespace pystrat
