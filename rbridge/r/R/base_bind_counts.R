#' @title Combine Tables of Counts
#'
#' @description
#' Combines the tables of counts of several processes.
#' The Python function `pystrat.bind_counts()` returns the same table.
#'
#' @param tables (`list()` of `matrix()`)\cr
#'   The results of [shard_counts()] in each process.
#'   Each shard is in exactly one of them.
#'   A table may have no columns.
#'
#' @return The result of [shard_counts()] for all shards at once, whichever process held them.
#' Strata without rows are left out.
#'
#' @export
#' @examples
#' first = shard_counts(list(b.csv = c("yes", "no")))
#' second = shard_counts(list(a.csv = c("no", "no")))
#' bind_counts(list(first, second))
bind_counts = function(tables) {
  if (!is.list(tables) || is.object(tables) || is.pairlist(tables)) {
    stop_parameter("tables", "be a list of matrices, each with a row for each shard and a column for each stratum",
      show_value(tables))
  }
  read = lapply(unname(tables), read_counts, parameter = "tables", may_lack_strata = TRUE)
  shards = unlist(lapply(read, `[[`, "shards"))
  if (length(shards) == 0L) {
    stop_parameter("tables", "have at least one shard", "none")
  }
  if (anyDuplicated(shards)) {
    stop_parameter("tables", "have each shard once", sprintf("'%s' twice", shards[anyDuplicated(shards)]))
  }
  check_sum(unlist(lapply(read, `[[`, "table")), "tables")
  ordered = by_code_point(shards)
  columns = strata_in_order(read, rep(seq_along(read), lengths(lapply(read, `[[`, "shards")))[ordered],
    unlist(lapply(read, function(counts) seq_along(counts$shards)))[ordered])
  if (length(columns) == 0L) {
    stop_parameter("tables", "have at least one row", "0 rows")
  }
  table = matrix(0, length(shards), length(columns))
  first = 0L
  for (counts in read) {
    kept = counts$strata %in% columns
    table[first + seq_along(counts$shards), match(counts$strata[kept], columns)] = counts$table[, kept]
    first = first + length(counts$shards)
  }
  counts_matrix(table[ordered, , drop = FALSE], shards[ordered], columns)
}

# The names of the strata in order of first appearance over the shards: each is a row of one of the tables, `parts`.
# Within a shard the order is that of its table.
# If shard_counts() made it, it is the order of first appearance there, as far as earlier shards do not decide.
strata_in_order = function(tables, parts, rows) {
  unseen = lapply(tables, function(counts) rep(TRUE, length(counts$strata)))
  found = vector("list", length(parts))
  for (i in seq_along(parts)) {
    part = parts[i]
    new = which(unseen[[part]] & tables[[part]]$table[rows[i], ] > 0)
    if (length(new) > 0L) {
      unseen[[part]][new] = FALSE
      found[[i]] = tables[[part]]$strata[new]
    }
  }
  unique(unlist(found))
}
