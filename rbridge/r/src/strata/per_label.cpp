/* Rows with several labels: batches of positives and negatives of each of P labels.
 *
 * Every batch has P of the L labels, which come equally often, by exposure.hpp; and for each of them k rows that
 * have the label, its positives, and l that do not, its negatives. The positives of label i, from 0, are the takes of
 * number 1 + 2 * i, and its negatives those of number 2 + 2 * i, both in the order of the dataset before the orders of
 * their cycles. A batch has the numbers 2 * (row * L + label) + 1 of positives and 2 * (row * L + label) of negatives,
 * label after label, positives first; row and label are counted from 0.
 */

#include "../core/sizes.hpp"
#include "exposure.hpp"
#include "labels.hpp"

namespace pystrat {
namespace {

const std::string EACH[] = {"negatives_per_label", "positives_per_label"};

class PerLabel : public Sampler {
 public:
  PerLabel(const Values &given, uint32_t seed, Host &host) : seed(seed) {
    LabeledRows rows(given, host);
    n_rows = rows.codes.n_rows;
    n_labels = rows.n_labels;
    if (2.0 * static_cast<double>(n_rows) * static_cast<double>(n_labels) >= LARGEST_EXACT) {
      refuse("labels", "more", "have fewer than 2^52 entries");
    }
    find_positives(rows, host);
    for (int sign : {1, 0}) read_each(given, sign);
    double wanted_labels = given.whole_or("labels_per_batch", static_cast<double>(n_labels), 1);
    if (wanted_labels > static_cast<double>(n_labels)) {
      refuse("labels_per_batch", "", text("be at most ", n_labels, ", the number of labels"));
    }
    per_batch = static_cast<int64_t>(wanted_labels);
    int64_t size = per_batch * (each[0] + each[1]);
    if (size > LARGEST_COUNT) refuse_large_epoch(EACH[1]);
    n_batches = given.has("n_batches") ? given.count("n_batches") : std::max<int64_t>(1, n_rows / size);
    if (n_batches * size > LARGEST_COUNT) refuse_large_epoch("n_batches");
    n_batches = share_batches(n_batches, given.whole_or("num_replicas", 1, 1));
  }

  void draw(Generator &generator, uint32_t epoch, Host &host) override {
    int64_t size = per_batch * (each[0] + each[1]), n_orders = 2 * n_labels + 1;
    Exposure exposure(n_labels, n_batches, per_batch, n_orders, seed, generator, epoch, host);
    int64_t *numbers = host.make_large("rows", n_batches * size);
    const int64_t *offsets = give_offsets(n_batches, size, host);
    List<int64_t> ends(offsets, offsets + n_batches);
    for (int64_t label = 0; label < n_labels; label++) {
      if (exposure.batches[label].empty()) continue;
      for (int sign : {1, 0}) {
        int64_t number = 1 + 2 * label + (sign == 0);
        Takes takes(seed, rows_of(label, sign), each[sign], number, n_orders, exposure.earlier[label], host);
        for (int32_t batch : exposure.batches[label]) {
          for (int32_t rank : takes.next(host)) {
            int64_t row = sign == 1 ? positives[label][rank] : negative_row(positives[label], rank);
            numbers[ends[batch]++] = 2 * (row * n_labels + label) + sign;
          }
        }
        host.go_on(n_rows);
      }
    }
  }

  double bytes() const override {
    double n_drawn = static_cast<double>(n_batches * per_batch) * static_cast<double>(2 + each[0] + each[1]);
    return 40 * static_cast<double>(n_rows + n_labels + n_batches) + 40 * n_drawn;
  }

  /* "weights" and "normalized": of the negatives of each label, then of the positives. */
  void describe(Host &host) const override {
    host.number("labels_per_batch", static_cast<double>(per_batch));
    List<double> weights, taken;
    for (int sign : {0, 1}) {
      for (int64_t label = 0; label < n_labels; label++) {
        taken.push_back(static_cast<double>(n_batches * per_batch * each[sign]) / static_cast<double>(n_labels));
        weights.push_back(static_cast<double>(rows_of(label, sign)) / taken.back());
      }
    }
    give_weights(weights, taken, host);
  }

 private:
  int64_t n_rows, n_labels, per_batch, each[2]; /* negatives and positives of a label in a batch */
  List<List<int32_t>> positives;                /* of each label, in the order of the dataset */
  uint32_t seed;

  int64_t rows_of(int64_t label, int sign) const {
    return sign == 1 ? positives[label].count() : n_rows - positives[label].count();
  }

  void find_positives(const LabeledRows &rows, Host &host) {
    List<int64_t> counts = rows.rows_of_labels();
    positives.resize(counts.size());
    for (int64_t label = 0; label < n_labels; label++) positives[label].reserve(static_cast<size_t>(counts[label]));
    host.in_steps(n_rows, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; row++) {
        const uint8_t *has = rows.labels_of(rows.codes[row]);
        for (int64_t label = 0; label < n_labels; label++) {
          if (has[label]) positives[label].push_back(static_cast<int32_t>(row));
        }
      }
    });
  }

  /* Refuse more positives or negatives than a label has. */
  void read_each(const Values &given, int sign) {
    int64_t scarcest = 0;
    for (int64_t label = 1; label < n_labels; label++) {
      if (rows_of(label, sign) < rows_of(scarcest, sign)) scarcest = label;
    }
    int64_t fewest = rows_of(scarcest, sign);
    double wanted = given.whole(EACH[sign], 1);
    each[sign] = limited(wanted);
    if (wanted <= static_cast<double>(fewest)) return;
    std::string verb = sign == 1 ? (fewest == 1 ? "has" : "have") : (fewest == 1 ? "does not have" : "do not have");
    refuse(
        EACH[sign], "",
        text("be at most ", fewest, ": ", count_of(fewest, "row"), " ", verb, std::string(" label '{stratum}'")),
        fewest > 0 ? "Lower it, or leave the label out." : "Leave the label out.", scarcest
    );
  }

  /* The row of this rank among those without a label. */
  static int64_t negative_row(const List<int32_t> &own, int64_t rank) {
    int64_t low = 0, high = own.count();
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (own[middle] - middle > rank) high = middle;
      else low = middle + 1;
    }
    return rank + low;
  }
};

}  // namespace

const Kind per_label_kind = {
    "per_label",
    Table{whole("positives_per_label"), whole("negatives_per_label"), optional(whole("labels_per_batch")),
          optional(whole("n_batches", LARGEST_COUNT))} +
        SHARING,
    make<PerLabel>, {"codes", "n_strata", "sets"},
};

}  // namespace pystrat
