#' @title Count the Rows of Each Stratum in Each Shard
#'
#' @description
#' Counts the rows of each stratum in each shard, for [batch_sampler_sharded()]; `bind_counts()` combines the tables of
#' several processes.
#' A shard is a part of the data that one process holds as a whole, such as a file.
#'
#' @param strata (named `list()`)\cr
#'   The strata of the rows of each shard, by the name of the shard, such as `list("part-1.csv" = labels)`.
#'   The strata of a shard have any form that [batch_sampler_stratified()] accepts, without missing values.
#'   A shard may have no rows.
#' @eval described("bind_counts", tables = "`list()` of `matrix()`")
#'
#' @return A `matrix()` of doubles: the number of rows of each stratum (columns) in each shard (rows).
#' Shards are sorted by name, by code point; strata are in order of first appearance over the sorted shards.
#' If no shard has a row, there are no columns; for a sampler, bind the table with those of other processes.
#'
#' Values of one kind are different strata if they differ at all, so their names have all digits: `0.1 + 0.2` is
#' `0.30000000000000004`, a time has its fraction of a second; with several columns, text with a comma is quoted.
#'
#' @export
#' @examples
#' first = shard_counts(list(b.csv = c("yes", "no", "no")))
#' bind_counts(list(first, shard_counts(list(a.csv = c("no", "no")))))
shard_counts = function(strata) {
  refuse_if(!is.list(strata) || is.object(strata) || is.pairlist(strata), "strata",
    "map the name of each shard to the strata of its rows", show_value(strata))
  refuse_if(anyNA(names(strata)) || !all(nzchar(names(strata))), "strata", "name each shard by a text", "''")
  counts_table(Map(count_shard, unname(strata), shown_names(names(strata), "strata", "shard")))
}

# The table of shards that count_shard() has counted.
counts_table = function(counted) {
  table = bound_counts(counted)
  colnames(table) = sub("^[^\n]*\n", "", colnames(table))
  check_different_names(colnames(table))
  table
}

check_different_names = function(strata) {
  repeated = anyDuplicated(strata)
  refuse_if(repeated, "strata", "have strata of different names",
    paste(show_text(strata[repeated]), "as the name of two"), "Recode them.")
}

# A table of one shard, with the strata in order of first appearance.
# They are named by the kinds of their columns and their own name: the number 1 is another stratum than the text 1.
count_shard = function(strata, shard) {
  encoded = refuse_at(sprintf("of shard '%s'", shard), {
    encoded = encode_strata(strata, NULL, may_be_empty = TRUE, exact = TRUE)
    check_different_names(encoded$names)
    encoded
  })
  named = sprintf("%s\n%s", paste(encoded$kinds, collapse = " "), encoded$names)
  list(table = matrix(stratum_counts(encoded), nrow = 1L), shards = shard, strata = named)
}
