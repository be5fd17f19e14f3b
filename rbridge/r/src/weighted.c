/* Rows drawn by weight: a sum tree in one vector of doubles, and random numbers from a stream of integers.
 *
 * Both are plain vectors of R, which are copied, saved and sent to other processes like any vector. Their content may
 * come from a file, so it is checked as far as no draw can leave the memory of the tree.
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "core/weighted.h"
#include "routines.h"
#include "streams.h"

/* The first numbers of a tree, a cache line. The sums follow, and the least weights if they are tracked. */
enum { N_ROWS, N_POSITIVE, KEEPS_LEAST, HEAD = 8 };

/* How a batch is drawn. */
enum { WITH_REPLACEMENT, FROM_SLICES, WITHOUT_REPLACEMENT };

/* The names of the parameters of the public function or class in messages. */
typedef struct {
  const char *weights;
  const char *size; /* the number of rows to draw */
} Names;

static Names read_names(SEXP names) {
  if (TYPEOF(names) != STRSXP || Rf_xlength(names) != 2) refuse_kind(names, "names", "be two names");
  return (Names){CHAR(STRING_ELT(names, 0)), CHAR(STRING_ELT(names, 1))};
}

/* Return the number of doubles that R has for a tree. */
static int64_t length_of_tree(int64_t n_rows, bool keeps_least) {
  return HEAD + sum_tree_length(n_rows) + (keeps_least ? sum_tree_least_length(n_rows) : 0);
}

/* Lay a tree over a vector of R with a valid head. */
static SumTree tree_over(double *numbers) {
  SumTree tree;
  int64_t n_rows = (int64_t)numbers[N_ROWS];
  bool has_least = numbers[KEEPS_LEAST] == 1 && sum_tree_least_length(n_rows) > 0;
  double *least = has_least ? numbers + HEAD + sum_tree_length(n_rows) : NULL;
  init_sum_tree(&tree, n_rows, numbers + HEAD, least, (int64_t)numbers[N_POSITIVE]);
  return tree;
}

/* Whether the numbers that pad the levels are zero: a descent then never leaves the tree, whatever the others are. */
static bool is_padded(const SumTree *tree) {
  for (int level = 0; level < tree->n_levels; level++) {
    const double *numbers = tree->sums + tree->begins[level];
    for (int64_t place = tree->sizes[level]; place % SUM_TREE_FAN != 0; place++) {
      if (numbers[place] != 0) return false;
    }
  }
  return true;
}

/* Return the tree of a vector of R. */
static SumTree read_tree(SEXP value) {
  const char *required = "be a sum tree";
  if (TYPEOF(value) != REALSXP || Rf_xlength(value) < HEAD) refuse_kind(value, "tree", required);
  double *numbers = REAL(value);
  bool is_tree = is_whole(numbers[N_ROWS], 1, LARGEST_COUNT) && is_whole(numbers[N_POSITIVE], 0, numbers[N_ROWS]) &&
      is_whole(numbers[KEEPS_LEAST], 0, 1);
  if (is_tree) is_tree = Rf_xlength(value) == length_of_tree((int64_t)numbers[N_ROWS], numbers[KEEPS_LEAST] == 1);
  if (!is_tree) refuse("tree", required, "other numbers");
  SumTree tree = tree_over(numbers);
  if (!is_padded(&tree)) refuse("tree", required, "other numbers");
  return tree;
}

/* Refuse weights if one is negative, infinite or missing. */
static void check_weights(SEXP weights, const Names *names) {
  if (TYPEOF(weights) != REALSXP) refuse_kind(weights, names->weights, "be doubles");
  int64_t count = Rf_xlength(weights);
  for (int64_t begin = 0; begin < count; begin += STEP) {
    int64_t wrong = first_wrong_weight(REAL(weights), begin, count - begin < STEP ? count : begin + STEP);
    if (wrong >= 0) {
      refuse_number(REAL(weights)[wrong], names->weights, "hold finite numbers, none below 0");
    }
    R_CheckUserInterrupt();
  }
}

NORET static void refuse_total(const Names *names) {
  refuse(names->weights, "have a finite total", "a total that overflows");
}

SEXP C_build_tree(SEXP weights, SEXP capacity, SEXP keeps_least, SEXP names_in_r) {
  Names names = read_names(names_in_r);
  int64_t n_rows = whole_number(capacity, 1, LARGEST_COUNT, "capacity");
  bool keeps = true_or_false(keeps_least, "keeps_least");
  check_weights(weights, &names);
  int64_t count = Rf_xlength(weights);
  if (count > n_rows) refuse("capacity", "be at least the number of weights", "less");
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)length_of_tree(n_rows, keeps)));
  double *numbers = REAL(result);
  memset(numbers, 0, (size_t)Rf_xlength(result) * sizeof(double));
  numbers[N_ROWS] = (double)n_rows;
  numbers[KEEPS_LEAST] = keeps;
  SumTree tree = tree_over(numbers);
  if (tree.least != NULL) {
    for (int64_t i = 0; i < sum_tree_least_length(n_rows); i++) tree.least[i] = INFINITY;
  }
  for (int64_t begin = 0; begin < count; begin += STEP) {
    fill_rows(&tree, REAL(weights), begin, count - begin < STEP ? count : begin + STEP);
    R_CheckUserInterrupt();
  }
  if (overflows(&tree)) refuse_total(&names);
  numbers[N_POSITIVE] = (double)tree.n_positive;
  UNPROTECT(1);
  return result;
}

/* Return rows from R, checked, in the form of the core. */
static int64_t *read_rows(SEXP rows, int64_t n_rows) {
  if (TYPEOF(rows) != INTSXP) refuse_kind(rows, "rows", "be integers");
  int64_t count = Rf_xlength(rows);
  int64_t *result = (int64_t *)(void *)R_alloc((size_t)count, sizeof(int64_t));
  const int *given = INTEGER(rows);
  for (int64_t i = 0; i < count; i++) {
    if (given[i] < 1 || given[i] > n_rows) refuse("rows", "be rows of the tree", "others");
    result[i] = given[i] - 1;
    if (i % STEP == STEP - 1) R_CheckUserInterrupt();
  }
  return result;
}

/* An update in steps, which is undone if it is interrupted, or if the total overflows. */
typedef struct {
  SumTree tree;
  double *head;
  const int64_t *rows;
  const double *weights;
  double *previous;
  int64_t count, done;
  bool is_complete;
} Update;

static SEXP run_update(void *data) {
  Update *update = data;
  while (update->done < update->count) {
    int64_t end = update->count - update->done < STEP ? update->count : update->done + STEP;
    update_rows(&update->tree, update->rows, update->weights, update->done, end, update->previous);
    update->done = end;
    if (end < update->count) R_CheckUserInterrupt();
  }
  update->is_complete = !overflows(&update->tree);
  return R_NilValue;
}

static void end_update(void *data) {
  Update *update = data;
  if (!update->is_complete) undo_updates(&update->tree, update->rows, update->previous, 0, update->done);
  update->head[N_POSITIVE] = (double)update->tree.n_positive;
}

SEXP C_update_tree(SEXP tree, SEXP rows, SEXP weights, SEXP names_in_r) {
  Names names = read_names(names_in_r);
  int64_t n_rows = read_tree(tree).n_rows;
  Update update = {.rows = read_rows(rows, n_rows), .count = Rf_xlength(rows)};
  check_weights(weights, &names);
  if (Rf_xlength(weights) != update.count) refuse_kind(weights, names.weights, "have one value for each row");
  if (update.count == 0) return tree;
  SEXP result = PROTECT(MAYBE_SHARED(tree) ? Rf_duplicate(tree) : tree);
  update.head = REAL(result);
  update.tree = tree_over(update.head);
  update.weights = REAL(weights);
  update.previous = (double *)(void *)R_alloc((size_t)update.count, sizeof(double));
  R_ExecWithCleanup(run_update, &update, end_update, &update);
  if (!update.is_complete) refuse_total(&names);
  UNPROTECT(1);
  return result;
}

SEXP C_tree_facts(SEXP tree) {
  SumTree read = read_tree(tree);
  bool knows_least = REAL(tree)[KEEPS_LEAST] == 1 || sum_tree_least_length(read.n_rows) == 0;
  const char *facts[] = {"capacity", "total", "n_positive", "least", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, facts));
  SET_VECTOR_ELT(result, 0, Rf_ScalarReal((double)read.n_rows));
  SET_VECTOR_ELT(result, 1, Rf_ScalarReal(total_of(&read)));
  SET_VECTOR_ELT(result, 2, Rf_ScalarReal((double)read.n_positive));
  SET_VECTOR_ELT(result, 3, Rf_ScalarReal(knows_least ? least_weight_of(&read) : NA_REAL));
  UNPROTECT(1);
  return result;
}

SEXP C_tree_weights(SEXP tree, SEXP rows) {
  SumTree read = read_tree(tree);
  const double *leaves = leaves_of(&read);
  const int64_t *places = read_rows(rows, read.n_rows);
  SEXP result = PROTECT(Rf_allocVector(REALSXP, Rf_xlength(rows)));
  double *weights = REAL(result);
  for (int64_t i = 0; i < Rf_xlength(rows); i++) weights[i] = leaves[places[i]];
  UNPROTECT(1);
  return result;
}

SEXP C_first_weights(SEXP tree, SEXP count) {
  SumTree read = read_tree(tree);
  int64_t wanted = whole_number(count, 0, (int32_t)read.n_rows, "count");
  SEXP result = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)wanted));
  if (wanted > 0) memcpy(REAL(result), leaves_of(&read), (size_t)wanted * sizeof(double));
  UNPROTECT(1);
  return result;
}

SEXP C_new_stream(SEXP seed) {
  Generator generator;
  seed_generator(&generator, (uint32_t)whole_number(seed, 0, LARGEST_SEED, "seed"));
  return stream_of(&generator);
}

/* A draw of batches, one after another, whose rows are counted from 1 when a step is complete. */
typedef struct {
  SumTree tree;
  Generator generator;
  int64_t size, n_drawn;
  int how;
  int *rows;
  DistinctDraw distinct;
} Draw;

/* Draw rows one by one; between the steps, the tree is unchanged. */
static void draw_rows(Draw *draw) {
  for (int64_t begin = 0; begin < draw->n_drawn;) {
    int64_t end = draw->n_drawn - begin < STEP ? draw->n_drawn : begin + STEP;
    if (draw->how == FROM_SLICES) {
      draw_from_slices(&draw->tree, &draw->generator, draw->size, begin, end, draw->rows);
    } else {
      draw_by_weight(&draw->tree, &draw->generator, end - begin, draw->rows + begin);
    }
    for (int64_t i = begin; i < end; i++) draw->rows[i] += 1;
    begin = end;
    if (begin < draw->n_drawn) R_CheckUserInterrupt();
  }
}

/* Draw batches without replacement, which removes rows from the tree meanwhile. */
static SEXP run_distinct(void *data) {
  Draw *draw = data;
  int64_t since_check = 0;
  for (int64_t begin = 0; begin < draw->n_drawn; begin += draw->size) {
    draw->distinct.rows = draw->rows + begin;
    begin_distinct(&draw->distinct);
    while (!draw_distinct(&draw->tree, &draw->generator, &draw->distinct, STEP)) R_CheckUserInterrupt();
    for (int64_t i = 0; i < draw->size; i++) draw->distinct.rows[i] += 1;
    since_check += draw->size;
    if (since_check >= STEP) {
      R_CheckUserInterrupt();
      since_check = 0;
    }
  }
  return R_NilValue;
}

static void end_distinct(void *data) {
  Draw *draw = data;
  put_back(&draw->tree, &draw->distinct);
}

static void draw_distinct_rows(Draw *draw) {
  size_t size = (size_t)draw->size;
  draw->distinct.size = draw->size;
  draw->distinct.table = (int64_t *)(void *)R_alloc((size_t)1 << hash_set_bits(draw->size), sizeof(int64_t));
  draw->distinct.removed = (int64_t *)(void *)R_alloc(size, sizeof(int64_t));
  draw->distinct.weights = (double *)(void *)R_alloc(size, sizeof(double));
  R_ExecWithCleanup(run_distinct, draw, end_distinct, draw);
}

/* Refuse to draw `size` rows if too few weights are positive. */
static void check_drawable(const SumTree *tree, int64_t size, int how, const Names *names) {
  if (size > 0 && tree->n_positive == 0) {
    refuse(names->weights, "not all be 0 when rows are drawn", "no positive weight");
  }
  if (how == WITHOUT_REPLACEMENT && size > tree->n_positive) {
    char required[128];
    snprintf(
        required, sizeof required, "be at most %.0f, the number of positive weights, without replacement",
        (double)tree->n_positive
    );
    refuse_number((double)size, names->size, required);
  }
}

SEXP C_check_drawable(SEXP tree, SEXP size, SEXP how, SEXP names_in_r) {
  Names names = read_names(names_in_r);
  SumTree read = read_tree(tree);
  int32_t wanted = whole_number(size, 0, LARGEST_COUNT, names.size);
  check_drawable(&read, wanted, whole_number(how, WITH_REPLACEMENT, WITHOUT_REPLACEMENT, "how"), &names);
  return R_NilValue;
}

/* Begin a draw from a tree and a stream. */
static void begin_draw(Draw *draw, SEXP tree, SEXP stream) {
  draw->tree = read_tree(tree);
  read_stream(stream, &draw->generator);
}

/* Fill the rows of a draw whose other fields are set, and write the state of the generator after it to `stream`. */
static void finish_draw(Draw *draw, SEXP rows, SEXP stream) {
  draw->rows = INTEGER(rows);
  if (draw->n_drawn > 0) {
    if (draw->how == WITHOUT_REPLACEMENT) {
      draw_distinct_rows(draw);
    } else {
      draw_rows(draw);
    }
  }
  save_generator(&draw->generator, (uint32_t *)(void *)INTEGER(stream));
}

SEXP C_draw_by_weight(SEXP tree, SEXP stream, SEXP size, SEXP n_batches, SEXP how, SEXP names_in_r) {
  Names names = read_names(names_in_r);
  Draw draw;
  begin_draw(&draw, tree, stream);
  int32_t batch_size = whole_number(size, 0, LARGEST_COUNT, names.size);
  draw.size = batch_size;
  draw.how = whole_number(how, WITH_REPLACEMENT, WITHOUT_REPLACEMENT, "how");
  int32_t count = whole_number(n_batches, 1, LARGEST_COUNT, "n_batches");
  draw.n_drawn = batch_size == 0 ? 0 : epoch_rows(batch_size, count);
  check_drawable(&draw.tree, draw.size, draw.how, &names);
  const char *parts[] = {"rows", "stream", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, parts));
  SEXP rows = Rf_allocVector(INTSXP, (R_xlen_t)draw.n_drawn);
  SET_VECTOR_ELT(result, 0, rows);
  SEXP words = Rf_allocVector(INTSXP, N_WORDS);
  SET_VECTOR_ELT(result, 1, words);
  finish_draw(&draw, rows, words);
  UNPROTECT(1);
  return result;
}

/* Whether a value of R is one plain number from 0 to LARGEST_COUNT. */
static bool is_count(SEXP value) {
  bool is_number =
    (TYPEOF(value) == REALSXP || TYPEOF(value) == INTSXP) && Rf_xlength(value) == 1 && !Rf_isObject(value);
  return is_number && is_whole(Rf_asReal(value), 0, LARGEST_COUNT);
}

static bool is_flag(SEXP value) {
  return TYPEOF(value) == LGLSXP && Rf_xlength(value) == 1 && LOGICAL(value)[0] != NA_LOGICAL;
}

SEXP C_sample_rows(SEXP tree, SEXP stream, SEXP k, SEXP replacement, SEXP names_in_r) {
  if (!is_count(k) || !is_flag(replacement)) return R_NilValue;
  Names names = read_names(names_in_r);
  Draw draw;
  begin_draw(&draw, tree, stream);
  if (MAYBE_SHARED(stream)) return R_NilValue;
  draw.size = draw.n_drawn = (int64_t)Rf_asReal(k);
  draw.how = LOGICAL(replacement)[0] ? WITH_REPLACEMENT : WITHOUT_REPLACEMENT;
  check_drawable(&draw.tree, draw.size, draw.how, &names);
  SEXP rows = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)draw.n_drawn));
  finish_draw(&draw, rows, stream);
  UNPROTECT(1);
  return rows;
}

SEXP C_copy_vector(SEXP vector) { return Rf_duplicate(vector); }

/* Raise the error that a row is not one of n_rows. */
NORET static void refuse_row(double row, int32_t n_rows, const char *parameter) {
  char required[128];
  if (n_rows == 0) refuse_number(row, parameter, "be empty: there is no row");
  snprintf(required, sizeof required, "hold row positions from 1 to %d, counted from 1", (int)n_rows);
  refuse_number(row, parameter, required);
}

SEXP C_row_positions(SEXP rows, SEXP n, SEXP parameter) {
  if (TYPEOF(parameter) != STRSXP || Rf_xlength(parameter) != 1) {
    refuse_kind(parameter, "parameter", "be a name");
  }
  const char *name = CHAR(STRING_ELT(parameter, 0));
  int32_t n_rows = whole_number(n, 0, LARGEST_COUNT, "n");
  R_xlen_t count = Rf_xlength(rows);
  if (TYPEOF(rows) == INTSXP) {
    const int *given = INTEGER(rows);
    for (R_xlen_t i = 0; i < count; i++) {
      if (given[i] < 1 || given[i] > n_rows) refuse_row(given[i] == NA_INTEGER ? NA_REAL : given[i], n_rows, name);
      if (i % STEP == STEP - 1) R_CheckUserInterrupt();
    }
    return rows;
  }
  if (TYPEOF(rows) != REALSXP) refuse_kind(rows, name, "hold row positions");
  SEXP result = PROTECT(Rf_allocVector(INTSXP, count));
  const double *given = REAL(rows);
  for (R_xlen_t i = 0; i < count; i++) {
    if (!is_whole(given[i], 1, n_rows)) refuse_row(given[i], n_rows, name);
    INTEGER(result)[i] = (int)given[i];
    if (i % STEP == STEP - 1) R_CheckUserInterrupt();
  }
  UNPROTECT(1);
  return result;
}
