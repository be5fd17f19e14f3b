# The table of counts: the number of rows of each stratum (columns) in each shard (rows).
# It is all that processes need to know about each other's rows. Shards and strata have names, because no process sees
# the strata of all rows to number them.

# -> list(table = a matrix of doubles without names, shards, strata = their names)
read_counts = function(counts, parameter = "counts", may_lack_strata = FALSE) {
  required = "be a matrix with a row for each shard and a column for each stratum"
  counts = exact_numbers(counts)
  is_frame = is.data.frame(counts) && !is.null(attr(counts, "row.names"))
  is_table = is.matrix(counts) && (!is.object(counts) || inherits(counts, "table"))
  if (!is_frame && !is_table) {
    stop_parameter(parameter, required, show_value(counts))
  }
  has_strata = ncol(counts) > 0L
  if (nrow(counts) == 0L || !(has_strata || may_lack_strata)) {
    stop_parameter(parameter, "have at least one shard and one stratum", sprintf("%d x %d values", nrow(counts),
      ncol(counts)), if (nrow(counts) > 0L) "Bind it with the tables of other processes.")
  }
  shards = shown_names(if (is_frame) row.names(counts) else rownames(counts), parameter, "shard")
  if (!has_strata) {
    return(list(table = matrix(0, length(shards), 0L), shards = shards, strata = character()))
  }
  strata = shown_names(if (is_frame) names(counts) else colnames(counts), parameter, "stratum")
  list(table = whole_numbers(counts, parameter), shards = shards, strata = strata)
}

# Names of shards or strata, each once.
shown_names = function(labels, parameter, noun) {
  if (is.null(labels)) {
    stop_parameter(parameter, sprintf("name each %s", noun), "no names")
  }
  if (length(labels) == 0L) {
    stop_parameter(parameter, sprintf("have at least one %s", noun), "none")
  }
  names = encode_names(labels, parameter)
  if (anyDuplicated(names)) {
    stop_parameter(parameter, sprintf("name each %s once", noun), sprintf("'%s' twice", names[anyDuplicated(names)]))
  }
  names
}

# How labels are shown: text as it is, numbers with up to 15 digits.
encode_names = function(labels, parameter) {
  labels = plain_value(labels)
  kind = column_kind(labels)
  if (!kind %in% c("factor", "character", "integer", "double", "logical", "Date", "POSIXct")) {
    stop_parameter(parameter, column_kinds, sprintf("%s values", kind))
  }
  unicode_text(if (is.factor(labels)) levels(labels) else if (is.character(labels)) labels, parameter)
  encoded = encode_column(comparable_column(labels, ""), exact = TRUE)
  encoded$names[encoded$codes]
}

whole_numbers_required = "hold whole numbers from 0 that add up to less than 2^53"

# The counts as whole doubles with a sum below 2^53, so that sums are exact.
whole_numbers = function(counts, parameter) {
  required = whole_numbers_required
  columns = if (is.data.frame(counts)) lapply(counts, exact_numbers) else list(unclass(counts))
  for (column in columns) {
    check_counted_column(column, if (is.data.frame(counts)) nrow(counts), parameter, required)
  }
  numbers = without_bits(as.double(unlist(columns)))
  wrong = is.na(numbers) | !is.finite(numbers) | numbers < 0 | numbers != floor(numbers)
  if (any(wrong)) {
    advice = if (is.na(numbers[wrong][1L])) "Fill what is missing with 0."
    stop_parameter(parameter, required, show_value(numbers[wrong][1L]), advice)
  }
  check_sum(numbers, parameter)
  matrix(numbers, nrow(counts))
}

# Of numbers of 64 bits, xtabs() and tapply() keep the bits without the class: doubles below any other.
without_bits = function(numbers) {
  are_bits = isTRUE(all(abs(numbers) < .Machine$double.xmin)) && any(numbers != 0)
  if (are_bits) exact_numbers(structure(numbers, class = "integer64")) else numbers
}

# Refuses a column that does not hold numbers, or, in a data frame of `n_shards` rows, another number of them.
check_counted_column = function(column, n_shards, parameter, required) {
  if (!is.numeric(column) || is.object(column)) {
    got = sprintf("%s values", if (is.object(column)) class(column)[1L] else typeof(column))
    is_text = is.character(column) || is.factor(column)
    stop_parameter(parameter, required, got, if (is_text) "If a column names the shards, make it the row names.")
  }
  if (!is.null(n_shards) && (!is.null(dim(column)) || length(column) != n_shards)) {
    stop_parameter(parameter, "have one number for each shard in each column", show_count(length(column), "number"))
  }
}

# The sum is exact if it is not refused.
check_sum = function(numbers, parameter) {
  if (sum(numbers) >= largest_exact) {
    stop_parameter(parameter, whole_numbers_required, "more rows")
  }
}

# The table as a matrix with names.
counts_matrix = function(table, shards, strata) {
  structure(table, dim = c(length(shards), length(strata)), dimnames = list(shard = shards, stratum = strata))
}

# Text in order of code points, whatever the locale.
by_code_point = function(text) {
  order(enc2utf8(text), method = "radix")
}
