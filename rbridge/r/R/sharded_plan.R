#' @title Preview the Batches of Sharded Data
#'
#' @description
#' Computes the plan that [batch_sampler_sharded()] makes from a table of counts.
#' The Python function `pystrat.sharded_plan()` returns the same numbers.
#'
#' @param counts,min_samples_per_stratum,scope,mean_batch_size As in [batch_sampler_sharded()].
#'
#' @return An object of class `"sharded_plan"`, a list with the elements
#' * `n_batches`: the number of batches of an epoch, the same in all processes;
#' * `min_samples_per_stratum`, `scope`: the rows of every stratum that every batch has, and whether over all processes
#'   (`"global"`) or of every shard (`"local"`);
#' * `counts`: the table, a `matrix()`, with shards and strata in order of their names, by code point;
#' * `sizes()`: a function that returns the rows of each batch over all processes;
#' * `fewest_rows(shards)`: a function that returns the fewest rows in a batch of a process that holds these shards,
#'   given by their names;
#' * `table()`: a function that returns the rows of each stratum, and its fewest and most rows in a batch over all
#'   processes, a `data.frame()`.
#'
#' @export
#' @examples
#' strata = list(a.csv = rep(c("no", "yes"), c(5, 2)), b.csv = rep(c("no", "yes"), c(8, 4)))
#' plan = sharded_plan(shard_counts(strata), 2)
#' plan
#' plan$fewest_rows("a.csv")
sharded_plan = function(counts, min_samples_per_stratum = NULL, scope = "global", mean_batch_size = NULL) {
  plan = make_sharded_plan(counts, list(min_samples_per_stratum = min_samples_per_stratum,
    mean_batch_size = mean_batch_size), scope)
  structure(class = "sharded_plan", list(
    n_batches = plan$n_batches,
    min_samples_per_stratum = plan$min_samples_per_stratum,
    scope = plan$scope,
    counts = counts_matrix(plan$table, plan$shards, plan$strata),
    sizes = function() {
      n_rows = sum(plan$table)
      n_rows %/% plan$n_batches + (seq_len(plan$n_batches) <= n_rows %% plan$n_batches)
    },
    fewest_rows = function(shards) {
      request = c(plan$size, plan["scope"], plan_data(plan, shard_places(plan, shards)))
      core_call("sharded_plan", request)$fewest
    },
    table = function() {
      rows = colSums(plan$table)
      dealt = if (plan$scope == "local") plan$table else matrix(rows, 1L)
      data.frame(stratum = plan$strata, rows = rows, fewest = colSums(dealt %/% plan$n_batches),
        most = colSums(divide_up(dealt, plan$n_batches)))
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

# -> list(n_batches, min_samples_per_stratum, scope, size, table, shards, strata); `size` is what the user gave of
# list(min_samples_per_stratum, mean_batch_size)
make_sharded_plan = function(counts, size, scope) {
  request = c(size, list(scope = scope))
  core_call("sharded_plan", request)
  read = counts_in_order(read_counts(counts))
  made = core_call("sharded_plan", c(request, plan_data(read)), names_in_plan(read))
  c(made[c("n_batches", "min_samples_per_stratum")], list(scope = scope, size = size), read)
}

# The table, and the rows of some shards in it, as the core takes them.
plan_data = function(plan, places = NULL) {
  data = list(table = as.vector(t(plan$table)), n_strata = as.double(ncol(plan$table)))
  c(data, if (!is.null(places)) list(shards = as.double(places - 1L)))
}

# The names that messages of the core let the host fill in.
names_in_plan = function(plan) {
  function(what, place) show_text((if (what == "shard") plan$shards else plan$strata)[place + 1])
}

# Sorts shards and strata by name: batches must not depend on the order in which a process lists them.
counts_in_order = function(read) {
  rows = by_code_point(read$shards)
  columns = by_code_point(read$strata)
  list(table = read$table[rows, columns, drop = FALSE], shards = read$shards[rows], strata = read$strata[columns])
}

# The rows of shards in the table, by their names.
shard_places = function(plan, shards) {
  class_codes(shown_names(shards, "shards", "shard"), plan$shards, "shards", noun = "shard")
}
