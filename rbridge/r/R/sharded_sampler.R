#' @title Stratified Batch Sampler for Sharded Data
#'
#' @description
#' Creates a batch sampler with a minimum number of rows of every stratum in every batch, for data in shards, such as
#' files or partitions; each process holds some of them.
#' Batch b of this sampler is the part of the global batch b that this process holds.
#' \twin{ShardedStratifiedBatchSampler}{beyond-one-machine}
#'
#' @eval described("ShardedStratifiedBatchSampler", "min_samples_per_stratum", "seed", "scope", "mean_batch_size",
#'   "shuffle", shards = "`character()`")
#' @param counts (`matrix()`, `table()` or `data.frame()`)\cr
#'   The number of rows of each stratum (columns) in each shard (rows), over all processes and the same in each of them:
#'   the result of [shard_counts()] or [bind_counts()], or such a table from elsewhere.
#' @param strata
#'   The strata of the rows of this process, whose dataset holds its shards one after another, as in
#'   [batch_sampler_stratified()], without missing values.
#'
#' @return A generator, whose instances have the members of every [batch_sampler_instance], and
#' * `plan()`: returns a `data.frame()` with the columns `shard`, `stratum`, `rows`, and the `fewest` and `most` of
#'   these rows in a batch.
#'
#' @export
#' @examples
#' strata = list(a.csv = rep(c("no", "yes"), c(5, 2)), b.csv = rep(c("no", "yes"), c(8, 4)))
#' counts = shard_counts(strata)
#' for (shard in names(strata)) { # in two processes
#'   own = factor(strata[[shard]])
#'   generator = batch_sampler_sharded(2, counts, shard, seed = 1, strata = own)
#'   print(generator(NULL)$plan())
#' }
batch_sampler_sharded = function(min_samples_per_stratum = NULL, counts, shards, seed, strata = NULL,
  scope = "global", mean_batch_size = NULL, shuffle = TRUE) {
  settings = list(min_samples_per_stratum = min_samples_per_stratum, mean_batch_size = mean_batch_size, scope = scope,
    shuffle = shuffle, seed = check_range(seed, "seed", largest_seed))
  core_plan("sharded", settings)
  counts = sharded_plan(counts, min_samples_per_stratum, scope, mean_batch_size)$counts
  places = shard_places(counts, shards)
  labels = list(names = colnames(counts), shards = rownames(counts)[places])
  open = c(settings, list(counts = counts, places = places, strata = strata, labels = labels))
  new_generator(if (is_deferred(strata)) open_recipe("sharded", seed, open, labels) else sharded_recipe(open))
}

# The recipe of the settings of an open one.
sharded_recipe = function(open) {
  strata = encode_strata(open$strata, NULL, may_be_empty = TRUE, exact = TRUE)
  counts = open$counts
  columns = class_codes(strata$names, colnames(counts), "strata", noun = "stratum")
  refuse_if(anyDuplicated(columns), "strata", "have strata of different names", "two of one name", "Recode them.")
  names = charToRaw(enc2utf8(paste(unlist(dimnames(counts)), collapse = "\n")))
  data = c(counts_data(counts, open$places), list(names = names))
  data$codes = recipe_codes(columns[strata$codes], ncol(counts))
  settings = open[c("min_samples_per_stratum", "mean_batch_size", "scope", "shuffle")]
  parts = core_plan("sharded", c(settings, data), names_in_counts(counts))
  new_recipe("sharded", open$seed, c(parts, data), labels = open$labels)
}

kind_sharded = function() {
  table_kind("sharded",
    plan = sharded_recipe,
    last_epoch = function(recipe) {
      min(largest_epoch, largest_count %/% (length(recipe$parts$table) / recipe$parts$n_strata) - 1)
    },
    settings = function(recipe) {
      recipe$parts$shards = NULL
      c(format_arguments(recipe), sprintf("* shards: %s", show_names(recipe$labels$shards)))
    },
    methods = list(
      plan = function() {
        parts = private$.recipe$parts
        labels = private$.recipe$labels
        n_batches = private$.n_batches()
        rows = as.integer(matrix(parts$table, parts$n_strata)[, parts$shards + 1])
        data.frame(shard = rep(labels$shards, each = parts$n_strata),
          stratum = rep(labels$names, length(labels$shards)), rows = rows, fewest = as.integer(rows %/% n_batches),
          most = as.integer(divide_up(rows, n_batches)))
      }
    )
  )
}
