/* Rows of one lane of a stream, as they are read, dealt to batches. */

#include "core/functions.h"
#include "core/lanes.h"

/* What was read before. */
typedef struct {
  int64_t n_strata, n_batches, next; /* the first batch that is wanted, up to n_batches */
  int64_t *totals, *seen, *shifts;   /* n_strata: the rows in the lane, those that were read, and the shift */
} Seen;

static bool read_seen(const Parts *request, Seen *seen, Host *host) {
  seen->n_strata = find_part(request, "totals").length;
  if (seen->n_strata == 0) return refuse(host, "totals", "none", "be numbers of rows");
  if (!read_count(request, "n_batches", 1, LARGEST_COUNT, &seen->n_batches, host)) return false;
  if (!read_count(request, "next", 0, (double)seen->n_batches, &seen->next, host)) return false;
  double most = (double)most_rows_of_lane(seen->n_batches);
  seen->totals = host->memory(host, FOR_THE_CALL, 3 * seen->n_strata * (int64_t)sizeof *seen->totals);
  if (seen->totals == NULL) return false;
  seen->seen = seen->totals + seen->n_strata;
  seen->shifts = seen->seen + seen->n_strata;
  return read_wholes(request, "totals", seen->n_strata, 0, most, seen->totals, host) &&
         read_wholes(request, "seen", seen->n_strata, 0, most, seen->seen, host) &&
         read_wholes(request, "shifts", seen->n_strata, 0, (double)seen->n_batches - 1, seen->shifts, host);
}

/* Return the batch of the row of a rank of a stratum. */
static int64_t batch_of(const Seen *seen, int64_t stratum, int64_t rank) {
  return batch_of_rank(rank, seen->totals[stratum], seen->n_batches, seen->shifts[stratum]);
}

/* Make "needed" the result: whether a batch that is wanted has one of so many further rows. */
static bool call_needs_rows(const Parts *request, Host *host) {
  Seen seen = {.n_strata = 0};
  bool is_needed = false;
  if (!read_seen(request, &seen, host)) return false;
  int64_t *counts = host->memory(host, FOR_THE_CALL, seen.n_strata * (int64_t)sizeof *counts);
  if (counts == NULL || !read_wholes(request, "counts", seen.n_strata, 0, LARGEST_EXACT, counts, host)) return false;
  for (int64_t stratum = 0; stratum < seen.n_strata; stratum++) {
    int64_t last = seen.seen[stratum] + counts[stratum];
    if (counts[stratum] == 0) continue;
    if (last > seen.totals[stratum]) return refuse(host, "counts", "more", "be those of the lane");
    is_needed = is_needed || batch_of(&seen, stratum, last) >= seen.next;
  }
  return host->flag(host, "needed", is_needed);
}

/* Return how many batches have all their rows. */
static int64_t count_complete(const Seen *seen) {
  int64_t complete = seen->n_batches;
  for (int64_t stratum = 0; stratum < seen->n_strata; stratum++) {
    if (seen->seen[stratum] >= seen->totals[stratum]) continue;
    complete = smaller(complete, batch_of(seen, stratum, seen->seen[stratum] + 1));
  }
  return complete;
}

/* Rows of one stratum among those that are dealt, which begin behind those of the strata before. */
typedef struct {
  int64_t unwanted;   /* the first of them, of batches that are not wanted */
  int64_t rank, last; /* the ranks of the others: above the one and up to the other */
  int64_t place;      /* of the next one of the others in the order of strata */
} StratumRows;

/* Return the rank of the last row of a stratum in a batch. */
static int64_t last_rank(const Seen *seen, int64_t stratum, int64_t batch) {
  return ((batch + 1) * seen->totals[stratum] + seen->shifts[stratum]) / seen->n_batches;
}

/* Find the rows of each stratum, in memory of the call; NULL if it failed. */
static StratumRows *number_rows_of(const Seen *seen, const Codes *codes, Host *host) {
  int64_t place = 0;
  StratumRows *found = host->memory(host, FOR_THE_CALL, seen->n_strata * (int64_t)sizeof *found);
  if (found == NULL) return NULL;
  for (int64_t stratum = 0; stratum < seen->n_strata; stratum++) {
    found[stratum] = (StratumRows){.rank = seen->seen[stratum], .last = seen->seen[stratum]};
  }
  for (int64_t row = 0; row < codes->n_rows; row++) {
    int64_t code = code_of(codes, row);
    bool is_code = code >= 0 && code < seen->n_strata;
    if (!is_code || found[code].last >= seen->totals[code]) {
      refuse(host, "codes", "others", "be those of the rows of the lane");
      return NULL;
    }
    found[code].last += 1;
  }
  for (int64_t stratum = 0; stratum < seen->n_strata; stratum++) {
    StratumRows *rows = &found[stratum];
    int64_t wanted_from = smaller(rows->last, last_rank(seen, stratum, seen->next - 1));
    rows->unwanted = wanted_from > rows->rank ? wanted_from - rows->rank : 0;
    rows->rank += rows->unwanted;
    rows->place = place;
    place += rows->last - rows->rank;
  }
  return found;
}

/* Write the runs, which are rows of a stratum in one batch, in order of strata, if there is room; return how many there
 * are.
 */
static int64_t write_runs(
    const Seen *seen, const StratumRows *found, int32_t *batches, int32_t *strata, int32_t *sizes
) {
  int64_t n_runs = 0;
  for (int64_t stratum = 0; stratum < seen->n_strata; stratum++) {
    int64_t rank = found[stratum].rank, last = found[stratum].last;
    while (rank < last) {
      int64_t batch = batch_of(seen, stratum, rank + 1);
      int64_t end = smaller(last, last_rank(seen, stratum, batch));
      if (batches != NULL) {
        batches[n_runs] = (int32_t)batch;
        strata[n_runs] = (int32_t)stratum;
        sizes[n_runs] = (int32_t)(end - rank);
      }
      n_runs += 1;
      rank = end;
    }
  }
  return n_runs;
}

/* Make the results: "places" of the rows of batches that are wanted, in order of strata and then as they came; their
 * runs, by "batches", "strata", from 0, and "sizes"; what was "seen" now; and how many batches are "complete".
 */
static bool call_deal_rows(const Parts *request, Host *host) {
  Seen seen = {.n_strata = 0};
  Codes codes = {.n_rows = 0};
  if (!read_seen(request, &seen, host) || !find_codes(request, &codes, host)) return false;
  StratumRows *found = number_rows_of(&seen, &codes, host);
  if (found == NULL) return false;
  int64_t n_strata = seen.n_strata, n_runs = write_runs(&seen, found, NULL, NULL, NULL);
  const StratumRows *end = &found[n_strata - 1];
  int32_t *places = host->vector(host, "places", INTEGERS, end->place + end->last - end->rank);
  int32_t *batches = places == NULL ? NULL : host->vector(host, "batches", INTEGERS, n_runs);
  int32_t *strata = batches == NULL ? NULL : host->vector(host, "strata", INTEGERS, n_runs);
  int32_t *sizes = strata == NULL ? NULL : host->vector(host, "sizes", INTEGERS, n_runs);
  double *now = sizes == NULL ? NULL : host->vector(host, "seen", DOUBLES, n_strata);
  if (now == NULL) return false;
  write_runs(&seen, found, batches, strata, sizes);
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    seen.seen[stratum] = found[stratum].last;
    now[stratum] = (double)found[stratum].last;
  }
  for (int64_t row = 0; row < codes.n_rows; row++) {
    StratumRows *rows = &found[code_of(&codes, row)];
    if (rows->unwanted > 0) {
      rows->unwanted -= 1;
    } else {
      places[rows->place++] = (int32_t)row + host->first_row;
    }
    if (!go_on_after(row, host)) return false;
  }
  return host->number(host, "complete", (double)count_complete(&seen));
}

/* Make "ends" the result: where batches end among rows that are read without counts. A batch is cut as soon as it has
 * enough rows of each stratum, and of all. "counts" are the rows of each stratum in the next batch, before and after.
 */
static bool call_cut_batches(const Parts *request, Host *host) {
  Codes codes = {.n_rows = 0};
  int64_t least, least_rows, n_rows = 0, n_lacking = 0, n_ends = 0, n_strata = find_part(request, "counts").length;
  if (!read_count(request, "min_samples_per_stratum", 1, LARGEST_COUNT, &least, host)) return false;
  if (!read_count(request, "min_batch_size", 1, LARGEST_COUNT, &least_rows, host)) return false;
  if (!find_codes(request, &codes, host)) return false;
  int64_t *counts = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *counts);
  int64_t *ends = host->memory(host, FOR_THE_CALL, codes.n_rows * (int64_t)sizeof *ends);
  if (counts == NULL || ends == NULL) return false;
  if (!read_wholes(request, "counts", n_strata, 0, LARGEST_EXACT, counts, host)) return false;
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    n_rows += counts[stratum];
    n_lacking += counts[stratum] < least;
  }
  for (int64_t row = 0; row < codes.n_rows; row++) {
    int64_t code = code_of(&codes, row);
    if (code < 0 || code >= n_strata) return refuse(host, "codes", "others", "be numbers of strata from 0");
    n_rows += 1;
    counts[code] += 1;
    n_lacking -= counts[code] == least;
    if (n_lacking == 0 && n_rows >= least_rows) {
      ends[n_ends++] = row + 1;
      n_rows = 0;
      n_lacking = n_strata;
      memset(counts, 0, (size_t)n_strata * sizeof *counts);
    }
    if (!go_on_after(row, host)) return false;
  }
  int64_t *given = host->vector(host, "ends", LONGS, n_ends);
  double *now = given == NULL ? NULL : host->vector(host, "counts", DOUBLES, n_strata);
  if (now == NULL) return false;
  memcpy(given, ends, (size_t)n_ends * sizeof *ends);
  for (int64_t stratum = 0; stratum < n_strata; stratum++) now[stratum] = (double)counts[stratum];
  return true;
}

const Function needs_rows_function = {"needs_rows", call_needs_rows};
const Function deal_rows_function = {"deal_rows", call_deal_rows};
const Function cut_batches_function = {"cut_batches", call_cut_batches};
