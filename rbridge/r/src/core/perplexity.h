/* Draws in proportion to perplexity, according to the losses that were reported for examples.
 *
 * `reported` is the perplexity of each example, NaN if it was never reported; it then counts as `initial`, which is
 * above 1. All sums are computed from the first number to the last, so that they are the same on every machine.
 */

#ifndef PYSTRAT_PERPLEXITY_H
#define PYSTRAT_PERPLEXITY_H

#include <math.h>
#include <stdint.h>

#include "hashing.h"
#include "host.h"
#include "random.h"
#include "rounding.h"

#define MAX_PERPLEXITY 1e6

enum {
  PERPLEXITY_TERMS = 14, /* of the series, beyond which nothing changes in a double */
  PERPLEXITY_GROUP = 64, /* exponentials that are computed together */
  SEARCH_GROUP = 32      /* searches side by side, so that their memory is prefetched before it is needed */
};

/* The exponentials of losses from 0, at most 1e6, to within 2 units in the last place; NaN stays NaN.
 *
 * There are at most PERPLEXITY_GROUP losses. Only operations that IEEE 754 defines to the last bit are used: the
 * exponentials of mathematical libraries differ there.
 */
static inline void find_perplexities(const double *losses, int count, double *perplexities) {
  /* The logarithm of 2 in two parts; the first has few enough digits that its products here are exact. */
  const double log2_upper = 0x1.62e42fee00000p-1;
  const double log2_lower = 0x1.a39ef35793c76p-33;
  double doublings[PERPLEXITY_GROUP], rests[PERPLEXITY_GROUP];
  for (int i = 0; i < count; i++) {
    double loss = losses[i] <= 14 ? losses[i] : 14; /* e^14 is above 1e6 */
    doublings[i] = rint(loss / log2_upper);
    rests[i] = (loss - doublings[i] * log2_upper) - rounded_product(doublings[i], log2_lower);
    perplexities[i] = 1;
  }
  for (int term = PERPLEXITY_TERMS; term > 1; term--) { /* vector code divides several at once */
    for (int i = 0; i < count; i++) perplexities[i] = 1.0 + rests[i] * perplexities[i] / term;
  }
  for (int i = 0; i < count; i++) {
    double series = 1.0 + rounded_product(rests[i], perplexities[i]); /* no division comes between them */
    double power = ldexp(series, (int)doublings[i]);
    perplexities[i] = isnan(losses[i]) ? losses[i] : power < MAX_PERPLEXITY ? power : MAX_PERPLEXITY;
  }
}

/* Return the first of some losses that cannot be reported, or `count`. */
static inline int64_t first_wrong_loss(const double *losses, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (!(losses[i] >= 0 && losses[i] <= 1.7976931348623157e308)) return i;
  }
  return count;
}

/* Like find_perplexities(), for any number of losses. */
static inline bool find_all_perplexities(const double *losses, int64_t count, double *perplexities, Host *host) {
  for (int64_t done = 0; done < count; done += PERPLEXITY_GROUP) {
    find_perplexities(losses + done, (int)smaller(count - done, PERPLEXITY_GROUP), perplexities + done);
    if (done % GO_ON_ROWS == 0 && !host->go_on(host)) return false;
  }
  return true;
}

/* Whether a perplexity was reported: it is then from 1 to MAX_PERPLEXITY, and else NaN. */
static inline bool is_reported(double perplexity) { return perplexity >= 1 && perplexity <= MAX_PERPLEXITY; }

/* Find out whether the mean perplexity of all rows is below that of one that was never reported: whether the sum of
 * the differences is below 0. It is exactly 0 if nothing was reported; the difference of means may not be.
 */
static inline bool compare_mean(const double *reported, int64_t n_rows, double initial, bool *is_below, Host *host) {
  double sum = 0;
  for (int64_t i = 0; i < n_rows; i++) {
    sum += (isnan(reported[i]) ? initial : reported[i]) - initial;
    if (!go_on_after(i, host)) return false;
  }
  *is_below = sum < 0;
  return true;
}

/* A perplexity in hundredths, rounded half up, from 100 to 10^8. */
static inline int32_t hundredths_of(double perplexity) {
  return (int32_t)floor(rounded_product(100, perplexity) + 0.5);
}

/* The statistics of the perplexities that were reported. Begin with zeros. */
typedef struct {
  int64_t n_seen;  /* rows that were reported */
  int32_t most;    /* the highest of their perplexities, in hundredths */
  int32_t mode;    /* the most frequent one, the smallest if there are several */
  int32_t n_mode;  /* its number of occurrences */
  int64_t n_above; /* rows above the mode, exactly */
  double squares;  /* the sum of their squared distances from it */
} Reports;

/* First, find how many rows were reported, and the highest perplexity. */
static inline bool count_reports(const double *reported, int64_t n_rows, Reports *reports, Host *host) {
  for (int64_t i = 0; i < n_rows; i++) {
    if (!go_on_after(i, host)) return false;
    if (!is_reported(reported[i])) continue;
    int32_t hundredths = hundredths_of(reported[i]);
    reports->n_seen += 1;
    if (hundredths > reports->most) reports->most = hundredths;
  }
  return true;
}

/* Then, the bits of a table in which the mode is found; it has 2^bits numbers, which are 0 on entry. */
static inline int mode_table_bits(const Reports *reports) {
  int64_t n_different = reports->most - 99;
  if (n_different > reports->n_seen) n_different = reports->n_seen;
  return (int)bits_below(2 * (uint64_t)(n_different > 0 ? n_different : 1));
}

/* Find the mode: perplexities are counted in the table, each number of which combines one in hundredths and its
 * count. */
static inline bool find_mode(
    const double *reported, int64_t n_rows, uint64_t *table, int bits, Reports *reports, Host *host
) {
  uint64_t last = (UINT64_C(1) << bits) - 1;
  for (int64_t i = 0; i < n_rows; i++) {
    if (!go_on_after(i, host)) return false;
    if (!is_reported(reported[i])) continue;
    int32_t hundredths = hundredths_of(reported[i]);
    uint64_t slot = slot_of(hundredths, 64 - bits);
    while (table[slot] != 0 && table[slot] >> 32 != (uint32_t)hundredths) slot = (slot + 1) & last;
    if (table[slot] == 0) table[slot] = (uint64_t)hundredths << 32;
    table[slot] += 1;
    int32_t count = (int32_t)(uint32_t)table[slot];
    if (count < reports->n_mode || (count == reports->n_mode && hundredths > reports->mode)) continue;
    reports->mode = hundredths;
    reports->n_mode = count;
  }
  return true;
}

/* Then add the squared distances of the perplexities above the mode. */
static inline bool add_squares(const double *reported, int64_t n_rows, Reports *reports, Host *host) {
  double mode = reports->mode / 100.0;
  for (int64_t i = 0; i < n_rows; i++) {
    if (!go_on_after(i, host)) return false;
    if (!(reported[i] > mode)) continue;
    double distance = reported[i] - mode;
    reports->n_above += 1;
    reports->squares += rounded_product(distance, distance);
  }
  return true;
}

/* Finally, the mode plus `spreads` spreads: perplexities above this are noise. It is infinite if fewer than two are
 * above the mode.
 */
static inline double ceiling_of(const Reports *reports, double spreads) {
  if (reports->n_above < 2) return INFINITY;
  return reports->mode / 100.0 + rounded_product(spreads, sqrt(reports->squares / (double)(reports->n_above - 1)));
}

/* Find the perplexity that is `spreads` spreads above the mode of those reported. */
static inline bool find_ceiling(const double *reported, int64_t n_rows, double spreads, double *ceiling, Host *host) {
  Reports reports = {0};
  if (!count_reports(reported, n_rows, &reports, host)) return false;
  int bits = mode_table_bits(&reports);
  uint64_t *table = host->memory(host, FOR_THE_CALL, ((int64_t)1 << bits) * (int64_t)sizeof *table);
  if (table == NULL) return false;
  memset(table, 0, sizeof *table << bits);
  if (!find_mode(reported, n_rows, table, bits, &reports, host)) return false;
  if (!add_squares(reported, n_rows, &reports, host)) return false;
  *ceiling = ceiling_of(&reports, spreads);
  return true;
}

/* Add up the weights: `weight_above` for a reported perplexity above the ceiling, else the perplexity.
 *
 * sums[i] is the sum of the weights of the rows up to i.
 */
static inline bool add_up_weights(
    const double *reported, int64_t n_rows, double initial, double ceiling, double weight_above, double *sums,
    Host *host
) {
  double sum = 0;
  for (int64_t i = 0; i < n_rows; i++) {
    sum += isnan(reported[i]) ? initial : reported[i] > ceiling ? weight_above : reported[i];
    sums[i] = sum;
    if (!go_on_after(i, host)) return false;
  }
  return true;
}

/* Find the row into whose part of the total each value falls: the first one whose sum is above the value, or the last.
 * There are at most SEARCH_GROUP values.
 */
static inline void find_by_sums(const double *sums, int64_t n_rows, const double *values, int count, int64_t *found) {
  int64_t length = n_rows - 1; /* the result is the last row if no sum before it is above the value */
  for (int i = 0; i < count; i++) found[i] = 0;
  if (length == 0) return;
  while (length > 1) {
    int64_t half = length / 2;
    for (int i = 0; i < count; i++) found[i] += sums[found[i] + half - 1] <= values[i] ? half : 0;
    length -= half;
  }
  for (int i = 0; i < count; i++) found[i] += sums[found[i]] <= values[i] ? 1 : 0;
}

/* Draw the next `count` rows with replacement, by the sums of their weights. A draw takes two outputs. */
static inline bool draw_by_sums(
    Generator *generator, const double *sums, int64_t n_rows, int32_t first_row, int64_t count, int32_t *rows,
    Host *host
) {
  double values[SEARCH_GROUP];
  int64_t found[SEARCH_GROUP];
  double total = sums[n_rows - 1];
  int64_t since = 0;
  for (int64_t done = 0; done < count;) {
    int wanted = count - done < SEARCH_GROUP ? (int)(count - done) : SEARCH_GROUP;
    for (int i = 0; i < wanted; i++) values[i] = rounded_product(next_uniform(generator), total);
    find_by_sums(sums, n_rows, values, wanted, found);
    for (int i = 0; i < wanted; i++) rows[done + i] = (int32_t)found[i] + first_row;
    done += wanted;
    if (!may_go_on(&since, wanted, host)) return false;
  }
  return true;
}

#endif
