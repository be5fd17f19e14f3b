"""Batches with rows of every stratum: the sampler, its form for several labels a row, bins, and labels of datasets."""
