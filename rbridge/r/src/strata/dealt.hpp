/* Epochs of the rows of strata, which a plan deals to batches.
 *
 * With B batches, the proportional rule puts the row of rank i (from 1) of a stratum of n rows into batch ceil(i * B /
 * n), from 1. The even rule deals the rows to the batches in turn, stratum after stratum. In both cases, the rows of a
 * batch are ordered by stratum, then rank.
 *
 * An epoch takes taken[s] of the n rows of stratum s. If that is no multiple of n, the stratum may be walked: its rows
 * have a fixed order, that of epoch 0, and epoch e takes `taken` modulo n of them from place e * taken modulo n on,
 * cyclically. If it is more than n, the rows come in passes: first a short one, of the surplus rows, then whole ones,
 * each in its own order. They go to the batches in runs: the first ones to the first batch, the next ones to the
 * second. So only a batch in which one pass ends and another begins can contain a row twice, and keep_apart() defers
 * such a row to the next batch. It always finds a replacement: the passes after a short one are whole.
 *
 * An epoch has entries: the rows of the dataset and, behind them, their repetitions, stratum by stratum, whole passes
 * before the short one. One permutation orders all entries, and those of a pass go to its places in the layout; what an
 * epoch leaves out goes behind it.
 *
 * If a stratum has fewer rows than there are batches, the batches are permuted: batch i of the epoch is the one that
 * R's sample.int(B)[i] names, which continues the draws of the epoch. Else it would be in the same batches of every
 * epoch.
 */

#pragma once

#include <numeric>

#include "../core/codes.hpp"
#include "../core/kinds.hpp"
#include "../core/scatter.hpp"
#include "../core/sizes.hpp"

namespace pystrat {

class Dealt : public Sampler {
 public:
  Dealt(const Values &given, uint32_t seed, Host &host) : codes(given, host), seed(seed) {}

  void draw(Generator &generator, uint32_t epoch, Host &host) override {
    if (layout.places.empty()) layout = new_layout(host);
    std::visit([&](const auto &own) { draw_with(own, generator, epoch, host); }, layout.codes);
  }

  double bytes() const override {
    double n_rows = static_cast<double>(codes.n_rows), n_strata = static_cast<double>(codes.n_strata);
    double n_entries = static_cast<double>(2 * codes.n_rows + std::accumulate(taken.begin(), taken.end(), int64_t(0)));
    return 32 * n_rows + (takes_all() ? 0 : 80 * n_entries) + 64 * static_cast<double>(n_batches) + 200 * n_strata;
  }

  void describe(Host &host) const override {
    host.counts("taken", taken);
    host.counts("counts", codes.counts);
    host.number("even", is_even);
    List<double> rows(taken.begin(), taken.end()), own = weights;
    for (int64_t stratum = 0; weights.empty() && stratum < codes.n_strata; stratum++) {
      own.push_back(static_cast<double>(codes.rows_of(stratum)) / rows[stratum]);
    }
    give_weights(own, rows, host);
  }

  bool has_unused_seed() const override { return !is_shuffled && !is_permuted; }

 protected:
  Codes codes;
  uint32_t seed;
  std::vector<int64_t> taken; /* the rows of each stratum in an epoch, at least 1 */
  List<double> weights;       /* of the strata, if any is given */
  bool is_even = true, is_shuffled = true, is_walked = false, is_permuted = false;

  /* The numbers of the strata that a parameter names. */
  std::vector<int64_t> strata_of(const Values &given, const std::string &name, size_t n_named) const {
    std::vector<double> numbers = given.several(name + "_strata", true);
    bool are_strata = numbers.size() == n_named;
    for (double number : numbers) are_strata = are_strata && number < static_cast<double>(codes.n_strata);
    if (!are_strata) refuse(name, "others", "name strata");
    return {numbers.begin(), numbers.end()};
  }

  bool takes_all() const { return std::equal(taken.begin(), taken.end(), codes.counts.begin()); }

 private:
  /* What all epochs share. */
  struct Layout {
    int64_t n_taken = 0, n_entries = 0, n_passes = 0;
    std::variant<Numbers<uint8_t>, Numbers<uint16_t>, Numbers<int32_t>> codes; /* of entries: the pass of each; n_passes
                                                                                  for those that are in no batch */
    std::vector<int64_t> offsets;
    std::vector<int64_t> starts; /* of the passes in `places` */
    Rows places, pool;           /* n_entries */
    Rows walk;                   /* the rows of walked strata, stratum by stratum, each in its fixed order */
    Rows repeated;               /* what the entries behind the dataset stand for; the short passes are of each epoch */
  };

  Layout layout; /* made by the first epoch */

  int64_t taken_of(int64_t stratum) const { return taken[static_cast<size_t>(stratum)]; }
  bool is_repeated(int64_t stratum) const { return taken_of(stratum) > codes.rows_of(stratum); }
  bool walks(int64_t stratum) const { return is_walked && taken_of(stratum) % codes.rows_of(stratum) != 0; }
  int64_t whole_passes(int64_t stratum) const {
    return std::max<int64_t>(1, taken_of(stratum) / codes.rows_of(stratum));
  }

  /* The rows of its short pass. */
  int64_t rest_of(int64_t stratum) const {
    return is_repeated(stratum) ? taken_of(stratum) % codes.rows_of(stratum) : 0;
  }

  /* How many rows of a stratum a batch has, after `before` rows of other strata. */
  int64_t rows_in_batch(int64_t stratum, int64_t before, int64_t batch) const {
    int64_t count = taken_of(stratum);
    if (!is_even) return (batch + 1) * count / n_batches - batch * count / n_batches;
    int64_t turn = (batch - before % n_batches + n_batches) % n_batches;
    return count / n_batches + (turn < count % n_batches);
  }

  Layout new_layout(Host &host) const {
    Layout made;
    made.n_entries = codes.n_rows;
    made.starts = {0};
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      int64_t whole = whole_passes(stratum), rest = rest_of(stratum), count = codes.rows_of(stratum);
      int64_t size = is_walked ? std::min(taken_of(stratum), count) : count;
      if (rest > 0) made.starts.push_back(made.starts.back() + rest);
      for (int64_t pass = 0; pass < whole; pass++) made.starts.push_back(made.starts.back() + size);
      made.n_taken += taken_of(stratum);
      made.n_entries += (whole - 1) * count + rest;
    }
    made.n_passes = static_cast<int64_t>(made.starts.size()) - 1;
    if (made.n_passes <= UINT8_MAX) made.codes = numbered<uint8_t>(made, host);
    else if (made.n_passes <= UINT16_MAX) made.codes = numbered<uint16_t>(made, host);
    else made.codes = numbered<int32_t>(made, host);
    if (is_walked) fix_orders(made, host);
    made.pool.resize(static_cast<size_t>(is_shuffled ? made.n_entries : 0));
    lay_out(made, host);
    return made;
  }

  /* Number the passes of the entries, and repeat rows. */
  template <class Code>
  Numbers<Code> numbered(Layout &made, Host &host) const {
    Numbers<Code> numbers(static_cast<size_t>(made.n_entries));
    made.repeated.assign(static_cast<size_t>(made.n_entries - codes.n_rows), 0);
    std::vector<Code> own;       /* the pass of the rows of the dataset, the first whole one */
    std::vector<int64_t> nexts;  /* where the next row of a stratum is repeated first */
    int64_t pass = 0, place = codes.n_rows;
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      int64_t rest = rest_of(stratum), count = codes.rows_of(stratum), whole = whole_passes(stratum);
      pass += rest > 0;
      own.push_back(static_cast<Code>(pass));
      nexts.push_back(place - codes.n_rows);
      for (int64_t again = 1; again < whole; again++, place += count) {
        std::fill_n(numbers.begin() + place, count, static_cast<Code>(pass + again));
      }
      std::fill_n(numbers.begin() + place, rest, static_cast<Code>(pass - 1));
      place += rest;
      pass += whole;
      host.go_on(whole * count);
    }
    own.push_back(static_cast<Code>(made.n_passes));
    host.in_steps(codes.n_rows, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) {
        int64_t stratum = codes[row];
        numbers[static_cast<size_t>(row)] = own[static_cast<size_t>(stratum)];
        if (stratum == codes.n_strata || !is_repeated(stratum)) continue;
        int64_t first = nexts[static_cast<size_t>(stratum)]++;
        for (int64_t again = 1; again < whole_passes(stratum); again++, first += codes.rows_of(stratum)) {
          made.repeated[static_cast<size_t>(first)] = static_cast<int32_t>(row);
        }
      }
    });
    return numbers;
  }

  /* Find the fixed order of the rows of walked strata. */
  void fix_orders(Layout &made, Host &host) const {
    std::vector<int64_t> nexts;
    int64_t n_walked = 0;
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      nexts.push_back(walks(stratum) ? n_walked : -1);
      if (walks(stratum)) n_walked += codes.rows_of(stratum);
    }
    nexts.push_back(-1);
    made.walk.resize(static_cast<size_t>(n_walked));
    Generator generator(epoch_seed(seed, 0));
    for (int32_t row : is_shuffled ? sample(generator, codes.n_rows, host) : in_order(codes.n_rows)) {
      int64_t &next = nexts[static_cast<size_t>(codes[row])];
      if (next >= 0) made.walk[static_cast<size_t>(next++)] = row;
      host.go_on(1);
    }
  }

  void fill_offsets(std::vector<int64_t> &offsets, int64_t n_taken, Host &host) const {
    int64_t size = n_taken / n_batches, larger = n_taken % n_batches;
    for (int64_t batch = 0; batch <= n_batches; batch++) {
      offsets.push_back(is_even ? batch * size + std::min(batch, larger) : 0);
    }
    for (int64_t stratum = 0; !is_even && stratum < codes.n_strata; stratum++) {
      for (int64_t batch = 1; batch <= n_batches; batch++) {
        offsets[static_cast<size_t>(batch)] += batch * taken_of(stratum) / n_batches;
      }
      host.go_on(n_batches);
    }
  }

  /* Fill the offsets, and the places of all passes: their ranks that batches have, then those behind the epoch. */
  void lay_out(Layout &made, Host &host) const {
    fill_offsets(made.offsets, made.n_taken, host);
    made.places.resize(static_cast<size_t>(made.n_entries));
    std::vector<int64_t> nexts = made.offsets;
    int32_t *place = made.places.data(), behind = static_cast<int32_t>(made.n_taken);
    int64_t before = 0, turn = 0;
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      int64_t count = taken_of(stratum);
      bool in_runs = !is_even || is_repeated(stratum);
      for (int64_t batch = 0; in_runs && batch < n_batches; batch++) {
        int64_t size = rows_in_batch(stratum, before, batch);
        std::iota(place, place + size, static_cast<int32_t>(nexts[static_cast<size_t>(batch)]));
        nexts[static_cast<size_t>(batch)] += size;
        place += size;
      }
      for (int64_t rank = 0; !in_runs && rank < count; rank++) {
        *place++ = static_cast<int32_t>(nexts[static_cast<size_t>(turn)]++);
        turn = turn + 1 < n_batches ? turn + 1 : 0;
      }
      before += count;
      turn = before % n_batches;
      for (int64_t rank = count; !is_walked && rank < codes.rows_of(stratum); rank++) *place++ = behind++;
      host.go_on(count);
    }
    for (int32_t *end = made.places.data() + made.n_entries; place < end;) *place++ = behind++;
  }

  /* Draw an epoch, with the codes of the entries. */
  template <class Code>
  void draw_with(const Numbers<Code> &numbers, Generator &generator, uint32_t epoch, Host &host) {
    int32_t *rows = host.make<int32_t>("rows", layout.n_taken);
    int64_t *offsets = host.make<int64_t>("offsets", n_batches + 1);
    bool is_copied = layout.n_entries > layout.n_taken || is_permuted;
    Rows memory(static_cast<size_t>(is_copied ? layout.n_entries : 0));
    int32_t *entries = is_copied ? memory.data() : rows;
    Numbers<Code> walked;
    if (is_walked) walked = walk_on(numbers, epoch, host);
    std::vector<int64_t> cursors = layout.starts;
    Scattering<Code> scattering{
        is_walked ? walked.data() : numbers.data(), layout.n_entries, cursors.data(), layout.places.data(),
        host.first_row, entries
    };
    if (is_shuffled) {
      std::iota(layout.pool.begin(), layout.pool.begin() + layout.n_entries, 0);
      scattering.shuffled(generator, layout.pool.data(), host);
    } else {
      scattering.in_order(host);
    }
    if (!layout.repeated.empty()) separate_repetitions(entries, host);
    if (is_permuted) return permute(generator, entries, rows, offsets, host);
    std::copy(layout.offsets.begin(), layout.offsets.end(), offsets);
    if (is_copied) std::copy(entries, entries + layout.n_taken, rows);
  }

  /* Choose the rows of walked strata: those that an epoch leaves out are in no batch by the codes, and the others fill
   * the short passes.
   */
  template <class Code>
  Numbers<Code> walk_on(Numbers<Code> numbers, int64_t epoch, Host &host) {
    const int32_t *walk = layout.walk.data();
    int32_t *place = layout.repeated.data();
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      int64_t count = codes.rows_of(stratum), n_taken = taken_of(stratum);
      place += (whole_passes(stratum) - 1) * count;
      if (!walks(stratum)) continue;
      bool is_part = n_taken < count;
      int64_t from = (epoch + is_part) * n_taken % count;
      for (int64_t left = is_part ? count - n_taken : rest_of(stratum); left > 0; left--) {
        if (is_part) numbers[static_cast<size_t>(walk[from])] = static_cast<Code>(layout.n_passes);
        else *place++ = walk[from];
        from = from + 1 == count ? 0 : from + 1;
      }
      walk += count;
      host.go_on(count);
    }
    return numbers;
  }

  /* Name the rows of repetitions, and defer those that a batch would hold twice. */
  void separate_repetitions(int32_t *rows, Host &host) const {
    const int32_t first_row = host.first_row, *repeated = layout.repeated.data();
    host.in_steps(layout.n_taken, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; i++) {
        int64_t entry = rows[i] - first_row;
        if (entry >= codes.n_rows) rows[i] = repeated[entry - codes.n_rows] + first_row;
      }
    });
    std::vector<int32_t> seen(static_cast<size_t>(codes.n_rows + 1)); /* the last batch with a row, from 1 */
    const int32_t *places = layout.places.data();
    int64_t before = 0;
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      if (is_repeated(stratum)) keep_apart(stratum, before, places, rows, seen, host);
      before += taken_of(stratum);
      places += taken_of(stratum);
    }
  }

  /* Defer the rows of a stratum that a batch would contain twice; `places` are those of its ranks. */
  void keep_apart(
      int64_t stratum, int64_t before, const int32_t *places, int32_t *rows, std::vector<int32_t> &seen, Host &host
  ) const {
    int64_t begin = 0, count = codes.rows_of(stratum), rest = rest_of(stratum);
    for (int64_t batch = 0; batch < n_batches; batch++) {
      int64_t end = begin + rows_in_batch(stratum, before, batch);
      /* The first entry after the batch's first one with which a pass begins. */
      int64_t passes = begin < rest ? 0 : (begin - rest) / count + 1;
      std::vector<int32_t> waiting;
      bool has_two_passes = rest + passes * count < end;
      for (int64_t next = begin; has_two_passes && begin < end && next < taken_of(stratum); next++) {
        int32_t row = rows[places[next]], mark = static_cast<int32_t>(batch) + 1;
        if (std::exchange(seen[static_cast<size_t>(row)], mark) == mark) waiting.push_back(row);
        else rows[places[begin++]] = row;
      }
      for (int32_t row : waiting) rows[places[begin++]] = row;
      begin = end;
      host.go_on(1);
    }
  }

  /* Put the batches into the order that the generator draws. */
  void permute(Generator &generator, const int32_t *entries, int32_t *rows, int64_t *offsets, Host &host) const {
    *offsets = 0;
    for (int32_t batch : sample(generator, n_batches, host)) {
      const int64_t *begin = &layout.offsets[static_cast<size_t>(batch)];
      rows = std::copy(entries + begin[0], entries + begin[1], rows);
      offsets[1] = offsets[0] + begin[1] - begin[0];
      offsets++;
      host.go_on(1);
    }
  }
};

}  // namespace pystrat
