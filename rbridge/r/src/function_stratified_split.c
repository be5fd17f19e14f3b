/* Rows that are divided into parts of given sizes, each with its share of every stratum. */

#include "core/epoch_order.h"
#include "core/functions.h"
#include "core/group_parts.h"
#include "core/request.h"
#include "core/table_rounding.h"

#define SHARE_UNITS 1e15 /* shares are read with 15 decimals */

typedef struct {
  bool are_shares;
  int64_t n_given, n_parts; /* with a part of the rows that numbers of rows leave out, if there are any */
  double *numbers;          /* as they were given */
  int64_t *rows;            /* of each part */
} PartSizes;

static bool refuse_size(int64_t item, Host *host) {
  refuse(host, "sizes", NULL, "be shares that add up to 1, or numbers of rows");
  host->refusal.place = item + 1;
  return false;
}

/* Read a share or a number of rows. */
static bool read_size(const Part *value, double *number, bool *is_share, Host *host) {
  bool is_number = is_one_number(value, number);
  if (value->type == FRACTION) *number = *(const double *)value->values;
  if (value->type == DOUBLES) *number = nearly_whole(*number);
  *is_share = is_number && *number > 0 && *number < 1;
  if (*is_share) return true;
  bool is_whole = is_number && value->type != FRACTION && isfinite(*number) && floor(*number) == *number;
  host->refusal.is_type = !is_number;
  return is_whole && *number >= 1;
}

/* Read the sizes of the parts: all shares, or all numbers of rows. */
static bool read_sizes(const Parts *request, PartSizes *sizes, Host *host) {
  Part part = find_part(request, "sizes");
  host->refusal.is_type = !part.is_named;
  if (!part.is_named || part.length == 0) {
    return refuse(host, "sizes", NULL, "be shares that add up to 1, or numbers of rows");
  }
  *sizes = (PartSizes){.n_given = part.length, .n_parts = part.length};
  sizes->numbers = host->memory(host, FOR_THE_CALL, part.length * (int64_t)sizeof *sizes->numbers);
  if (sizes->numbers == NULL) return false;
  double sum = 0;
  for (int64_t item = 0; item < part.length; item++) {
    bool is_share;
    if (!read_size(&part.items[item], &sizes->numbers[item], &is_share, host)) return refuse_size(item, host);
    if (item == 0) sizes->are_shares = is_share;
    if (is_share != sizes->are_shares) return refuse_size(item, host);
    sum += sizes->numbers[item];
  }
  if (!sizes->are_shares || fabs(sum - 1) <= 1e-9) return true;
  char shown[NUMBER], got[SENTENCE];
  snprintf(got, SENTENCE, "a sum of %s", show_number(sum, shown));
  return refuse(host, "sizes", got, "be shares that add up to 1, or numbers of rows");
}

/* Return floor(number * count / total) of numbers below 2^53, of which the second is not above the third. */
static inline int64_t whole_share(int64_t number, int64_t count, int64_t total) {
  enum { DIGIT_BITS = 10, FIRST_SHIFT = 50 };
  if (count == 0 || number <= INT64_MAX / count) return number * count / total;
  /* The product has more than 64 bits. So the number is read digit by digit: those read so far, times the count, are
   * share * total + left.
   */
  uint64_t share = 0, left = 0;
  for (int shift = FIRST_SHIFT; shift >= 0; shift -= DIGIT_BITS) {
    uint64_t digit = (uint64_t)number >> shift & ((1 << DIGIT_BITS) - 1);
    left = (left << DIGIT_BITS) + digit * (uint64_t)count;
    share = (share << DIGIT_BITS) + left / (uint64_t)total;
    left %= (uint64_t)total;
  }
  return (int64_t)share;
}

/* Give each part its share of the rows, rounded down, and one more to those with the largest remainders, the first ones
 * of equal remainders.
 */
static bool share_rows(PartSizes *sizes, int64_t n_rows, Host *host) {
  int64_t n_parts = sizes->n_given, total = 0, left = n_rows;
  int64_t *units = host->memory(host, FOR_THE_CALL, n_parts * (int64_t)sizeof *units);
  if (units == NULL) return false;
  for (int64_t part = 0; part < n_parts; part++) {
    units[part] = (int64_t)round(sizes->numbers[part] * SHARE_UNITS);
    total += units[part];
  }
  for (int64_t part = 0; part < n_parts; part++) {
    sizes->rows[part] = whole_share(n_rows, units[part], total);
    left -= sizes->rows[part];
    /* The remainder is below the total, although the products may not fit. */
    units[part] = (int64_t)((uint64_t)n_rows * (uint64_t)units[part] - (uint64_t)sizes->rows[part] * (uint64_t)total);
  }
  int64_t least = 0, beyond = total; /* at least `left` remainders are at least `least` */
  while (beyond - least > 1) {
    int64_t middle = least + (beyond - least) / 2, n_above = 0;
    for (int64_t part = 0; part < n_parts; part++) n_above += units[part] >= middle;
    if (n_above >= left) {
      least = middle;
    } else {
      beyond = middle;
    }
  }
  for (int64_t part = 0; part < n_parts; part++) {
    sizes->rows[part] += units[part] > least;
    left -= units[part] > least;
  }
  for (int64_t part = 0; part < n_parts && left > 0; part++) {
    sizes->rows[part] += units[part] == least;
    left -= units[part] == least;
  }
  return true;
}

/* Take the numbers of rows as they are; the rows that are left out become a part. */
static bool count_rows_of_parts(PartSizes *sizes, int64_t n_rows, Host *host) {
  double sum = 0;
  for (int64_t part = 0; part < sizes->n_given; part++) sum += sizes->numbers[part];
  if (sum > (double)n_rows) {
    char shown[NUMBER];
    return refuse(
        host, "sizes", show_number(sum, shown), "add up to at most %lld, the number of rows", (long long)n_rows
    );
  }
  for (int64_t part = 0; part < sizes->n_given; part++) sizes->rows[part] = (int64_t)sizes->numbers[part];
  sizes->rows[sizes->n_given] = n_rows - (int64_t)sum;
  sizes->n_parts = sizes->n_given + (sizes->rows[sizes->n_given] > 0);
  return true;
}

/* Find the rows of each part. */
static bool size_parts(PartSizes *sizes, int64_t n_rows, Host *host) {
  sizes->rows = host->memory(host, FOR_THE_CALL, (sizes->n_given + 1) * (int64_t)sizeof *sizes->rows);
  if (sizes->rows == NULL) return false;
  if (!sizes->are_shares) return count_rows_of_parts(sizes, n_rows, host);
  if (!share_rows(sizes, n_rows, host)) return false;
  for (int64_t part = 0; part < sizes->n_given; part++) {
    if (sizes->rows[part] > 0) continue;
    refuse(host, "sizes", NULL, "give every part at least one of %lld rows", (long long)n_rows);
    host->refusal.place = part + 1;
    return false;
  }
  return true;
}

/* Find the part of each row: of each stratum, the first rows in the order go to the first part. */
static bool cut_strata(
    const Codes *codes, const PartSizes *sizes, int64_t n_rows, const int32_t *order, int32_t *part_of, Host *host
) {
  int64_t n_strata = codes->n_strata, n_parts = sizes->n_parts;
  int32_t *counts = host->memory(host, FOR_THE_CALL, n_strata * n_parts * (int64_t)sizeof *counts);
  int64_t *begun = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *begun);
  if (counts == NULL || begun == NULL) return false;
  if (!round_table(codes->counts, n_strata, sizes->rows, n_parts, n_rows, counts, host)) return false;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) begun[stratum] = stratum * n_parts;
  for (int64_t place = 0; place < codes->n_rows; place++) {
    int64_t stratum = code_of(codes, order[place]);
    if (stratum == n_strata) continue;
    while (counts[begun[stratum]] == 0) begun[stratum]++;
    counts[begun[stratum]]--;
    part_of[order[place]] = (int32_t)(begun[stratum] - stratum * n_parts);
  }
  return host->go_on(host);
}

/* The same for rows of groups. */
static bool cut_groups(
    const RowGroups *rows, const PartSizes *sizes, int64_t n_rows, const int32_t *order, int32_t *part_of, Host *host
) {
  GroupParts parts = {
      .rows = rows, .n_parts = sizes->n_parts, .n_needed = sizes->n_given, .part_sizes = sizes->rows, .n_rows = n_rows
  };
  int64_t n_groups = count_groups(rows);
  if (n_groups < sizes->n_given) {
    char got[NUMBER];
    return refuse(
        host, "groups", show_count(n_groups, "group", got), "have at least one group for each of %lld parts",
        (long long)sizes->n_given
    );
  }
  if (!divide_groups(&parts, order, host)) return false;
  for (int64_t row = 0; row < rows->codes.n_rows; row++) {
    if (rows->groups[row] < rows->n_groups) part_of[row] = parts.part_of[rows->groups[row]];
  }
  return true;
}

/* Make "rows" the result, those of each part in ascending order, and "offsets", where the parts begin. */
static bool give_parts(const int32_t *part_of, int64_t n_rows, int64_t n_parts, Host *host) {
  int64_t *offsets = host->vector(host, "offsets", LONGS, n_parts + 1);
  int64_t *next = host->memory(host, FOR_THE_CALL, n_parts * (int64_t)sizeof *next);
  if (offsets == NULL || next == NULL) return false;
  memset(offsets, 0, (size_t)(n_parts + 1) * sizeof *offsets);
  for (int64_t row = 0; row < n_rows; row++) {
    if (part_of[row] < n_parts) offsets[part_of[row] + 1]++;
  }
  for (int64_t part = 0; part < n_parts; part++) {
    next[part] = offsets[part];
    offsets[part + 1] += offsets[part];
  }
  int64_t *rows = host->vector(host, "rows", LONGS, offsets[n_parts]);
  if (rows == NULL) return false;
  for (int64_t row = 0; row < n_rows; row++) {
    if (part_of[row] < n_parts) rows[next[part_of[row]]++] = row + host->first_row;
  }
  return true;
}

/* Without "codes", only check the arguments. */
static bool call_stratified_split(const Parts *request, Host *host) {
  PartSizes sizes = {.n_given = 0};
  RowGroups rows = {.n_groups = 0};
  double seed = 0, num_replicas;
  if (!read_sizes(request, &sizes, host) || !read_missing(request, host)) return false;
  if (!read_sharing(request, &num_replicas, host)) return false;
  if (!is_given(request, "codes")) return true;
  bool is_grouped = is_given(request, "groups");
  if (is_grouped && !check_groups_of_rows(request, host)) return false;
  bool is_read = is_grouped ? read_row_groups(request, FOR_THE_CALL, &rows, host)
                            : read_codes(request, FOR_THE_CALL, &rows.codes, host);
  if (!is_read || !read_whole(request, "seed", 0, LARGEST_SEED, &seed, host)) return false;
  int64_t n_rows = rows_of_strata(&rows.codes), n_all = rows.codes.n_rows;
  if (!size_parts(&sizes, n_rows, host)) return false;
  int32_t *part_of = host->memory(host, FOR_THE_CALL, n_all * (int64_t)sizeof *part_of);
  Generator *generator = host->memory(host, FOR_THE_CALL, (int64_t)sizeof *generator);
  if (part_of == NULL || generator == NULL) return false;
  for (int64_t row = 0; row < n_all; row++) part_of[row] = INT32_MAX; /* of rows in no part */
  seed_generator(generator, (uint32_t)seed);
  const int32_t *order = draw_epoch_order(generator, n_all, host);
  if (order == NULL) return false;
  return (is_grouped ? cut_groups(&rows, &sizes, n_rows, order, part_of, host)
                     : cut_strata(&rows.codes, &sizes, n_rows, order, part_of, host)) &&
         give_parts(part_of, n_all, sizes.n_given, host);
}

const Function stratified_split_function = {"stratified_split", call_stratified_split};
