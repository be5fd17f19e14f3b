#' @title Batch Sampler Without Duplicates in a Batch
#'
#' @description
#' Creates a batch sampler whose batches never hold two rows that share a value of a key, such as a query or a document.
#' It is for losses that take the other rows of a batch as negatives, such as InfoNCE.
#' \twin{NoDuplicatesBatchSampler}{no-duplicates}
#'
#' @inheritParams batch_sampler_stratified
#' @eval described("NoDuplicatesBatchSampler", "batch_size", "across_columns", "min_samples_per_stratum")
#' @param keys (vector, `factor()`, `data.frame()` or `list()` of columns)\cr
#'   One value per row, or several columns, each of them a key; or `character()`, the names of columns of the task.
#'   Values may be text, numbers, logical values or dates, none of them missing.
#' @param strata
#'   As in [batch_sampler_stratified()], without missing values.
#'   Only for a single key.
#'   `NULL` (default): none; with `min_samples_per_stratum`, those of the task.
#' @return A generator, whose instances have the members of every [batch_sampler_instance], and
#' * `plan()`: returns a `data.frame()` with one row for each key, or for all columns: `key`, the number of its
#'   `values`, the rows of the `largest` of them, and this value, `frequent`, as text of at most 100 characters.
#'
#' @export
#' @examples
#' pairs = data.frame(
#'   query = c("a", "a", "b", "b", "c", "d"),
#'   document = c("p", "q", "q", "r", "p", "s"))
#' generator = batch_sampler_no_duplicates(3, pairs, seed = 1)
#' sampler = generator(NULL)
#' sampler$plan()
#' lapply(coro::collect(sampler$.iter()), function(rows) pairs[rows, ])
batch_sampler_no_duplicates = function(batch_size, keys, across_columns = FALSE, strata = NULL,
  min_samples_per_stratum = NULL, seed = NULL, num_replicas = NULL) {
  sampler_of("no_duplicates")
}

kind_no_duplicates = function() {
  table_kind("no_duplicates",
    # Batches without a minimum of strata have none, also if the dataset has.
    of_rows = function(request) {
      c("keys", if (!is.null(request$strata) || !is.null(request$min_samples_per_stratum)) "strata")
    },
    plan = function(request) {
      keys = encode_keys(request$keys, request$across_columns)
      recipe = table_recipe("no_duplicates", replace(request, "keys", list(keys)))
      places = core_described(recipe)$frequent + 1
      recipe$labels$frequent = unlist(Map(function(names, place) shortened(names[place]), keys$names, places))
      recipe
    },
    n_rows = function(recipe) length(recipe$parts$keys) / recipe$parts$n_columns,
    methods = list(
      plan = function() {
        recipe = private$.recipe
        data.frame(key = recipe$labels$keys, values = as.integer(recipe$parts$n_values),
          largest = as.integer(core_described(recipe)$largest), frequent = recipe$labels$frequent)
      }
    )
  )
}

# -> list(data = as the core takes them, labels, names = the values of each key as text, shown = all of them)
encode_keys = function(keys, across_columns) {
  columns = refuse_as("keys", strata_columns(keys))
  check_some_rows(length(columns[[1L]]$values), 0L, "keys")
  refuse_as("keys", check_missing(missing_rows(columns), NULL))
  titles = if (is.list(keys)) vapply(columns, `[[`, "", "title") else "keys"
  titles = unicode_text(titles, "keys", "have columns whose names are Unicode text")
  n_columns = length(columns)
  if (across_columns && n_columns > 1L) {
    columns = list(column_of_all(columns))
    titles = paste(titles, collapse = ", ")
  }
  numbered = lapply(columns, function(column) number_values(column$values))
  names = Map(function(column, found) column$show(found$values), columns, numbered)
  data = list(keys = unlist(lapply(numbered, `[[`, "codes")) - 1L, n_columns = as.double(n_columns),
    n_values = as.double(lengths(names)))
  list(data = data, labels = list(keys = titles), names = names, shown = shortened(unlist(names)))
}

# The values of all columns, column after column, as one column; texts have other numbers in each of them.
column_of_all = function(columns) {
  kinds = vapply(columns, `[[`, "", "kind")
  other = which(kinds != kinds[1L])
  refuse_if(length(other) > 0L, "keys", "have columns of one kind if values count in all of them",
    sprintf("%s and %s", kinds[1L], kinds[other[1L]]))
  is_text = kinds[1L] == "text"
  values = unlist(lapply(columns, function(column) if (is_text) column$show(column$values) else column$values))
  new_column(kinds[1L], values, if (is_text) identity else columns[[1L]]$show)
}
