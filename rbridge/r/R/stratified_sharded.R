#' @title Stratified Batch Sampler for Sharded Data
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch with a minimum number of rows of
#' every stratum in every batch, for data that no process holds whole.
#' The data are in shards, such as files or partitions, and each process holds some of them.
#' The processes share only the table of counts: the number of rows of each stratum in each shard.
#' Batch b of this sampler is the part of the global batch b that this process holds.
#' The Python class `pystrat.ShardedStratifiedBatchSampler` returns the same batches, row for row, from the same seed.
#' Its documentation has the guarantees and the rule.
#'
#' Guide: \guide{beyond-one-machine}.
#'
#' @param min_samples_per_stratum (`integer(1)`)\cr
#'   The minimum m.
#'   Give either it or `mean_batch_size`.
#' @param counts (`matrix()`, `table()` or `data.frame()`)\cr
#'   The number of rows of each stratum (columns) in each shard (rows), over all processes and the same in each of them,
#'   in any order.
#'   Pass the result of [shard_counts()] or [bind_counts()], or such a table from elsewhere with the names of shards and
#'   strata.
#' @param shards (`character()`)\cr
#'   The names of the shards of this process, in their order in its dataset, which holds them one after another.
#' @param seed (`integer(1)`)\cr
#'   From 0 to 2147483646, the same in all processes.
#' @param strata (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   The strata of the rows of this process, as in [batch_sampler_stratified()], without missing values.
#'   `NULL` (default): those of the task.
#' @param scope (`character(1)`)\cr
#'   `"global"` (default): every batch has at least m rows of every stratum over all processes.
#'   An epoch has `n_min %/% m` batches, where n_min is the size of the smallest stratum.
#'   `"local"`: every batch has at least m rows of every stratum of each shard, and therefore of each process.
#'   An epoch has `n_min %/% m` batches, where n_min is the size of the smallest stratum of a shard.
#' @param mean_batch_size (`integer(1)`)\cr
#'   The mean number of rows per batch, over all processes.
#'   An epoch of n rows has n / `mean_batch_size` batches, rounded half up and at least 1, and the minimum m is the
#'   largest that all of them keep.
#'   `NULL` (default): the minimum determines the number of batches.
#' @param shuffle (`logical(1)`)\cr
#'   `FALSE`: the rows of each stratum in each shard keep their order.
#'
#' @return A generator of class `"batch_sampler_sharded"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `plan()`: returns a `data.frame()` with the columns `shard`, `stratum`, `rows`, and the `fewest` and `most` of
#'   these rows in a batch.
#'
#' @seealso [sharded_plan()] for the plan, which depends only on the counts.
#'
#' @export
#' @examples
#' strata = list(
#'   a.csv = rep(c("no", "yes"), c(5, 2)),
#'   b.csv = rep(c("no", "yes"), c(8, 4))
#' )
#' counts = shard_counts(strata)
#' for (shard in names(strata)) { # in two processes
#'   own = factor(strata[[shard]])
#'   generator = batch_sampler_sharded(2, counts, shard, seed = 1, strata = own)
#'   print(generator(NULL)$plan())
#' }
batch_sampler_sharded = function(min_samples_per_stratum = NULL, counts, shards, seed, strata = NULL,
  scope = "global", mean_batch_size = NULL, shuffle = TRUE) {
  settings = core_plan("sharded", list(min_samples_per_stratum = min_samples_per_stratum,
    mean_batch_size = mean_batch_size, scope = scope, shuffle = shuffle, seed = seed))
  size = list(min_samples_per_stratum = settings$min_samples_per_stratum, mean_batch_size = settings$mean_batch_size)
  plan = make_sharded_plan(counts, size, settings$scope)
  places = shard_places(plan, shards)
  core_plan("sharded", c(settings, plan_data(plan, places)), names_in_plan(plan))
  configuration = list(settings = settings, plan = plan, places = places)
  if (is_deferred(strata)) {
    # The entry exists even if it is NULL; otherwise, $strata would match a longer name.
    configuration = c(configuration, list(strata = unicode_text(strata, "strata"), missing = NULL))
    return(new_generator(open_recipe("sharded", settings$seed, configuration, sharded_labels(configuration))))
  }
  new_generator(sharded_recipe(encode_strata(strata, NULL, exact = TRUE), configuration))
}

# `strata` are encoded.
sharded_recipe = function(strata, configuration) {
  plan = configuration$plan
  codes = recipe_codes(columns_of(strata, plan$strata), length(plan$strata))
  data = c(plan_data(plan, configuration$places), list(plan = fingerprint_of_plan(plan), codes = codes))
  parts = refuse_as("strata", core_plan("sharded", c(configuration$settings, data), names_in_plan(plan)))
  new_recipe("sharded", configuration$settings$seed, parts, labels = sharded_labels(configuration))
}

sharded_shown = c("min_samples_per_stratum", "mean_batch_size", "scope", "shuffle")

sharded_labels = function(configuration) {
  shown = shown_settings(configuration$settings, sharded_shown)
  plan = configuration$plan
  c(shown, list(names = plan$strata, shards = plan$shards[configuration$places]))
}

# The column of the table of each row, from 1.
columns_of = function(strata, names) {
  columns = class_codes(strata$names, names, "strata", noun = "stratum")
  if (anyDuplicated(columns)) {
    stop_parameter("strata", "have strata of different names", "two of one name", "Recode them.")
  }
  columns[strata$codes]
}

kind_sharded = function() {
  core_kind(
    class = "batch_sampler_sharded",
    vectors = list(
      parts = c("codes", "n_strata", "n_shards", "n_batches", "shards", "sizes", "begins", "scope", "shuffle",
        "plan"),
      labels = c(sharded_shown, "names", "shards")
    ),
    bytes = function(recipe) strata_bytes(recipe) + 160 * length(recipe$parts$begins),
    complete = with_strata_of_source(sharded_recipe, exact = TRUE),
    check = check_sharded,
    last_epoch = function(recipe) core_call("last_epoch", list(n_parts = recipe$parts$n_shards))$last,
    setup = function(recipe, private) c(recipe$parts, list(labels = recipe$labels, seed = recipe$seed)),
    describe = function(private) format_sharded(private$.setup, private$.place$epoch),
    settings = format_sharded_generator,
    methods = list(
      plan = function() if (is.null(private$.in_order)) shards_table(private$.setup)
    )
  )
}

check_sharded = function(recipe) {
  check_stratum_names(recipe)
  shards = recipe$labels$shards
  if (!is.character(shards) || length(shards) != length(recipe$parts$shards)) {
    stop_parameter("recipe", "have the names of all shards", show_value(shards))
  }
}

shards_table = function(setup) {
  cells = core_call("sharded_cells", setup[c("codes", "n_strata", "n_batches", "sizes")])
  shards = rep(setup$labels$shards, each = setup$n_strata)
  data.frame(shard = shards, stratum = rep(setup$labels$names, length(setup$shards)), cells)
}

format_sharded = function(setup, next_epoch) {
  c(
    sprintf("* Rows: %.0f, of %s in %d of %s", sum(setup$sizes), show_count(setup$n_strata, "stratum"),
      length(setup$shards), show_count(setup$n_shards, "shard")),
    sprintf("* Batches: %.0f", setup$n_batches),
    format_sharded_settings(setup$labels),
    format_row_order(setup$shuffle == 1, setup, next_epoch)
  )
}

format_sharded_settings = function(labels) {
  settings = labels[setdiff(names(labels), c("names", "shards"))]
  format_labels(settings)
}

format_sharded_generator = function(recipe) {
  c(
    format_sharded_settings(recipe$labels),
    format_seed(recipe),
    sprintf("* strata: %d, of shards %s", length(recipe$labels$names), show_names(recipe$labels$shards))
  )
}
