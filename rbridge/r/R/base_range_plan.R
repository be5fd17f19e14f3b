# The plan of a sampler whose batches hold other numbers of rows of a stratum in each epoch: a table with the fewest and
# the most rows of each stratum in a batch, which are bounds for all epochs, and, as `held`, what the batches hold.

ranged_kind = function(kind, ...) {
  setup = function(recipe, private) {
    found = core_described(recipe)
    columns = found[intersect(c("rows", "groups", "batches", "largest", "fewest", "most"), names(found))]
    table = data.frame(stratum = recipe$labels$names, lapply(columns, as.integer))
    plan = structure(table, class = c("range_plan", "data.frame"), n_batches = as.integer(found$n_batches),
      held = found$held, most_batches = if (!is.null(found$most_batches)) as.integer(found$most_batches))
    list(codes = as.integer(recipe$parts$codes), names = recipe$labels$names, plan = plan)
  }
  methods = list(
    plan = function() private$.setup$plan,
    composition = function(epoch = NULL) {
      batches = self$batches(if (is.null(epoch)) self$epoch else epoch)
      table_of_counts(private$.setup$codes[batches$rows] + 1L, batches$offsets, private$.setup$names)
    }
  )
  utils::modifyList(table_kind(kind, setup = setup, methods = methods), list(...))
}

# A part of a plan is a plain table.
#' @export
"[.range_plan" = function(x, ...) {
  class(x) = "data.frame"
  attributes(x)[c("n_batches", "held", "most_batches")] = NULL
  x[...]
}

#' @export
print.range_plan = function(x, most = 20L, ...) {
  held = sub("\nevery", "\n* Every", attr(x, "held"), fixed = TRUE)
  lines = c(sprintf("* Rows: %.0f", sum(x$rows)), sprintf("* Batches: %d, %s", attr(x, "n_batches"), held))
  print_plan(x, lines, x, most)
}

# What is printed of every plan: some lines, and the first and the last rows of a table of strata, with their numbers if
# there are others between them.
print_plan = function(x, lines, table, most) {
  strata = sprintf("* Strata: %d, with the fewest and the most rows in a batch", nrow(table))
  cat(sprintf("<%s>", class(x)[1L]), lines, strata, sep = "\n")
  n_more = nrow(table) - most
  print(table[ends_of(nrow(table), most), , drop = FALSE], row.names = n_more > 0)
  if (n_more > 0) {
    cat(sprintf("... and %.0f more\n", n_more))
  }
  invisible(x)
}
