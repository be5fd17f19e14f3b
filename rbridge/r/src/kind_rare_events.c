/* All lines of the files of positives, and a new part of the lines of the files of negatives in every epoch.
 *
 * An epoch shuffles the list of the files of negatives, takes the first ones, and draws from their lines without
 * replacement, one file after another. All its lines are then dealt to the batches in turn, in a random order,
 * positives first. Lines are numbered over all files, positives first.
 */

#include "core/epoch_order.h"
#include "core/kinds.h"
#include "core/request.h"
#include "core/subsets.h"
#include "core/turns.h"

typedef struct {
  const double *lines; /* of the files of negatives */
  int64_t n_files;     /* of negatives */
  int64_t files_per_epoch, n_positives, n_negatives, n_batches;
  int64_t *begins; /* n_files: the number of the first line of each */
} RareEvents;

/* Read a number that is not whole, or whole; it must be finite and above 0. */
static bool read_above_zero(const Parts *parts, const char *name, double *number, Host *host) {
  Part part = find_part(parts, name);
  bool is_number = is_one_number(&part, number);
  if (part.type == FRACTION) *number = *(const double *)part.values;
  if (is_number && *number > 0 && isfinite(*number)) return true;
  if (parts->is_recipe) return refuse_part(host, name, "a finite number above 0");
  host->refusal.is_type = !is_number;
  return refuse(host, name, NULL, "be a finite number above 0");
}

/* Settings ------------------------------------------------------------------------------------------------------ */

/* The arguments of a user. */
typedef struct {
  double multiplier, batch_size, positive_weight, negative_weight, num_replicas, files_per_epoch, n_files;
} RareRequest;

static bool read_rare(const Parts *request, RareRequest *wanted, Host *host) {
  const char *name = "negative_files_per_epoch";
  if (!read_above_zero(request, "multiplier", &wanted->multiplier, host)) return false;
  if (!read_whole(request, "batch_size", 1, INFINITY, &wanted->batch_size, host)) return false;
  if (!read_above_zero(request, "positive_weight", &wanted->positive_weight, host)) return false;
  bool has_negative = is_given(request, "negative_weight");
  if (has_negative && !read_above_zero(request, "negative_weight", &wanted->negative_weight, host)) return false;
  if (!read_sharing(request, &wanted->num_replicas, host)) return false;
  if (!read_whole(request, "n_negative_files", 1, LARGEST_COUNT, &wanted->n_files, host)) return false;
  wanted->files_per_epoch = wanted->n_files;
  return !is_given(request, name) || read_whole(request, name, 1, wanted->n_files, &wanted->files_per_epoch, host);
}

/* The lines of all files: `lines` are whole numbers from 0, of which the first n_positive_files are of positives. */
static bool count_lines(
    const Parts *parts, int64_t n_positive_files, int64_t *n_positives, int64_t *n_lines, Host *host
) {
  Part part = find_part(parts, "lines");
  const double *lines = part.values;
  const double most = LARGEST_EXACT;
  double sum = 0;
  for (int64_t file = 0; file < part.length; file++) {
    sum += lines[file];
    if (!(lines[file] >= 0 && floor(lines[file]) == lines[file] && sum <= most)) {
      return refuse(host, parts->is_recipe ? "recipe" : "lines", "others", "have whole numbers as 'lines'");
    }
    if (file == n_positive_files - 1) *n_positives = (int64_t)sum;
  }
  *n_lines = (int64_t)sum;
  return true;
}

/* Move a number down a heap, whose largest number is first, to where it belongs. */
static void sift_down(double *heap, int64_t count, int64_t place) {
  double number = heap[place];
  for (int64_t child = 2 * place + 1; child < count; child = 2 * place + 1) {
    if (child + 1 < count && heap[child + 1] > heap[child]) child += 1;
    if (heap[child] <= number) break;
    heap[place] = heap[child];
    place = child;
  }
  heap[place] = number;
}

static void sort_numbers(double *numbers, int64_t count) {
  for (int64_t place = count / 2 - 1; place >= 0; place--) sift_down(numbers, count, place);
  for (int64_t end = count - 1; end > 0; end--) {
    double largest = numbers[0];
    numbers[0] = numbers[end];
    numbers[end] = largest;
    sift_down(numbers, end, 0);
  }
}

/* Fill `fewest` with the lines of the smallest file, of the smallest two, and so on. */
static void fill_fewest(const double *lines, int64_t n_files, double *fewest) {
  memcpy(fewest, lines, (size_t)n_files * sizeof *fewest);
  sort_numbers(fewest, n_files);
  for (int64_t file = 1; file < n_files; file++) fewest[file] += fewest[file - 1];
}

/* Find the number of negatives in an epoch; refuse more than its files may have together. */
static bool count_negatives(
    const Parts *request, const RareRequest *wanted, const double *lines, int64_t n_files, int64_t n_positives,
    int64_t *n_negatives, Host *host
) {
  double *fewest = host->memory(host, FOR_THE_CALL, n_files * (int64_t)sizeof *fewest);
  if (fewest == NULL) return false;
  double count = floor(nearly_whole(wanted->multiplier * (double)n_positives + 0.5));
  if (count < 1) {
    return refuse(host, "multiplier", NULL, "keep at least 1 row: be at least 0.5 / %lld", (long long)n_positives);
  }
  fill_fewest(lines, n_files, fewest);
  double all = fewest[n_files - 1];
  if (count > all) {
    return refuse(host, "multiplier", NULL, "ask for at most %.0f negatives, the lines of all files", all);
  }
  *n_negatives = (int64_t)count;
  if (count <= fewest[(int64_t)wanted->files_per_epoch - 1]) return true;
  int64_t least = 0;
  while (fewest[least] < count) least++;
  char shown[NUMBER];
  return refuse(
      host, "negative_files_per_epoch",
      number_read(request, "negative_files_per_epoch", wanted->files_per_epoch, shown),
      "be at least %lld, so that the files of every epoch have %lld line%s", (long long)least + 1, (long long)count,
      count == 1 ? "" : "s"
  );
}

/* Refuse more batches than positives or negatives of an epoch, of which there are n_min, described as the smaller. */
static bool refuse_batches(
    const Parts *request, const RareRequest *wanted, int64_t n_drawn, int64_t n_min, double n_batches,
    const char *smaller_class, bool is_part, Host *host
) {
  double most = floor((double)n_min / wanted->num_replicas) * wanted->num_replicas;
  char shown[NUMBER], got[SENTENCE];
  if (most == 0) {
    refuse(
        host, "num_replicas", number_read(request, "num_replicas", wanted->num_replicas, shown),
        "be at most %lld: the smallest stratum, %s", (long long)n_min, smaller_class
    );
    return advise(host, is_part ? "Lower it, or raise 'multiplier'." : "Lower it.");
  }
  snprintf(
      got, SENTENCE, "%s, for %.0f batch%s,", show_number(wanted->batch_size, shown), n_batches,
      n_batches == 1 ? "" : "es"
  );
  refuse(
      host, "batch_size", got, "be at least %.0f, for at most %.0f batch%s: the smallest stratum, %s",
      ceil((double)n_drawn / most), most, most == 1 ? "" : "es", smaller_class
  );
  return advise(host, is_part ? "Raise it, or 'multiplier'." : "Raise it.");
}

/* Choose the number of batches. */
static bool count_rare_batches(
    const Parts *request, const RareRequest *wanted, int64_t n_positives, int64_t n_negatives, int64_t n_available,
    double *n_batches, Host *host
) {
  int64_t n_drawn = n_positives + n_negatives, n_min = smaller(n_positives, n_negatives);
  double full = ceil((double)n_drawn / wanted->batch_size);
  *n_batches = ceil(full / wanted->num_replicas) * wanted->num_replicas;
  if (*n_batches <= (double)n_min) return true;
  bool is_negative = n_negatives < n_positives, is_part = is_negative && n_negatives < n_available;
  char smaller_class[SENTENCE];
  int64_t counted = is_part ? n_available : n_min;
  int length = snprintf(smaller_class, SENTENCE, "'%s', ", is_negative ? "negative" : "positive");
  if (is_part) {
    length += snprintf(smaller_class + length, NUMBER, "keeps %lld of ", (long long)n_min);
  } else {
    length += snprintf(smaller_class + length, NUMBER, "has ");
  }
  snprintf(smaller_class + length, NUMBER, "%lld row%s", (long long)counted, counted == 1 ? "" : "s");
  return refuse_batches(request, wanted, n_drawn, n_min, *n_batches, smaller_class, is_part, host);
}

static bool give_double(Host *host, const char *name, double value) {
  double *number = host->vector(host, name, DOUBLES, 1);
  if (number != NULL) *number = value;
  return number != NULL;
}

static bool plan_rare_events(const Parts *request, Host *host) {
  RareRequest wanted = {0};
  if (!read_rare(request, &wanted, host)) return false;
  Part part = find_part(request, "lines");
  if (part.type == NOTHING) {
    return host->number(host, "batch_size", wanted.batch_size) &&
           (!is_given(request, "num_replicas") || host->number(host, "num_replicas", wanted.num_replicas));
  }
  int64_t n_files = (int64_t)wanted.n_files;
  int64_t n_positive_files = part.length - n_files, n_positives = 0, n_lines = 0, n_negatives = 0;
  if (part.type != DOUBLES || n_positive_files < 1) return refuse(host, "lines", NULL, "have lines of each file");
  if (!count_lines(request, n_positive_files, &n_positives, &n_lines, host)) return false;
  if (n_positives == 0) return refuse(host, "positives", "0 lines", "have at least one line");
  if (n_lines > LARGEST_COUNT) {
    char got[NUMBER];
    snprintf(got, NUMBER, "%lld", (long long)n_lines);
    return refuse(host, "negatives", got, "have at most %d lines with the positives", LARGEST_COUNT);
  }
  const double *lines = (const double *)part.values + n_positive_files;
  if (!count_negatives(request, &wanted, lines, n_files, n_positives, &n_negatives, host)) return false;
  double n_batches;
  int64_t n_available = n_lines - n_positives;
  if (!count_rare_batches(request, &wanted, n_positives, n_negatives, n_available, &n_batches, host)) return false;
  return host->keep(host, "lines") && host->number(host, "n_positive_files", (double)n_positive_files) &&
         host->number(host, "files_per_epoch", wanted.files_per_epoch) &&
         host->number(host, "n_negatives", (double)n_negatives) && host->number(host, "n_batches", n_batches) &&
         give_double(host, "positive_weight", wanted.positive_weight) &&
         (!is_given(request, "negative_weight") || give_double(host, "negative_weight", wanted.negative_weight));
}

/* Recipes ------------------------------------------------------------------------------------------------------- */

static bool prepare_rare_events(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  RareEvents *self = instance;
  Part part = find_part(recipe, "lines");
  int64_t n_positive_files, n_lines = 0;
  double weight;
  (void)seed;
  if (part.type != DOUBLES || part.length < 2) return refuse_part(host, "lines", "numbers of two or more files");
  if (!read_count(recipe, "n_positive_files", 1, (double)part.length - 1, &n_positive_files, host)) return false;
  self->n_files = part.length - n_positive_files;
  if (!count_lines(recipe, n_positive_files, &self->n_positives, &n_lines, host)) return false;
  if (n_lines > LARGEST_COUNT) return refuse_part(host, "lines", "whole numbers, %d in all at most", LARGEST_COUNT);
  if (self->n_positives == 0) return refuse(host, "recipe", "0 lines", "have positives");
  if (!read_count(recipe, "files_per_epoch", 1, (double)self->n_files, &self->files_per_epoch, host)) return false;
  self->lines = (const double *)part.values + n_positive_files;
  double *fewest = host->memory(host, FOR_THE_CALL, self->n_files * (int64_t)sizeof *fewest);
  self->begins = host->memory(host, FOR_THE_INSTANCE, self->n_files * (int64_t)sizeof *self->begins);
  if (fewest == NULL || self->begins == NULL) return false;
  fill_fewest(self->lines, self->n_files, fewest);
  double least = fewest[self->files_per_epoch - 1];
  if (!read_count(recipe, "n_negatives", 1, fmax(least, 1), &self->n_negatives, host)) return false;
  if (least < 1) return refuse(host, "recipe", "none", "have lines of negatives");
  double most = (double)smaller(self->n_negatives, self->n_positives);
  if (!read_count(recipe, "n_batches", 1, most, &self->n_batches, host)) return false;
  if (!read_above_zero(recipe, "positive_weight", &weight, host)) return false;
  if (is_given(recipe, "negative_weight") && !read_above_zero(recipe, "negative_weight", &weight, host)) return false;
  int64_t begin = self->n_positives;
  for (int64_t file = 0; file < self->n_files; file++) {
    self->begins[file] = begin;
    begin += (int64_t)self->lines[file];
  }
  return true;
}

/* Epochs -------------------------------------------------------------------------------------------------------- */

/* Return sample.int(limit, count) - 1, in memory of the call, or NULL. */
static int64_t *draw_ranks(Generator *generator, int64_t limit, int64_t count, Host *host) {
  SubsetScratch scratch = {.n_pool = 1, .n_places = 1, .n_table = 1};
  enlarge_subset_scratch(&scratch, limit, count);
  int64_t since = 0, *ranks = host->memory(host, FOR_THE_CALL, count * (int64_t)sizeof *ranks);
  if (ranks == NULL || !make_subset_scratch(&scratch, host)) return NULL;
  return draw_within(generator, &scratch, 0, limit, count, ranks, &since, host) ? ranks : NULL;
}

/* Turn ranks among the lines of the chosen files into lines. */
static bool find_lines(
    const RareEvents *self, const int32_t *chosen, const int64_t *ends, int64_t *ranks, Host *host
) {
  for (int64_t i = 0; i < self->n_negatives; i++) {
    int64_t low = 0, high = self->files_per_epoch - 1;
    while (low < high) {
      int64_t middle = (low + high) / 2;
      if (ends[middle] <= ranks[i]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    int32_t file = chosen[low];
    ranks[i] += self->begins[file] + (int64_t)self->lines[file] - ends[low];
    if (!go_on_after(i, host)) return false;
  }
  return true;
}

/* Deal the positives, or the negatives, of an order to the batches in turn, from a batch and its place on. */
static bool deal_class(
    const RareEvents *self, const int32_t *order, const int64_t *negatives, const int64_t *offsets, int64_t *batch,
    int64_t *place, int32_t *rows, Host *host
) {
  int64_t n_positives = self->n_positives, n_drawn = n_positives + self->n_negatives, n_batches = self->n_batches;
  int64_t next = *batch, level = *place;
  int32_t first_row = host->first_row;
  for (int64_t i = 0; i < n_drawn; i++) {
    if (!go_on_after(i, host)) return false;
    bool is_positive = order[i] < n_positives;
    if (is_positive != (negatives == NULL)) continue;
    int64_t row = is_positive ? order[i] : negatives[order[i] - n_positives];
    rows[offsets[next] + level] = (int32_t)row + first_row;
    next += 1;
    if (next == n_batches) {
      next = 0;
      level += 1;
    }
  }
  *batch = next;
  *place = level;
  return true;
}

static bool draw_rare_events(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  const RareEvents *self = instance;
  int64_t n_drawn = self->n_positives + self->n_negatives, n_chosen = self->files_per_epoch, limit = 0;
  (void)epoch;
  int32_t *rows = host->vector(host, "rows", INTEGERS, n_drawn);
  int64_t *offsets = rows == NULL ? NULL : host->vector(host, "offsets", LONGS, self->n_batches + 1);
  int64_t *ends = offsets == NULL ? NULL : host->memory(host, FOR_THE_CALL, n_chosen * (int64_t)sizeof *ends);
  int32_t *chosen = ends == NULL ? NULL : draw_epoch_order(generator, self->n_files, host);
  if (chosen == NULL) return false;
  for (int64_t i = 0; i < n_chosen; i++) {
    limit += (int64_t)self->lines[chosen[i]];
    ends[i] = limit;
  }
  int64_t *negatives = draw_ranks(generator, limit, self->n_negatives, host);
  int32_t *order = negatives == NULL ? NULL : draw_epoch_order(generator, n_drawn, host);
  if (order == NULL || !find_lines(self, chosen, ends, negatives, host)) return false;
  int64_t batch = 0, place = 0;
  fill_even_offsets(n_drawn, self->n_batches, offsets);
  return deal_class(self, order, NULL, offsets, &batch, &place, rows, host) &&
         deal_class(self, order, negatives, offsets, &batch, &place, rows, host);
}

const Kind rare_events_kind = {
    .name = "rare_events",
    .instance_bytes = sizeof(RareEvents),
    .plan = plan_rare_events,
    .prepare = prepare_rare_events,
    .draw = draw_rare_events,
};
