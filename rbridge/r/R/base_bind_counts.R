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
  table = bound_counts(read)
  if (ncol(table) == 0L) {
    stop_parameter("tables", "have at least one row", "0 rows")
  }
  table
}
