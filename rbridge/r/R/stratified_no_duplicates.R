#' @title Batch Sampler Without Duplicates in a Batch
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch whose batches never hold two rows
#' that share a value of a key, such as a query or a document.
#' It is for losses that take the other rows of a batch as negatives, such as the multiple negatives ranking loss and
#' InfoNCE: a row with the same query or document would be a false negative.
#' The Python class `pystrat.NoDuplicatesBatchSampler` returns the same batches, row for row, from the same seed.
#' Its documentation has the guarantees and the rule.
#'
#' Guide: \guide{no-duplicates}.
#'
#' @inheritParams batch_sampler_stratified
#' @param batch_size (`integer(1)`)\cr
#'   The largest number of rows in a batch.
#'   Batches are smaller, with a warning, if a value is too frequent.
#' @param keys (vector, `factor()`, `data.frame()` or `list()` of columns)\cr
#'   One value per row, or several columns, each of them a key; or `character()`, the names of columns of the task.
#'   Values may be text, numbers, logical values or dates, none of them missing.
#' @param across_columns (`logical(1)`)\cr
#'   Whether a value counts in all columns.
#'   `FALSE` (default): two rows are alike if they have the same value in the same column.
#'   `TRUE`: they are also alike if a value of one is a value of the other in another column.
#'   All columns must then have values of one kind, such as text.
#'   A row may have a value twice.
#' @param strata (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   The strata, as in [batch_sampler_stratified()], without missing values, for batches that also hold rows of every
#'   stratum.
#'   Only for a single key.
#'   `NULL` (default): none; with `min_samples_per_stratum`, those of the task.
#' @param min_samples_per_stratum (`integer(1)`)\cr
#'   The minimum m: every batch has at least m rows of every stratum.
#'   `NULL` (default): there are no strata.
#' @param num_replicas (`integer(1)`)\cr
#'   The number of processes that share an epoch; the number of batches is rounded up to a multiple of it.
#'   `NULL` (default): 1.
#'
#' @return A generator of class `"batch_sampler_no_duplicates"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `plan()`: returns a `data.frame()` with one row for each key: `key`, the number of its `values`, the rows of the
#'   `largest` of them, and this value, `frequent`, as text of at most 100 characters; a longer one ends with `"..."`.
#'   With `across_columns`, it has one row for all columns.
#'
#' @source
#' The name is that of the batch sampler of sentence-transformers, where values count in all columns.
#' There, the number of batches is not known before the epoch, and the last batches are small or left out.
#' D. Konig, "Ueber Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre", 1916, and D. de Werra,
#' "Equitable colorations of graphs", 1971, color the edges of graphs.
#'
#' @seealso [batch_sampler_stratified_group()] to spread groups without a limit, or to keep them together.
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
  configuration = core_plan("no_duplicates", list(batch_size = batch_size, across_columns = across_columns,
    min_samples_per_stratum = min_samples_per_stratum, seed = seed, num_replicas = num_replicas))
  has_strata = !is.null(strata) || !is.null(min_samples_per_stratum)
  keys = if (is.character(keys) && is_deferred(keys)) unicode_text(keys, "keys") else encode_keys(keys, across_columns)
  if (has_strata) {
    strata = if (is_deferred(strata)) unicode_text(strata, "strata") else encode_strata(strata, missing = NULL)
  }
  if (is.list(keys) && (is.list(strata) || !has_strata)) {
    return(new_generator(distinct_recipe(keys, strata, configuration)))
  }
  # The entry exists even if it is NULL; otherwise, $strata would match a longer name.
  configuration = c(configuration, list(keys = keys, strata = strata, has_strata = has_strata))
  new_generator(open_recipe("no_duplicates", configuration$seed, configuration, distinct_labels(configuration)))
}

# -> list(parts = as the core takes them, titles, names = the values of each key as text)
encode_keys = function(keys, across_columns) {
  columns = refuse_as("keys", strata_columns(keys))
  check_some_rows(length(columns[[1L]]$values), 0L, "keys")
  refuse_as("keys", check_missing(missing_rows(columns), NULL))
  titles = if (is.list(keys)) titles_of(keys) else "keys"
  numbered = lapply(columns, function(column) number_values(column$values))
  names = Map(function(column, found) column$show(found$values), columns, numbered)
  if (across_columns && length(columns) > 1L) {
    found = number_across(columns, numbered)
    numbered = found$numbered
    names = list(found$names)
    titles = paste(titles, collapse = ", ")
  }
  parts = list(keys = unlist(lapply(numbered, `[[`, "codes")) - 1L, n_columns = as.double(length(columns)),
    n_values = as.double(lengths(names)))
  list(parts = parts, titles = titles, names = names)
}

titles_of = function(columns) {
  titles = if (is.null(names(columns))) as.character(seq_along(columns)) else names(columns)
  unicode_text(replace(titles, is.na(titles), "NA"), "keys", "have columns whose names are Unicode text")
}

# The values of all columns, numbered together, column after column.
number_across = function(columns, numbered) {
  kinds = vapply(columns, `[[`, "", "kind")
  other = which(kinds != kinds[1L])
  if (length(other) > 0L) {
    stop_parameter("keys", "have columns of one kind if values count in all of them",
      sprintf("%s and %s", kinds[1L], kinds[other[1L]]))
  }
  distinct = lapply(numbered, `[[`, "values")
  if (kinds[1L] != "number") {
    distinct = Map(function(column, values) column$identify(values), columns, distinct)
  }
  found = number_values(unlist(distinct))
  ends = cumsum(lengths(distinct))
  list(
    numbered = Map(function(column, values, end) list(codes = found$codes[end - length(values) + column$codes]),
      numbered, distinct, ends),
    names = if (kinds[1L] == "number") columns[[1L]]$show(found$values) else found$values
  )
}

# `keys` and `strata`, if there are any, are encoded.
distinct_recipe = function(keys, strata, configuration) {
  data = c(keys$parts, if (!is.null(strata)) strata_data(strata))
  settings = configuration[setdiff(names(configuration), c("keys", "strata", "has_strata"))]
  name_of = function(of, places) {
    if (of == "stratum") {
      return(sprintf("'%s'", strata$names[places + 1]))
    }
    shortened(keys$names[[places[1L] + 1]][places[2L] + 1])
  }
  parts = core_plan("no_duplicates", c(settings, data), name_of)
  shown = unlist(Map(function(names, place) shortened(names[place + 1]), keys$names, parts$frequent),
    use.names = FALSE)
  labels = c(distinct_labels(configuration), list(keys = keys$titles, frequent = shown, largest = parts$largest))
  new_recipe("no_duplicates", configuration$seed, parts[setdiff(names(parts), c("frequent", "largest"))],
    labels = labels)
}

distinct_shown = c("batch_size", "across_columns", "min_samples_per_stratum", "num_replicas")

distinct_labels = function(configuration) shown_settings(configuration, distinct_shown)

kind_no_duplicates = function() {
  core_kind(
    class = "batch_sampler_no_duplicates",
    vectors = list(
      parts = c("keys", "n_columns", "n_values", "n_batches", "codes", "n_strata"),
      labels = c(distinct_shown, "keys", "frequent", "largest")
    ),
    bytes = function(recipe) 200 * length(recipe$parts$keys) + 300 * rows_of_keys(recipe),
    n_rows = rows_of_keys,
    complete = function(recipe, data_source, task) {
      if (is.null(recipe$open)) {
        check_given_keys(data_source, task, rows_of_keys(recipe))
        return(recipe)
      }
      given = recipe$open
      keys = source_keys(given, data_source, task)
      strata = given$strata
      if (given$has_strata && !is.list(strata)) {
        strata = source_strata(data_source, list(strata = strata, missing = NULL), task)
      }
      distinct_recipe(keys, strata, given)
    },
    check = check_key_labels,
    describe = function(private) format_no_duplicates(private$.recipe, private$.place$epoch),
    settings = function(recipe) {
      settings = recipe$labels[setdiff(names(recipe$labels), c("keys", "frequent", "largest"))]
      keys = if (is.null(recipe$open)) show_names(recipe$labels$keys) else format_open_keys(recipe$open$keys)
      c(format_labels(settings), format_seed(recipe), sprintf("* keys: %s", keys))
    },
    methods = list(
      plan = function() {
        if (is.null(private$.in_order)) {
          labels = private$.recipe$labels
          data.frame(key = labels$keys, values = as.integer(private$.recipe$parts$n_values),
            largest = as.integer(labels$largest), frequent = labels$frequent)
        }
      }
    )
  )
}

rows_of_keys = function(recipe) length(recipe$parts$keys) / recipe$parts$n_columns

format_open_keys = function(keys) if (is.character(keys)) show_names(keys) else show_names(keys$titles)

# The keys of an open recipe, encoded: given values, or columns of the task.
source_keys = function(configuration, data_source, task) {
  keys = configuration$keys
  across_columns = configuration$across_columns
  if (is.character(keys)) {
    if (refuse_as("keys", names_columns(keys, task, source_rows(data_source)))) {
      return(encode_keys(task_columns(task, keys), across_columns))
    }
    keys = encode_keys(keys, across_columns)
  }
  check_given_keys(data_source, task, length(keys$parts$keys) / keys$parts$n_columns)
  keys
}

# Given keys belong to the rows of the dataset, in their order.
check_given_keys = function(data_source, task, n_rows) {
  check_given_values("keys", task)
  refuse_as("keys", check_strata_rows(data_source, n_rows))
}

check_key_labels = function(recipe) {
  labels = recipe$labels
  n_keys = length(recipe$parts$n_values)
  for (label in c("keys", "frequent")) {
    if (!is.character(labels[[label]]) || length(labels[[label]]) != n_keys) {
      stop_parameter("recipe", sprintf("have %s as '%s'", show_count(n_keys, "text"), label),
        show_value(labels[[label]]))
    }
  }
  if (!is.double(labels$largest) || length(labels$largest) != n_keys) {
    stop_parameter("recipe", sprintf("have %s as 'largest'", show_count(n_keys, "number")), show_value(labels$largest))
  }
}

format_no_duplicates = function(recipe, next_epoch) {
  n_rows = rows_of_keys(recipe)
  n_batches = recipe$parts$n_batches
  sizes = show_rows(c(n_rows %/% n_batches, divide_up(n_rows, n_batches)))
  c(
    sprintf("* Rows: %.0f, of keys %s", n_rows, show_names(recipe$labels$keys)),
    sprintf("* Batches: %.0f of %s, no two with the same value", n_batches, sizes),
    format_shuffled(recipe, next_epoch)
  )
}
