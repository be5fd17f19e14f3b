# The plan of a sampler whose batches hold other numbers of rows of a stratum in each epoch: a table with the fewest and
# the most rows of each stratum in a batch, which are bounds for all epochs.

# `held` says what the batches hold, after their number. If `exact`, the table has the largest number of batches of an
# epoch that hold a stratum, else their number in every epoch.
range_plan = function(table, n_batches, held, exact = FALSE) {
  structure(table, class = c("range_plan", "data.frame"), n_batches = as.integer(n_batches), held = held, exact = exact)
}

# A part of a plan is a plain table.
#' @export
"[.range_plan" = function(x, ...) {
  part = NextMethod()
  if (is.data.frame(part)) {
    class(part) = "data.frame"
    attributes(part)[c("n_batches", "held", "exact", "most_batches")] = NULL
  }
  part
}

#' @export
print.range_plan = function(x, most = 20L, ...) {
  cat(
    "<range_plan>",
    sprintf("* Rows: %.0f", sum(x$rows)),
    sprintf("* Batches: %d, %s", attr(x, "n_batches"), attr(x, "held")),
    sprintf("* Strata: %d, with the fewest and the most rows in a batch", nrow(x)),
    sep = "\n"
  )
  print(x[seq_len(min(nrow(x), most)), ], row.names = FALSE)
  if (nrow(x) > most) {
    cat(sprintf("... and %d more\n", nrow(x) - most))
  }
  invisible(x)
}

# The rows of the strata that `plan`, a part of such a plan, has: "25 rows in 6 batches, 4 to 5 in each".
rows_in_words = function(plan, exact) {
  rows = vapply(plan$rows, show_count, "", "row")
  held = mapply(function(fewest, most) show_range(c(fewest, most)), plan$fewest, plan$most)
  if (is.null(plan$batches)) {
    return(sprintf("%s, %s in a batch", rows, held))
  }
  batches = vapply(plan$batches, show_batches, "")
  words = sprintf("%s in %s%s, %s in each", rows, if (exact) "at most " else "", batches, held)
  words[plan$batches == 1L & !exact] = sprintf("%s in 1 batch", rows[plan$batches == 1L & !exact])
  words[plan$batches == 0L] = sprintf("%s, never sampled", rows[plan$batches == 0L])
  words
}

# The rows of each stratum in each batch of an epoch of a sampler, by default the next one.
# Returns NULL while mlr3torch predicts. `strata` has the stratum of each row, from 0.
epoch_composition = function(self, private, epoch, strata) {
  batches = private$.drawn_batches(if (is.null(epoch)) self$epoch else epoch)
  if (is.null(private$.in_order)) {
    table_of_counts(strata[batches$rows] + 1L, batches$offsets, private$.setup$names)
  }
}
