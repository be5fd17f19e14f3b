/* Rows with several labels: batches of positives and negatives of each of P labels.
 *
 * Every batch has P of the L labels, which come equally often, by equal_exposure.h; and for each of them k rows that
 * have the label, its positives, and l that do not, its negatives. The positives of label i, from 0, are the takes of
 * number 1 + 2 * i, and its negatives those of number 2 + 2 * i, both in the order of the dataset before the orders of
 * their cycles. A batch has the numbers 2 * (row * L + label) + 1 of positives and 2 * (row * L + label) of negatives,
 * label after label, positives first; row and label are counted from 0.
 */

#include "core/batch_numbers.h"
#include "core/equal_exposure.h"
#include "core/kinds.h"
#include "core/label_sets.h"

typedef struct {
  int64_t n_rows, n_labels, n_batches, per_batch;
  int64_t each[2];       /* negatives and positives of a label in a batch */
  const int32_t *rows;   /* the positives, label after label, each in the order of the dataset */
  int64_t *starts;       /* n_labels + 1: where those of a label begin in `rows` */
  uint32_t seed;
} PerLabel;

/* The arguments of a user. */
typedef struct {
  double each[2], per_batch, n_batches, num_replicas;
} PerLabelRequest;

static const char *const each_names[] = {"negatives_per_label", "positives_per_label"};

static bool read_per_label(const Parts *request, PerLabelRequest *wanted, Host *host) {
  for (int sign = 1; sign >= 0; sign--) {
    if (!read_whole(request, each_names[sign], 1, INFINITY, &wanted->each[sign], host)) return false;
  }
  bool has_labels = is_given(request, "labels_per_batch"), has_batches = is_given(request, "n_batches");
  return (!has_labels || read_whole(request, "labels_per_batch", 1, INFINITY, &wanted->per_batch, host)) &&
         (!has_batches || read_whole(request, "n_batches", 1, LARGEST_COUNT, &wanted->n_batches, host)) &&
         read_sharing(request, &wanted->num_replicas, host);
}

/* Make the settings of the request the result. */
static bool keep_per_label(const Parts *request, const PerLabelRequest *wanted, Host *host) {
  return host->number(host, each_names[1], wanted->each[1]) && host->number(host, each_names[0], wanted->each[0]) &&
         give_number("labels_per_batch", is_given(request, "labels_per_batch"), wanted->per_batch, host) &&
         give_number("n_batches", is_given(request, "n_batches"), wanted->n_batches, host) &&
         keep_sharing(request, wanted->num_replicas, host);
}

/* Refuse more positives or negatives than a label has. */
static bool check_per_label(
    const Parts *request, const PerLabelRequest *wanted, const int64_t *counts, const LabelMatrix *matrix, Host *host
) {
  for (int sign = 1; sign >= 0; sign--) {
    int64_t scarcest = 0, fewest = matrix->n_rows;
    for (int64_t label = 0; label < matrix->n_labels; label++) {
      int64_t count = sign == 1 ? counts[label] : matrix->n_rows - counts[label];
      if (count < fewest) {
        scarcest = label;
        fewest = count;
      }
    }
    if (wanted->each[sign] <= (double)fewest) continue;
    char shown[NUMBER];
    host->refusal.stratum = scarcest;
    refuse(
        host, each_names[sign], number_read(request, each_names[sign], wanted->each[sign], shown),
        "be at most %lld: %lld row%s label '{stratum}'", (long long)fewest, (long long)fewest,
        sign == 1 ? (fewest == 1 ? " has" : "s have") : (fewest == 1 ? " does not have" : "s do not have")
    );
    return fewest > 0 ? advise(host, "Lower it, or leave the label out.") : advise(host, "Leave the label out.");
  }
  return true;
}

/* Choose the labels of a batch and the number of batches: as many as the dataset has rows for, by default. */
static bool choose_per_label(
    const Parts *request, PerLabelRequest *wanted, const LabelMatrix *matrix, int64_t *n_batches, Host *host
) {
  char shown[NUMBER];
  if (!is_given(request, "labels_per_batch")) wanted->per_batch = (double)matrix->n_labels;
  if (wanted->per_batch > (double)matrix->n_labels) {
    return refuse(
        host, "labels_per_batch", number_read(request, "labels_per_batch", wanted->per_batch, shown),
        "be at most %lld, the number of labels", (long long)matrix->n_labels
    );
  }
  if (2 * (double)matrix->n_rows * (double)matrix->n_labels >= LARGEST_EXACT) {
    return refuse(host, "labels", "more", "have fewer than 2^52 entries");
  }
  double size = wanted->per_batch * (wanted->each[0] + wanted->each[1]);
  if (size > (double)LARGEST_COUNT) return refuse_large_epoch("positives_per_label", host);
  *n_batches = matrix->n_rows / (int64_t)size;
  if (*n_batches == 0) *n_batches = 1;
  if (is_given(request, "n_batches")) *n_batches = (int64_t)wanted->n_batches;
  if ((double)*n_batches * size > (double)LARGEST_COUNT) return refuse_large_epoch("n_batches", host);
  return share_batches(request, wanted->num_replicas, n_batches, host);
}

static bool give_per_label(
    const PerLabelRequest *wanted, const LabelMatrix *matrix, const int64_t *counts, int64_t n_batches, Host *host
) {
  int64_t n_positives = 0;
  bool kept = host->number(host, "n_rows", (double)matrix->n_rows) &&
              host->number(host, "n_labels", (double)matrix->n_labels) &&
              host->number(host, "n_batches", (double)n_batches) &&
              host->number(host, "labels_per_batch", wanted->per_batch) &&
              host->number(host, each_names[1], wanted->each[1]) && host->number(host, each_names[0], wanted->each[0]);
  double *given = kept ? host->vector(host, "counts", DOUBLES, matrix->n_labels) : NULL;
  if (given == NULL) return false;
  for (int64_t label = 0; label < matrix->n_labels; label++) {
    given[label] = (double)counts[label];
    n_positives += counts[label];
  }
  int32_t *positives = host->vector(host, "positives", INTEGERS, n_positives);
  if (positives == NULL) return false;
  for (int64_t label = 0; label < matrix->n_labels; label++) {
    const uint8_t *has = matrix->values + label * matrix->label_step;
    for (int64_t row = 0; row < matrix->n_rows; row++) {
      if (has[row * matrix->row_step] != 0) *positives++ = (int32_t)row;
    }
    if (!host->go_on(host)) return false;
  }
  return true;
}

static bool plan_per_label(const Parts *request, Host *host) {
  PerLabelRequest wanted = {.num_replicas = 1};
  LabelMatrix matrix = {.values = NULL};
  if (!read_per_label(request, &wanted, host)) return false;
  if (!is_given(request, "labels")) return keep_per_label(request, &wanted, host);
  if (!read_labels(request, &matrix, host)) return false;
  int64_t n_batches = 0, *counts = host->memory(host, FOR_THE_CALL, matrix.n_labels * (int64_t)sizeof *counts);
  if (counts == NULL) return false;
  for (int64_t label = 0; label < matrix.n_labels; label++) {
    const uint8_t *has = matrix.values + label * matrix.label_step;
    counts[label] = 0;
    for (int64_t row = 0; row < matrix.n_rows; row++) counts[label] += has[row * matrix.row_step] != 0;
    if (!host->go_on(host)) return false;
  }
  return check_per_label(request, &wanted, counts, &matrix, host) &&
         choose_per_label(request, &wanted, &matrix, &n_batches, host) &&
         give_per_label(&wanted, &matrix, counts, n_batches, host);
}

/* Read the positives of all labels: ascending rows, enough of them, and enough rows that are not among them. */
static bool read_label_rows(const Parts *recipe, PerLabel *self, Host *host) {
  Part part = find_part(recipe, "positives");
  int64_t n_labels = self->n_labels, *starts = self->starts, since = 0;
  if (!read_wholes(recipe, "counts", n_labels, (double)self->each[1], (double)self->n_rows, starts + 1, host)) {
    return false;
  }
  starts[0] = 0;
  for (int64_t label = 0; label < n_labels; label++) {
    if (self->n_rows - starts[label + 1] < self->each[0]) {
      return refuse(host, "recipe", "fewer", "have negatives for the batches of each label");
    }
    starts[label + 1] += starts[label];
  }
  self->rows = part.values;
  if (part.type != INTEGERS || part.length != starts[n_labels]) {
    return refuse_part(host, "positives", "as many rows as 'counts' says");
  }
  for (int64_t label = 0; label < n_labels; label++) {
    int32_t before = -1;
    for (int64_t i = starts[label]; i < starts[label + 1]; i++) {
      bool is_next = self->rows[i] > before && self->rows[i] < self->n_rows;
      if (!is_next) return refuse(host, "recipe", "others", "have ascending rows of each label as 'positives'");
      before = self->rows[i];
    }
    if (!may_go_on(&since, starts[label + 1] - starts[label], host)) return false;
  }
  return true;
}

static bool prepare_per_label(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  PerLabel *self = instance;
  if (!read_count(recipe, "n_rows", 1, LARGEST_COUNT, &self->n_rows, host)) return false;
  if (!read_count(recipe, "n_labels", 1, LARGEST_COUNT, &self->n_labels, host)) return false;
  if (!read_count(recipe, "n_batches", 1, LARGEST_COUNT, &self->n_batches, host)) return false;
  if (!read_count(recipe, "labels_per_batch", 1, (double)self->n_labels, &self->per_batch, host)) return false;
  for (int sign = 1; sign >= 0; sign--) {
    if (!read_count(recipe, each_names[sign], 1, (double)self->n_rows, &self->each[sign], host)) return false;
  }
  double size = (double)self->per_batch * (double)(self->each[0] + self->each[1]);
  bool is_small = (double)self->n_batches * size <= (double)LARGEST_COUNT;
  if (!is_small || 2 * (double)self->n_rows * (double)self->n_labels >= LARGEST_EXACT) {
    return refuse(host, "recipe", "more", "have at most %d numbers in an epoch", LARGEST_COUNT);
  }
  self->seed = seed;
  Part counts = find_part(recipe, "counts");
  if (counts.length != self->n_labels) return refuse_part(host, "counts", "a number for each label");
  self->starts = host->memory(host, FOR_THE_INSTANCE, (self->n_labels + 1) * (int64_t)sizeof *self->starts);
  return self->starts != NULL && read_label_rows(recipe, self, host);
}

/* The row of this rank among those that are not positives, of which there are `n_positives`. */
static int64_t negative_row(const int32_t *positives, int64_t n_positives, int64_t rank) {
  int64_t low = 0, high = n_positives;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (positives[middle] - middle > rank) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return rank + low;
}

/* Write the positives or negatives of a label, by their takes, to the batches in which it comes. */
static void write_takes(
    const PerLabel *self, int64_t label, int sign, ExposureEpoch *drawn, int32_t *ranks, int64_t *ends, int64_t *numbers
) {
  const int32_t *positives = self->rows + self->starts[label];
  int64_t n_positives = self->starts[label + 1] - self->starts[label], each = self->each[sign];
  int64_t n = sign == 1 ? n_positives : self->n_rows - n_positives;
  begin_takes(&drawn->cycles, n, each, 1 + 2 * label + (sign == 0), drawn->earlier[label]);
  for (int64_t i = drawn->begins[label]; i < drawn->begins[label + 1]; i++) {
    int64_t *end = &ends[drawn->batches[i]];
    fill_take(&drawn->cycles, each, drawn->taken, ranks);
    for (int64_t j = 0; j < each; j++) {
      int64_t row = sign == 1 ? positives[ranks[j]] : negative_row(positives, n_positives, ranks[j]);
      numbers[(*end)++] = 2 * (row * self->n_labels + label) + sign;
    }
  }
}

static bool draw_per_label(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  const PerLabel *self = instance;
  int64_t n_batches = self->n_batches, n_labels = self->n_labels;
  int64_t size = self->per_batch * (self->each[0] + self->each[1]);
  Exposure exposure = {.n_strata = n_labels, .n_batches = n_batches, .strata_per_batch = self->per_batch};
  exposure.n_orders = 2 * n_labels + 1;
  exposure.most = n_labels > self->n_rows ? n_labels : self->n_rows;
  exposure.seed = self->seed;
  ExposureEpoch drawn = {.taken = NULL};
  int64_t *ends = host->memory(host, FOR_THE_CALL, n_batches * (int64_t)sizeof *ends);
  int32_t *ranks = host->memory(host, FOR_THE_CALL, self->n_rows * (int64_t)sizeof *ranks);
  if (ends == NULL || ranks == NULL) return false;
  int64_t *numbers = host->vector(host, "rows", LARGE, n_batches * size);
  int64_t *offsets = numbers == NULL ? NULL : host->vector(host, "offsets", LONGS, n_batches + 1);
  if (offsets == NULL || !draw_exposure(&exposure, generator, epoch, &drawn, host)) return false;
  for (int64_t batch = 0; batch <= n_batches; batch++) offsets[batch] = batch * size;
  memcpy(ends, offsets, (size_t)n_batches * sizeof *ends);
  for (int64_t label = 0; label < n_labels; label++) {
    if (drawn.begins[label] == drawn.begins[label + 1]) continue;
    for (int sign = 1; sign >= 0; sign--) {
      write_takes(self, label, sign, &drawn, ranks, ends, numbers);
      if (!host->go_on(host)) return false;
    }
  }
  return true;
}

const Kind per_label_kind = {
    .name = "per_label",
    .instance_bytes = sizeof(PerLabel),
    .plan = plan_per_label,
    .prepare = prepare_per_label,
    .draw = draw_per_label,
};
