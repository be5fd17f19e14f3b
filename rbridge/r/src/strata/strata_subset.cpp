/* Batches of a few strata each: P strata with m rows of each of them, at least, or exactly.
 *
 * A stratum of n_s rows has b_s = n_s / m blocks, rounded down. An epoch has B batches, the largest number for which
 * the sum of min(b_s, B) is at least P * B, and stratum s is in min(b_s, B) of them; a rare one, with fewer than m
 * rows, is in one, or in none if batches are exact. A mean size determines B instead, and m is then the largest number
 * for which that holds. In exact epochs, surplus blocks are left out in turn: the blocks of all strata form a line, and
 * epoch e leaves out the x surplus ones from place e * x on, cyclically. The rows of a stratum are taken in turn, in
 * their order of epoch 0.
 *
 * Balanced batches are exact, and all strata with at least m rows come equally often, by exposure.hpp.
 */

#include "blocks.hpp"
#include "exposure.hpp"

namespace pystrat {
namespace {

const std::vector<std::string> BALANCE = {"mean", "over", "under"};

enum { UNBALANCED = -1, BALANCED_MEAN, BALANCED_OVER, BALANCED_UNDER };

void check_sizes_of_subset(const Values &given) {
  check_one_size(given, MINIMUM, "a stratum");
  for (const char *name : {"balance", "exact"}) {
    if (!given.has(MEAN) || !given.has(name) || (name == std::string("exact") && !given.flag(name))) continue;
    refuse(
        name, "", "be left out if 'mean_batch_size' is given",
        "Give 'min_samples_per_stratum': each batch has that many rows of 'strata_per_batch' strata."
    );
  }
}

class StrataSubset : public Sampler {
 public:
  StrataSubset(const Values &given, uint32_t seed, Host &host)
      : codes(given, host), n_strata(codes.n_strata), seed(seed), n_blocks(n_strata) {
    const Counts rows(codes.rows_of_strata());
    double mean = given.whole_or(MEAN, 0, 1), replicas = given.whole_or("num_replicas", 1, 1);
    per_batch = limited(given.whole("strata_per_batch", 1));
    if (given.has("balance")) balance = given.choice_or_rows("balance", BALANCE);
    exact = given.flag("exact") || balance != UNBALANCED;
    double wanted = mean > 0 ? find_minimum(rows, mean, replicas) : given.whole(MINIMUM, 1);
    check_rare(rows, given.choice("rare", RARE), wanted, mean);
    minimum = limited(wanted);
    for (int64_t stratum = 0; stratum < n_strata; stratum++) n_blocks[stratum] = codes.rows_of(stratum) / minimum;
    int64_t n_rare = std::count(n_blocks.begin(), n_blocks.end(), 0), n_sampled = n_strata - n_rare;
    if (n_sampled == 0) {
      int64_t most = *std::max_element(rows.counts.begin(), rows.counts.end());
      refuse(MINIMUM, "", text("be at most ", most, ", the rows of the largest stratum"));
    }
    if (per_batch > n_sampled) {
      std::string least = text(", the number of strata with at least ", wanted, wanted == 1 ? " row" : " rows");
      refuse("strata_per_batch", "", text("be at most ", n_sampled, least));
    }
    if (mean > 0) check_mean(rows, mean, replicas);
    else n_batches = balance == UNBALANCED ? most_batches() : balanced_batches(given, rows.counts, n_sampled);
    n_batches = share_batches(n_batches, replicas);
    if (n_rare > 0 && given.choice("rare", RARE) == RARE_WARN) {
      const char *consequence = exact ? "they are never sampled" : "they are in one batch, all rows of each";
      warn_of_rare(n_rare, n_strata, wanted, consequence, host);
    }
    for (int64_t &blocks : n_blocks) {
      if (blocks == 0 && !exact) blocks = 1;
      if (balance != UNBALANCED && blocks > 0) blocks = quotient_up(n_batches * per_batch, n_sampled);
      blocks = std::min(blocks, n_batches);
    }
  }

  void draw(Generator &generator, uint32_t epoch, Host &host) override {
    if (exact) make_walks(host);
    if (balance != UNBALANCED) return draw_balanced(generator, epoch, host);
    Blocks blocks{n_batches, n_blocks, List<Rows>(n_strata), List<Rows>(n_strata), {}};
    List<uint8_t> is_chosen(codes.n_rows);
    if (exact) choose_rows(epoch, blocks.n_blocks, is_chosen);
    int32_t place = 0;
    for (int32_t row : sample(generator, codes.n_rows, host)) {
      int64_t stratum = codes[row];
      place++;
      if (stratum == n_strata || (exact && !is_chosen[row]) || blocks.n_blocks[stratum] == 0) continue;
      blocks.rows[stratum].push_back(row + host.first_row);
      blocks.places[stratum].push_back(place);
    }
    blocks.deal(host);
    blocks.give(host);
  }

  double bytes() const override {
    double n_rows = static_cast<double>(codes.n_rows), n_chosen = static_cast<double>(n_batches * per_batch);
    double n_drawn = balance == UNBALANCED ? 0 : n_chosen * static_cast<double>(24 * minimum);
    return 450 * n_rows + 16 * n_chosen + n_drawn + 200 * static_cast<double>(n_strata);
  }

  void describe(Host &host) const override {
    int64_t n_all = std::accumulate(n_blocks.begin(), n_blocks.end(), int64_t(0)), n_rare = 0;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) n_rare += codes.rows_of(stratum) < minimum;
    int64_t fewest = exact ? per_batch : n_all / n_batches, most = exact ? per_batch : quotient_up(n_all, n_batches);
    std::string each = text(exact ? "" : "at least ", count_of(minimum, "row"), " of each");
    std::string aside = n_rare > 0 ? ", " + range_of(n_rare, n_rare, "rare stratum", "rare strata") + " aside" : "";
    describe_blocks(codes, n_blocks, exact ? minimum : 0, host);
    host.words("held", text("of ", range_of(fewest, most, "stratum", "strata"), ", with ", each, aside));
    host.number(MINIMUM.c_str(), static_cast<double>(minimum));
    List<double> weights, taken; /* which an epoch takes on average */
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      double rows = static_cast<double>(codes.rows_of(stratum));
      double share = static_cast<double>(n_blocks[stratum]) / static_cast<double>(n_all);
      taken.push_back(exact ? static_cast<double>(n_batches * per_batch * minimum) * share : rows);
      weights.push_back(taken[stratum] > 0 ? rows / taken[stratum] : NAN);
    }
    give_weights(weights, taken, host);
  }

 private:
  Codes codes;
  int64_t n_strata, per_batch, minimum;
  bool exact;
  int balance = UNBALANCED; /* the number of rows comes after the choices */
  uint32_t seed;
  List<int64_t> n_blocks; /* of each stratum; in exact epochs, the most */
  List<Rows> walks;       /* the rows of each stratum in the order of epoch 0; made by the first exact epoch */

  /* Whether so many batches can have P of so many blocks; the sum minus P * B is concave in B. */
  template <class BlocksOf>
  bool have_blocks(int64_t n, BlocksOf blocks_of) const {
    int64_t held = 0;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) held += std::min<int64_t>(blocks_of(stratum), n);
    return held >= per_batch * n;
  }

  int64_t most_batches() const {
    int64_t n_all = std::accumulate(n_blocks.begin(), n_blocks.end(), int64_t(0));
    auto fits = [&](int64_t n) { return have_blocks(n, [&](int64_t stratum) { return n_blocks[stratum]; }); };
    return largest_that_fits(1, n_all / per_batch + 1, fits);
  }

  /* Choose the number of batches of a mean size; return the largest minimum, 1 if there are fewer strata than P. */
  double find_minimum(const Counts &rows, double mean, double replicas) {
    if (per_batch > n_strata) return 1;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) n_blocks[stratum] = codes.rows_of(stratum);
    n_batches = batches_by_mean(rows.n_rows, mean, replicas, most_batches());
    auto fits = [&](int64_t m) {
      return have_blocks(n_batches, [&](int64_t stratum) { return codes.rows_of(stratum) / m; });
    };
    return static_cast<double>(largest_that_fits(1, rows.n_rows + 1, fits));
  }

  void check_rare(const Counts &rows, int rare, double wanted, double mean) const {
    int64_t fewest = rows.fewest();
    if (rare != 0 || static_cast<double>(fewest) >= wanted) return;
    if (mean == 0) {
      bool is_larger_than_all = wanted > static_cast<double>(*std::max_element(rows.counts.begin(), rows.counts.end()));
      std::string advice = "Lower " + (is_larger_than_all ? "it." : RARE_ADVICE);
      refuse(MINIMUM, "", text("be at most ", fewest, ": the ", rows.shown()), advice, rows.smallest);
    }
    std::string most = text("make batches with at most ", count_of(fewest, "row"), " of a stratum: the ");
    refuse(MEAN, text(mean, ", for ", wanted, " rows,"), most + rows.shown(), "Lower " + RARE_ADVICE, rows.smallest);
  }

  /* Check that there are at most as many batches as there can be with a row of each of P strata. */
  void check_mean(const Counts &rows, double mean, double replicas) const {
    int64_t most = most_batches(), shared = limited(replicas);
    if (n_batches <= most) return;
    std::string reason = text("more cannot all have a row of ", per_batch, per_batch == 1 ? " stratum" : " strata");
    refuse_mean(mean, n_batches, rows.n_rows, share_batches(most, replicas), shared, reason, "", 0);
  }

  /* The number of batches with which the strata that are sampled have the rows that balance them, on average. */
  int64_t balanced_batches(const Values &given, List<int64_t> counts, int64_t n_sampled) const {
    counts.erase(std::remove_if(counts.begin(), counts.end(), [&](int64_t n) { return n < minimum; }), counts.end());
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    double total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), int64_t(0)));
    if (balance != BALANCED_MEAN) {
      double each = static_cast<double>(balance == BALANCED_OVER ? *most : *least);
      if (balance > BALANCED_UNDER) each = given.whole("balance", 1);
      total = each * static_cast<double>(n_sampled);
    }
    if (total > static_cast<double>(LARGEST_COUNT)) refuse_large_epoch("balance");
    int64_t size = per_batch * minimum, n = count_by_mean(static_cast<int64_t>(total), static_cast<double>(size));
    if (n * size > LARGEST_COUNT) refuse_large_epoch("balance");
    return n;
  }

  void make_walks(Host &host) {
    if (!walks.empty()) return;
    Generator generator(seed);
    List<Rows> made(n_strata + 1);
    for (int32_t row : sample(generator, codes.n_rows, host)) made[codes[row]].push_back(row);
    walks = std::move(made);
  }

  /* How many blocks of each stratum all epochs before one have left out. */
  List<int64_t> left_out(int64_t epoch) const {
    int64_t n_all = std::accumulate(n_blocks.begin(), n_blocks.end(), int64_t(0));
    int64_t n_over = n_all - per_batch * n_batches, rounds = epoch * n_over / n_all, place = epoch * n_over % n_all;
    List<int64_t> counts;
    for (int64_t blocks : n_blocks) {
      counts.push_back(rounds * blocks + std::clamp<int64_t>(place, 0, blocks));
      place -= blocks;
    }
    return counts;
  }

  /* Choose the blocks and the rows of an exact epoch. */
  void choose_rows(int64_t epoch, List<int64_t> &blocks, List<uint8_t> &is_chosen) const {
    List<int64_t> before = left_out(epoch), after = left_out(epoch + 1);
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      int64_t n_rows = codes.rows_of(stratum);
      blocks[stratum] -= after[stratum] - before[stratum];
      /* Where the rows that all earlier epochs have taken end. */
      int64_t place = (n_blocks[stratum] * epoch - before[stratum]) * minimum % n_rows;
      for (int64_t i = 0; i < blocks[stratum] * minimum; i++) is_chosen[walks[stratum][(place + i) % n_rows]] = 1;
    }
  }

  /* Draw an epoch in which strata come equally often, and their rows, too, by the takes of number 1 + stratum. */
  void draw_balanced(Generator &generator, uint32_t epoch, Host &host) const {
    List<int64_t> sampled;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      if (codes.rows_of(stratum) >= minimum) sampled.push_back(stratum);
    }
    int64_t size = per_batch * minimum, n = sampled.count(), n_orders = n_strata + 1;
    Exposure exposure(n, n_batches, per_batch, n_orders, seed, generator, epoch, host);
    int32_t *rows = host.make<int32_t>("rows", n_batches * size);
    const int64_t *offsets = give_offsets(n_batches, size, host);
    List<int64_t> ends(offsets, offsets + n_batches);
    for (int64_t i = 0; i < n; i++) {
      int64_t stratum = sampled[i];
      if (exposure.batches[i].empty()) continue;
      Takes takes(seed, codes.rows_of(stratum), minimum, 1 + stratum, n_orders, exposure.earlier[i], host);
      for (int32_t batch : exposure.batches[i]) {
        for (int32_t rank : takes.next(host)) rows[ends[batch]++] = walks[stratum][rank] + host.first_row;
        host.go_on(minimum);
      }
    }
  }
};

}  // namespace

const Kind strata_subset_kind = {
    "strata_subset",
    Table{
        whole("strata_per_batch"), optional(whole(MINIMUM.c_str())), optional(whole(MEAN.c_str())), flag("exact"),
        {"balance", Is::choice_or_rows, 1, INFINITY, BALANCE, false}, choice("rare", RARE), MISSING,
    } + SHARING,
    make<StrataSubset>, {"codes", "n_strata"}, {}, check_sizes_of_subset,
};

}  // namespace pystrat
