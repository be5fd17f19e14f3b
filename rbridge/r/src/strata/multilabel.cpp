/* Batches of rows with any number of labels, each with a minimum of rows of every label, by labels.hpp.
 *
 * An epoch has max(1, n_min / m) batches, rounded down, for the minimum m and n_min rows of the rarest label, or a
 * largest number that is less; or as many as a mean size makes, with the largest minimum found that they keep.
 *
 * Its rows are assigned to batches in their order. If that leaves more rows lacking than the order of the dataset does,
 * the batches of that order are refilled with rows of the same label sets. Epochs in which a label has fewer rows than
 * there are batches are permuted at last, since ties of batches are broken by their numbers.
 *
 * What searches find is in the recipe as "found", the number of batches and the minimum, so that only the first
 * instance searches.
 */

#include "../core/kinds.hpp"
#include "../core/sizes.hpp"
#include "labels.hpp"

namespace pystrat {
namespace {

const std::string OF_EACH = "min_samples_per_label", MOST = "max_batches";

bool finds_most(const Values &given) { return std::holds_alternative<std::string>(given[MOST]); }

void check_arguments(const Values &given) {
  check_one_size(given, OF_EACH, "every label");
  const std::string *text = std::get_if<std::string>(&given[MOST]);
  if (text != nullptr && *text != "auto") refuse(MOST, "", "be a positive integer, 'auto', or nothing");
}

class Multilabel : public Sampler {
 public:
  Multilabel(const Values &given, uint32_t, Host &host)
      : rows(given, host), dealing(rows), rare(given.choice("rare", RARE)), mean(given.whole_or(MEAN, 0, 1)),
        replicas(given.whole_or("num_replicas", 1, 1)), is_shuffled(given.flag("shuffle")) {
    List<int64_t> counts = rows.rows_of_labels();
    rarest = std::min_element(counts.begin(), counts.end()) - counts.begin();
    fewest = counts[rarest];
    if (fewest == 0) {
      refuse("labels", "no row of label '{stratum}'", "have a row of every label", "Leave the label out.", rarest);
    }
    if (given.has("found")) {
      take_found(given.array<double>("found", "be the number of batches and the minimum"));
    } else {
      choose_batches(given);
      check_shortfall(given, host);
      const double found[] = {static_cast<double>(n_batches), wanted};
      host.give("found", found, 2);
    }
  }

  void draw(Generator &generator, uint32_t, Host &host) override {
    int64_t n_rows = rows.codes.n_rows, n_labels = rows.n_labels;
    Rows order = is_shuffled ? sample(generator, n_rows, host) : in_order(n_rows);
    Assignment assigned = new_assignment();
    assigned.assign(order, host);
    const Assignment *best = &assigned;
    if (is_shuffled && assigned.missing() > 0) {
      if (planned == nullptr) planned = plan(host);
      if (assigned.missing() > planned->missing()) best = planned.get();
    }
    bool is_permuted = is_shuffled && fewest < n_batches;
    Rows arranged = is_permuted ? sample(generator, n_batches, host) : in_order(n_batches);
    List<int64_t> next = give_offsets(best->sizes, arranged, host);
    int32_t *drawn = host.make<int32_t>("rows", n_rows), *held = host.make<int32_t>("held", n_batches * n_labels);
    for (int32_t batch : arranged) held = std::copy_n(&best->held[batch * n_labels], n_labels, held);
    Rows of_rows(n_rows); /* the batch of each, in their order */
    host.in_steps(n_rows, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) of_rows[assigned.members[i]] = best->batches[i];
    });
    host.in_steps(n_rows, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) drawn[next[of_rows[i]]++] = order[i] + host.first_row;
    });
  }

  double bytes() const override {
    double n_cells = static_cast<double>(n_batches * (1 + rows.n_labels));
    return 64 * static_cast<double>(rows.codes.n_rows + rows.n_sets * rows.n_labels) + 64 * n_cells;
  }

  void describe(Host &host) const override { host.number("minimum", wanted); }

  bool has_unused_seed() const override { return !is_shuffled; }

 private:
  LabeledRows rows;
  DealingOrder dealing;
  int rare;
  double mean, replicas, wanted = 1; /* the minimum, as it was given or found */
  bool is_shuffled;
  int64_t rarest = 0, fewest = 0;      /* the rarest label, and its rows */
  std::unique_ptr<Assignment> planned; /* in the order of the dataset, made by the first epoch that lacks rows */

  Assignment new_assignment() const { return Assignment(rows, dealing, n_batches, limited(wanted)); }

  std::unique_ptr<Assignment> plan(Host &host) const {
    auto made = std::make_unique<Assignment>(new_assignment());
    made->assign(in_order(rows.codes.n_rows), host);
    return made;
  }

  void take_found(View<double> found) {
    bool is_found = found.length == 2 && found[0] >= 1 && found[0] <= static_cast<double>(rows.codes.n_rows);
    if (!is_found || !(found[1] >= 1 && found[1] <= LARGEST_EXACT)) refuse("found", "others", "be from 1 on");
    n_batches = share_batches(static_cast<int64_t>(found[0]), replicas);
    wanted = std::floor(found[1]);
  }

  /* Choose the number of batches that the counts of the labels allow; of a mean size, also the largest minimum. */
  void choose_batches(const Values &given) {
    if (mean > 0) {
      n_batches = batches_by_mean(rows.codes.n_rows, mean, replicas, rare == RARE_ERROR ? fewest : +LARGEST_COUNT);
      wanted = static_cast<double>(std::max<int64_t>(1, fewest / n_batches));
      return;
    }
    wanted = std::fmin(given.whole(OF_EACH, 1), LARGEST_EXACT);
    if (wanted > static_cast<double>(fewest) && rare == RARE_ERROR) {
      std::string has = text("the rarest label, '{stratum}', has ", count_of(fewest, "row"));
      refuse(OF_EACH, "", text("be at most ", fewest, ": ", has), "Lower " + RARE_ADVICE, rarest);
    }
    /* One batch lacks the same rows, however large the minimum. */
    n_batches = std::max<int64_t>(1, fewest / limited(wanted));
    if (given.has(MOST) && !finds_most(given)) n_batches = std::min(n_batches, limited(given.whole(MOST, 1)));
    n_batches = share_batches(n_batches, replicas);
  }

  /* Refuse, or warn of, what batches lack in the order of the dataset; or make fewer batches, which lack nothing. */
  void check_shortfall(const Values &given, Host &host) {
    if (rare == RARE_ALLOW && !finds_most(given) && mean == 0) return;
    if (mean > 0) find_minimum(host);
    std::unique_ptr<Assignment> assigned = plan(host);
    if (assigned->missing() == 0) return;
    int64_t stratum, n_before = n_batches, found = 0, replicas_of_all = static_cast<int64_t>(replicas);
    std::string lacks = shortfall(*assigned, stratum, host);
    if (finds_most(given) || rare == RARE_ERROR) {
      found = replicas_of_all * largest_that_fits(0, n_batches / replicas_of_all, [&](int64_t n) {
        n_batches = n * replicas_of_all;
        return plan(host)->missing() == 0;
      });
      n_batches = finds_most(given) && found > 0 ? found : n_before;
    }
    if (n_batches < n_before) return;
    host.stratum = stratum;
    if (rare == RARE_WARN) host.warning = lacks + ", in the order of the dataset.";
    if (rare != RARE_ERROR) return;
    if (found == 0) {
      refuse(
          "num_replicas", text(replicas),
          "be lower: no number of batches was found of which each holds enough rows of every label",
          "Lower " + RARE_ADVICE
      );
    }
    if (mean > 0) {
      refuse_mean(
          mean, n_batches, rows.codes.n_rows, found, replicas_of_all, lacks, "Raise " + RARE_ADVICE, stratum
      );
    }
    const double *limit = given.number_of(MOST);
    std::string got = limit != nullptr ? text(*limit) : finds_most(given) ? "'auto'" : "nothing";
    refuse(
        MOST, text(got, ", for ", count_of(n_batches, "batch"), ": ", lacks, ","), text("be at most ", found),
        "Set it to that or to 'auto', or set 'rare' to 'warn' or 'allow'.", stratum
    );
  }

  /* Find the largest minimum with which no batch lacks rows; 1 if there is none. */
  void find_minimum(Host &host) {
    int64_t most = static_cast<int64_t>(wanted);
    auto fits = [&](int64_t minimum) {
      wanted = static_cast<double>(minimum);
      return plan(host)->missing() == 0;
    };
    if (!fits(most)) wanted = static_cast<double>(std::max<int64_t>(1, largest_that_fits(0, most, fits)));
  }

  /* Say what the first batch with too few rows of a label lacks; find the label. */
  std::string shortfall(const Assignment &assigned, int64_t &label, const Host &host) const {
    auto lacks = [&](int32_t n_held) { return n_held < wanted; };
    auto first = std::find_if(assigned.held.begin(), assigned.held.end(), lacks);
    int64_t place = first - assigned.held.begin(), n_more = std::count_if(first + 1, assigned.held.end(), lacks);
    label = place % rows.n_labels;
    std::string missing = count_of(static_cast<int64_t>(wanted) - *first, "row");
    std::string more = n_more > 0 ? text(", and ", n_more, " more such") : "";
    return text("batch ", place / rows.n_labels + host.first_row, " lacks ", missing, " of label '{stratum}'", more);
  }
};

}  // namespace

const Kind multilabel_kind = {
    "multilabel",
    Table{optional(whole(OF_EACH.c_str())), optional(whole(MEAN.c_str())),
          {MOST.c_str(), Is::whole_or_text, 1, INFINITY, {}, false}, choice("rare", RARE), flag("shuffle")} +
        SHARING,
    make<Multilabel>, {"codes", "n_strata", "sets", "found"}, {{"max_batches", true, {"mean_batch_size"}}},
    check_arguments, {"found"},
};

}  // namespace pystrat
