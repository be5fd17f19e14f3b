# Every case of tests/golden/batches.json and wanted.json, which the tests of the Python package also read: the same
# batches, row for row.

actual_of_case = function(case) {
  strata = strata_of_case(case$strata)
  n_rows = if (is.list(strata)) length(strata[[1L]]) else length(strata)
  sampler = do.call(sampler_of, c(list(strata), case$parameters))
  plan = sampler$plan()
  list(
    n_batches = sampler$.length(),
    min_samples_per_stratum = min(plan),
    strata = as.list(names(plan)),
    counts = as.list(unname(colSums(plan))),
    sizes = cut_list(unname(rowSums(plan))),
    epochs = lapply(case$epochs, function(epoch) {
      permutation = order_of_epoch(n_rows, sampler$seed, epoch)
      list(permutation = cut_list(permutation - 1L), rows = cut_list(sampler$batches(epoch)$rows - 1L))
    })
  )
}

test_that("the same batches in every language", {
  for (case in c(read_golden("batches.json")$cases, read_golden("wanted.json")$cases)) {
    expect_parts(actual_of_case(case$input), case$expected, info = case$input$name)
  }
})
