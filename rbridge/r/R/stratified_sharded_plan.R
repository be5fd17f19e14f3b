#' @title Preview the Batches of Sharded Data
#'
#' @description
#' Computes the plan that [batch_sampler_sharded()] makes from a table of counts.
#' The Python function `pystrat.sharded_plan()` returns the same numbers.
#'
#' @param counts,min_samples_per_stratum,promise As in [batch_sampler_sharded()].
#'
#' @return An object of class `"sharded_plan"`, a list with the elements
#' * `n_batches`: the number of batches of an epoch, the same in all processes;
#' * `min_samples_per_stratum`: the number of rows of every stratum that every batch is guaranteed to have, over all
#'   processes or of every shard;
#' * `promise`: which of the two;
#' * `counts`: the table, a `matrix()`, with shards and strata in order of their names, by code point;
#' * `sizes()`: a function that returns the rows of each batch over all processes;
#' * `fewest_rows(shards)`: a function that returns the fewest rows in a batch of a process that holds these shards,
#'   given by their names;
#' * `table()`: a function that returns the rows of each stratum, and its fewest and most rows in a batch over all
#'   processes, a `data.frame()`.
#'
#' @section Errors:
#' [batch_sampler_sharded()] refuses an argument; a stratum, or with `promise = "local"` a stratum of a shard, has too
#' few rows; or `sizes()` has 2^31 batches or more.
#'
#' @export
#' @examples
#' strata = list(a.csv = rep(c("no", "yes"), c(5, 2)), b.csv = rep(c("no", "yes"), c(8, 4)))
#' counts = shard_counts(strata)
#' plan = sharded_plan(counts, 2)
#' plan
#' plan$fewest_rows("a.csv")
sharded_plan = function(counts, min_samples_per_stratum, promise = "global") {
  plan = make_sharded_plan(counts, min_samples_per_stratum, promise)
  structure(class = "sharded_plan", list(
    n_batches = plan$n_batches,
    min_samples_per_stratum = plan$minimum,
    promise = plan$promise,
    counts = counts_matrix(plan$table, plan$shards, plan$strata),
    sizes = function() {
      check_sharded_batches(plan)
      even_sizes(sum(plan$table), plan$n_batches)
    },
    fewest_rows = function(shards) fewest_rows(plan, shard_places(plan, shards)),
    table = function() sharded_table(plan)
  ))
}

#' @export
print.sharded_plan = function(x, most = 20L, ...) {
  n_rows = sum(x$counts)
  cat(
    "<sharded_plan>",
    sprintf("* Rows: %.0f, in %s", n_rows, show_count(nrow(x$counts), "shard")),
    sprintf("* Batches: %.0f, of %s, each with at least %s of every stratum %s", x$n_batches,
      show_rows(c(n_rows %/% x$n_batches, divide_up(n_rows, x$n_batches))),
      show_count(x$min_samples_per_stratum, "row"),
      if (x$promise == "global") "over all processes" else "and shard"),
    sprintf("* Strata: %d, with the fewest and the most rows in a batch", ncol(x$counts)),
    sep = "\n"
  )
  table = x$table()
  print(row.names = FALSE, table[seq_len(min(nrow(table), most)), ])
  if (nrow(table) > most) {
    cat(sprintf("... and %d more\n", nrow(table) - most))
  }
  invisible(x)
}

# -> list(n_batches, minimum, promise, table, shards, strata)
make_sharded_plan = function(counts, min_samples_per_stratum, promise) {
  minimum = check_one_minimum(min_samples_per_stratum)
  promise = check_choice(promise, "promise", c("global", "local"))
  read = counts_in_order(read_counts(counts))
  rows = colSums(read$table)
  if (any(rows == 0)) {
    stop_parameter("counts", "have a row of each stratum", sprintf("none of '%s'", read$strata[rows == 0][1L]))
  }
  most = if (promise == "global") most_of_all(read, rows) else most_of_shards(read)
  if (minimum > most$rows) {
    stop_parameter("min_samples_per_stratum", sprintf("be at most %.0f: %s", most$rows, most$reason),
      show_value(minimum), "Lower it.")
  }
  n_batches = most$rows %/% minimum
  c(list(n_batches = n_batches, minimum = most$rows %/% n_batches, promise = promise), read)
}

# Sorts shards and strata by name: batches must not depend on the order in which a process lists them.
counts_in_order = function(read) {
  rows = by_code_point(read$shards)
  columns = by_code_point(read$strata)
  list(table = read$table[rows, columns, drop = FALSE], shards = read$shards[rows], strata = read$strata[columns])
}

# The largest number of rows of every stratum that a batch can be guaranteed to have, and what limits it.
most_of_all = function(read, rows) {
  smallest = which.min(rows)
  list(rows = rows[smallest], reason = sprintf("the smallest stratum, '%s', has %s", read$strata[smallest],
    show_count(rows[smallest], "row")))
}

most_of_shards = function(read) {
  cell = which.min(t(read$table)) - 1 # shard by shard, as Python looks at them
  shard = read$shards[cell %/% ncol(read$table) + 1]
  stratum = read$strata[cell %% ncol(read$table) + 1]
  rows = min(read$table)
  if (rows == 0) {
    stop_parameter("promise", sprintf(
      "be 'global' if a shard has no row of a stratum, as the shard '%s' has none of '%s'", shard, stratum), "'local'")
  }
  list(rows = rows, reason = sprintf("the shard '%s' has %s of '%s'", shard, show_count(rows, "row"), stratum))
}

# More batches than can be drawn are refused.
check_sharded_batches = function(plan) {
  if (plan$n_batches > largest_count) {
    stop_parameter("min_samples_per_stratum", sprintf("make at most %.0f batches", largest_count),
      sprintf("%.0f, for %.0f batches,", plan$minimum, plan$n_batches), "Raise it.")
  }
}

# The rows of shards in the table, by their names.
shard_places = function(plan, shards) {
  class_codes(shown_names(shards, "shards", "shard"), plan$shards, "shards", noun = "shard")
}

# The batch of the first row of each stratum in some shards, from 0: a matrix, one row a shard.
shard_begins = function(plan, places) {
  # Shard by shard or stratum by stratum; R's matrices are filled column by column.
  table = if (plan$promise == "global") plan$table else t(plan$table)
  begins = (c(0, cumsum(table))[seq_along(table)]) %% plan$n_batches
  begins = matrix(begins, nrow(table))
  (if (plan$promise == "global") begins else t(begins))[places, , drop = FALSE]
}

# The fewest rows of some shards in a batch, without computing each batch.
fewest_rows = function(plan, places) {
  counts = plan$table[places, , drop = FALSE]
  begins = as.vector(shard_begins(plan, places))
  ends = begins + as.vector(counts) %% plan$n_batches
  wraps = ends >= plan$n_batches
  # Each cell has one row more in the batches from its begin to its end, around the last batch.
  batches = c(0, begins, ends - wraps * plan$n_batches)
  steps = c(sum(wraps), rep(1, length(begins)), rep(-1, length(begins)))
  ordered = order(batches)
  is_last = c(diff(batches[ordered]) > 0, TRUE)
  sum(counts %/% plan$n_batches) + min(cumsum(steps[ordered])[is_last])
}

sharded_table = function(plan) {
  rows = colSums(plan$table)
  if (plan$promise == "global") {
    fewest = rows %/% plan$n_batches
    most = divide_up(rows, plan$n_batches)
  } else {
    fewest = colSums(plan$table %/% plan$n_batches)
    most = colSums(divide_up(plan$table, plan$n_batches))
  }
  data.frame(stratum = plan$strata, rows = rows, fewest = fewest, most = most)
}
