/* Numbers that are taken a few at a time, in turn, with a new order in each cycle; and batches of P strata each, in
 * which all S strata come equally often.
 *
 * Take t, from 0, has the places t * size, ..., (t + 1) * size - 1 of a sequence of cycles. Each cycle has all n
 * numbers once, in the order of R's sample.int(n). If the last numbers of a cycle do not fill a take, the first numbers
 * of the next cycle that are not among them do; numbers that would be taken twice wait, in their order, for the next
 * take. So after any number of takes, all numbers have been taken equally often to within one, and after n / gcd(n,
 * size) takes equally often. If a take would be more than half of the numbers, the numbers that are left out are taken,
 * and all others come, in their order. The numbers that wait are then among the first `size` of a cycle, and those that
 * they wait for among its last ones, so that a cycle follows from its own order and that of the cycle before.
 *
 * An epoch of B batches takes B * P strata, in passes: first a short one of the (B * P) % S strata whose turn it is,
 * then whole ones, each in an order of its own. The turns are takes, one an epoch. The passes are cut into batches of P
 * strata; a stratum that a batch would have twice waits for the next one.
 *
 * The orders of cycles are numbered after those of the epochs: number n_orders * c + i is that of cycle c of what has
 * the number i: 0 is for the strata, and the others for their rows.
 */

#pragma once

#include "../core/kinds.hpp"
#include "../core/scatter.hpp"

namespace pystrat {

/* Takes of `count` of n numbers, from one on. */
class Takes {
 public:
  Takes(uint32_t seed, int64_t n, int64_t count, int64_t number, int64_t n_orders, int64_t take, Host &host)
      : seed(seed), n(n), count(count), size(std::min(count, n - count)), first(SAMPLE_EPOCH + number), step(n_orders),
        marks(n) {
    if (size == 0) return;
    cycle = take * size / n;
    place = take * size % n;
    if (place < size) begin_cycle(false, host);
    else draw_order(cycle, host);
  }

  Rows next(Host &host) {
    Rows taken(size);
    for (int32_t &number : taken) {
      if (place == n) {
        place = 0;
        cycle++;
        begin_cycle(true, host);
      }
      number = order[place++];
    }
    if (size == count) return taken;
    Rows others;
    for (int32_t number : taken) marks[number] = 1;
    for (int32_t number = 0; number < n; number++) {
      if (!marks[number]) others.push_back(number);
    }
    std::fill(marks.begin(), marks.end(), uint8_t(0));
    return others;
  }

  /* Add how often each number came in the takes before this one, of which there are `n_takes`. */
  void add_earlier(List<int64_t> &earlier, int64_t n_takes) const {
    for (int64_t i = 0; i < n; i++) {
      int64_t n_taken = cycle + (i < place);
      earlier[order[i]] += size < count ? n_takes - n_taken : n_taken;
    }
  }

 private:
  uint32_t seed;
  int64_t n, count, size, first, step; /* the order of cycle c has the number first + c * step */
  int64_t cycle = 0, place = 0;
  Rows order;
  List<uint8_t> marks;

  void draw_order(int64_t of_cycle, Host &host) {
    int64_t n_seeds = int64_t(1) + LARGEST_SEED, number = first + of_cycle % n_seeds * step;
    Generator generator(epoch_seed(seed, static_cast<uint32_t>(number % n_seeds)));
    order = sample(generator, n, host);
  }

  void begin_cycle(bool is_known, Host &host) {
    int64_t rest = cycle * n % size; /* with which the first take begins */
    if (rest > 0 && !is_known) draw_order(cycle - 1, host);
    for (int64_t i = n - rest; i < n; i++) marks[order[i]] = 1;
    draw_order(cycle, host);
    if (rest > 0) let_marked_wait(order.data(), size - rest, marks);
    std::fill(marks.begin(), marks.end(), uint8_t(0));
  }
};

/* The strata of the batches of an epoch. */
struct Exposure {
  List<Rows> batches;    /* of each stratum */
  List<int64_t> earlier; /* how often each came in all epochs before */

  Exposure(
      int64_t n_strata, int64_t n_batches, int64_t per_batch, int64_t n_orders, uint32_t seed, Generator &generator,
      int64_t epoch, Host &host
  )
      : batches(n_strata), earlier(n_strata) {
    int64_t n_chosen = n_batches * per_batch, n_more = n_chosen % n_strata;
    std::fill(earlier.begin(), earlier.end(), epoch * (n_chosen / n_strata));
    Rows chosen;
    if (n_more > 0) {
      Takes takes(seed, n_strata, n_more, 0, n_orders, epoch, host);
      takes.add_earlier(earlier, epoch);
      Rows taken = takes.next(host);
      for (int32_t place : sample(generator, n_more, host)) chosen.push_back(taken[place]);
    }
    List<uint8_t> marks(n_strata);
    while (chosen.count() < n_chosen) {
      Rows pass = sample(generator, n_strata, host);
      int64_t rest = chosen.count() % per_batch; /* with which the batch begins that ends in this pass */
      for (int64_t i = 1; i <= rest; i++) marks[chosen[chosen.count() - i]] = 1;
      if (rest > 0) let_marked_wait(pass.data(), per_batch - rest, marks);
      std::fill(marks.begin(), marks.end(), uint8_t(0));
      chosen.insert(chosen.end(), pass.begin(), pass.end());
    }
    for (int64_t i = 0; i < n_chosen; i++) batches[chosen[i]].push_back(static_cast<int32_t>(i / per_batch));
  }
};

}  // namespace pystrat
