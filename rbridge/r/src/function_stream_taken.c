/* Streams whose epochs take rows of some strata less or more often than once (lane_taken.h): the windows of a lane in
 * an epoch, how often an epoch takes the rows of a source, and the batches of rows that are taken.
 */

#include "core/epoch_order.h"
#include "core/functions.h"
#include "core/lane_taken.h"
#include "core/part_seeds.h"

/* A lane and an epoch of it. */
typedef struct {
  int64_t n_strata, n_batches, next, epoch;
  int64_t *totals, *taken; /* n_strata: the rows of the lane, and those that an epoch takes */
} TakenLane;

static bool read_taken_lane(const Parts *request, TakenLane *lane, Host *host) {
  lane->n_strata = find_part(request, "totals").length;
  if (lane->n_strata == 0) return refuse(host, "totals", "none", "be numbers of rows");
  if (!read_count(request, "n_batches", 1, LARGEST_COUNT, &lane->n_batches, host)) return false;
  if (!read_count(request, "next", 0, (double)lane->n_batches, &lane->next, host)) return false;
  if (!read_count(request, "epoch", 0, LARGEST_EPOCH, &lane->epoch, host)) return false;
  lane->totals = host->memory(host, FOR_THE_CALL, 2 * lane->n_strata * (int64_t)sizeof *lane->totals);
  if (lane->totals == NULL) return false;
  lane->taken = lane->totals + lane->n_strata;
  double most = (double)most_rows_of_lane(lane->n_batches);
  if (!read_wholes(request, "totals", lane->n_strata, 1, LARGEST_EXACT, lane->totals, host)) return false;
  if (!read_wholes(request, "taken", lane->n_strata, 1, most, lane->taken, host)) return false;
  for (int64_t stratum = 0; stratum < lane->n_strata; stratum++) {
    bool is_exact = 2.0 * (double)lane->totals[stratum] * (double)lane->taken[stratum] < LARGEST_EXACT;
    if (!is_exact) return refuse(host, "taken", "more", "be fewer, so that products are exact");
  }
  return true;
}

/* The sources of a lane in the order of an epoch: their numbers in the table, and where they are together. */
typedef struct {
  CountsTable table;
  const int32_t *sources;
  int64_t n_sources, together, n_groups;
} LaneOrder;

static bool read_lane_order(const Parts *request, const TakenLane *lane, LaneOrder *order, Host *host) {
  Part sources = find_part(request, "sources");
  if (!read_counts_table(request, &order->table, host)) return false;
  if (order->table.n_strata != lane->n_strata) return refuse(host, "table", "others", "have the strata of the lane");
  if (sources.type != INTEGERS || sources.length < 1 || sources.length > order->table.n_parts) {
    return refuse(host, "sources", "others", "be numbers of sources");
  }
  if (!read_count(request, "shuffle_sources", 1, LARGEST_COUNT, &order->together, host)) return false;
  order->sources = sources.values;
  order->n_sources = sources.length;
  order->n_groups = quotient_up(sources.length, order->together);
  bool *is_in_lane = host->memory(host, FOR_THE_CALL, order->table.n_parts * (int64_t)sizeof *is_in_lane);
  int64_t *rows = host->memory(host, FOR_THE_CALL, lane->n_strata * (int64_t)sizeof *rows);
  if (is_in_lane == NULL || rows == NULL) return false;
  memset(is_in_lane, 0, (size_t)order->table.n_parts * sizeof *is_in_lane);
  memset(rows, 0, (size_t)lane->n_strata * sizeof *rows);
  bool is_right = true;
  for (int64_t place = 0; is_right && place < order->n_sources; place++) {
    int64_t source = (int64_t)order->sources[place] - host->first_row;
    is_right = source >= 0 && source < order->table.n_parts && !is_in_lane[source];
    if (!is_right) break;
    is_in_lane[source] = true;
    const int64_t *counts = order->table.counts + source * lane->n_strata;
    for (int64_t stratum = 0; stratum < lane->n_strata; stratum++) rows[stratum] += counts[stratum];
  }
  for (int64_t stratum = 0; is_right && stratum < lane->n_strata; stratum++) {
    is_right = rows[stratum] == lane->totals[stratum];
  }
  return is_right || refuse(host, "sources", "others", "be those of the lane");
}

/* Fill, for each source of the order, the rows of the strata in sources of the lane before it, by their numbers. */
static bool fill_rows_before(const LaneOrder *order, const TakenLane *lane, double *before, Host *host) {
  int64_t n_strata = lane->n_strata, n_parts = order->table.n_parts;
  int64_t *place_of = host->memory(host, FOR_THE_CALL, n_parts * (int64_t)sizeof *place_of);
  int64_t *rows = host->memory(host, FOR_THE_CALL, n_strata * (int64_t)sizeof *rows);
  if (place_of == NULL || rows == NULL) return false;
  for (int64_t source = 0; source < n_parts; source++) place_of[source] = -1;
  for (int64_t place = 0; place < order->n_sources; place++) place_of[order->sources[place] - host->first_row] = place;
  memset(rows, 0, (size_t)n_strata * sizeof *rows);
  for (int64_t source = 0; source < n_parts; source++) {
    if (place_of[source] < 0) continue;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      before[place_of[source] * n_strata + stratum] = (double)rows[stratum];
      rows[stratum] += order->table.counts[source * n_strata + stratum];
    }
  }
  return true;
}

/* The rows of a stratum in sources that are read together, and the ranks that they have. */
typedef struct {
  int64_t rows, ranks;
} GroupRanks;

static GroupRanks ranks_of_group(
    const LaneOrder *order, const TakenLane *lane, const double *before, int64_t group, int64_t stratum, Host *host
) {
  GroupRanks found = {0, 0};
  int64_t end = smaller((group + 1) * order->together, order->n_sources);
  for (int64_t place = group * order->together; place < end; place++) {
    int64_t source = order->sources[place] - host->first_row;
    int64_t count = order->table.counts[source * lane->n_strata + stratum];
    int64_t from = (int64_t)before[place * lane->n_strata + stratum];
    found.rows += count;
    found.ranks += taken_between(from, count, lane->epoch, lane->totals[stratum], lane->taken[stratum]);
  }
  return found;
}

/* Fill the windows of a stratum, group by group, and note which groups are needed. */
static bool fill_windows(
    const LaneOrder *order, const TakenLane *lane, const double *before, int64_t stratum, Window *windows,
    int32_t *needed, Host *host
) {
  int64_t total = lane->totals[stratum], taken = lane->taken[stratum], whole = taken / total, since = 0;
  bool is_joined = has_windows(total, taken);
  int64_t least = is_joined ? rows_of_window(total, taken, lane->n_batches) : 0;
  int64_t rows_done = 0, ranks_done = 0;
  for (int64_t first = 0, end; first < order->n_groups; first = end) {
    Window window = {.before = ranks_done};
    int64_t ranks = 0;
    for (end = first; end < order->n_groups; end++) {
      GroupRanks own = ranks_of_group(order, lane, before, end, stratum, host);
      int64_t n_extra = own.ranks - whole * own.rows;
      windows[end * lane->n_strata + stratum] = (Window){
          .extra_before = window.n_extra, .others_before = window.n_rows - window.n_extra, .complete = ranks_done
      };
      window.n_rows += own.rows;
      window.n_extra += n_extra;
      ranks += own.ranks;
      int64_t left = total - rows_done - window.n_rows;
      if (!may_go_on(&since, order->together, host)) return false;
      if (!is_joined || (window.n_rows >= least && (left == 0 || left >= least))) {
        end += 1;
        break;
      }
    }
    rows_done += window.n_rows;
    ranks_done += ranks;
    bool is_needed = ranks > 0 && batch_of_rank(ranks_done, taken, lane->n_batches, 0) >= lane->next;
    for (int64_t group = first; group < end; group++) {
      Window *found = &windows[group * lane->n_strata + stratum];
      found->before = window.before;
      found->n_rows = window.n_rows;
      found->n_extra = window.n_extra;
      if (group == end - 1) found->complete = ranks_done;
      needed[group] |= is_needed && ranks_of_group(order, lane, before, group, stratum, host).ranks > 0;
    }
  }
  return true;
}

/* Make the results for a lane in an epoch: "before", the rows of the strata in earlier sources, for each of the
 * sources; the "windows" of each stratum, for each of the groups of sources that are read together; and which of these
 * are "needed", as any of their rows are in batches from "next" on. Groups without rows are needed if no batch is left
 * out.
 */
static bool call_lane_windows(const Parts *request, Host *host) {
  TakenLane lane = {.n_strata = 0};
  LaneOrder order = {.n_sources = 0};
  if (!read_taken_lane(request, &lane, host) || !read_lane_order(request, &lane, &order, host)) return false;
  int64_t n_strata = lane.n_strata, n_windows = order.n_groups * n_strata;
  double *before = host->vector(host, "before", DOUBLES, order.n_sources * n_strata);
  double *given = before == NULL ? NULL : host->vector(host, "windows", DOUBLES, n_windows * WINDOW_NUMBERS);
  int32_t *needed = given == NULL ? NULL : host->vector(host, "needed", INTEGERS, order.n_groups);
  Window *windows = host->memory(host, FOR_THE_CALL, n_windows * (int64_t)sizeof *windows);
  if (needed == NULL || windows == NULL || !fill_rows_before(&order, &lane, before, host)) return false;
  memset(needed, 0, (size_t)order.n_groups * sizeof *needed);
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    if (!fill_windows(&order, &lane, before, stratum, windows, needed, host)) return false;
  }
  for (int64_t group = 0; group < order.n_groups; group++) {
    bool is_empty = true;
    for (int64_t stratum = 0; stratum < n_strata; stratum++) {
      is_empty = is_empty && ranks_of_group(&order, &lane, before, group, stratum, host).rows == 0;
    }
    if (is_empty) needed[group] = lane.next == 0;
  }
  for (int64_t i = 0; i < n_windows; i++) {
    const Window *window = &windows[i];
    *given++ = (double)window->before;
    *given++ = (double)window->n_rows;
    *given++ = (double)window->n_extra;
    *given++ = (double)window->extra_before;
    *given++ = (double)window->others_before;
    *given++ = (double)window->complete;
  }
  return true;
}

/* Make "copies" the result: how often the "epoch" takes each row of a "source", whose "codes" are in the order of the
 * source. "before" are the rows of the strata in earlier sources of the lane.
 */
static bool call_row_copies(const Parts *request, Host *host) {
  TakenLane lane = {.n_strata = 0};
  Codes codes = {.n_rows = 0};
  int64_t seed, n_sources, source;
  bool is_shuffled = false;
  int32_t first = host->first_row;
  if (!read_taken_lane(request, &lane, host) || !find_codes(request, &codes, host)) return false;
  if (!read_flag(request, "shuffle", &is_shuffled, host)) return false;
  if (!read_count(request, "seed", 0, LARGEST_SEED, &seed, host)) return false;
  if (!read_count(request, "n_sources", 1, LARGEST_COUNT - 1, &n_sources, host)) return false;
  if (!read_count(request, "source", first, (double)(n_sources - 1 + first), &source, host)) return false;
  int64_t *places = host->memory(host, FOR_THE_CALL, lane.n_strata * (int64_t)sizeof *places);
  if (places == NULL) return false;
  if (!read_wholes(request, "before", lane.n_strata, 0, LARGEST_EXACT, places, host)) return false;
  int32_t *copies = host->vector(host, "copies", INTEGERS, codes.n_rows);
  const int32_t *order = NULL;
  if (copies == NULL) return false;
  if (is_shuffled) {
    Generator generator;
    seed_generator(&generator, part_seed((uint32_t)seed, 0, n_sources + 1, source - first));
    order = draw_epoch_order(&generator, codes.n_rows, host);
    if (order == NULL) return false;
  }
  for (int64_t i = 0; i < codes.n_rows; i++) {
    int64_t row = order == NULL ? i : order[i], code = code_of(&codes, row);
    if (code < 0 || code >= lane.n_strata || places[code] >= lane.totals[code]) {
      return refuse(host, "codes", "others", "be those of the rows of the lane");
    }
    int64_t times = taken_between(places[code]++, 1, lane.epoch, lane.totals[code], lane.taken[code]);
    if (times > LARGEST_COUNT) return refuse(host, "taken", "more", "take no row so often");
    copies[row] = (int32_t)times;
    if (!go_on_after(i, host)) return false;
  }
  return true;
}

static bool read_windows(const Parts *request, int64_t n_strata, Window *windows, Host *host) {
  int64_t n_numbers = n_strata * WINDOW_NUMBERS;
  int64_t *numbers = host->memory(host, FOR_THE_CALL, n_numbers * (int64_t)sizeof *numbers);
  if (numbers == NULL || !read_wholes(request, "windows", n_numbers, 0, LARGEST_EXACT, numbers, host)) return false;
  for (int64_t stratum = 0; stratum < n_strata; stratum++, numbers += WINDOW_NUMBERS) {
    windows[stratum] = (Window){numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
  }
  return true;
}

/* The ranks of rows that are dealt, stratum by stratum. */
typedef struct {
  int64_t n_ranks;
  int64_t *begins;  /* n_strata + 1: where those of a stratum begin */
  int64_t *batches; /* n_ranks */
  int32_t *rows;    /* n_ranks */
} DealtRanks;

/* Find the batches of all ranks of the rows; refuse ranks that do not exist. */
static bool find_ranks(
    const TakenLane *lane, const Codes *codes, const int32_t *copies, Window *windows, DealtRanks *dealt, Host *host
) {
  int64_t n_strata = lane->n_strata;
  dealt->begins = host->memory(host, FOR_THE_CALL, 2 * (n_strata + 1) * (int64_t)sizeof *dealt->begins);
  if (dealt->begins == NULL) return false;
  int64_t *next = dealt->begins + n_strata + 1;
  memset(dealt->begins, 0, (size_t)(n_strata + 1) * sizeof *next);
  for (int64_t row = 0; row < codes->n_rows; row++) {
    int64_t code = code_of(codes, row);
    bool is_right = code >= 0 && code < n_strata && copies[row] >= 0;
    if (!is_right) return refuse(host, "codes", "others", "be those of the rows of the lane");
    dealt->begins[code + 1] += copies[row];
    dealt->n_ranks += copies[row];
    if (dealt->n_ranks > LARGEST_COUNT) return refuse(host, "copies", "more", "add up to at most %d", LARGEST_COUNT);
  }
  for (int64_t stratum = 0; stratum < n_strata; stratum++) {
    dealt->begins[stratum + 1] += dealt->begins[stratum];
    next[stratum] = dealt->begins[stratum];
  }
  dealt->batches = host->memory(host, FOR_THE_CALL, dealt->n_ranks * (int64_t)sizeof *dealt->batches);
  dealt->rows = host->memory(host, FOR_THE_CALL, dealt->n_ranks * (int64_t)sizeof *dealt->rows);
  if (dealt->batches == NULL || dealt->rows == NULL) return false;
  for (int64_t row = 0; row < codes->n_rows; row++) {
    int64_t code = code_of(codes, row), taken = lane->taken[code], whole = taken / lane->totals[code];
    Window *window = &windows[code];
    bool is_extra = copies[row] > whole;
    if (copies[row] != whole + is_extra) return refuse(host, "copies", "others", "be those of the rows of the lane");
    int64_t place = is_extra ? window->extra_before++ : window->n_extra + window->others_before++;
    for (int64_t pass = 0; pass < copies[row]; pass++) {
      bool exists = pass == 0 || window->n_rows <= taken / pass;
      int64_t rank = window->before + (exists ? pass * window->n_rows : taken) + place + 1;
      if (rank > taken) return refuse(host, "windows", "others", "be those of the lane");
      dealt->batches[next[code]] = batch_of_rank(rank, taken, lane->n_batches, 0);
      dealt->rows[next[code]++] = (int32_t)row;
    }
    if (!go_on_after(row, host)) return false;
  }
  return true;
}

/* Make the results: "places" of the rows in batches that are wanted, in order of strata, batches, and then as they
 * came; their runs, by "batches", "strata", from 0, and "sizes"; and how many batches are "complete". The "windows"
 * are those of the sources of the rows.
 */
static bool call_deal_taken(const Parts *request, Host *host) {
  TakenLane lane = {.n_strata = 0};
  Codes codes = {.n_rows = 0};
  DealtRanks dealt = {.n_ranks = 0};
  Part copies = find_part(request, "copies");
  if (!read_taken_lane(request, &lane, host)) return false;
  Window *windows = host->memory(host, FOR_THE_CALL, lane.n_strata * (int64_t)sizeof *windows);
  if (windows == NULL || !read_windows(request, lane.n_strata, windows, host)) return false;
  if (find_part(request, "codes").length > 0) {
    if (!find_codes(request, &codes, host)) return false;
  }
  if (codes.n_rows > 0 && (copies.type != INTEGERS || copies.length != codes.n_rows)) {
    return refuse(host, "copies", "others", "be integers, one for each row");
  }
  if (!find_ranks(&lane, &codes, copies.values, windows, &dealt, host)) return false;
  int64_t bits = bits_below((uint64_t)lane.n_batches), n_places = 0, n_runs = 0, complete = lane.n_batches;
  int32_t *order = host->memory(host, FOR_THE_CALL, 2 * dealt.n_ranks * (int64_t)sizeof *order);
  int32_t *runs = host->memory(host, FOR_THE_CALL, 3 * dealt.n_ranks * (int64_t)sizeof *runs);
  int32_t *found = host->memory(host, FOR_THE_CALL, dealt.n_ranks * (int64_t)sizeof *found);
  if (order == NULL || runs == NULL || found == NULL) return false;
  for (int64_t stratum = 0; stratum < lane.n_strata; stratum++) {
    int64_t begin = dealt.begins[stratum], count = dealt.begins[stratum + 1] - begin, before = -1;
    const int64_t *batches = dealt.batches + begin;
    const int32_t *sorted = sort_places(batches, order, order + dealt.n_ranks, count, bits, host);
    if (sorted == NULL) return false;
    for (int64_t i = 0; i < count; i++) {
      int64_t batch = batches[sorted[i]];
      if (batch < lane.next) continue;
      if (batch != before) {
        int32_t *run = runs + 3 * n_runs++;
        run[0] = (int32_t)batch;
        run[1] = (int32_t)stratum;
        run[2] = 0;
        before = batch;
      }
      runs[3 * n_runs - 1] += 1;
      found[n_places++] = dealt.rows[begin + sorted[i]] + host->first_row;
    }
    int64_t done = windows[stratum].complete, taken = lane.taken[stratum];
    if (done < taken) complete = smaller(complete, batch_of_rank(done + 1, taken, lane.n_batches, 0));
  }
  int32_t *places = host->vector(host, "places", INTEGERS, n_places);
  int32_t *given[] = {NULL, NULL, NULL};
  static const char *const names[] = {"batches", "strata", "sizes"};
  for (int part = 0; places != NULL && part < 3; part++) {
    given[part] = host->vector(host, names[part], INTEGERS, n_runs);
    if (given[part] == NULL) return false;
    for (int64_t run = 0; run < n_runs; run++) given[part][run] = runs[3 * run + part];
  }
  if (places == NULL) return false;
  memcpy(places, found, (size_t)n_places * sizeof *places);
  return host->number(host, "complete", (double)complete);
}

const Function lane_windows_function = {"lane_windows", call_lane_windows};
const Function row_copies_function = {"row_copies", call_row_copies};
const Function deal_taken_function = {"deal_taken", call_deal_taken};
