# Extracted from test-stratified_sampler.R:87

# prequel ----------------------------------------------------------------------
labels = rep(c("a", "b"), times = c(6, 14))
make = function(...) batch_sampler_stratified(min_samples_per_stratum = 2, strata = labels, seed = 1, ...)

# test -------------------------------------------------------------------------
sampler = make()(NULL)$set_epoch(6700000)
expect_identical(next_epoch_of(sampler), epoch_of(sampler, 6700000))
expect_error(next_epoch_of(sampler), "The 'epoch' parameter .* must be an integer from 0 to 6700000")
