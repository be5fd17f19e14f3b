#' @rdname shard_counts
#' @export
bind_counts = function(tables) {
  refuse_if(!is.list(tables) || is.object(tables) || is.pairlist(tables), "tables",
    "be a list of matrices, each with a row for each shard and a column for each stratum", show_value(tables))
  read = lapply(unname(tables), read_counts, parameter = "tables", may_lack_strata = TRUE)
  shards = unlist(lapply(read, `[[`, "shards"))
  refuse_if(length(shards) == 0L, "tables", "have at least one shard", "none")
  refuse_if(anyDuplicated(shards), "tables", "have each shard once",
    sprintf("'%s' twice", shards[anyDuplicated(shards)]))
  table = bound_counts(read)
  refuse_if(sum(table) >= largest_exact, "tables", whole_numbers_required, "more rows")
  refuse_if(ncol(table) == 0L, "tables", "have at least one row", "0 rows")
  table
}
