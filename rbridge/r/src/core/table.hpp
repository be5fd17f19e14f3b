/* The parameters of a kind as data, a line each, checked by one function for all kinds. */

#pragma once

#include "host.hpp"

namespace pystrat {

/* What a value may be. Several numbers have the names of strata in a request. */
enum class Is {
  whole, whole_or_text, flag, choice, choice_or_rows, number, positive, positive_or_several, several_positive,
  whole_or_several, anything /* which only the host uses */
};

struct Parameter {
  const char *name;
  Is type;
  double least = 1, most = INFINITY;     /* of numbers */
  std::vector<std::string> choices = {}; /* of texts, the default first, if there is one */
  bool is_required = true;               /* or it may be left out; with a default, hosts give that */
  const char *some = "";                 /* what several numbers must do if there are none */
  const char *names = "";                /* what a number must do if it must be several */
  const char *advice = "";               /* if the number is a fraction */
};

using Table = std::vector<Parameter>;

inline Parameter whole(const char *name, double most = INFINITY) { return {name, Is::whole, 1, most}; }

inline Parameter flag(const char *name) { return {name, Is::flag}; }

inline Parameter choice(const char *name, const std::vector<std::string> &choices) {
  return {name, Is::choice, 0, 0, choices};
}

inline Parameter optional(Parameter parameter) {
  parameter.is_required = false;
  return parameter;
}

inline const Parameter MISSING = choice("missing", {"error", "stratum", "drop"});

/* A relation of parameters: one must be left out, or given, if any of others is given. */
struct Relation {
  const char *name;
  bool is_left_out;
  std::vector<const char *> others;
  const char *instead = ""; /* what it replaces, if the user gave that */
};

/* How many processes share an epoch; check_sharing() checks the seed and the rank, which are in no recipe. */
inline const Table SHARING = {optional(whole("num_replicas"))};

inline Table operator+(Table left, const Table &right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

inline void check_sharing(const Values &given) {
  if (given.has("seed")) given.whole("seed", 0, LARGEST_SEED);
  if (!given.has("rank")) return;
  if (!given.has("num_replicas")) refuse("rank", "", "be given together with 'num_replicas'");
  given.whole("rank", 0, given.whole("num_replicas", 1) - 1);
  if (given.has("seed")) return;
  refuse(
      "seed", "nothing", "be given together with 'rank'",
      "Pass the same seed on all ranks, so that they draw the same epoch."
  );
}

/* Whether a parameter has another value than its default. */
inline bool is_given(const Parameter &parameter, const Values &given) {
  const std::string *text = std::get_if<std::string>(&given[parameter.name]);
  bool is_default = parameter.is_required && text != nullptr && *text == parameter.choices.front();
  return given.has(parameter.name) && !is_default;
}

inline void check_relations(const Table &table, const std::vector<Relation> &relations, const Values &given) {
  auto find = [&](const std::string &name) {
    return *std::find_if(table.begin(), table.end(), [&](const Parameter &each) { return name == each.name; });
  };
  for (const Relation &relation : relations) {
    for (const char *other : relation.others) {
      if (!given.has(other) || is_given(find(relation.name), given) != relation.is_left_out) continue;
      if (relation.is_left_out) refuse(relation.name, "", text("be left out if '", other, "' is given"));
      std::string advice = given.has(relation.instead) ? text("Give that in place of '", relation.instead, "'.") : "";
      refuse(other, "", text("be given together with '", relation.name, "'"), advice);
    }
  }
}

/* Return a checked value, as a recipe has it. */
inline Value read(const Parameter &each, const Values &given) {
  const std::string name = each.name;
  const double *number = given.number_of(name);
  switch (each.type) {
    case Is::flag: return given.flag(name);
    case Is::number: return given.number(name, each.least);
    case Is::positive: return given.positive(name);
    case Is::choice: return each.choices[static_cast<size_t>(given.choice(name, each.choices))];
    case Is::choice_or_rows: {
      size_t place = static_cast<size_t>(given.choice_or_rows(name, each.choices));
      if (place == each.choices.size()) return nearly_whole(*number);
      return each.choices[place];
    }
    case Is::whole_or_text:
      if (std::holds_alternative<std::string>(given[name])) return given[name];
      return given.whole(name, each.least, each.most);
    default: break;
  }
  bool is_one_of_recipe = each.type == Is::several_positive && given.is_recipe && number != nullptr;
  if (each.type != Is::whole && (given.has_several(name) || is_one_of_recipe)) {
    Named several{given.several(name, each.type == Is::whole_or_several), {}};
    bool any = std::any_of(several.numbers.begin(), several.numbers.end(), [](double one) { return one > 0; });
    if (!any) refuse(name, several.numbers.empty() ? "0 values" : "0 of each", each.some);
    return several;
  }
  if (each.type == Is::positive_or_several) return given.positive(name);
  if (each.type == Is::several_positive) throw Refusal{name, each.names, "", "", 0, 0, true};
  try {
    return given.whole(name, each.least, each.most);
  } catch (Refusal &refusal) {
    bool is_fraction = number != nullptr && std::isfinite(*number) && std::floor(*number) != *number;
    if (is_fraction) refusal.advice = each.advice;
    throw;
  }
}

/* Check all values; return them in the order of the table, as a recipe has them. */
inline Values checked(const Table &table, const std::vector<Relation> &relations, const Values &given) {
  Values values;
  check_relations(table, relations, given);
  for (const Parameter &each : table) {
    if (each.type == Is::anything || (!each.is_required && !given.has(each.name))) continue;
    values.items.emplace_back(each.name, read(each, given));
  }
  check_sharing(given);
  return values;
}

/* Round the number of batches down to a multiple of the number of replicas; refuse if some replicas would get none. */
inline int64_t share_batches(int64_t n_batches, double replicas, const std::string &advice = "", int64_t stratum = 0) {
  if (static_cast<double>(n_batches) < replicas) {
    refuse("num_replicas", "", text("be at most ", n_batches, ", the number of batches"), advice, stratum);
  }
  return n_batches - n_batches % static_cast<int64_t>(replicas);
}

/* The number of batches of one size of an epoch, by default as many as n_rows rows fill, shared by the replicas. */
inline int64_t batches_of_size(const Values &given, int64_t n_rows, int64_t batch_size) {
  int64_t n_batches = given.has("n_batches") ? given.count("n_batches") : n_rows / batch_size;
  if (n_batches == 0) {
    refuse("n_batches", "nothing", text("be given if the batch size exceeds the number of rows, ", n_rows));
  }
  return share_batches(n_batches, given.whole_or("num_replicas", 1, 1));
}

/* Refuse an epoch with more rows than the host can number. */
inline void check_most_rows(int64_t n_batches, int64_t size, const Host &host) {
  if (static_cast<double>(size) * static_cast<double>(n_batches) <= static_cast<double>(host.most_rows)) return;
  std::string most = text("be at most ", host.most_rows / size);
  refuse("n_batches", text(n_batches), most + ", so that R can number the rows of an epoch");
}

}  // namespace pystrat
