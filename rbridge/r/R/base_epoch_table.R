# Tables by epoch: what applies from certain epochs on.

# A list of entries by the first epoch in which they apply, in order of the epochs.
# `noun` is what the table has, and `entry` what each entry is, for messages.
read_epoch_table = function(table, parameter, noun, entry) {
  epochs = epochs_of_table(names(table), length(table))
  wrong = which(epochs < 0)
  refuse_if(length(wrong) > 0L, parameter,
    sprintf("be a table from epochs, integers from 0 to %.0f, to %s", largest_epoch, entry),
    if (is.null(names(table))) "a list without names" else paste("the epoch", show_value(names(table)[wrong[1L]])))
  refuse_if(!0 %in% epochs, parameter, sprintf("have %s from epoch 0 on", noun),
    if (length(epochs) > 0L) sprintf("a table from epoch %.0f on", min(epochs)) else "an empty table")
  table = table[order(epochs)]
  names(table) = sprintf("%.0f", sort(epochs))
  table
}

# The epochs that are the names of a table of `n` entries, -1 for a name that is none or is there before.
epochs_of_table = function(names, n) {
  names = if (is.null(names)) character(n) else names
  is_epoch = grepl("^[0-9]{1,7}$", names) & !duplicated(sub("^0+(?=.)", "", names, perl = TRUE))
  epochs = ifelse(is_epoch, suppressWarnings(as.double(names)), -1)
  ifelse(epochs > largest_epoch, -1, epochs)
}
