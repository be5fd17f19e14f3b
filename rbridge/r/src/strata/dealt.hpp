/* Epochs of the rows of strata, which a plan deals to batches.
 *
 * With B batches, the proportional rule puts the row of rank i (from 1) of a stratum of n rows into batch ceil(i * B /
 * n), from 1. The even rule deals the rows to the batches in turn, stratum after stratum. In both cases, the rows of a
 * batch are ordered by stratum, then rank.
 *
 * An epoch takes taken[s] of the n rows of stratum s. If these are fewer, they are those of the first ranks, or the
 * strata are walked, stratum after stratum: the rows of a stratum have a fixed order, that of epoch 0. Epoch e takes
 * first `taken` modulo n of them, from place e * taken modulo n on, cyclically, and then all rows, as often as is left.
 * These passes are each in an order of their own, R's sample(), which continues the draws of the epoch. Each batch of
 * the even rule gets the next rows. A row of a new pass that the batch already has waits until the batch is full.
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
    if (layout.offsets.empty()) layout = new_layout(host);
    int64_t n_taken = layout.offsets.back(), n_entries = is_walked ? n_taken : codes.n_rows;
    int32_t *rows = host.make<int32_t>("rows", n_taken);
    int64_t *offsets = host.make<int64_t>("offsets", n_batches + 1);
    Rows memory(n_entries > n_taken || is_permuted ? n_entries : 0);
    int32_t *entries = memory.empty() ? rows : memory.data();
    if (is_walked) walk(generator, epoch, entries, host);
    else if (codes.bytes.values != nullptr) scatter(codes.bytes.values, generator, entries, host);
    else scatter(codes.integers.values, generator, entries, host);
    if (is_permuted) {
      return give_in_order(entries, layout.offsets, sample(generator, n_batches, host), rows, offsets, host);
    }
    std::copy(layout.offsets.begin(), layout.offsets.end(), offsets);
    if (entries != rows) std::copy(entries, entries + n_taken, rows);
  }

  double bytes() const override {
    double n_taken = static_cast<double>(std::accumulate(taken.begin(), taken.end(), int64_t(0)));
    double n_rows = static_cast<double>(codes.n_rows), n_strata = static_cast<double>(codes.n_strata);
    return 32 * (n_rows + n_taken) + 64 * static_cast<double>(n_batches) + 200 * n_strata;
  }

  void describe(Host &host) const override {
    host.counts("taken", taken);
    host.counts("counts", codes.counts);
    host.number("even", is_even);
    List<double> rows(taken.begin(), taken.end()), own = weights;
    own.resize(taken.size(), -1);
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      if (own[stratum] < 0) own[stratum] = static_cast<double>(codes.rows_of(stratum)) / rows[stratum];
    }
    give_weights(own, rows, host);
  }

  bool has_unused_seed() const override { return !is_shuffled && !is_permuted; }

 protected:
  Codes codes;
  uint32_t seed;
  List<int64_t> taken;  /* the rows of each stratum in an epoch, at least 1 */
  List<double> weights; /* of the strata, -1 if it is not given */
  bool is_even = true, is_shuffled = true, is_walked = false, is_permuted = false;

  /* The numbers of the strata that a parameter names. */
  std::vector<int64_t> strata_of(const Values &given, const std::string &name, size_t n_named) const {
    std::vector<double> numbers = given.several(name + "_strata", true);
    bool are_strata = numbers.size() == n_named;
    for (double number : numbers) are_strata = are_strata && number < static_cast<double>(codes.n_strata);
    if (!are_strata) refuse(name, "others", "name strata");
    return {numbers.begin(), numbers.end()};
  }

  /* The values of a parameter that have names, by stratum; -1 for others. */
  List<double> named_numbers(const Values &given, const std::string &name, bool are_whole) const {
    List<double> values(codes.n_strata, -1);
    std::vector<double> items = given.several(name, are_whole);
    std::vector<int64_t> strata = strata_of(given, name, items.size());
    for (size_t i = 0; i < items.size(); i++) values[strata[i]] = items[i];
    return values;
  }

 private:
  /* What all epochs share. */
  struct Layout {
    List<int64_t> offsets; /* n_batches + 1 */
    List<int64_t> starts;  /* where the rows of each stratum begin below, then those that are in no batch */
    Rows rows;             /* the rows of walked strata, in their fixed order */
    Rows places, pool;     /* else: the place of each rank, behind the epoch if it is left out; and room to shuffle */
  };

  Layout layout; /* made by the first epoch */

  Layout new_layout(Host &host) const {
    Layout made;
    made.offsets = new_offsets(host);
    made.starts = List<int64_t>(codes.n_strata + 1);
    std::partial_sum(codes.counts.begin(), codes.counts.end() - 1, made.starts.begin() + 1);
    if (is_walked) {
      List<int64_t> next = made.starts;
      Generator generator(epoch_seed(seed, 0));
      made.rows = Rows(codes.n_rows);
      for (int32_t row : is_shuffled ? sample(generator, codes.n_rows, host) : in_order(codes.n_rows)) {
        made.rows[next[codes[row]]++] = row;
        host.go_on(1);
      }
    } else {
      made.places = new_places(made.offsets, host);
      made.pool = Rows(is_shuffled ? codes.n_rows : 0);
    }
    return made;
  }

  List<int64_t> new_offsets(Host &host) const {
    List<int64_t> offsets(n_batches + 1);
    int64_t n_taken = std::accumulate(taken.begin(), taken.end(), int64_t(0));
    for (int64_t batch = 0; is_even && batch < n_batches; batch++) {
      offsets[batch + 1] = offsets[batch] + even_size(n_taken, n_batches, batch);
    }
    for (int64_t stratum = 0; !is_even && stratum < codes.n_strata; stratum++) {
      for (int64_t batch = 1; batch <= n_batches; batch++) offsets[batch] += batch * taken[stratum] / n_batches;
      host.go_on(n_batches);
    }
    return offsets;
  }

  Rows new_places(List<int64_t> next, Host &host) const {
    Rows places(codes.n_rows);
    int32_t *place = places.data(), behind = static_cast<int32_t>(next.back());
    int64_t turn = 0;
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      int64_t count = taken[stratum];
      for (int64_t batch = 0; !is_even && batch < n_batches; batch++) {
        int64_t size = (batch + 1) * count / n_batches - batch * count / n_batches;
        std::iota(place, place + size, static_cast<int32_t>(next[batch]));
        next[batch] += size;
        place += size;
      }
      for (int64_t rank = 0; is_even && rank < count; rank++) {
        *place++ = static_cast<int32_t>(next[turn]++);
        turn = turn + 1 < n_batches ? turn + 1 : 0;
      }
      for (int64_t rank = count; rank < codes.rows_of(stratum); rank++) *place++ = behind++;
      host.go_on(codes.rows_of(stratum));
    }
    std::iota(place, places.data() + places.count(), behind);
    return places;
  }

  template <class Code>
  void scatter(const Code *of_rows, Generator &generator, int32_t *entries, Host &host) {
    List<int64_t> cursors = layout.starts;
    Scattering<Code> scattering{
        of_rows, codes.n_rows, cursors.data(), layout.places.data(), host.first_row, entries
    };
    if (!is_shuffled) return scattering.in_order(host);
    std::iota(layout.pool.begin(), layout.pool.end(), 0);
    scattering.shuffled(generator, layout.pool.data(), host);
  }

  void walk(Generator &generator, int64_t epoch, int32_t *rows, Host &host) const {
    List<int64_t> next = layout.offsets;
    List<uint8_t> marks(codes.n_rows); /* of the rows that the batch has */
    int64_t turn = 0;                  /* the batch that gets the first rows of a stratum */
    for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
      int64_t count = taken[stratum], done = 0;
      bool is_short = count % codes.rows_of(stratum) > 0;
      Rows pass;
      for (int64_t run = 0; run < std::min(count, n_batches); run++) {
        int64_t &place = next[(turn + run) % n_batches], begin = place;
        int64_t end = place + even_size(count, n_batches, run);
        while (place < end) {
          if (done == pass.count()) {
            pass = next_pass(stratum, std::exchange(is_short, false), generator, epoch, host);
            done = 0;
            for (int64_t i = begin; i < place; i++) marks[rows[i]] = 1;
            let_marked_wait(pass.data(), std::min(end - place, pass.count()), marks);
            for (int64_t i = begin; i < place; i++) marks[rows[i]] = 0;
          }
          rows[place++] = pass[done++];
        }
      }
      turn = (turn + count) % n_batches;
      host.go_on(count);
    }
    host.number_rows(rows, layout.offsets.back());
  }

  /* A pass over the rows of a stratum: a short one, of the rows whose turn it is, or a whole one. */
  Rows next_pass(int64_t stratum, bool is_short, Generator &generator, int64_t epoch, Host &host) const {
    const int32_t *own = &layout.rows[layout.starts[stratum]];
    int64_t n_rows = codes.rows_of(stratum), size = is_short ? taken[stratum] % n_rows : n_rows;
    int64_t from = epoch * size % n_rows;
    Rows pass(size);
    for (int32_t &row : pass) {
      row = own[from];
      from = from + 1 == n_rows ? 0 : from + 1;
    }
    return is_shuffled ? drawn_from(std::move(pass), generator, host) : pass;
  }
};

}  // namespace pystrat
