# The plan of a sampler whose batches hold other numbers of rows of a stratum in each epoch: a table with the fewest and
# the most rows of each stratum in a batch, which are bounds for all epochs.

# `held` says what the batches hold, after their number.
range_plan = function(table, n_batches, held) {
  structure(table, class = c("range_plan", "data.frame"), n_batches = as.integer(n_batches), held = held)
}

# What an instance shows whose strata are cut into blocks: `found` is what the core says of the plan, and `each` has the
# rows of an exact block; the rows are dealt evenly if it is NULL.
setup_of_blocks = function(recipe, found, held, each = NULL) {
  counts = utils::head(found$counts, -1L)
  blocks = found$batches
  taken = if (!is.null(each)) ifelse(blocks > 0, each, 0)
  table = data.frame(
    stratum = recipe$labels$names,
    rows = as.integer(counts),
    batches = as.integer(blocks),
    fewest = as.integer(if (is.null(each)) counts %/% pmax(blocks, 1) else taken),
    most = as.integer(if (is.null(each)) divide_up(counts, pmax(blocks, 1)) else taken)
  )
  c(ranged_setup(recipe), list(plan = range_plan(table, found$n_batches, held)))
}

# What every such instance shows, besides its plan.
ranged_setup = function(recipe) {
  list(codes = as.integer(recipe$parts$codes), names = recipe$labels$names)
}

# The members of such instances.
ranged_methods = function() {
  list(
    plan = function() if (is.null(private$.in_order)) private$.setup$plan,
    composition = function(epoch = NULL) {
      batches = self$batches(if (is.null(epoch)) self$epoch else epoch)
      if (is.null(private$.in_order)) {
        table_of_counts(private$.setup$codes[batches$rows] + 1L, batches$offsets, private$.setup$names)
      }
    }
  )
}

# A part of a plan is a plain table.
#' @export
"[.range_plan" = function(x, ...) {
  part = NextMethod()
  if (is.data.frame(part)) {
    class(part) = "data.frame"
    attributes(part)[c("n_batches", "held", "most_batches")] = NULL
  }
  part
}

#' @export
print.range_plan = function(x, most = 20L, ...) {
  lines = c(sprintf("* Rows: %.0f", sum(x$rows)), sprintf("* Batches: %d, %s", attr(x, "n_batches"), attr(x, "held")))
  print_plan(x, lines, x, most)
}

# What is printed of every plan: some lines, and a table of strata.
print_plan = function(x, lines, table, most) {
  strata = sprintf("* Strata: %d, with the fewest and the most rows in a batch", nrow(table))
  cat(sprintf("<%s>", class(x)[1L]), lines, strata, sep = "\n")
  print_ends(table, most)
  invisible(x)
}
