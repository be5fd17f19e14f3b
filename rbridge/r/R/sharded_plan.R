#' @title Preview the Batches of Sharded Data
#'
#' @description
#' Computes the plan that [batch_sampler_sharded()] makes from a table of counts.
#' The Python function `pystrat.sharded_plan()` returns the same numbers.
#'
#' @param counts,min_samples_per_stratum,scope,mean_batch_size As in [batch_sampler_sharded()].
#'
#' @eval members("ShardedPlan", "n_batches: the number of batches of an epoch, the same in all processes.",
#'   "min_samples_per_stratum: the rows of every stratum that every batch has.", "scope: as it was given.",
#'   "counts: the table, a `matrix()`, with shards and strata in order of their names, by code point.", "sizes()",
#'   "fewest_rows(shards)", "table(): returns the rows of each stratum, and its fewest and most rows in a batch over all
#'   processes, a `data.frame()`.", of = "An object of class `\"sharded_plan\"`, a list with the elements")
#'
#' @export
#' @examples
#' strata = list(a.csv = rep(c("no", "yes"), c(5, 2)), b.csv = rep(c("no", "yes"), c(8, 4)))
#' plan = sharded_plan(shard_counts(strata), 2)
#' plan
#' plan$fewest_rows("a.csv")
sharded_plan = function(counts, min_samples_per_stratum = NULL, scope = "global", mean_batch_size = NULL) {
  request = list(min_samples_per_stratum = min_samples_per_stratum, mean_batch_size = mean_batch_size, scope = scope)
  core_call("sharded_plan", request)
  read = read_counts(counts)
  # Sorted by name, because batches must not depend on the order in which a process lists shards or strata.
  shards = by_code_point(read$shards)
  strata = by_code_point(read$strata)
  counts = counts_matrix(read$table[shards, strata, drop = FALSE], read$shards[shards], read$strata[strata])
  made = core_call("sharded_plan", c(request, counts_data(counts)), names_in_counts(counts))
  n_batches = made$n_batches
  structure(class = "sharded_plan", list(
    n_batches = n_batches,
    min_samples_per_stratum = made$min_samples_per_stratum,
    scope = scope,
    counts = counts,
    sizes = function() sum(counts) %/% n_batches + (seq_len(n_batches) <= sum(counts) %% n_batches),
    fewest_rows = function(shards) {
      core_call("sharded_plan", c(request, counts_data(counts, shard_places(counts, shards))))$fewest
    },
    table = function() {
      dealt = if (scope == "local") counts else t(colSums(counts))
      data.frame(stratum = colnames(counts), rows = unname(colSums(counts)), fewest = colSums(dealt %/% n_batches),
        most = colSums(divide_up(dealt, n_batches)), row.names = NULL)
    }
  ))
}

#' @export
print.sharded_plan = function(x, most = 20L, ...) {
  n_rows = sum(x$counts)
  sizes = show_rows(c(n_rows %/% x$n_batches, divide_up(n_rows, x$n_batches)))
  print_plan(x, most = most, table = x$table(), lines = c(
    sprintf("* Rows: %.0f, in %s", n_rows, show_count(nrow(x$counts), "shard")),
    sprintf("* Batches: %.0f, of %s, each with at least %s of every stratum %s", x$n_batches, sizes,
      show_count(x$min_samples_per_stratum, "row"), if (x$scope == "global") "over all processes" else "and shard")
  ))
}

# The table, and the rows of some shards in it, as the core takes them.
counts_data = function(counts, places = NULL) {
  data = list(table = as.vector(t(counts)), n_strata = as.double(ncol(counts)))
  c(data, if (!is.null(places)) list(shards = as.double(places - 1L)))
}

# The names that messages of the core let the host fill in.
names_in_counts = function(counts) {
  function(what, place) show_text((if (what == "shard") rownames(counts) else colnames(counts))[place + 1])
}

# The rows of shards in the table, by their names.
shard_places = function(counts, shards) {
  class_codes(shown_names(shards, "shards", "shard"), rownames(counts), "shards", noun = "shard")
}
