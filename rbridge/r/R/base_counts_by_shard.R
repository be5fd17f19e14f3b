# The table of counts: the number of rows of each stratum (columns) in each shard (rows).
# It is all that processes need to know about each other's rows. Shards and strata have names, because no process sees
# the strata of all rows to number them.

# -> list(table = a matrix of doubles without names, shards, strata = their names)
read_counts = function(counts, parameter = "counts", may_lack_strata = FALSE) {
  if (is.data.frame(counts)) {
    refuse_if(any(vapply(counts, is.logical, NA)), parameter, whole_numbers_required, "logical values")
    counts[] = lapply(counts, exact_numbers)
    counts = as.matrix(counts, rownames.force = TRUE)
  }
  counts = exact_numbers(counts)
  refuse_if(!is.matrix(counts) || is.object(counts) && !inherits(counts, "table"), parameter,
    "be a matrix with a row for each shard and a column for each stratum", show_value(counts))
  refuse_if(nrow(counts) == 0L || ncol(counts) == 0L && !may_lack_strata, parameter,
    "have at least one shard and one stratum", sprintf("%d x %d values", nrow(counts), ncol(counts)),
    if (nrow(counts) > 0L) "Bind it with the tables of other processes.")
  shards = shown_names(rownames(counts), parameter, "shard")
  strata = if (ncol(counts) > 0L) shown_names(colnames(counts), parameter, "stratum") else character()
  refuse_if(length(strata) > 0L && !is.numeric(counts), parameter, whole_numbers_required,
    sprintf("%s values", typeof(counts)),
    if (is.character(counts)) "If a column names the shards, make it the row names.")
  numbers = as.double(counts)
  wrong = which(!(is.finite(numbers) & numbers >= 0 & numbers == floor(numbers)))
  refuse_if(length(wrong) > 0L, parameter, whole_numbers_required, show_value(numbers[wrong[1L]]),
    if (is.na(numbers[wrong[1L]])) "Fill what is missing with 0.")
  refuse_if(sum(numbers) >= largest_exact, parameter, whole_numbers_required, "more rows") # the sum is exact below it
  list(table = matrix(numbers, length(shards), length(strata)), shards = shards, strata = strata)
}

whole_numbers_required = "hold whole numbers from 0 that add up to less than 2^53"

# Names of shards or strata, each once: text as it is, numbers with up to 15 digits.
shown_names = function(labels, parameter, noun) {
  refuse_if(is.null(labels), parameter, sprintf("name each %s", noun), "no names")
  refuse_if(length(labels) == 0L, parameter, sprintf("have at least one %s", noun), "none")
  encoded = refuse_as(parameter, encode_column(comparable_column(labels, ""), exact = TRUE))
  twice = encoded$names[c(anyDuplicated(encoded$names), encoded$codes[anyDuplicated(encoded$codes)])]
  refuse_if(length(twice) > 0L, parameter, sprintf("name each %s once", noun), sprintf("'%s' twice", twice[1L]))
  encoded$names
}

# Binds tables as read_counts() returns them: shards by name, strata with rows in order of first appearance over the
# shards, and within a shard in that of its table.
bound_counts = function(tables) {
  shards = unlist(lapply(tables, `[[`, "shards"))
  shards = shards[by_code_point(shards)]
  cells = do.call(rbind, lapply(tables, function(counts) {
    rows = t(counts$table)
    places = which(rows > 0, arr.ind = TRUE)
    data.frame(shard = match(counts$shards, shards)[places[, 2L]], stratum = counts$strata[places[, 1L]],
      rows = rows[places])
  }))
  strata = as.character(unique(cells$stratum[order(cells$shard)]))
  table = matrix(0, length(shards), length(strata))
  table[cbind(cells$shard, match(cells$stratum, strata))] = cells$rows
  counts_matrix(table, shards, strata)
}

# The table as a matrix with names.
counts_matrix = function(table, shards, strata) {
  structure(table, dim = c(length(shards), length(strata)), dimnames = list(shard = shards, stratum = strata))
}

# Text in order of code points, whatever the locale.
by_code_point = function(text) order(enc2utf8(text), method = "radix")
