#' @title Batch Sampler That Keeps Groups Together or Apart
#'
#' @description
#' Creates a batch sampler that keeps the rows of a group together, or apart, such as the images of a patient, with a
#' minimum number of rows of every stratum in every batch.
#' \twin{StratifiedGroupBatchSampler}{groups}
#' Example: `vignette("groups-in-batches", package = "rbridge")`.
#'
#' @inheritParams batch_sampler_stratified
#' @eval described("StratifiedGroupBatchSampler", "min_samples_per_stratum", "keep", "mean_batch_size", "rare")
#' @param groups (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   The group of each row, without missing values; or `character()`, the names of columns of the task.
#'   With several columns, every combination that occurs is a group.
#'   `NULL` (default): the column of the task with the role `"group"`.
#' @return A generator, whose instances have the members of every [batch_sampler_instance], among them
#' `composition(epoch)` and `plan()`, which also has the number of `groups` with rows of each stratum, and the rows that
#' the `largest` of them has of it, and the attribute `most_batches`, a bound on the number of such batches.
#' `min_samples_per_stratum()` returns the number of rows of every stratum that every batch has.
#'
#' @export
#' @examples
#' patients = c("a", "a", "a", "b", "b", "c", "c", "d", "d", "d")
#' sick = c(1, 1, 1, 1, 1, 0, 0, 0, 0, 0)
#' generator = batch_sampler_stratified_group(
#'   2, groups = factor(patients), strata = sick, seed = 1)
#' sampler = generator(NULL)
#' sampler$plan()
#' lapply(coro::collect(sampler$.iter()), function(rows) patients[rows])
batch_sampler_stratified_group = function(min_samples_per_stratum = NULL, groups = NULL, keep = "together",
  strata = NULL, mean_batch_size = NULL, rare = "error", missing = "error", seed = NULL, num_replicas = NULL) {
  sampler_of("stratified_group")
}

kind_stratified_group = function() {
  ranged_kind("stratified_group",
    of_rows = c("strata", "groups"),
    methods = list(min_samples_per_stratum = function() min(private$.setup$plan$fewest))
  )
}

# Groups as the core takes them; numbered ones may be missing.
groups_data = function(groups) {
  refuse_as("groups", {
    groups = encode_strata(groups, missing = NULL, are_strata = FALSE)
    check_missing(is.na(groups$codes), NULL)
  })
  n_groups = length(groups$names)
  list(groups = recipe_codes(groups$codes, n_groups), n_groups = as.double(n_groups))
}

group_role = function(task) {
  columns = task$col_roles$group
  refuse_if(length(columns) == 0L, "groups", "be given if the dataset has no task with a column of the role group",
    "nothing", advice = if (!is.null(task)) bind_groups)
  columns
}

# Says that a sampler ignores the role group of a task: its user may expect whole groups in a batch.
note_group_role = function(kind, task) {
  columns = task$col_roles$group
  if (length(columns) > 0L && kind != "stratified_group") {
    message(sprintf("The sampler ignores the role group of the task, '%s': rows of a group may be in several batches.",
      paste(columns, collapse = "', '")), " For batches of whole groups, use batch_sampler_stratified_group().")
  }
}

bind_groups = paste(
  "Bind the values as a column, task$cbind(data.frame(patient = values)),",
  "and give it the role: task$set_col_roles(\"patient\", roles = \"group\")."
)
