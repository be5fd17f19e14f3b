/* The parameters of a kind as data, a line each, checked by one function for all kinds. */

#pragma once

#include "host.hpp"

namespace pystrat {

enum class Is { whole, flag, choice };

struct Parameter {
  const char *name;
  Is type;
  double least, most;               /* of numbers */
  std::vector<std::string> choices; /* of texts */
  bool is_required;                 /* or it may be left out; with a default, hosts give that */
};

using Table = std::vector<Parameter>;

inline Parameter whole(const char *name, double most = INFINITY) { return {name, Is::whole, 1, most, {}, true}; }
inline Parameter flag(const char *name) { return {name, Is::flag, 0, 0, {}, true}; }

inline Parameter optional(Parameter parameter) {
  parameter.is_required = false;
  return parameter;
}

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

/* Check all values; return them in the order of the table, as a recipe has them. */
inline Values checked(const Table &table, const Values &given) {
  Values read;
  for (const Parameter &each : table) {
    if (!each.is_required && !given.has(each.name)) continue;
    if (each.type == Is::whole) read.add(each.name, given.whole(each.name, each.least, each.most));
    if (each.type == Is::flag) read.add(each.name, given.flag(each.name));
    if (each.type == Is::choice) read.add(each.name, each.choices[size_t(given.choice(each.name, each.choices))]);
  }
  check_sharing(given);
  return read;
}

inline int64_t share_batches(int64_t n_batches, double replicas, const std::string &advice = "") {
  if (static_cast<double>(n_batches) < replicas) {
    refuse("num_replicas", "", text("be at most ", n_batches, ", the number of batches"), advice);
  }
  return n_batches - n_batches % static_cast<int64_t>(replicas);
}

}  // namespace pystrat
