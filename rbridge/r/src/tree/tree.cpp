/* Draws of a declared tree, and the auxiliary values of each draw. */

#include <cfloat>

#include "../core/kinds.hpp"
#include "draws.hpp"
#include "values.hpp"

namespace pystrat {
namespace {

constexpr double LEAST_TOTAL = 1e-300; /* of weights; below it, their products with uniforms would lose digits */

class Tree : public Sampler {
 public:
  Tree(const Values &given, uint32_t seed, Host &host)
      : seed(seed), persistent(given.flag("persistent")), ends(given.has("length")), values(read_values(given)) {
    const Declaration declaration(given, host);
    nodes = NodeBuilder(declaration, host).build();
    find_drawing(declaration);
    weigh(declaration, host);
    batch_size = given.whole_or("batch_size", 1, 1, ends ? LARGEST_EXACT : double(LARGEST_COUNT));
    if (ends) {
      find_length(declaration, given);
    } else if (persistent) {
      refuse("persistent", "", "be false if 'length' is not given, since no epoch ends");
    }
    warn(declaration, given, host);
  }

  void draw(Generator &, uint32_t epoch, Host &host) override {
    if (!ends) refuse("length", "nothing", "be given for the arrays of a whole epoch");
    double n_delivered = std::fmin(static_cast<double>(length), batch_size * static_cast<double>(n_batches));
    int64_t count = static_cast<int64_t>(n_delivered);
    int32_t *rows = host.make<int32_t>("rows", count);
    int64_t *offsets = host.make<int64_t>("offsets", n_batches + 1);
    double *drawn = host.make<double>("values", count * count_drawn(values));
    for (int64_t batch = 0; batch < n_batches; batch++) offsets[batch] = batch * static_cast<int64_t>(batch_size);
    offsets[n_batches] = count;
    if (!persistent) {
      Sequence once(nodes, drawing, values, false);
      once.begin(epoch_seed(seed, epoch));
      once.draw(count, rows, drawn, host);
    } else {
      draw_persistent(static_cast<int64_t>(epoch) * length, count, rows, drawn, host);
    }
    host.number_rows(rows, count);
  }

  /* Each node and each auxiliary value may have a generator of its own, of 5 kB. */
  double bytes() const override {
    double n_own = static_cast<double>(nodes.count()) + static_cast<double>(values.size());
    double n_draws = ends ? static_cast<double>(length) : 3 * (batch_size + 16384);
    return 5200 * n_own + 20 * static_cast<double>(nodes.options.size() + drawing.cumulative.size()) +
           (24 + 60 * static_cast<double>(values.size())) * n_draws + 40 * static_cast<double>(n_batches);
  }

  /* Give the nodes, their weight among siblings, the probability of a draw in them, and that of each row. */
  void describe(Host &host) const override {
    int64_t n_nodes = nodes.count();
    List<double> weights(static_cast<size_t>(n_nodes), 1), probabilities(weights);
    double *of_rows = host.make<double>("row_probabilities", n_rows);
    std::fill_n(of_rows, n_rows, 0.0);
    for (int64_t node = 0; node < n_nodes; node++) {
      bool is_leaf = nodes.is_leaf(node);
      int64_t begin = nodes.begin(node), n_options = nodes.n_options(node), weighed = drawing.begins[node];
      const double *sums = weighed < 0 ? nullptr : drawing.cumulative.data() + weighed;
      double total = 0;
      for (int64_t i = 0; !is_leaf && i < n_options; i++) total += chances[nodes.options[begin + i]];
      for (int64_t i = 0; i < n_options; i++) {
        int64_t option = nodes.options[begin + i];
        double share = sums == nullptr ? 1 / static_cast<double>(n_options)
                                       : (sums[i] - (i > 0 ? sums[i - 1] : 0)) / sums[n_options - 1];
        double probability = probabilities[node] * share;
        if (is_leaf) {
          of_rows[option] += probability;
        } else {
          probabilities[option] = probability;
          weights[option] = chances[option] / std::fmax(total, DBL_MIN);
        }
      }
    }
    host.give("declared", nodes.declared.data(), n_nodes);
    host.give("parents", nodes.parents.data(), n_nodes);
    host.give("clone_values", nodes.values.data(), n_nodes);
    host.give("rows", nodes.rows.data(), n_nodes);
    host.give("untaken", nodes.untaken.data(), n_nodes);
    host.give("weight", weights.data(), n_nodes);
    host.give("probability", probabilities.data(), n_nodes);
    host.number("length", static_cast<double>(length));
  }

 private:
  uint32_t seed;
  bool persistent, ends;
  List<DrawnValue> values;
  double batch_size = 1;
  int64_t length = 0, n_rows = 0; /* draws of an epoch, 0 if it does not end; rows of the table */
  Nodes nodes;
  Drawing drawing;
  List<double> chances;        /* the weight of each node among its siblings */
  std::unique_ptr<Sequence> sequence; /* of all epochs of a persistent sampler */
  int64_t position = -1;              /* draws of it so far; -1 if it is to begin anew */

  void find_drawing(const Declaration &declaration) {
    n_rows = declaration.n_rows;
    drawing.by_depth.resize(nodes.declared.size());
    std::iota(drawing.by_depth.begin(), drawing.by_depth.end(), 0);
    std::stable_sort(drawing.by_depth.begin(), drawing.by_depth.end(), [&](int32_t left, int32_t right) {
      return nodes.depths[left] < nodes.depths[right];
    });
    for (int32_t declared : nodes.declared) {
      drawing.modes.push_back(declaration[declared].mode);
      drawing.repeats.push_back(declaration[declared].repeat);
    }
  }

  /* Find the weights of the nodes, and the cumulative ones of the options where they matter. */
  void weigh(const Declaration &declaration, Host &host) {
    List<uint8_t> matter(declaration.count()); /* whether the weights of the options of a declared node do */
    for (int64_t node = declaration.count() - 1; node >= 0; node--) {
      bool has_weights = matter[node] || declaration[node].row_weight >= 0;
      matter[node] = has_weights && declaration[node].mode == REPLACEMENT;
      if (node > 0 && declaration[node].has_weight()) matter[declaration[node].parent] = true;
    }
    for (int64_t node = 0; node < nodes.count(); node++) {
      int64_t declared = nodes.declared[node];
      double fixed = declaration[declared].weight >= 0 ? declaration[declared].weight : 1;
      chances.push_back(declaration[declared].summed >= -1 ? sum(declaration, node, declared, host) : fixed);
    }
    for (int64_t node = 0; node < nodes.count(); node++) {
      int64_t declared = nodes.declared[node], column = declaration[declared].row_weight;
      drawing.begins.push_back(matter[declared] ? static_cast<int64_t>(drawing.cumulative.size()) : -1);
      double total = 0;
      for (int64_t i = nodes.begin(node); matter[declared] && i < nodes.begin(node + 1); i++) {
        total += column < 0 ? chances[nodes.options[i]]
                            : checked(declaration, declared, column, nodes.options[i], "row_weight");
        drawing.cumulative.push_back(total);
        host.go_on(1);
      }
      if (matter[declared] && (total < LEAST_TOTAL || total > DBL_MAX)) {
        refuse(
            "weight", text(total),
            text("have a positive, finite sum over the options of '", declaration.path(declared), "'")
        );
      }
    }
  }

  static double checked(
      const Declaration &declaration, int64_t declared, int64_t column, int64_t row, const char *parameter
  ) {
    double number = declaration.number(column, row);
    if (number >= 0 && number <= DBL_MAX) return number;
    std::string path = declaration.path(declared);
    refuse(parameter, text(number), text("name a column of finite non-negative numbers at '", path, "'"));
  }

  /* Sum the column of a proportional weight over the rows of the leaves below a node. */
  double sum(const Declaration &declaration, int64_t node, int64_t declared, Host &host) const {
    int64_t column = declaration[declared].summed;
    bool is_leaf = nodes.is_leaf(node);
    if (is_leaf && column == -1) return static_cast<double>(nodes.n_options(node));
    double total = 0;
    for (int64_t i = nodes.begin(node); i < nodes.begin(node + 1); i++) {
      total += is_leaf ? checked(declaration, declared, column, nodes.options[i], "weight")
                       : sum(declaration, nodes.options[i], declared, host);
      host.go_on(1);
    }
    return total;
  }

  void find_length(const Declaration &declaration, const Values &given) {
    const std::string *name = std::get_if<std::string>(&given["length"]);
    double draws = name != nullptr ? pass_length(declaration, *name) : given.whole("length", 1, LARGEST_COUNT);
    double whole = given.flag("drop_last") ? std::floor(draws / batch_size) : std::ceil(draws / batch_size);
    if (whole == 0) refuse("length", text(draws), text("be at least ", batch_size, ", the batch size, with drop_last"));
    length = static_cast<int64_t>(draws);
    n_batches = share_batches(static_cast<int64_t>(whole), given.whole_or("num_replicas", 1, 1));
  }

  /* Count the draws until every row below the node of a name has been drawn. */
  double pass_length(const Declaration &declaration, const std::string &name) const {
    int64_t found = -1, n_found = 0;
    for (int64_t node = 0; node < nodes.count(); node++) {
      if (declaration.names[nodes.declared[node]] != name) continue;
      found = node;
      n_found++;
    }
    if (n_found != 1) {
      std::string several = n_found > 1 ? text("'", name, "', the name of ", n_found, " nodes,") : "";
      refuse("length", several, "be a number of draws, or the name of one node that is not pruned");
    }
    for (int64_t node = 0; node < nodes.count(); node++) {
      if (drawing.modes[node] != REPLACEMENT || !(is_above(node, found) || is_above(found, node))) continue;
      std::string path = declaration.path(nodes.declared[node]);
      refuse(
          "length", text("'", name, "', while '", path, "' draws with replacement,"),
          "be a number of draws, or the name of a node that, as all above and below it, draws in sequence or shuffled"
      );
    }
    double needed = needed_below(found);
    for (int64_t node = found; node >= 0; node = nodes.parents[node]) needed = draws_of(node, needed);
    if (needed <= double(LARGEST_COUNT)) return needed;
    refuse("length", text("'", name, "', which takes ", needed, ","), text("take at most ", LARGEST_COUNT, " draws"));
  }

  bool is_above(int64_t node, int64_t below) const {
    while (below > node) below = nodes.parents[below];
    return below == node;
  }

  /* How many times a node uses each option until every row below it is drawn; the draws for that. */
  double needed_below(int64_t node) const {
    double most = 1;
    for (int64_t i = nodes.begin(node); !nodes.is_leaf(node) && i < nodes.begin(node + 1); i++) {
      most = std::fmax(most, draws_of(nodes.options[i], needed_below(nodes.options[i])));
    }
    return most;
  }

  double draws_of(int64_t node, double needed) const {
    double repeat = static_cast<double>(drawing.repeats[node]);
    return (std::floor((needed - 1) / repeat) + 1) * repeat * static_cast<double>(nodes.n_options(node));
  }

  /* Warn of weights without effect, and of batches that split rows that the root repeats; a line each. */
  void warn(const Declaration &declaration, const Values &given, Host &host) const {
    static const char *const modes[] = {"replacement", "sequential", "shuffle"};
    for (int64_t node = 1; node < declaration.count(); node++) {
      int64_t parent = declaration[node].parent, mode = declaration[parent].mode;
      if (!declaration[node].has_weight() || mode == REPLACEMENT) continue;
      host.warning += text(
          "The 'weight' of node '", declaration.path(node), "' has no effect: its parent has the mode '",
          std::string(modes[mode]), "', not 'replacement'.\n"
      );
    }
    if (given.has("batch_size") && std::fmod(batch_size, declaration[0].repeat) != 0) {
      host.warning += text(
          "The 'batch_size' parameter, ", batch_size, ", is not a multiple of the root's 'repeat', ",
          declaration[0].repeat, ": rows that follow one another by it are split between batches.\n"
      );
    }
  }

  void draw_persistent(int64_t begin, int64_t count, int32_t *rows, double *drawn, Host &host) {
    if (!sequence) sequence = std::make_unique<Sequence>(nodes, drawing, values, true);
    int64_t at = std::exchange(position, -1); /* should an interrupt end it */
    if (at < 0 || at > begin) {
      sequence->begin(seed);
      at = 0;
    }
    Rows skipped(std::min(begin - at, Host::STEPS));
    Numbers<double> unused(skipped.count() * count_drawn(values));
    for (int64_t size; at < begin; at += size) {
      size = std::min(begin - at, Host::STEPS);
      sequence->draw(size, skipped.data(), unused.data(), host);
    }
    sequence->draw(count, rows, drawn, host);
    position = begin + count;
  }
};

}  // namespace

const Kind tree_kind = {
    "tree",
    Table{optional(whole("batch_size")), optional({"length", Is::whole_or_text, 1, LARGEST_COUNT}), flag("drop_last"),
          flag("persistent")} +
        SHARING,
    make<Tree>,
    {"nodes", "names", "n_rows", "n_values", "column_codes", "taken", "numbers", "auxiliary", "functions"},
};

}  // namespace pystrat
