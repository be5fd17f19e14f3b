# Extracted from test-stratified_batch_plan.R:157

# prequel ----------------------------------------------------------------------
labels = published_labels()
expect_plan_of = function(plan, sampler) {
  expect_s3_class(plan, "batch_plan")
  expect_identical(plan$composition(), sampler$plan())
  expect_identical(plan$n_batches, sampler$.length())
  expect_identical(plan$sizes, lengths(epoch_of(sampler, 0)))
  expect_identical(plan$strata, names(sampler$plan()))
  expect_identical(plan$counts, unname(as.integer(colSums(sampler$plan()))))
  expect_identical(plan$n_rows, length(sampler$batches(0)$rows))
  expect_identical(plan$min_samples_per_stratum, min(plan$counts) %/% plan$n_batches)
}
heights = function(outline) {
  outline$rows[seq(1L, nrow(outline), by = 2L)]
}
plan_with_ties = function() {
  batch_plan(rep(c("common", "rare", "long", "rare"), times = c(270, 40, 52, 3)), 7)
}

# test -------------------------------------------------------------------------
strata = rep(letters[1:4], times = c(40, 25, 12, 9))
of_subset = batch_sampler_strata_subset(2, 4, strata = factor(strata), exact = TRUE, num_replicas = 2)(NULL)
expect_identical(batch_plan(strata, 4, strata_per_batch = 2, exact = TRUE, num_replicas = 2), of_subset$plan())
groups = rep(1:43, each = 2)[order(seq_along(strata) %% 7)]
of_groups = batch_sampler_stratified_group(2, groups, keep = "apart", strata = factor(strata))(NULL)
expect_identical(batch_plan(strata, 2, groups = groups, keep = "apart"), of_groups$plan())
expect_error(batch_plan(strata, 2, groups = 1:86, strata_per_batch = 2),
    "The 'groups' parameter must be left out if 'strata_per_batch' is given. Got 86 values instead.",
    fixed = TRUE)
expect_error(batch_plan(strata, 4, strata_per_batch = 5), "of batch_sampler_strata_subset must be at most 4",
    fixed = TRUE)
