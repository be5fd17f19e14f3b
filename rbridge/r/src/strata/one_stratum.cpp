/* Batches of rows of one stratum each.
 *
 * A stratum of n_s rows has B_s batches, the ceiling of n_s / batch_size, whose sizes differ by at most 1: batch i,
 * from 0, has the ranks from i * n_s / B_s on, rounded down. For replicas, batches are added one by one until their
 * number B is a multiple, each to the stratum with the most rows per batch, the first of equal ones.
 *
 * An epoch orders the rows by sample.int(rows). In proportion, the batches of all strata are in the order of
 * sample.int(B), which continues the draws. In rounds, strata are in the order of sample.int(strata), and each round
 * has the next batch of every stratum that has one left. Without shuffling, all of these orders are those of the
 * numbers.
 */

#include "../core/kinds.hpp"
#include "../core/scatter.hpp"
#include "blocks.hpp"

namespace pystrat {
namespace {

const std::vector<std::string> ORDER = {"proportional", "round_robin"};

class OneStratum : public Sampler {
 public:
  OneStratum(const Values &given, uint32_t, Host &host)
      : codes(given, host), batches(codes.n_strata), is_shuffled(given.flag("shuffle")),
        in_rounds(given.choice("order", ORDER) == 1) {
    int64_t n_rows = codes.n_rows - codes.rows_of(codes.n_strata), size = limited(given.whole("batch_size", 1));
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      batches[stratum] = quotient_up(codes.rows_of(stratum), size);
      n_batches += batches[stratum];
    }
    int64_t replicas = limited(given.whole_or("num_replicas", 1, 1));
    int64_t wanted = quotient_up(n_batches, replicas) * replicas;
    if (wanted > n_rows) {
      refuse("num_replicas", "", text("leave each batch a row: there are ", n_rows, " for ", wanted, " batches"));
    }
    for (; n_batches < wanted; n_batches++) add_batch(host);
  }

  void draw(Generator &generator, uint32_t, Host &host) override {
    /* Where the batches of all strata begin in the rows, stratum by stratum; the places of the next rows of strata;
     * and where their batches begin among all.
     */
    List<int64_t> begins, cursors, firsts;
    int64_t place = 0;
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      int64_t count = codes.rows_of(stratum), n = batches[stratum];
      cursors.push_back(place);
      firsts.push_back(begins.count());
      for (int64_t batch = 0; batch < n; batch++) begins.push_back(place + batch * count / n);
      place += count;
    }
    begins.push_back(place);
    cursors.push_back(place);
    Rows entries(codes.n_rows);
    for (int32_t row : ordered(generator, codes.n_rows, host)) {
      entries[cursors[codes[row]]++] = row + host.first_row;
      host.go_on(1);
    }
    Rows order = in_rounds ? in_turns(generator, firsts, host) : ordered(generator, n_batches, host);
    int32_t *rows = host.make<int32_t>("rows", place);
    int64_t *offsets = host.make<int64_t>("offsets", n_batches + 1);
    give_in_order(entries.data(), begins, order, rows, offsets, host);
  }

  double bytes() const override {
    return 32.0 * static_cast<double>(codes.n_rows + 2 * n_batches) + 200.0 * static_cast<double>(codes.n_strata);
  }

  void describe(Host &host) const override {
    describe_blocks(codes, batches, 0, host);
    host.words("held", "of one stratum each");
  }

  bool has_unused_seed() const override { return !is_shuffled; }

 private:
  Codes codes;
  List<int64_t> batches; /* of each stratum */
  bool is_shuffled, in_rounds;

  /* Add one to the stratum with the most rows per batch. */
  void add_batch(Host &host) {
    int64_t most = 0;
    for (int64_t stratum = 1; stratum < codes.n_strata; stratum++) {
      if (codes.rows_of(stratum) * batches[most] > codes.rows_of(most) * batches[stratum]) most = stratum;
    }
    batches[most]++;
    host.go_on(codes.n_strata);
  }

  Rows ordered(Generator &generator, int64_t count, Host &host) const {
    return is_shuffled ? sample(generator, count, host) : in_order(count);
  }

  /* The order of the batches, given where those of each stratum begin among all. */
  Rows in_turns(Generator &generator, const List<int64_t> &firsts, Host &host) const {
    Rows order, left = ordered(generator, codes.n_strata, host);
    for (int64_t round = 0; !left.empty(); round++) {
      Rows kept;
      for (int32_t stratum : left) {
        order.push_back(static_cast<int32_t>(firsts[stratum] + round));
        if (round + 1 < batches[stratum]) kept.push_back(stratum);
      }
      host.go_on(left.count());
      left = std::move(kept);
    }
    return order;
  }
};

}  // namespace

const Kind one_stratum_kind = {
    "one_stratum",
    Table{whole("batch_size"), choice("order", ORDER), flag("shuffle"), MISSING} + SHARING,
    make<OneStratum>, {"codes", "n_strata"},
};

}  // namespace pystrat
