#' @title Batch Sampler With a Few Strata per Batch
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch in which every batch holds a few
#' of the strata, with several rows of each: P classes of m rows, as for metric learning and contrastive losses.
#' The Python class `pystrat.StrataSubsetBatchSampler` returns the same batches, row for row, from the same seed.
#'
#' Guide: \guide{contrastive}.
#'
#' @param strata_per_batch (`integer(1)`)\cr
#'   P, the number of strata in a batch.
#' @param min_samples_per_stratum (`integer(1)`)\cr
#'   m, the number of rows of each of its strata in a batch.
#'   Give either it or `mean_batch_size`.
#' @param strata (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   The stratum of each row, as in [batch_sampler_stratified()].
#'   `NULL` (default): those of the task.
#' @param mean_batch_size (`integer(1)`)\cr
#'   The mean number of rows per batch.
#'   An epoch of n rows has n / `mean_batch_size` batches, rounded half up and at least 1, and m is the largest minimum
#'   with which every batch has P strata.
#'   Batches with `exact` or `balance` have P * m rows, and take m instead.
#'   `NULL` (default): m determines the number of batches.
#' @param exact (`logical(1)`)\cr
#'   `FALSE` (default): every batch holds at least P strata and at least m rows of each of them, and an epoch visits
#'   every row once.
#'   `TRUE`: every batch holds exactly m rows of exactly P strata; surplus rows and strata are left out in turn.
#'   With `balance`, all batches are exact.
#' @param balance (`character(1)` or `integer(1)`)\cr
#'   Every stratum is in equally many batches, whatever its number of rows.
#'   The value is the number of rows of each stratum that an epoch takes, on average.
#'   `"mean"`: the mean number of rows of the strata, so that an epoch has as many rows as the dataset.
#'   `"over"`: as many as the largest stratum has.
#'   `"under"`: as many as the smallest one has.
#'   The number of batches is rounded, and is at least 1.
#'   `NULL` (default): strata come as often as their rows allow.
#' @param rare (`character(1)`)\cr
#'   What to do with strata of fewer than m rows.
#'   `"error"` (default): raise an error.
#'   `"warn"` and `"allow"`: continue, with or without a warning.
#'   All rows of such a stratum are then in one batch of the epoch, and the stratum counts as one of the P; with
#'   `exact`, they are never sampled.
#' @param missing (`character(1)`)\cr
#'   What to do with rows that have a missing value, as in [batch_sampler_stratified()].
#' @param seed (`integer(1)`)\cr
#'   As in [batch_sampler_stratified()].
#' @param num_replicas (`integer(1)`)\cr
#'   The number of processes that share an epoch; the number of batches is rounded down to a multiple of it.
#'   `NULL` (default): 1.
#'
#' @return A generator of class `"batch_sampler_strata_subset"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `plan()`: returns a `data.frame()` with one row for each stratum: `stratum`, `rows`, the number of `batches` that
#'   hold it, and the `fewest` and `most` rows in one of them.
#'   `stratum` has the type of the labels, see [batch_plan()].
#'   Its class is `"range_plan"`: `print()` also shows the batches, and [plot_plan()] plots it.
#' * `composition(epoch)`: returns the rows of each stratum in each batch of an epoch, by default the next one, a
#'   `data.frame()` with one row for each batch and one column for each stratum; changes nothing.
#' * `class_weights(normalize)`: returns the training weight of each stratum, a named vector: its rows divided by its
#'   mean number of rows in an epoch, which is 1 unless `exact`; `NA` for a stratum that is never sampled.
#'   If `normalize` is `TRUE`, the weights are divided by their mean over an epoch; `FALSE` is the default;
#' * `weights(rows, normalize)`: returns the weight of each of `rows`, by default of all rows of the dataset, `NA` for
#'   rows that are never sampled.
#'
#' @section Guarantees:
#' Let `b_s = n_s %/% m` for a stratum of `n_s` rows. An epoch has B batches, the largest number for which the sum of
#' `min(b_s, B)` is at least `P * B`.
#' With `mean_batch_size`, B is given, and m is the largest number for which that holds; strata of fewer rows are rare.
#' The rows of a stratum are cut into `min(b_s, B)` blocks, in the order of the epoch, whose sizes differ by at most 1.
#' * No batch has two blocks of a stratum, and the numbers of strata in two batches differ by at most 1.
#' * If P is the number of strata and `exact` is `FALSE`, B is that of [batch_sampler_stratified()].
#' * With `exact`, surplus blocks are left out in turn, and the rows of a stratum are taken in turn.
#' * Within a batch, rows are ordered by stratum, and without `balance` then by rank.
#'   With `balance`, if m is more than half of the rows of a stratum, its rows are in the order of the data.
#'
#' With `balance`, k rows of each of S strata are wanted, and B is `S * k / (P * m)`, rounded half up.
#' Strata of fewer than m rows do not count.
#' * Every stratum is in the floor or the ceiling of `B * P / S` batches of an epoch, also over the epochs
#'   `0, ..., E - 1` together, of `E * B * P / S`.
#'   After `S / gcd(S, B * P)` epochs, all strata have been in equally many batches.
#' * The strata come in passes, each with all strata in a new order, so that all pairs of strata meet about equally
#'   often.
#'   The `B * P mod S` strata that come once more are taken in turn, in cycles, each in a new order.
#' * From epoch 0 on, the numbers of times that the rows of a stratum occur differ by at most one.
#'   The rows come in cycles, each in a new order.
#'   No batch holds a row or a stratum twice: what would come twice waits for the next batch.
#'
#' @section Errors:
#' An argument has the wrong type or is out of range, a stratum is rare and `rare = "error"`, fewer than P strata have m
#' rows, or `mean_batch_size` makes more batches than can have a row of P strata.
#'
#' @source
#' The batches are those of the PK sampling of A. Hermans, L. Beyer and B. Leibe, "In Defense of the Triplet Loss for
#' Person Re-Identification" (2017), without its random choice of classes and rows.
#'
#' @seealso [batch_sampler_stratified()] for all strata in every batch.
#'
#' @export
#' @examples
#' labels = rep(letters[1:4], 3)
#' generator = batch_sampler_strata_subset(2, 3, strata = factor(labels), seed = 1)
#' sampler = generator(NULL)
#' sampler$plan()
#' sampler$composition(0)
#' labels[sampler$batches(0)$rows]
batch_sampler_strata_subset = function(strata_per_batch, min_samples_per_stratum = NULL, strata = NULL,
  mean_batch_size = NULL, exact = FALSE, balance = NULL, rare = "error", missing = "error", seed = NULL,
  num_replicas = NULL) {
  configuration = core_plan("strata_subset", list(strata_per_batch = strata_per_batch,
    min_samples_per_stratum = min_samples_per_stratum, mean_batch_size = mean_batch_size, exact = exact,
    balance = balance, rare = rare, missing = missing, seed = seed, num_replicas = num_replicas))
  strata_generator("strata_subset", strata, configuration, subset_recipe, subset_labels)
}

# `strata` are encoded.
subset_recipe = function(strata, configuration) {
  parts = core_plan("strata_subset", c(configuration, strata_data(strata)), strata$names)
  new_recipe("strata_subset", configuration$seed, parts, labels = subset_labels(configuration, strata))
}

subset_shown = c("strata_per_batch", "min_samples_per_stratum", "mean_batch_size", "exact", "balance", "rare",
  "missing", "num_replicas")

subset_labels = function(configuration, strata = NULL) {
  c(shown_settings(configuration, subset_shown), list(names = strata$names))
}

kind_strata_subset = function() {
  core_kind(
    class = "batch_sampler_strata_subset",
    vectors = list(
      parts = c("codes", "n_strata", "n_batches", "strata_per_batch", "min_samples_per_stratum", "exact", "balanced",
        "blocks"),
      labels = c(subset_shown, "names")
    ),
    bytes = function(recipe) {
      parts = recipe$parts
      n_repeated = if (is.null(parts$balanced)) 0 else parts$n_batches * parts$strata_per_batch
      strata_bytes(recipe) + 400 * length(parts$codes) + (16 + 24 * parts$min_samples_per_stratum) * n_repeated
    },
    complete = with_strata_of_source(subset_recipe),
    check = check_stratum_names,
    setup = subset_setup,
    describe = function(private) format_ranged(private$.setup, private$.place$epoch),
    settings = format_strata_generator,
    methods = c(weight_methods(), ranged_methods())
  )
}

# The training weight of each stratum, by name.
weights_of_subset = function(setup, normalize) {
  if (!setup$exact) {
    return(stats::setNames(rep(1, length(setup$counts)), setup$names))
  }
  is_sampled = setup$blocks > 0
  n_drawn = setup$min_samples_per_stratum * setup$strata_per_batch * setup$n_batches # rows in an epoch
  taken = ifelse(is_sampled, n_drawn * (setup$blocks / sum(setup$blocks)), NA)
  weights = stats::setNames(setup$counts / taken, setup$names)
  if (normalize) weights * (n_drawn / sum(setup$counts[is_sampled])) else weights
}

# What an instance shows of its plan.
subset_setup = function(recipe, private) {
  parts = recipe$parts
  setup = c(ranged_setup(recipe), parts[c("n_batches", "strata_per_batch", "min_samples_per_stratum", "blocks")],
    list(counts = rows_of_strata(parts), exact = parts$exact == 1))
  setup$plan = plan_of_blocks(recipe, setup$counts, parts$blocks, held_by_subset(setup),
    if (setup$exact) parts$min_samples_per_stratum)
  setup
}

# What the batches hold: "of at least 2 strata with at least 4 rows of each"
held_by_subset = function(setup) {
  each = show_count(setup$min_samples_per_stratum, "row")
  n_rare = sum(setup$counts < setup$min_samples_per_stratum)
  least = if (setup$exact) "" else "at least "
  rare = if (n_rare > 0) sprintf(", %s aside", show_count(n_rare, "rare stratum")) else ""
  sprintf("of %s%s with %s%s of each%s", least, show_count(setup$strata_per_batch, "stratum"), least, each, rare)
}
