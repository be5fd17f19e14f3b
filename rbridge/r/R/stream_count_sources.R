#' @title Count the Rows of Each Stratum in Each Source
#'
#' @description
#' Counts the rows of each stratum in each source, for [stratified_stream()], reading all sources once.
#' The Python function `pystrat.stream.count_sources()` returns the same table.
#'
#' @param sources,read,stratum
#'   As in [stratified_stream()].
#'
#' @return A `matrix()` of doubles, like that of [shard_counts()]: a row for each source, a column for each stratum.
#' [stratified_stream()] also accepts the same table from a query, such as a `GROUP BY`.
#' A source may have no rows.
#'
#' @export
#' @examples
#' sources = list(a = c(0, 0, 0, 1), b = c(1, 0, 0, 0))
#' count_sources(sources, read = identity, stratum = identity)
count_sources = function(sources, read, stratum) {
  names = source_names(sources, read)
  counts_table(lapply(by_code_point(names), function(place) {
    count_shard(read_source(sources[[place]], names[place], read, stratum)$strata, names[place])
  }))
}
