/* Batches of a few strata each: the rows of a stratum are cut into blocks, and blocks are dealt to batches.
 *
 * Stratum s has n_blocks[s] blocks, at most one for each batch, and together the strata have as many blocks as the
 * batches have room for. A batch has the floor or the ceiling of the mean number of blocks; larger batches come first.
 * No batch has two blocks of a stratum. The batches are filled one after the other: first with the strata that have as
 * many blocks left as there are batches left, then with the strata whose next block comes first in the order of the
 * epoch. So every batch can be filled: the number of strata that must be in every remaining batch never exceeds the
 * mean, and no stratum has more blocks left than there are batches.
 */

#pragma once

#include <functional>
#include <numeric>
#include <queue>

#include "../core/codes.hpp"
#include "../core/sizes.hpp"

namespace pystrat {

/* Give what plans show of strata whose rows are cut into blocks, evenly or, if `each` is not 0, of so many rows. */
inline void describe_blocks(const Codes &codes, const List<int64_t> &n_blocks, int64_t each, Host &host) {
  List<int64_t> fewest, most;
  for (int64_t stratum = 0; stratum < codes.n_strata; stratum++) {
    int64_t rows = codes.rows_of(stratum), n = std::max<int64_t>(n_blocks[stratum], 1);
    fewest.push_back(each == 0 ? rows / n : n_blocks[stratum] > 0 ? each : 0);
    most.push_back(each == 0 ? quotient_up(rows, n) : fewest.back());
  }
  host.give("rows", codes.counts.data(), codes.n_strata);
  host.give("batches", n_blocks.data(), codes.n_strata);
  host.give("fewest", fewest.data(), codes.n_strata);
  host.give("most", most.data(), codes.n_strata);
}

struct Blocks {
  int64_t n_batches;
  List<int64_t> n_blocks; /* of each stratum */
  List<Rows> rows;        /* of each stratum, in the order of the epoch */
  List<Rows> places;      /* those of these rows in this order */
  List<Rows> batches;     /* of each stratum: those of its blocks */

  /* The first rank of a block: the larger blocks of a stratum come first. */
  int64_t begin(int64_t stratum, int64_t block) const {
    int64_t count = rows[stratum].count(), n = n_blocks[stratum];
    return block * (count / n) + std::min(block, count % n);
  }

  void deal(Host &host) {
    using Next = std::pair<int32_t, int32_t>; /* the place of the next block, and its stratum */
    std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
    List<int64_t> left = n_blocks;
    List<Rows> with_left(n_batches + 1); /* the strata with so many blocks left, and some that had them */
    Rows always;
    int64_t n_left = std::accumulate(left.begin(), left.end(), int64_t(0));
    batches = List<Rows>(left.size());
    auto enter = [&](int32_t stratum) {
      if (left[stratum] == 0) return;
      with_left[left[stratum]].push_back(stratum);
      queue.push({places[stratum][begin(stratum, n_blocks[stratum] - left[stratum])], stratum});
    };
    for (int32_t stratum = 0; stratum < left.count(); stratum++) enter(stratum);
    for (int32_t batch = 0; batch < n_batches; batch++) {
      int64_t batches_left = n_batches - batch, room = (n_left + batches_left - 1) / batches_left;
      auto comes_always = [&](int32_t stratum) { return left[stratum] == batches_left; };
      const Rows &many = with_left[batches_left];
      std::copy_if(many.begin(), many.end(), std::back_inserter(always), comes_always);
      Rows chosen;
      for (; chosen.count() + always.count() < room && !queue.empty(); queue.pop()) {
        if (!comes_always(queue.top().second)) chosen.push_back(queue.top().second);
      }
      for (const Rows *strata : {&chosen, &always}) {
        for (int32_t stratum : *strata) {
          batches[stratum].push_back(batch);
          left[stratum]--;
          n_left--;
        }
      }
      for (int32_t stratum : chosen) enter(stratum);
      host.go_on(room);
    }
  }

  /* Give the rows, batch after batch, each in order of stratum. */
  void give(Host &host) const {
    int64_t *offsets = host.make<int64_t>("offsets", n_batches + 1), n_rows = 0;
    std::fill_n(offsets, n_batches + 1, 0);
    for (int64_t stratum = 0; stratum < rows.count(); stratum++) {
      n_rows += n_blocks[stratum] > 0 ? rows[stratum].count() : 0;
      for (int64_t block = 0; block < n_blocks[stratum]; block++) {
        offsets[batches[stratum][block] + 1] += begin(stratum, block + 1) - begin(stratum, block);
      }
    }
    std::partial_sum(offsets, offsets + n_batches + 1, offsets);
    List<int64_t> next(offsets, offsets + n_batches);
    int32_t *to = host.make<int32_t>("rows", n_rows);
    for (int64_t stratum = 0; stratum < rows.count(); stratum++) {
      for (int64_t block = 0; block < n_blocks[stratum]; block++) {
        const int32_t *own = rows[stratum].data();
        int64_t first = begin(stratum, block), end = begin(stratum, block + 1), &place = next[batches[stratum][block]];
        std::copy(own + first, own + end, to + place);
        place += end - first;
      }
      host.go_on(rows[stratum].count());
    }
  }
};

}  // namespace pystrat
