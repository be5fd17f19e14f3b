# Batches of strata, groups, subsets and labels: the golden vectors, which the tests of the Python package also read.

stratified = function(case) {
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

epochs_of = function(sampler, epochs, first_row) {
  lapply(epochs, function(epoch) {
    batches = sampler$batches(epoch)
    list(sizes = cut_list(diff(batches$offsets)), rows = cut_list(batches$rows - first_row))
  })
}

# The plan of a sampler whose plan has bounds, and its batches.
ranged = function(sampler, epochs) {
  plan = sampler$plan()
  c(
    list(n_batches = sampler$.length(), strata = as.list(names(sampler$composition(0)))),
    lapply(plan[!startsWith(names(plan), "stratum")], as.list),
    list(epochs = epochs_of(sampler, epochs, 1L))
  )
}

grouped = function(case) {
  ranged(do.call(batch_sampler_stratified_group, c(labels_of_groups(case$rows), case$parameters))(NULL), case$epochs)
}

subset = function(case) {
  strata = list(strata = strata_of_case(case$strata))
  ranged(do.call(batch_sampler_strata_subset, c(strata, case$parameters))(NULL), case$epochs)
}

per_label = function(case) {
  has = outer(seq_len(case$n_rows) - 1, seq_len(case$n_labels) - 1, function(row, label) {
    (row + 3 * label) %% (label + 2) == 0
  })
  sampler = do.call(batch_sampler_per_label, c(list(has + 0), case$parameters))(NULL)
  list(n_batches = sampler$.length(), epochs = epochs_of(sampler, case$epochs, 0))
}

files = list(batches = stratified, wanted = stratified, groups = grouped, mixed_groups = grouped, subsets = subset,
  per_label = per_label)

for (file in names(files)) {
  test_that(paste("the same batches in every language:", file), {
    for (case in read_golden(paste0(file, ".json"))$cases) {
      expect_parts(files[[file]](case$input), case$expected, info = case$input$name)
    }
  })
}
