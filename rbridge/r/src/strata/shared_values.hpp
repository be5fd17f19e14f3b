/* Rows that have several values each, and batches without two rows that share a value.
 *
 * If every row shares values with at most D others, an epoch of n rows has B batches, of q or q + 1 rows, for which
 * (B - D) q >= min(D o, S). Here o is one less than the size of the largest batches, and S the sum of count - 1 over
 * the most frequent values, o for each column. Row i of the epoch, from 0, goes to the first batch from i mod B on that
 * has room and shares no value with it. If there is none, each batch with room has one of the at most D rows that share
 * values with row i. Then at least B - D other batches are full and share no value with it: they have at least
 * (B - D) q rows. At most min(D o, S) rows share values with the at most o rows of a batch with room, and row i is one
 * of these. So one of the others can go there, and row i takes its place.
 */

#pragma once

#include <numeric>

#include "spreading.hpp"

namespace pystrat {

class SharedValues {
 public:
  /* `entries` has the value of each row, from 0 to below n_values, column after column. */
  SharedValues(const Rows &entries, int64_t n_columns, int64_t n_values, Host &host)
      : n_rows(entries.count() / n_columns), n_columns(n_columns), values(entries.count()), begins(n_values + 1) {
    List<int32_t> last_rows(n_values, -1);
    for (int64_t entry = 0; entry < values.count(); entry++) {
      int32_t row = static_cast<int32_t>(entry / n_columns), value = entries[entry % n_columns * n_rows + row];
      bool is_new = std::exchange(last_rows[value], row) != row;
      values[entry] = is_new ? value : -1;
      begins[value + 1] += is_new;
      host.go_on(1);
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    rows = Rows(begins.back());
    List<int64_t> next = begins;
    for (int64_t entry = 0; entry < values.count(); entry++) {
      if (values[entry] >= 0) rows[next[values[entry]]++] = static_cast<int32_t>(entry / n_columns);
      host.go_on(1);
    }
  }

  int64_t count_of(int64_t value) const { return begins[value + 1] - begins[value]; }

  /* The smallest number of batches that is enough in every epoch, from `least` on in steps; if there is none of at most
   * n_rows, a larger one.
   */
  int64_t enough_batches(int64_t least, int64_t step, Host &host) const {
    int64_t most = most_alike(host), n_batches = least;
    List<int64_t> others; /* of the most frequent values, and their sums */
    for (int64_t value = 0; value + 1 < begins.count(); value++) {
      if (count_of(value) > 1) others.push_back(count_of(value) - 1);
    }
    std::sort(others.begin(), others.end(), std::greater<>());
    std::partial_sum(others.begin(), others.end(), others.begin());
    for (; n_batches <= n_rows; n_batches += step) {
      int64_t besides = quotient_up(n_rows, n_batches) - 1, n_frequent = std::min(besides * n_columns, others.count());
      int64_t blocked = n_frequent == 0 ? 0 : others[n_frequent - 1];
      if ((n_batches - most) * (n_rows / n_batches) >= std::min(most * besides, blocked)) break;
      host.go_on(1);
    }
    return n_batches;
  }

  /* Return the batches of the rows of an epoch, in their order. */
  Rows deal(const Rows &order, int64_t n_batches, Host &host) const {
    Dealing dealing(*this, n_batches);
    for (int64_t place = 0; place < n_rows; place++) {
      int32_t first = static_cast<int32_t>(place % n_batches);
      if (!dealing.put_into_open(order[place], first)) dealing.put_into_full(order[place], first);
      host.go_on(1 + std::exchange(dealing.work, 0));
    }
    Rows batches(n_rows);
    for (int64_t place = 0; place < n_rows; place++) batches[place] = dealing.batch_of[order[place]];
    return batches;
  }

 private:
  static constexpr int64_t MOST_COUNTING = 1 << 26; /* rows that are visited to count those that share values */

  int64_t n_rows, n_columns;
  Rows values;          /* n_columns of each row; -1 for one that an earlier column of the row has */
  List<int64_t> begins; /* where the rows of each value begin */
  Rows rows;            /* those of all values */

  /* The most rows that share values with one row. If counting them visits too many rows, the sum over the values of a
   * row stands for its number.
   */
  int64_t most_alike(Host &host) const {
    List<int32_t> seen(n_rows, -1);
    int64_t most = 0, visited = 0;
    for (int32_t row = 0; row < n_rows; row++) {
      const int32_t *own = &values[row * n_columns];
      int64_t count = 0;
      for (int64_t column = 0; column < n_columns; column++) count += own[column] < 0 ? 0 : count_of(own[column]) - 1;
      host.go_on(std::max(count, n_columns));
      if (count <= most) continue;
      visited += count;
      if (visited <= MOST_COUNTING) count = count_alike(row, seen);
      most = std::max(most, count);
    }
    return std::min(most, n_rows - 1);
  }

  int64_t count_alike(int32_t row, List<int32_t> &seen) const {
    int64_t count = 0;
    seen[row] = row;
    for (int64_t column = 0; column < n_columns; column++) {
      int32_t value = values[row * n_columns + column];
      for (int64_t place = value < 0 ? 0 : begins[value]; value >= 0 && place < begins[value + 1]; place++) {
        count += std::exchange(seen[rows[place]], row) != row;
      }
    }
    return count;
  }

  struct Dealing {
    const SharedValues &all;
    int64_t n_batches, work = 0;
    List<int64_t> offsets; /* of the members of each batch */
    Rows members;
    List<int32_t> sizes, next_open; /* a batch with room from this one on, which is reached step by step */
    List<int32_t> batch_of;         /* each row, or -1 */

    Dealing(const SharedValues &all, int64_t n_batches)
        : all(all), n_batches(n_batches), offsets(1), members(all.n_rows), sizes(n_batches), next_open(n_batches + 1),
          batch_of(all.n_rows, -1) {
      for (int64_t batch = 0; batch < n_batches; batch++) {
        offsets.push_back(offsets.back() + even_size(all.n_rows, n_batches, batch));
      }
      std::iota(next_open.begin(), next_open.end(), 0);
    }

    /* The first batch with room from a batch on; n_batches if there is none. */
    int32_t open_from(int32_t batch) {
      while (next_open[batch] != batch) batch = next_open[batch] = next_open[next_open[batch]];
      return batch;
    }

    /* Whether a batch has a row with a value: look at the rows of the value, or at those of the batch if they are
     * fewer.
     */
    bool has_value(int32_t batch, int32_t value) {
      int64_t count = all.count_of(value), n_held = sizes[batch] * all.n_columns;
      work += std::min(count, n_held);
      if (count <= n_held) {
        const int32_t *with = &all.rows[all.begins[value]];
        return std::any_of(with, with + count, [&](int32_t row) { return batch_of[row] == batch; });
      }
      const int32_t *held = members.data() + offsets[batch];
      return std::any_of(held, held + sizes[batch], [&](int32_t row) {
        const int32_t *own = &all.values[row * all.n_columns];
        return std::find(own, own + all.n_columns, value) != own + all.n_columns;
      });
    }

    bool fits(int32_t row, int32_t batch) {
      const int32_t *own = &all.values[row * all.n_columns];
      return std::none_of(own, own + all.n_columns, [&](int32_t value) {
        return value >= 0 && all.count_of(value) > 1 && has_value(batch, value);
      });
    }

    void add(int32_t row, int32_t batch) {
      int64_t place = offsets[batch] + sizes[batch]++;
      members[place] = row;
      batch_of[row] = batch;
      if (place + 1 == offsets[batch + 1]) next_open[batch] = batch + 1;
    }

    /* Put a row into the first batch with room that it fits, from `first` on and around; return whether there is one.
     */
    bool put_into_open(int32_t row, int32_t first) {
      for (auto [begin, end] : {std::pair(first, static_cast<int32_t>(n_batches)), std::pair(0, first)}) {
        int32_t batch = open_from(begin);
        while (batch < end && !fits(row, batch)) batch = open_from(batch + 1);
        if (batch >= end) continue;
        add(row, batch);
        return true;
      }
      return false;
    }

    /* Put a row into a full batch that it fits, in place of a row that fits the first batch with room from `first` on.
     */
    void put_into_full(int32_t row, int32_t first) {
      int32_t open = open_from(first);
      if (open == n_batches) open = open_from(0);
      for (int64_t step = 0; step < n_batches; step++) {
        int32_t full = static_cast<int32_t>((first + step) % n_batches);
        work++;
        if (next_open[full] == full || !fits(row, full)) continue;
        for (int64_t place = offsets[full]; place < offsets[full + 1]; place++) {
          int32_t other = members[place];
          if (!fits(other, open)) continue;
          add(other, open);
          members[place] = row;
          batch_of[row] = full;
          return;
        }
      }
    }
  };
};

}  // namespace pystrat
