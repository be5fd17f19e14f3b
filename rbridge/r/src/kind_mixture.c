/* Lines of several files, mixed: an epoch takes so many lines of each file, drawn anew, and all lines of files that are
 * kept. Its size and the shares of the files follow from the function "corpus_plan".
 *
 * Lines are numbered over all files. Of each file that is not kept, an epoch has sample.int(lines, drawn, replace =
 * TRUE), or whole passes and then sample.int(lines, drawn %% lines), of the lines that limits do not exclude. Its order
 * is sample.int(total), or that of the lines. There may be several stages: from certain epochs on, other numbers apply.
 *
 * With the flag "even", the files are strata, and the lines of an epoch are dealt to its batches as in dealt.h.
 */

#include "core/cutting.h"
#include "core/dealt.h"
#include "core/kinds.h"
#include "core/sorting.h"
#include "core/stages.h"
#include "core/subsets.h"

typedef struct {
  int64_t n_files, n_stages, n_lines;
  const double *drawn, *kept; /* of each file in each stage */
  const double *begins;       /* the first epoch of each stage; NULL if there is one */
  const double *all_lines;    /* of each file */
  int64_t *lines;             /* those that remain */
  const uint8_t *remaining;   /* a bit for each line, lowest first; NULL if all lines remain */
  int64_t n_remaining;
  bool is_made;
  int32_t *narrow;            /* the numbers of the lines that remain, made by the first epoch; */
  int64_t *wide;              /* if there are more than 2^31 - 1 lines, they are here */
  bool replace;
  Dealt *dealt; /* of each stage, if lines are dealt evenly; or NULL */
  void **codes; /* of each stage: the stratum of each line, made by its first epoch */
  Cutting cutting;
} Mixture;

/* The lines that a stage draws of a file, and those that it keeps. */
typedef struct {
  const double *drawn, *kept; /* of each file */
  int64_t total;              /* all of them */
} Stage;

static Stage stage_at(const Mixture *self, int64_t place) {
  Stage stage = {self->drawn + place * self->n_files, self->kept + place * self->n_files, 0};
  double total = 0;
  for (int64_t file = 0; file < self->n_files; file++) total += stage.drawn[file] + stage.kept[file];
  stage.total = as_limit(total);
  return stage;
}

static bool does_remain(const Mixture *self, int64_t line) { return self->remaining[line / 8] >> (line % 8) & 1; }

static int64_t place_of_stage(const Mixture *self, uint32_t epoch) {
  return stage_at_epoch(self->begins, self->n_stages, epoch);
}

static Stage stage_of(const Mixture *self, uint32_t epoch) { return stage_at(self, place_of_stage(self, epoch)); }

/* Settings ------------------------------------------------------------------------------------------------------ */

/* Read what needs no file: how many share an epoch, and whether batches or limits depend on the lengths of lines. */
static bool read_mixture_settings(
    const Parts *request, CutRequest *wanted, bool *shuffle, bool *even, double *max_length, Host *host
) {
  *max_length = LARGEST_COUNT;
  bool has_limit = is_given(request, "max_length");
  if (!read_sharing(request, &wanted->num_replicas, host)) return false;
  if (!read_flag(request, "shuffle", shuffle, host)) return false;
  wanted->by_length = is_given(request, "max_tokens") || is_given(request, "window");
  if (!read_even(request, even, host)) return false;
  if (*even && wanted->by_length) {
    const char *name = is_given(request, "max_tokens") ? "max_tokens" : "window";
    return refuse(host, name, NULL, "be left out if 'assign' is 'even'");
  }
  if (is_given(request, "lengths") && !wanted->by_length && !has_limit) {
    return refuse(host, "lengths", NULL, "be given together with 'max_tokens', 'window' or 'max_length'");
  }
  if (!read_replica_balance(request, wanted->by_length, *shuffle, &wanted->is_balanced, host)) return false;
  return !has_limit || read_whole(request, "max_length", 0, LARGEST_COUNT, max_length, host);
}

static double lines_in(const double *numbers, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += numbers[i];
  return sum;
}

/* Check that batches are possible in all stages, whose numbers are plans of "corpus_plan". */
static bool read_mixture_batches(const Parts *request, const Part *lines, CutRequest *wanted, Host *host) {
  Part drawn = find_part(request, "drawn"), kept = find_part(request, "kept");
  Cutting cutting;
  int64_t n_files = lines->length, n_lines = (int64_t)lines_in(lines->values, n_files);
  if (!read_cut_limits(request, n_lines, wanted, &cutting, host)) return false;
  for (int64_t begin = 0; begin < drawn.length; begin += n_files) {
    double total = lines_in((const double *)drawn.values + begin, n_files);
    total += lines_in((const double *)kept.values + begin, n_files);
    if (!(total >= 1 && total <= (double)LARGEST_COUNT)) {
      return refuse(host, "lines", "others", "give an epoch from 1 to %d lines", LARGEST_COUNT);
    }
    if (!check_cut_fits(request, wanted, &cutting, (int64_t)total, host)) return false;
  }
  return true;
}

/* Plan the settings of a mixture, or, with the "lines" of its files and the numbers of all stages, its recipe. */
static bool plan_mixture(const Parts *request, Host *host) {
  CutRequest wanted = {.way_out = "Exclude them by 'max_length'."};
  bool shuffle = true, even = false;
  double max_length;
  if (!read_mixture_settings(request, &wanted, &shuffle, &even, &max_length, host)) return false;
  Part lines = find_part(request, "lines"), end = find_part(request, "epoch_end");
  if (lines.type == NOTHING) {
    return host->flag(host, "by_length", wanted.by_length) && keep_given(request, "max_length", max_length, host);
  }
  bool are_numbers = lines.type == DOUBLES && find_part(request, "drawn").type == DOUBLES;
  int64_t n_planned = are_numbers ? find_part(request, "drawn").length : 0;
  bool are_of_files = lines.length > 0 && n_planned > 0 && n_planned % lines.length == 0;
  if (!are_of_files || find_part(request, "kept").length != n_planned) {
    return refuse(host, "lines", "others", "have numbers of lines of each file");
  }
  bool is_sample = end.type == TEXT && strcmp(end.values, "sample") == 0;
  if (even && lines_in(lines.values, lines.length) > (double)LARGEST_COUNT) {
    return refuse(host, "assign", NULL, "be 'shuffled' if there are more than %d lines", LARGEST_COUNT);
  }
  return read_mixture_batches(request, &lines, &wanted, host) && host->keep(host, "lines") &&
         host->keep(host, "drawn") && host->keep(host, "kept") &&
         (!is_given(request, "begins") || host->keep(host, "begins")) &&
         (!is_given(request, "remaining") || host->keep(host, "remaining")) &&
         keep_cut_request(request, &wanted, host) && host->flag(host, "shuffle", shuffle) &&
         (!even || host->flag(host, "even", true)) && (is_sample || even || host->flag(host, "replace", false));
}

/* Recipes ------------------------------------------------------------------------------------------------------- */

/* Read so many whole numbers from 0. */
static bool read_line_counts(
    const Parts *recipe, const char *name, int64_t count, const double **numbers, Host *host
) {
  Part part = find_part(recipe, name);
  *numbers = part.values;
  if (part.type != DOUBLES || part.length != count) {
    return refuse_part(host, name, "%lld number%s", (long long)count, count == 1 ? "" : "s");
  }
  for (int64_t i = 0; i < count; i++) {
    double number = (*numbers)[i];
    if (!(number >= 0 && number <= LARGEST_EXACT && floor(number) == number)) {
      refuse_part(host, name, "whole numbers from 0");
      host->refusal.place = i + 1;
      return false;
    }
  }
  return true;
}

/* Read the first epochs of the stages. */
static bool read_begins(const Parts *recipe, Mixture *self, Host *host) {
  Part part = find_part(recipe, "begins");
  self->n_stages = 1;
  if (part.type == NOTHING) return true;
  self->begins = part.values;
  self->n_stages = part.length;
  if (are_stages(&part) && part.length > 1) return true;
  return refuse(host, "recipe", "others", "have epochs from 0 on, in order, as 'begins'");
}

/* Refuse bits of lines that do not have one for each line; the last byte may have further ones, which are 0. */
static bool check_remaining(const Part *part, int64_t n_lines, Host *host) {
  bool is_right = part->type == BYTES && part->length == quotient_up(n_lines, 8);
  if (is_right && (n_lines % 8 == 0 || ((const uint8_t *)part->values)[n_lines / 8] >> (n_lines % 8) == 0)) return true;
  char shown[NUMBER];
  show_count(n_lines, "line", shown);
  refuse(host, "recipe", is_right ? "more" : NULL, "have a bit for each of %s as 'remaining'", shown);
  if (!is_right) host->refusal.shown = "remaining";
  return false;
}

/* Read which lines remain, and count those of each file. */
static bool read_remaining(const Parts *recipe, Mixture *self, Host *host) {
  Part part = find_part(recipe, "remaining");
  int64_t line = 0;
  if (part.type == NOTHING) return true;
  if (!check_remaining(&part, self->n_lines, host)) return false;
  self->remaining = part.values;
  for (int64_t file = 0; file < self->n_files; file++) {
    int64_t end = line + self->lines[file], count = 0;
    for (; line < end; line++) {
      if (!go_on_after(line, host)) return false;
      count += does_remain(self, line);
    }
    self->lines[file] = count;
    self->n_remaining += count;
  }
  return true;
}

/* Refuse stages whose epochs are too small or too large, or that take lines that are not there. */
static bool check_stages(const Mixture *self, int64_t *fewest, Host *host) {
  *fewest = LARGEST_COUNT;
  for (int64_t place = 0; place < self->n_stages; place++) {
    Stage stage = stage_at(self, place);
    double total = 0;
    for (int64_t file = 0; file < self->n_files; file++) {
      double lines = (double)self->lines[file], drawn = stage.drawn[file], kept = stage.kept[file];
      total += drawn + kept;
      if (drawn > 0 && lines == 0) return refuse(host, "recipe", "others", "draw nothing from files without lines");
      if (kept > lines) return refuse(host, "recipe", "more", "keep at most the lines of each file");
    }
    if (!(total >= 1 && total <= (double)LARGEST_COUNT)) {
      char got[SENTENCE];
      snprintf(got, SENTENCE, "%.0f", total);
      return refuse(host, "recipe", got, "give an epoch from 1 to %d lines", LARGEST_COUNT);
    }
    *fewest = smaller(*fewest, stage.total);
  }
  return true;
}

/* Check that all stages have batches; the number of replicas is at most the fewest rows of them. */
static bool read_stage_cutting(const Parts *recipe, int64_t fewest, Mixture *self, Host *host) {
  if (!read_cutting(recipe, self->n_lines, fewest, &self->cutting, host)) return false;
  for (int64_t place = 0; place < self->n_stages; place++) {
    if (!check_cut_count(&self->cutting, stage_at(self, place).total, host)) return false;
  }
  return true;
}

/* Make the strata of each stage: the files that it takes lines of. */
static bool prepare_dealt(Mixture *self, uint32_t seed, Host *host) {
  int64_t n_numbers = 2 * self->n_files + 1;
  int64_t *numbers = host->memory(host, FOR_THE_INSTANCE, self->n_stages * n_numbers * (int64_t)sizeof *numbers);
  self->dealt = host->memory(host, FOR_THE_INSTANCE, self->n_stages * (int64_t)sizeof *self->dealt);
  self->codes = host->memory(host, FOR_THE_INSTANCE, self->n_stages * (int64_t)sizeof *self->codes);
  if (numbers == NULL || self->dealt == NULL || self->codes == NULL) return false;
  if (self->cutting.lengths != NULL || self->n_lines > LARGEST_COUNT) {
    return refuse(host, "recipe", "others", "deal at most %d lines evenly, without lengths", LARGEST_COUNT);
  }
  for (int64_t place = 0; place < self->n_stages; place++, numbers += n_numbers) {
    Stage stage = stage_at(self, place);
    Dealt dealt = {.n_batches = count_cut(&self->cutting, stage.total), .even = true, .seed = seed};
    int64_t *taken = numbers + self->n_files + 1, n_strata = 0, rest = self->n_lines;
    dealt.is_shuffled = self->cutting.shuffle;
    for (int64_t file = 0; file < self->n_files; file++) {
      int64_t count = (int64_t)(stage.drawn[file] + stage.kept[file]);
      if (count == 0) continue;
      numbers[n_strata] = self->lines[file];
      taken[n_strata++] = count;
      rest -= self->lines[file];
      dealt.is_walked = dealt.is_walked || count != self->lines[file];
      dealt.is_permuted = dealt.is_permuted || (dealt.is_shuffled && count < dealt.n_batches);
    }
    numbers[n_strata] = rest;
    dealt.codes = (Codes){.n_rows = self->n_lines, .n_strata = n_strata, .counts = numbers};
    dealt.taken = taken;
    self->dealt[place] = dealt;
    self->codes[place] = NULL;
    if (!check_dealt(&self->dealt[place], host)) return false;
  }
  return true;
}

static bool prepare_mixture(void *instance, const Parts *recipe, uint32_t seed, Host *host) {
  Mixture *self = instance;
  const double *lines;
  int64_t fewest;
  self->n_files = find_part(recipe, "lines").length;
  if (self->n_files < 1) return refuse_part(host, "lines", "numbers of one or more files");
  if (!read_begins(recipe, self, host) || !read_line_counts(recipe, "lines", self->n_files, &lines, host)) return false;
  self->all_lines = lines;
  int64_t n_planned = self->n_files * self->n_stages;
  if (!read_line_counts(recipe, "drawn", n_planned, &self->drawn, host)) return false;
  if (!read_line_counts(recipe, "kept", n_planned, &self->kept, host)) return false;
  if (lines_in(lines, self->n_files) > LARGEST_EXACT) {
    return refuse(host, "recipe", "more", "have whole numbers that add up to at most 2^53 as 'lines'");
  }
  self->lines = host->memory(host, FOR_THE_INSTANCE, self->n_files * (int64_t)sizeof *self->lines);
  if (self->lines == NULL) return false;
  for (int64_t file = 0; file < self->n_files; file++) {
    self->lines[file] = (int64_t)lines[file];
    self->n_lines += self->lines[file];
  }
  if (!read_remaining(recipe, self, host) || !check_stages(self, &fewest, host)) return false;
  bool shuffle = true, even = false;
  if (!read_stage_cutting(recipe, fewest, self, host) || !read_flag(recipe, "shuffle", &shuffle, host)) return false;
  self->cutting.shuffle = shuffle;
  if (self->cutting.is_balanced && !shuffle) return refuse_part(host, "balance_replicas", "0");
  if (!read_flag_if_given(recipe, "even", &even, host)) return false;
  if (even && !prepare_dealt(self, seed, host)) return false;
  self->replace = true;
  if (!read_flag_if_given(recipe, "replace", &self->replace, host)) return false;
  for (int64_t file = 0; !self->replace && file < self->n_files; file++) {
    if (self->lines[file] > INT64_C(1) << 52) {
      return refuse(host, "recipe", "more", "have at most 2^52 lines in each file without replacement");
    }
  }
  return true;
}

/* Epochs -------------------------------------------------------------------------------------------------------- */

/* Number the lines that remain. */
static bool make_places(Mixture *self, Host *host) {
  if (self->remaining == NULL || self->is_made) return true;
  bool is_wide = self->n_lines > LARGEST_COUNT;
  int64_t n_remaining = self->n_remaining, place = 0;
  if (is_wide) self->wide = lasting_memory(self->wide, n_remaining * (int64_t)sizeof *self->wide, host);
  if (!is_wide) self->narrow = lasting_memory(self->narrow, n_remaining * (int64_t)sizeof *self->narrow, host);
  if (self->wide == NULL && self->narrow == NULL) return false;
  for (int64_t line = 0; line < self->n_lines; line++) {
    if (!go_on_after(line, host)) return false;
    if (!does_remain(self, line)) continue;
    if (is_wide) self->wide[place] = line;
    if (!is_wide) self->narrow[place] = (int32_t)line;
    place++;
  }
  self->is_made = true;
  return true;
}

/* Where the lines of an epoch go, counted from `first`: into one of both. */
typedef struct {
  int32_t *narrow;
  int64_t *wide;
  int64_t done, first;
} Taken;

/* Add lines of a file that begins at line `begin` of those that remain. */
static void add_lines(const Mixture *self, const int64_t *block, int64_t count, int64_t begin, Taken *taken) {
  int64_t first = taken->first;
  if (taken->narrow != NULL) {
    int32_t *to = taken->narrow + taken->done;
    const int32_t *places = self->narrow;
    for (int64_t i = 0; i < count; i++) {
      int64_t line = begin + block[i];
      to[i] = (int32_t)((places == NULL ? line : places[line]) + first);
    }
  } else {
    int64_t *to = taken->wide + taken->done;
    for (int64_t i = 0; i < count; i++) {
      int64_t line = begin + block[i];
      to[i] = first + (self->narrow != NULL ? self->narrow[line] : self->wide != NULL ? self->wide[line] : line);
    }
  }
  taken->done += count;
}

/* The number of drawn lines of a file beyond whole passes through it. */
static int64_t rest_of_passes(int64_t lines, int64_t drawn) { return drawn > 0 ? drawn % lines : 0; }

/* Make the scratch space of draws without replacement. */
static bool make_scratch(const Mixture *self, const Stage *stage, SubsetScratch *scratch, Host *host) {
  *scratch = (SubsetScratch){.n_pool = 1, .n_places = 1, .n_table = 1};
  for (int64_t file = 0; file < self->n_files; file++) {
    enlarge_subset_scratch(scratch, self->lines[file], rest_of_passes(self->lines[file], (int64_t)stage->drawn[file]));
  }
  return make_subset_scratch(scratch, host);
}

/* Draw the lines `begin` to before `end` of those that are drawn of a file; `scratch` is NULL for replacement. */
static void draw_of_file(
    Generator *generator, SubsetScratch *scratch, int64_t lines, int64_t drawn, int64_t begin, int64_t end,
    int64_t *block
) {
  if (scratch == NULL) {
    draw_numbers(generator, (uint64_t)lines, end - begin, block);
    return;
  }
  int64_t rest = rest_of_passes(lines, drawn), passed = drawn - rest; /* lines in order, pass after pass */
  for (; begin < end && begin < passed; begin++) *block++ = begin % lines;
  if (begin < end) {
    draw_subset_within(generator, scratch, 0, lines, rest, begin - passed, end - passed, block);
  }
}

/* Take the lines of an epoch, file after file, kept ones before drawn ones. */
static bool take_lines(const Mixture *self, const Stage *stage, Generator *generator, Taken *taken, Host *host) {
  SubsetScratch scratch = {.n_pool = 0};
  int64_t block[BLOCK_SIZE], begin = 0;
  if (!self->replace && !make_scratch(self, stage, &scratch, host)) return false;
  for (int64_t file = 0; file < self->n_files; begin += self->lines[file], file++) {
    int64_t kept = (int64_t)stage->kept[file], drawn = (int64_t)stage->drawn[file], count;
    for (int64_t place = 0; place < kept + drawn; place += count) {
      count = smaller((place < kept ? kept : kept + drawn) - place, BLOCK_SIZE);
      for (int64_t i = 0; place < kept && i < count; i++) block[i] = place + i;
      if (place >= kept) {
        draw_of_file(
            generator, self->replace ? NULL : &scratch, self->lines[file], drawn, place - kept, place - kept + count,
            block
        );
      }
      int64_t before = taken->done / GO_ON_ROWS;
      add_lines(self, block, count, begin, taken);
      if (taken->done / GO_ON_ROWS > before && !host->go_on(host)) return false;
    }
  }
  return true;
}

/* Fill the lines of an epoch, shuffled or in order, into one of both arrays. */
static bool fill_epoch(
    const Mixture *self, const Stage *stage, Generator *generator, int64_t first, int32_t *narrow, int64_t *wide,
    Host *host
) {
  int64_t total = stage->total;
  bool shuffle = self->cutting.shuffle;
  if (shuffle && narrow != NULL) {
    int32_t *pool = host->memory(host, FOR_THE_CALL, total * (int64_t)sizeof *pool);
    Taken taken = {.narrow = pool, .first = first};
    return pool != NULL && take_lines(self, stage, generator, &taken, host) &&
           take_order(generator, pool, total, narrow, host);
  }
  int64_t *numbers = host->memory(host, FOR_THE_CALL, 2 * total * (int64_t)sizeof *numbers);
  Taken taken = {.wide = numbers, .first = first};
  if (numbers == NULL || !take_lines(self, stage, generator, &taken, host)) return false;
  if (shuffle) {
    const int32_t *order = draw_epoch_order(generator, total, host);
    for (int64_t i = 0; order != NULL && i < total; i++) wide[i] = numbers[order[i]];
    return order != NULL;
  }
  int64_t bits = bits_below((uint64_t)(self->n_lines + first));
  const int64_t *sorted = sort_naturals(numbers, numbers + total, total, bits, host);
  if (sorted == NULL) return false;
  for (int64_t i = 0; narrow != NULL && i < total; i++) narrow[i] = (int32_t)sorted[i];
  if (wide != NULL) memcpy(wide, sorted, (size_t)total * sizeof *wide);
  return true;
}

/* Write the stratum of each line of a stage, whose number of strata stands for lines that are never drawn. */
static bool make_codes(Mixture *self, int64_t place, Host *host) {
  Dealt *dealt = &self->dealt[place];
  Stage stage = stage_at(self, place);
  int64_t n_strata = dealt->codes.n_strata, stratum = 0, end = 0, line = 0;
  int code_bytes = n_strata <= UINT8_MAX ? 1 : 4;
  void *codes = self->codes[place] = lasting_memory(self->codes[place], self->n_lines * code_bytes, host);
  if (codes == NULL) return false;
  for (int64_t file = 0; file < self->n_files; file++) {
    bool is_taken = stage.drawn[file] + stage.kept[file] > 0;
    for (end += (int64_t)self->all_lines[file]; line < end; line++) {
      if (!go_on_after(line, host)) return false;
      bool is_in = is_taken && (self->remaining == NULL || does_remain(self, line));
      set_code(codes, code_bytes, line, is_in ? stratum : n_strata);
    }
    stratum += is_taken;
  }
  if (code_bytes == 1) dealt->codes.bytes = codes;
  if (code_bytes == 4) dealt->codes.integers = codes;
  return true;
}

static bool draw_mixture(void *instance, Generator *generator, uint32_t epoch, Host *host) {
  Mixture *self = instance;
  if (self->dealt != NULL) {
    int64_t place = place_of_stage(self, epoch);
    Dealt *dealt = &self->dealt[place];
    return (dealt->is_made || make_codes(self, place, host)) && draw_dealt(dealt, generator, epoch, host);
  }
  Stage stage = stage_of(self, epoch);
  if (!make_places(self, host)) return false;
  bool by_length = self->cutting.lengths != NULL, is_wide = self->n_lines > LARGEST_COUNT;
  PartType type = is_wide ? LARGE : INTEGERS;
  int64_t width = is_wide ? (int64_t)sizeof(int64_t) : (int64_t)sizeof(int32_t);
  void *rows = by_length ? host->memory(host, FOR_THE_CALL, stage.total * width)
                         : host->vector(host, "rows", type, stage.total);
  if (rows == NULL) return false;
  int32_t *narrow = is_wide ? NULL : rows;
  int64_t *wide = is_wide ? rows : NULL;
  if (!fill_epoch(self, &stage, generator, by_length ? 0 : host->first_row, narrow, wide, host)) return false;
  if (!by_length) return give_cut_offsets(&self->cutting, stage.total, host);
  return give_cut_rows(&self->cutting, generator, narrow, wide, stage.total, host);
}

static int64_t count_mixture(const void *instance, uint32_t epoch) {
  const Mixture *self = instance;
  return count_cut(&self->cutting, stage_of(self, epoch).total);
}

static void identify_mixture(const void *instance, const Parts *recipe, Identity *identity) {
  const Mixture *self = instance;
  for (int64_t place = 0; place < self->n_stages; place++) {
    identify_cutting(&self->cutting, stage_at(self, place).total, identity);
  }
  /* A function of the user may give other epochs other numbers of batches. */
  if (is_given(recipe, "weights")) identity->has_unused_shares = false;
}

const Kind mixture_kind = {
    .name = "mixture",
    .instance_bytes = sizeof(Mixture),
    .plan = plan_mixture,
    .prepare = prepare_mixture,
    .draw = draw_mixture,
    .count_batches = count_mixture,
    .identify = identify_mixture,
};
