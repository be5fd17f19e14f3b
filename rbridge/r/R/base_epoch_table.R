# A table by epoch: a list of entries by the first epoch in which they apply, in order of the epochs.
# `noun` is what the table has, and `entry` what each entry is, for messages.
read_epoch_table = function(table, parameter, noun, entry) {
  given = if (is.null(names(table))) character(length(table)) else names(table)
  is_epoch = grepl("^[0-9]{1,7}$", given) & !duplicated(sub("^0+(?=.)", "", given, perl = TRUE))
  epochs = suppressWarnings(as.double(given))
  wrong = which(!is_epoch | epochs > largest_epoch)
  refuse_if(length(wrong) > 0L, parameter,
    sprintf("be a table from epochs, integers from 0 to %.0f, to %s", largest_epoch, entry),
    if (is.null(names(table))) "a list without names" else paste("the epoch", show_value(names(table)[wrong[1L]])))
  refuse_if(!0 %in% epochs, parameter, sprintf("have %s from epoch 0 on", noun),
    if (length(epochs) > 0L) sprintf("a table from epoch %.0f on", min(epochs)) else "an empty table")
  table = table[order(epochs)]
  names(table) = sprintf("%.0f", sort(epochs))
  table
}
