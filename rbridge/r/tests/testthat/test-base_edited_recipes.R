# An edited recipe is refused when its file is read or its sampler is made. The message names the part that is wrong.

# The refusal of a recipe by read_batch_sampler(), by the generator that it returns, or, on request, by the first draw;
# or NULL.
refusal_of_recipe = function(recipe, draw = FALSE) {
  file = recipe_file(recipe, withr::local_tempfile())
  tryCatch({
    generator = read_batch_sampler(file)
    sampler = generator(NULL)
    if (draw) {
      sampler$batches(0)
    }
    NULL
  }, rbridge_refusal = identity)
}

# Changes vectors of a recipe: its parts, or those named such as "state.weights".
edited = function(recipe, edits) {
  stopifnot(!anyDuplicated(names(edits)))
  for (name in names(edits)) {
    place = if (grepl(".", name, fixed = TRUE)) strsplit(name, ".", fixed = TRUE)[[1L]] else c("parts", name)
    recipe[[place]] = edits[[name]]
  }
  recipe
}

expect_refused = function(recipe, edits, message, info = deparse1(edits), draw = FALSE, ...) {
  refusal = refusal_of_recipe(edited(recipe, edits), draw)
  if (is.null(refusal)) {
    return(fail(paste("accepted:", info)))
  }
  expect_match(conditionMessage(refusal), message, info = info, ...)
  public = c("read_batch_sampler(file)", "generator(NULL)", if (draw) "sampler$batches(0)")
  expect_in(deparse1(conditionCall(refusal)), public)
}

numbers = 0:23
triangle = data.frame(a = c(1, 0, 1, 0), b = c(1, 1, 0, 0), c = c(0, 1, 1, 0))
rare = file.path(corpus_of(a = 9, b = 30, c = 30, d = 30), paste0(letters[1:4], ".txt"))
drawn_by_length = list(state.epoch = 2, state.batch = 0, state.drawn = c(0L, 1L, 2L, 2L, 0L))

# Generators, and edits of their recipes that are refused. The name of an edit is its message, from "must" to "instead";
# the name of the parameter comes first, unless it is 'recipe'.
cases = list(
  list(batch_sampler_stratified(1, strata = factor(c("b", "a", "b", "a")), seed = 1),
    "have a row of each stratum. Got none" = list(list(n_strata = 3), list(codes = as.raw(c(0, 0, 0, 0)))),
    "have an integer from 1 to 4 as 'n_batches'. Got 5" = list(n_batches = 5),
    "have an integer from 1 to 4 as 'n_batches'. Got 1.5" = list(n_batches = 1.5),
    "'codes' must be numbers of strata from 0, or the number of strata. Got others" = list(
      codes = as.raw(c(0, 1, 2, 3))),
    "deal its rows to at most 1 batch. Got 2 batches" = list(codes = as.raw(c(0, 0, 0, 1)), n_batches = 2),
    "deal its rows to at most 2 batches. Got 3 batches" = list(
      codes = as.raw(c(0, 1, 2, 2)), n_batches = 3, even = 1L)),
  list(batch_sampler_stratified(mean_batch_size = 6, balance = "over", strata = factor(rep(letters[1:3], c(20, 10,
    40))), seed = 1),
    "have 3 integers from 1 to 2147483647 as 'taken'. Got 2 values" = list(taken = c(1, 2)),
    "have 3 integers from 1 to 2147483647 as 'taken'. Got 3 values" = list(list(taken = c(40, 0, 40)),
      list(taken = c(40, 39.5, 40))),
    "have 3 integers from 1 to 2147483647 as 'taken'. Got 4 values" = list(taken = c(40, 40, 40, 40)),
    "deal at most 2147483647 rows evenly. Got others" = list(even = 0L),
    "need no row twice in a batch. Got fewer batches" = list(n_batches = 2),
    "deal its rows to at most 120 batches. Got 1000 batches" = list(n_batches = 1000)),
  list(batch_sampler_downsampled(1, 4, strata = factor(rep(c("yes", "no"), c(2, 5))), seed = 7, weights = c(yes = 3)),
    "keep at most the rows that there are. Got more" = list(kept = c(3, 2)),
    "have finite numbers above 0 as 'weights'. Got -1" = list(weights = c(1, -1)),
    "have 2 numbers as 'weights'. Got 1" = list(weights = 1)),
  list(batch_sampler_one_stratum(2, strata = list(rep(c("b", "a"), 3)), seed = 1),
    "have known kinds of strata. Got 'complex'" = list(labels.kinds = "complex"),
    "have known kinds of strata. Got 1" = list(labels.kinds = 1),
    "have the levels of all factors. Got 'a'" = list(labels.kinds = "factor 2", labels.levels = "a"),
    "have the levels of all factors. Got 2 values" = list(
      list(labels.kinds = "factor 2", labels.levels = c("a", "a")),
      list(labels.kinds = "ordered 2", labels.levels = c(1, 2))),
    "have the names of all columns of strata. Got 'x'" = list(labels.kinds = "integer", labels.columns = "x"),
    "have the names of all columns of strata. Got nothing" = list(labels.kinds = c("integer", "text"))),
  list(batch_sampler_stratified_group(2, groups = numbers %/% 2, keep = "apart", strata = factor(numbers %% 2),
    seed = 1),
    "have one group for each row as 'groups', raw or integer. Got 23 values" = list(groups = raw(23)),
    "have numbers of groups as 'groups'. Got others" = list(
      list(groups = as.raw(rep(12, 24))), list(groups = c(NA, 1:23))),
    "have a row for each batch. Got fewer" = list(together = 0L, codes = as.raw(rep(0:2, 8)), n_batches = 24)),
  list(batch_sampler_stratified_group(2, groups = numbers %/% 2, strata = factor(numbers %/% 8), seed = 1),
    "have a group for each batch. Got fewer" = list(list(groups = as.raw(rep(11, 24))), list(n_batches = 13))),
  list(batch_sampler_stratified_group(3, groups = numbers %/% 2, strata = factor(numbers %% 2), seed = 1),
    "have 12 integers from 0 to 3, the batches of groups as 'skeleton'. Got nothing" = list(skeleton = NULL),
    "have 12 integers from 0 to 3, the batches of groups as 'skeleton'. Got 11 values" = list(skeleton = integer(11)),
    "have 12 integers from 0 to 3, the batches of groups as 'skeleton'. Got 12 values" = list(skeleton = rep(9L, 12)),
    "have a group for each batch in 'skeleton'. Got fewer" = list(skeleton = integer(12))),
  list(batch_sampler_strata_subset(3, 2, strata = factor(rep(letters[1:6], c(3, 12, 6, 5, 9, 5))), seed = 1),
    "have 6 integers from 0 to 6 as 'blocks'. Got 2 values" = list(blocks = c(1, 2)),
    "have 6 integers from 0 to 6 as 'blocks'. Got 6 values" = list(blocks = c(1, 7, 3, 2, 4, 2)),
    "have rows for the blocks of each stratum. Got fewer" = list(blocks = c(4, 6, 3, 2, 4, 2)),
    "have a block for the rows of each stratum. Got none" = list(blocks = c(0, 6, 4, 2, 4, 2)),
    "have the blocks for all batches. Got fewer" = list(blocks = c(1, 1, 1, 1, 1, 1)),
    "'codes' must be numbers of strata from 0, or the number of strata. Got others" = list(codes = as.raw(rep(7, 40)))),
  list(batch_sampler_sharded(1, shard_counts(list(a = numbers %% 2, b = numbers %% 3, c = numbers %% 2)), c("a", "c"),
    seed = 1, strata = c(numbers, numbers) %% 2),
    "have 2 integers from 0 to 2 as 'shards'. Got 2 values" = list(shards = c(0, 3)),
    "have different numbers of shards below 3 as 'shards'. Got 2 values" = list(shards = c(1, 1)),
    "have different numbers of shards below 3 as 'shards'. Got 'a'" = list(shards = "a"),
    "have the names of all shards. Got 2 values" = list(shards = 0, sizes = 48, begins = c(0, 1, 2)),
    "have 'sizes' that add up to the rows. Got more" = list(sizes = c(24, 25)),
    "have 6 integers from 0 to 7 as 'begins'. Got 6 values" = list(begins = c(0, 1, 2, 3, 4, 99)),
    "have numbers of strata from 0 as 'codes'. Got others" = list(codes = as.raw(rep(3, 48))),
    "have an integer from 1 to 48 as 'n_batches'. Got 49" = list(n_batches = 49),
    "have one double for each stratum of each shard as 'begins'. Got 6 values" = list(n_strata = 4)),
  list(batch_sampler_multilabel(triangle, 1, max_batches = 1, seed = 1),
    "have numbers of label sets as 'codes'. Got others" = list(list(codes = as.raw(c(0, 1, 2, 4))),
      list(codes = c(0L, 1L, NA, 2L)), list(n_labels = 4)),
    "have 0 and 1 as 'sets'. Got others" = list(sets = as.raw(rep(2, 12))),
    "have bytes, one for each label of each set, as 'sets'. Got 11 values" = list(sets = as.raw(rep(1, 11))),
    "have bytes, one for each label of each set, as 'sets'. Got 30 values" = list(sets = as.raw(rep(1, 30))),
    "have an integer from 1 to 4 as 'n_batches'. Got 5" = list(n_batches = 5),
    "have 3 names of labels. Got 'a'" = list(labels.names = "a")),
  list(batch_sampler_per_label(data.frame(a = c(1, 0, 1, 0, 0), b = c(1, 1, 0, 0, 0), c = c(0, 1, 1, 1, 0)), 1, 2,
    n_batches = 4, seed = 1),
    "have negatives for the batches of each label. Got fewer" = list(
      list(counts = c(2, 2, 5)), list(counts = c(2, 1, 4))),
    "have a number for each label as 'counts'. Got 2 values" = list(counts = c(2, 2)),
    "have as many rows as 'counts' says as 'positives'. Got 7 values" = list(counts = c(2, 2, 1)),
    "have ascending rows of each label as 'positives'. Got others" = list(positives = 6:0)),
  list(batch_sampler_no_duplicates(1, list(c(1, 2, 2, 2, 3, 4)), seed = 1),
    "have a batch for each row of a value. Got fewer" = list(n_batches = 2),
    "have 1 text as 'keys'. Got 2 values" = list(labels.keys = c("a", "b")),
    "have 1 number as 'largest'. Got 2 values" = list(labels.largest = numeric(2))),
  list(batch_sampler_no_duplicates(1, list(c(1, 2, 2, 2, 3, 4), 1:6), seed = 1),
    "have a batch for each row of a value. Got fewer" = list(n_batches = 2)),
  list(batch_sampler_no_duplicates(1, list(c(1, 2, 2, 2, 3, 4), 1:6, 6:1), seed = 1),
    "have a batch for each row of a value. Got fewer" = list(n_batches = 2)),
  list(batch_sampler_weighted(list("0" = rep(1, 12), "2" = 1:12, "5" = 12:1), 3, seed = 1),
    "have epochs from 0, ascending as 'begins'. Got 3 values" = list(
      list(begins = c(0, 3, 3)), list(begins = c(1, 2, 5))),
    "have 24 doubles as 'weights'. Got 36 values" = list(begins = c(0, 2)),
    "have 36 doubles as 'weights'. Got 12 values" = list(state.weights = as.double(1:12)),
    "'weights' must hold finite numbers, none below 0. Got -1" = list(state.weights = c(numeric(35), -1))),
  list(batch_sampler_prioritized(3, 1, seed = 1),
    "have finite numbers above 0 as 'weights'. Got others" = list(list(state.weights = c(1, 0, 1)),
      list(state.weights = c(1, Inf, 1))),
    "'normalize' must be an integer from 0 to 1. Got 2" = list(labels.normalize = 2)),
  list(batch_sampler_pairs(c(1, 1, 2, 3, 4), c(1, 2, 3, 1, 5), 0.3, 4, n_users = 5, n_items = 6, seed = 1),
    "have cells of the table as 'cells', sorted, then those that are repeated. Got others" = list(
      list(cells = c(21, 13, 8, 1, 0)), list(cells = c(0.5, 1, 8)), list(cells = c(1, 1e6))),
    "have an integer from 1 to 2 as 'n_batches'. Got 5" = list(cells = c(29, 29)),
    "have an integer from 1 to 2147483647 as 'n_items'. Got 2147483648" = list(n_items = 2^31),
    "have an integer from 1 to 4194304 as 'n_items'. Got 1073741824" = list(n_users = 2^30, n_items = 2^30),
    "have an integer from 1 to 5 as 'n_batches'. Got 99" = list(n_batches = 99),
    "have 1 integer as 'n_negatives'. Got 2 values" = list(n_negatives = c(1L, 2L)),
    "have one of 'uniform', 'per_user', 'popularity' as 'method'. Got 'any'" = list(method = "any"),
    "have a finite number of at least 0 as 'power'. Got nothing" = list(method = "popularity"),
    "have 5 integers as 'n_negatives'. Got 12" = list(method = "per_user")),
  list(batch_sampler_pairs(c("a", "b"), 1:2, 0.5, 4, seed = 1),
    "have 2 texts as 'user_ids'. Got 'a'" = list(labels.user_ids = "a")),
  list(batch_sampler_pairs(rep(1:2, each = 300), rep(1:300, 2), 0.5, 10, n_users = 3, method = "popularity",
    reject_positives = FALSE, seed = 1),
    "'method' must keep at least 1/100 of what is drawn. Got 'popularity', which keeps 0 for all users," = list(
      reject_positives = 1L)),
  list(batch_sampler_triples(c(1, 1, 2, 3, 4), c(1, 2, 3, 1, 5), 2, 3, n_users = 5, n_items = 6, seed = 1),
    "have cells of the table as 'cells', sorted, then those that are repeated. Got others" = list(n_items = 2),
    "have an integer from 1 to 5 as 'n_batches'. Got 99" = list(n_batches = 99),
    "have an integer from 1 to 429496728 as 'negatives_per_positive'. Got 2147483647" = list(
      negatives_per_positive = 2^31 - 1),
    "have an integer from 0 to 5 as 'n_skipped_users'. Got 'a'" = list(labels.n_skipped_users = "a")),
  list(batch_sampler_epoch_subset(10, 5, 2, seed = 1),
    "have an integer from 1 to 2147483647 as 'sample'. Got 2 values" = list(sample = 1:2),
    "have an integer from 1 to 5 as 'num_replicas'. Got 6" = list(num_replicas = 6),
    "have at most 5 batches. Got 8" = list(batch_size = 1, num_replicas = 4),
    "have one of 'uniform', 'uniform_without_replacement', 'partition' as 'method'. Got 'other'" = list(
      method = "other"),
    "have an integer from 1 to 4 as 'sample'. Got 5" = list(n_rows = 4, method = "uniform_without_replacement")),
  list(batch_sampler_epoch_subset(10, 4, 2, rows = list("0" = 1:3, "2" = 4:9), seed = 1),
    "have different rows in each stage as 'rows'. Got 9 values" = list(rows = c(0:2, 3:7, 3L)),
    "have integers from 0 to 9 as 'rows'. Got 9 values" = list(rows = c(0:2, 3:7, 10L)),
    "have integers as 'rows'. Got nothing" = list(list(rows = NULL), list(rows = NULL, begins = NULL),
      list(rows = NULL, n_candidates = NULL))),
  list(batch_sampler_epoch_subset(3, 5, lengths = c(1, 2, 4), max_tokens = 4, window = 2, seed = 1),
    "have 3 integers from 0 as 'lengths'. Got 2 values" = list(lengths = 1:2),
    "have 3 integers from 0 as 'lengths'. Got nothing" = list(list(lengths = NULL, window = NULL),
      list(lengths = NULL, max_tokens = NULL, batch_size = 2)),
    "have an integer from 4 to 9007199254740992 as 'max_tokens'. Got 3" = list(max_tokens = 3),
    "have an integer from 1 on as 'batch_size'. Got nothing" = list(max_tokens = NULL),
    "have an integer from 1 to 5 as 'num_replicas'. Got 6" = list(num_replicas = 6),
    "have 0 as 'balance_replicas'. Got 1" = list(list(balance_replicas = 1L),
      list(balance_replicas = 1L, num_replicas = 2, lengths = NULL, max_tokens = NULL, window = NULL, batch_size = 2))),
  list(batch_sampler_perplexity(4, 5, 2, seed = 1),
    "have 4 numbers as 'reported'. Got 2 values" = list(state.reported = c(1, 2)),
    "'reported' must be perplexities from 1 to 1000000. Got others" = list(
      list(state.reported = c(1, 2, 3, 0.5)), list(state.reported = c(1, 2, 3, Inf))),
    "have 0 or 1 as 'started'. Got 2" = list(state.started = 2L),
    "have the number of an epoch as 'epoch'. Got -1" = list(state.epoch = -1),
    "have a number of batches as 'batch'. Got 4" = list(state.epoch = 0, state.batch = 4),
    "have 5 rows from 0 as 'drawn'. Got 5 values" = list(state.epoch = 0, state.batch = 1, state.drawn = 0:4),
    "'clip' must be false if there is no maximum. Got 1" = list(clip = 1L),
    "'maximum' must be a finite number other than 0, 'published', or nothing. Got 0" = list(maximum = 0)),
  list(batch_sampler_perplexity(3, 5, lengths = c(1, 2, 4), max_tokens = 4, seed = 1),
    "have 0 or 1 as 'weighted'. Got nothing" = drawn_by_length,
    "have 0 or 1 as 'weighted'. Got 2" = c(drawn_by_length, state.weighted = 2),
    "have 0 or 1 as 'weighted'. Got '1'" = c(drawn_by_length, state.weighted = "1"),
    "have 0 or 1 as 'weighted'. Got NaN" = c(drawn_by_length, state.weighted = NA_real_),
    "have a number of batches as 'batch'. Got 5" = c(replace(drawn_by_length, "state.batch", 5), state.weighted = 1L)),
  list(batch_sampler_corpus_mixture(corpus_of(a = 30, b = 60, c = 5), 8, 50L, c("c *", "a,b 10"), suffixes = ".txt",
    seed = 1),
    "have 3 numbers as 'drawn'. Got 2 values" = list(drawn = c(1, 2)),
    "give an epoch from 1 to 2147483647 lines. Got 0" = list(drawn = numeric(3), kept = numeric(3)),
    "draw nothing from files without lines. Got others" = list(lines = c(0, 60, 5)),
    "keep at most the lines of each file. Got more" = list(kept = c(31, 0, 0)),
    "have 3 numbers as 'rule'. Got 1" = list(labels.rule = 1),
    "have a path and a version of each file. Got others" = list(
      list(labels.versions = "1 2 3"), list(labels.paths = as.raw(1)))),
  list(batch_sampler_corpus_mixture(corpus_of(a = 80, b = 40), 4, 20L, suffixes = ".txt", max_length = 6, seed = 1),
    "have a bit for each of 120 lines as 'remaining'. Got 14 values" = list(remaining = raw(14)),
    "have a bit for each of 120 lines as 'remaining'. Got 16 values" = list(remaining = raw(16)),
    "have a bit for each of 117 lines as 'remaining'. Got more" = list(lines = c(77, 40))),
  list(batch_sampler_corpus_mixture(corpus_of(a = 30, b = 60, c = 5), 8, suffixes = ".txt", weights = list("0" = c(1, 1,
    1), "5" = list(3, 1, "*"), "9" = c(0, 1, 0)), epoch_end = "all_exhausted", seed = 1),
    "have epochs from 0 on, in order, as 'begins'. Got others" = list(
      list(begins = c(1, 5, 9)), list(begins = c(0, 5, 5)),
      list(begins = c(0, 0.5, 9)), list(begins = c(0, 5, 1e7)), list(begins = 0)),
    "have 6 numbers as 'drawn'. Got 9 values" = list(begins = c(0, 5)),
    "have 9 numbers as 'kept'. Got 3 values" = list(kept = numeric(3)),
    "give an epoch from 1 to 2147483647 lines. Got 0" = list(drawn = c(30, 60, 5, 30, 60, 5, 0, 0, 0))),
  list(batch_sampler_rare_events(rare[1], rare[-1], 1.5, 6, negative_files_per_epoch = 2, seed = 1),
    "have names of files as 'files'. Got 'a'" = list(files = "a"),
    "have 1 as 'files_per_epoch'. Got 2" = list(lines = c(9, 30)),
    "have whole numbers as 'lines'. Got others" = list(lines = c(9, 0.5, 30, 30)),
    "have whole numbers, 2147483647 in all at most as 'lines'. Got 4 values" = list(lines = c(9, 2^31, 30, 30)),
    "have positives. Got 0 lines" = list(lines = c(0, 30, 30, 30)),
    "have an integer from 1 to 3 as 'n_positive_files'. Got 4" = list(n_positive_files = 4),
    "have an integer from 1 to 3 as 'files_per_epoch'. Got 4" = list(files_per_epoch = 4),
    "have an integer from 1 to 60 as 'n_negatives'. Got 61" = list(n_negatives = 61),
    "have an integer from 1 to 9 as 'n_batches'. Got 99" = list(n_batches = 99),
    "have a path and a version of each file. Got others" = list(labels.versions = "a")),
  list(batch_sampler_tree(turns, 4, "active", table = list(label = rep(c("active", "inactive"), c(4, 8))), seed = 1),
    "have an integer from 1 to 2 as 'n_batches'. Got 4" = list(n_batches = 4),
    "have numbers from 0 to 2 as 'modes'. Got 3 values" = list(modes = as.raw(c(1, 2, 3))),
    "have integers from 1 to 2147483647 as 'repeats'. Got 3 values" = list(repeats = c(2L, 0L, 1L)),
    "have integers from 0 to 2 as 'depths'. Got 3 values" = list(depths = c(0L, 1L, 3L)),
    "have depths of nodes in preorder as 'depths'. Got 3 values" = list(depths = c(0L, 0L, 1L)),
    "have a vector of integers of the length 3 as 'depths'. Got 2 values" = list(depths = c(0L, 1L)),
    "have the rows of the leaves as 'rows'. Got 12 values" = list(counts = c(3L, 8L)),
    "have a vector of integers of the length 2 as 'counts'. Got 12" = list(counts = 12L),
    "have integers from 0 to 11 as 'rows'. Got 12 values" = list(rows = 1:12),
    "have integers from 0 to 10 as 'rows'. Got 12 values" = list(n_rows = 11),
    "have 0 or, if a node draws with replacement, 1 as 'weighted'. Got 3 values" = list(weighted = as.raw(c(0, 0, 1))),
    "have a vector of doubles of the length 0 as 'weights'. Got 1" = list(weights = 1),
    "have functions of auxiliary values as 'functions'. Got 3 values" = list(
      functions = c("uniform", "choice", "system")),
    "have a function and its arguments for each of 'auxiliary'. Got others" = list(list(n_arguments = c(2L, 3L, 0L)),
      list(kinds = c("number", "number", "number"))),
    "have arguments that fit 'uniform'. Got others" = list(numbers = c(10, -10))),
  list(batch_sampler_tree(list(row_weight = "w"), 2, 5, table = list(w = c(1, 0, 2)), seed = 1),
    "have finite numbers that are not negative as 'weights'. Got 3 values" = list(weights = c(1, -1, 2)),
    "have numbers of positive, finite sums as 'weights'. Got 3 values" = list(weights = c(0, 0, 0)))
)

# Whether enough cells are left to draw from is only known once a draw counts them.
cases_of_draws = list(
  list(batch_sampler_pairs(c(1, 1, 2, 3, 4), c(1, 2, 3, 1, 5), 0.3, 4, n_users = 5, n_items = 6, seed = 1),
    "have at most as many as there are cells to draw from as 'n_negatives'. Got 30" = list(unique = 1L,
      n_negatives = 30L)),
  list(batch_sampler_triples(c(1, 1, 2, 3, 4), c(1, 2, 3, 1, 5), 2, 3, n_users = 5, n_items = 6, seed = 1),
    "have at most as many as a user has items to draw from as 'negatives_per_positive'. Got 6" = list(
      negatives_per_positive = 6, unique = 1L),
    "have at most as many as a user has items to draw from as 'negatives_per_positive'. Got 3" = list(
      cells = c(0, 1, 2, 3, 4, 5)))
)

# The message of a case, up to its advice.
message_of_case = function(words) {
  named = if (startsWith(words, "'")) words else paste("'recipe' must", words)
  sprintf("The %s instead.", sub("' must ", "' parameter must ", named, fixed = TRUE))
}

expect_case = function(case, draw = FALSE) {
  recipe = recipe_of(case[[1L]])
  test_that(paste("parts that contradict each other are refused:", recipe$kind), {
    expect_null(refusal_of_recipe(recipe, draw = TRUE))
    for (words in names(case)[-1L]) {
      edits = case[[words]]
      for (edit in if (is.null(names(edits))) edits else list(edits)) {
        expect_refused(recipe, edit, message_of_case(words), draw = draw, fixed = TRUE)
      }
    }
  })
}

for (case in cases) {
  expect_case(case)
}
for (case in cases_of_draws) {
  expect_case(case, draw = TRUE)
}

# Edits that are refused for every vector, except those in `may_be`.
edits_of_vector = function(vector) {
  n = length(vector)
  edits = list(empty = vector[0L], type = if (is.character(vector)) numeric(n) else rep("a", n))
  if (is.numeric(vector)) {
    edits = c(edits, list(missing = replace(vector, 1L, NA),
      negative = replace(vector, n, if (is.integer(vector)) -1L else -1)))
  }
  if (is.double(vector) && n == 1L) {
    edits$zero = 0
  } else if (n > 1L && !is.character(vector)) {
    edits$number = if (is.double(vector)) suppressWarnings(as.integer(vector)) else as.double(vector)
  }
  edits = c(edits, switch(typeof(vector),
    raw = list(largest = replace(vector, n, as.raw(255L))),
    integer = list(largest = replace(vector, n, .Machine$integer.max)),
    double = list(infinite = replace(vector, 1L, Inf))
  ))
  Filter(function(edit) !identical(edit, vector), edits)
}

# Edits that are accepted, by kind and part.
may_be = c("perplexity reported missing", "perplexity maximum negative", "tree numbers negative",
  "tree repeats largest", "epoch_subset lengths largest", "pairs power zero", "prioritized alpha zero",
  "prioritized epsilon zero")

# What messages name instead of the edited part, by kind and part.
others = c(
  "epoch_subset by tokens lengths" = "'max_tokens'",
  "prioritized priorities" = "'n_added'",
  "prioritized weights" = "'next_position'",
  "tree counts" = "'rows'",
  "tree functions" = "a function and its arguments",
  "tree kinds" = "a function and its arguments",
  "tree n_arguments" = "a function and its arguments",
  "tree numbers" = "arguments (for each of 'auxiliary'|that fit 'uniform')",
  "tree texts" = "a function and its arguments"
)

# Edits of a part, or of a vector of the state, are refused by name, or accepted if `may_be` has them.
expect_refused_or_accepted = function(recipe, entry, part) {
  of_kind = paste(paste0(recipe$kind, if (!is.null(recipe$parts$max_tokens)) " by tokens"), part)
  named = paste(c(sprintf("'%s'", part), others[names(others) == of_kind]), collapse = "|")
  message = sprintf("^(?=.*(%s))The '[a-z_]+' parameter must .+[.] Got .+ instead[.]", named)
  edits = edits_of_vector(recipe[[c(entry, part)]])
  for (edit in names(edits)) {
    edit_of_part = stats::setNames(edits[edit], paste(entry, part, sep = "."))
    info = paste(of_kind, edit)
    if (info %in% may_be) {
      expect_null(refusal_of_recipe(edited(recipe, edit_of_part)), info = info)
    } else {
      expect_refused(recipe, edit_of_part, message, info, perl = TRUE)
    }
  }
}

for (name in names(long_specimens())) {
  test_that(paste("no part is empty, of another type, or beyond its range:", name), {
    recipe = recipe_of(generator_of_specimen(long_specimens()[[name]]))
    for (entry in c("parts", "state")) {
      for (part in names(Filter(length, recipe[[entry]]))) {
        expect_refused_or_accepted(recipe, entry, part)
      }
    }
  })
}
