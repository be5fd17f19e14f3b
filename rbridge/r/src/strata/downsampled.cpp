/* All rows of rare classes and a part of the rows of frequent ones, dealt evenly: those of the first ranks, or rows in
 * turn.
 */

#include "dealt.hpp"

namespace pystrat {
namespace {

const Table parameters = Table{
    {"multiplier", Is::positive_or_several, 0, INFINITY, {}, true, "name at least one class"},
    whole("batch_size"),
    {"majority", Is::anything, 0, 0, {}, false},
    flag("in_turn"),
    {"weights", Is::several_positive, 0, INFINITY, {}, false, "name at least one class", "name the classes"},
} + SHARING;

void check_majority(const Values &given) {
  if (given.has("majority") && given.has_several("multiplier")) {
    refuse("majority", "", "be left out if 'multiplier' names the classes");
  }
}

class Downsampled : public Dealt {
 public:
  Downsampled(const Values &given, uint32_t seed, Host &host) : Dealt(given, seed, host) {
    if (codes.n_strata < 2) refuse("strata", "1 class", "have at least two classes");
    taken = codes.rows_of_strata();
    if (given.has("multiplier_strata")) {
      std::vector<double> multipliers = given.several("multiplier", false);
      std::vector<int64_t> strata = strata_of(given, "multiplier", multipliers.size());
      int64_t fewest = *std::min_element(taken.begin(), taken.end());
      for (size_t i = 0; i < strata.size(); i++) keep(strata[i], multipliers[i], static_cast<int64_t>(i) + 1, fewest);
    } else {
      int64_t majority = find_majority(given), n_rows = codes.n_rows - codes.rows_of(codes.n_strata);
      keep(majority, given.positive("multiplier"), 0, n_rows - codes.rows_of(majority));
    }
    Counts rows(taken, codes.rows_of_strata());
    n_batches = batches_by_size("batch_size", rows, given.whole("batch_size", 1), given.whole_or("num_replicas", 1, 1));
    is_walked = given.flag("in_turn");
    if (given.has("weights")) weights = named_numbers(given, "weights", false);
  }

 private:
  /* The class that is downsampled, if the multiplier names none. */
  int64_t find_majority(const Values &given) const {
    if (given.has("majority_strata")) return strata_of(given, "majority", 1)[0];
    if (codes.n_strata == 2 && taken[0] != taken[1]) return taken[1] > taken[0];
    std::string same = codes.n_strata == 2 ? text(", both of ", count_of(taken[0], "row")) : "";
    refuse(
        "majority", "nothing",
        text("be given if there are not two classes of different sizes: there are ", codes.n_strata, same)
    );
  }

  /* Keep a multiple of `rows` of a stratum, rounded half up; `place` is that of its multiplier among several. */
  void keep(int64_t stratum, double multiplier, int64_t place, int64_t rows) {
    double kept = whole_part(multiplier * static_cast<double>(rows) + 0.5);
    if (kept < 1) {
      throw Refusal{"multiplier", text("keep at least 1 row: be at least 0.5 / ", rows), "", "", 0, place};
    }
    if (kept < static_cast<double>(taken[stratum])) taken[stratum] = static_cast<int64_t>(kept);
  }
};

}  // namespace

const Kind downsampled_kind = {
    "downsampled", parameters, make<Downsampled>,
    {"codes", "n_strata", "multiplier_strata", "majority_strata", "weights_strata"}, {}, check_majority,
};

}  // namespace pystrat
