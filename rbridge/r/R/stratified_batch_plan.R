#' @title Preview the Batches of a Stratified Sampler
#'
#' @description
#' Computes the batches that [batch_sampler_stratified()] would make of a task or of strata; nothing is drawn.
#' With `strata_per_batch`, the plan is that of [batch_sampler_strata_subset()], and with `groups` or `keep` that of
#' [batch_sampler_stratified_group()].
#'
#' @param x (`mlr3::Task`, dataset with a task, or strata)\cr
#'   A task or a dataset with a task, whose strata are those that [batch_sampler_stratified()] would use, or the strata
#'   themselves: a vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()].
#' @param min_samples_per_stratum,...
#'   The arguments of [batch_sampler_stratified()], [batch_sampler_strata_subset()] or
#'   [batch_sampler_stratified_group()].
#' @param strata As in [batch_sampler_stratified()]; only if `x` is a task or a dataset.
#'   `NULL` (default): those of the task.
#'
#' @eval members("BatchPlan", "n_batches: the number of batches.", "sizes", "min_samples_per_stratum", "minimums",
#'   "strata: the names of the strata, in order of first appearance.", "counts: the rows of each stratum in an epoch.",
#'   "available: the rows of each stratum in the dataset.", "keep_rates", "n_rows",
#'   "n_dropped: the number of rows that are never sampled.", "assign: how rows are assigned to batches.",
#'   "composition()", of = "An object of class `\"batch_plan\"`, a list with the elements")
#'
#' @export
#' @examples
#' labels = rep(c("yes", "no"), times = c(600, 19400))
#' plan = batch_plan(labels, min_samples_per_stratum = 3)
#' plan
#' head(plan$composition())
batch_plan = function(x, min_samples_per_stratum = NULL, ..., strata = NULL) {
  input = dry_input(x, strata)
  given = names(list(...))
  sampler_with = if ("strata_per_batch" %in% given) {
    batch_sampler_strata_subset
  } else if (any(c("groups", "keep") %in% given)) {
    batch_sampler_stratified_group
  } else {
    batch_sampler_stratified
  }
  generator = sampler_with(min_samples_per_stratum = min_samples_per_stratum, ..., strata = input$strata)
  recipe = attr(generator, "settings")$recipe
  recipe = ready_recipe(recipe, input$data_source, source_task(input$data_source), has_seed = FALSE)
  recipe$seed = 0 # the plan is the same for all seeds
  setup = sampler_kind(recipe$kind)$setup(recipe)
  if (recipe$kind != "stratified") {
    return(setup$plan)
  }
  plan = setup$plan
  structure(class = "batch_plan", list(
    n_batches = as.integer(plan$n_batches),
    min_samples_per_stratum = as.integer(plan$minimum),
    minimums = stats::setNames(as.integer(plan$counts %/% plan$n_batches), plan$names),
    sizes = batch_sizes(plan),
    strata = plan$names,
    counts = as.integer(plan$counts),
    available = as.integer(plan$available),
    keep_rates = stats::setNames(plan$counts / plan$available, plan$names),
    n_rows = as.integer(sum(plan$counts)),
    n_dropped = as.integer(setup$counts[length(setup$counts)]),
    assign = plan$assign,
    composition = function() composition_table(plan)
  ))
}

#' @export
print.batch_plan = function(x, most = 20L, ...) {
  lines = c(
    sprintf("* Rows: %d%s", x$n_rows, if (x$n_dropped > 0L) sprintf(", and %d never sampled", x$n_dropped) else ""),
    sprintf("* Batches: %d, of %s, each with at least %s of every stratum", x$n_batches, show_rows(x$sizes),
      show_count(x$min_samples_per_stratum, "row")),
    sprintf("* Assigned: %s", x$assign)
  )
  table = data.frame(stratum = x$strata, rows = x$counts, of = x$available, fewest = x$counts %/% x$n_batches,
    most = divide_up(x$counts, x$n_batches))
  print_plan(x, lines, if (identical(x$counts, x$available)) table[names(table) != "of"] else table, most)
}
