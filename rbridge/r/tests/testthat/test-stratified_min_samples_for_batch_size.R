# The promise chosen by the size of the batches: the golden cases, and tasks of mlr3.

golden = read_golden("batch_sizes.json")

test_that("the same promise in every language", {
  for (case in golden$cases) {
    sizes = unlist(case$sizes)
    missing_rows = if (is.null(case$missing_rows)) 0L else case$missing_rows
    labels = c(rep(seq_along(sizes), times = sizes), rep(NA, missing_rows))
    arguments = case[intersect(names(case), c("mean_batch_size", "missing", "num_replicas"))]
    expect_identical(do.call(min_samples_for_batch_size, c(list(labels), arguments)), as.integer(case$minimum),
      info = case$name)
  }
})
