#' @title Batch Sampler With One Stratum per Batch
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch.
#' Every batch has rows of one stratum only, such as one source, task or language.
#' The Python class `pystrat.OneStratumBatchSampler` returns the same batches, row for row, from the same seed.
#' Its documentation has the guarantees and the rule.
#'
#' Guide: \guide{one-stratum}.
#'
#' @inheritParams batch_sampler_stratified
#' @param batch_size (`integer(1)`)\cr
#'   The largest number of rows in a batch.
#' @param strata (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   The stratum of each row, as in [batch_sampler_stratified()].
#'   `NULL` (default): those of the task.
#' @param order (`character(1)`)\cr
#'   The order of the batches.
#'   `"proportional"` (default): all batches are shuffled, so that the strata come in proportion to their batches.
#'   `"round_robin"`: the strata take turns, each with one batch, until they have no more.
#' @param shuffle (`logical(1)`)\cr
#'   `TRUE` (default): rows, batches and turns are shuffled anew in each epoch.
#'   `FALSE`: all keep the order of the strata and of the dataset.
#' @param missing (`character(1)`)\cr
#'   What to do with rows that have a missing value, as in [batch_sampler_stratified()].
#' @param num_replicas (`integer(1)`)\cr
#'   The number of processes that share an epoch; the number of batches is rounded up to a multiple of it.
#'   `NULL` (default): 1.
#'
#' @return A generator of class `"batch_sampler_one_stratum"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `plan()`: returns a `data.frame()` with one row for each stratum: `stratum`, `rows`, the number of its `batches`,
#'   and the `fewest` and `most` rows in one of them.
#'   `stratum` has the type of the labels, see [batch_plan()].
#'   Its class is `"range_plan"`: `print()` also shows the batches, and [plot_plan()] plots it.
#' * `composition(epoch)`: returns the rows of each stratum in each batch of an epoch, by default the next one, a
#'   `data.frame()` with one row for each batch and one column for each stratum; changes nothing.
#'
#' @source
#' The orders are those of the data loaders of sentence-transformers for several datasets.
#' There, an epoch with `"round_robin"` ends with the smallest dataset.
#'
#' @seealso [batch_sampler_strata_subset()] for several strata in a batch, [batch_sampler_stratified()] for all of them.
#'
#' @export
#' @examples
#' sources = rep(c("news", "web", "mail"), times = c(6, 3, 2))
#' generator = batch_sampler_one_stratum(
#'   2, strata = sources, order = "round_robin", seed = 1)
#' sampler = generator(NULL)
#' sampler$plan()
#' sampler$composition(0)
batch_sampler_one_stratum = function(batch_size, strata = NULL, order = "proportional", shuffle = TRUE,
  missing = "error", seed = NULL, num_replicas = NULL) {
  configuration = core_plan("one_stratum", list(batch_size = batch_size, order = order, shuffle = shuffle,
    missing = missing, seed = seed, num_replicas = num_replicas))
  strata_generator("one_stratum", strata, configuration, one_stratum_recipe, one_stratum_labels)
}

# `strata` are encoded.
one_stratum_recipe = function(strata, configuration) {
  parts = core_plan("one_stratum", c(configuration, strata_data(strata)), strata$names)
  new_recipe("one_stratum", configuration$seed, parts, labels = one_stratum_labels(configuration, strata))
}

one_stratum_shown = c("batch_size", "order", "shuffle", "missing", "num_replicas")

one_stratum_labels = function(configuration, strata = NULL) {
  c(shown_settings(configuration, one_stratum_shown), list(names = strata$names))
}

kind_one_stratum = function() {
  core_kind(
    class = "batch_sampler_one_stratum",
    vectors = list(
      parts = c("codes", "n_strata", "n_batches", "batches", "in_rounds", "shuffle"),
      labels = c(one_stratum_shown, "names")
    ),
    bytes = strata_bytes,
    complete = with_strata_of_source(one_stratum_recipe),
    check = check_stratum_names,
    setup = one_stratum_setup,
    describe = function(private) format_one_stratum(private$.setup, private$.place$epoch),
    settings = format_strata_generator,
    methods = ranged_methods()
  )
}

# What an instance shows of its plan.
one_stratum_setup = function(recipe, private) {
  parts = recipe$parts
  plan = plan_of_blocks(recipe, rows_of_strata(parts), parts$batches, "of one stratum each")
  c(ranged_setup(recipe), list(plan = plan, shuffle = parts$shuffle == 1))
}

format_one_stratum = function(setup, next_epoch) {
  in_order = sprintf("* Order: of the dataset, next epoch %.0f", next_epoch)
  format_ranged(setup, next_epoch, order = if (setup$shuffle) format_shuffled(setup, next_epoch) else in_order)
}
