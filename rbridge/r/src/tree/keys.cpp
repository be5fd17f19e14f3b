/* The keys of a declared node, which hosts check one node after another: a kind that draws nothing. */

#include "nodes.hpp"
#include "../core/kinds.hpp"

namespace pystrat {
namespace {

/* Comparisons, and other names of the first ones, in their order. */
const std::vector<std::string> OPS = {"eq", "ne", "lt", "le", "gt", "ge", "in", "not in", "between", "isnull",
                                      "==", "!=", "<", "<=", ">", ">="};
const std::vector<std::string> MODES = {"replacement", "sequential", "shuffle"}, PRUNINGS = {"individual", "parent"};

Parameter key(const char *name) { return {name, Is::anything, 0, 0, {}, false}; }

const Table of_root = {
    key("name"), key("column"), key("value"), key("children"), key("row_weight"),
    optional(choice("op", OPS)), optional(choice("mode", MODES)), optional(whole("repeat", LARGEST_COUNT)),
};

const Table of_nodes = of_root + Table{
    optional(flag("for_each")), optional(MISSING), key("weight"),
    optional(choice("prune", PRUNINGS)),
};

const std::vector<Relation> relations = {
    {"column", false, {"value", "op", "for_each"}}, {"value", true, {"for_each"}}, {"op", true, {"for_each"}},
    {"for_each", false, {"missing"}}, {"row_weight", true, {"children"}},
};

/* Whether a weight is a number, or "proportional(...)". */
bool is_weight(const Value &value) {
  const double *number = std::get_if<double>(&value);
  const std::string *text = std::get_if<std::string>(&value);
  if (number != nullptr) return *number >= 0 && std::isfinite(*number);
  return text != nullptr && text->rfind("proportional(", 0) == 0 && text->size() > 14 && text->back() == ')';
}

void check_keys(const Table &table, const Values &given) {
  std::string keys;
  for (const Parameter &known : table) keys += (keys.empty() ? "" : ", ") + std::string(known.name);
  for (const auto &item : given.items) {
    auto is_its_name = [&](const Parameter &known) { return item.first == known.name; };
    bool is_known = std::any_of(table.begin(), table.end(), is_its_name);
    if (!is_known) refuse("node", "'" + item.first + "'", "have no keys but " + keys);
  }
  check_relations(table, relations, given);
  for (const char *name : {"name", "column", "row_weight"}) {
    const std::string *text = std::get_if<std::string>(&given[name]);
    if (given.has(name) && (text == nullptr || text->empty())) throw Refusal{name, "be a text", "", "", 0, 0, true};
  }
  if (given.has("weight") && !is_weight(given["weight"])) {
    refuse("weight", "", "be a non-negative number, 'proportional(COLUMN)' or 'proportional(count)'");
  }
  const std::string *mode = std::get_if<std::string>(&given["mode"]), *op = std::get_if<std::string>(&given["op"]);
  if (given.has("row_weight") && mode != nullptr && *mode != "replacement") {
    refuse("row_weight", "", "be left out unless 'mode' is 'replacement'");
  }
  bool compares = given.has("column") && !given.has("for_each"), is_null = op != nullptr && *op == "isnull";
  if (compares && given.has("value") == is_null) {
    refuse("value", "", is_null ? "be left out with 'op: isnull'" : "be given with 'column', unless 'op' is 'isnull'");
  }
}

/* Give the numbers of a DeclaredNode that follow from its own keys, and its comparison by the first name. */
void give_node(const Values &given, Host &host) {
  auto place = [&](const char *name, const std::vector<std::string> &choices) {
    return given.has(name) ? static_cast<double>(given.choice(name, choices)) : 0;
  };
  int selection = given.has("column") ? CONDITION : ALL_ROWS;
  if (given.has("for_each")) selection = CLONES + static_cast<int>(place("missing", MISSING.choices));
  int pruning = given.has("prune") ? ITSELF + static_cast<int>(place("prune", PRUNINGS)) : NOTHING;
  const double *weight = std::get_if<double>(&given["weight"]);
  const double numbers[] = {
      static_cast<double>(selection), place("mode", MODES), static_cast<double>(pruning),
      given.whole_or("repeat", 1, 1), weight == nullptr ? -1 : *weight,
  };
  host.give("numbers", numbers, std::size(numbers));
  host.words("op", OPS[static_cast<size_t>(place("op", OPS)) % 10]);
}

}  // namespace

const Kind tree_root_kind = {
    "tree_root", of_root, make<AnswerOf<give_node>>, {}, {}, [](const Values &given) { check_keys(of_root, given); },
};

const Kind tree_node_kind = {
    "tree_node", of_nodes, make<AnswerOf<give_node>>, {}, {}, [](const Values &given) { check_keys(of_nodes, given); },
};

}  // namespace pystrat
