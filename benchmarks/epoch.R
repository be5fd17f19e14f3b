# An epoch of the R sampler over sample.int(), over the published data.table form, and over torch's random sampler.

.datatable.aware = TRUE

source(file.path(rbridge::script_folder(), "rounds.R"))

# The published form: shuffle, rank within the stratum, batch by the float formula, split.
published_epoch = function(strata, minimum) {
  # The names of data.table's own language.
  row = stratum = rank = batch = NULL
  rows = data.table::data.table(row = seq_along(strata), stratum = strata)[sample.int(length(strata))]
  smallest = min(rows[, .N, by = stratum]$N)
  rows[, rank := seq_len(.N), by = stratum]
  rows[, batch := ceiling(rank / max(rank) * smallest / minimum), by = stratum]
  split(rows$row, rows$batch)
}

labels_of = function(n_rows, n_strata) {
  if (n_strata == 2L) {
    return(sample(0:1, n_rows, replace = TRUE, prob = c(0.97, 0.03)))
  }
  sample.int(n_strata, n_rows, replace = TRUE, prob = 1 / seq_len(n_strata))
}

stratified_sampler = function(strata, ...) {
  generator = rbridge::batch_sampler_stratified(strata = strata, seed = 1, ...)
  generator(list(task = NULL, .length = function() length(strata)))
}

# The rows of all batches in one vector, and where each batch begins.
flat_epoch = function(sampler) {
  function() sampler$batches(0)
}

# Batch by batch, as a dataloader takes them.
iterated_epoch = function(sampler) {
  is_exhausted = coro::is_exhausted
  function() {
    following = sampler$.iter()
    while (!is_exhausted(following())) NULL
  }
}

measure = function(n_rows, n_strata, rounds, times) {
  strata = labels_of(n_rows, n_strata)
  minimum = max(1, (min(tabulate(match(strata, unique(strata)))) * 256) %/% n_rows)
  by_minimum = stratified_sampler(strata, min_samples_per_stratum = minimum)
  even = stratified_sampler(strata, mean_batch_size = 256, assign = "even", rare = "allow")
  seconds = interleaved(list(
    by_minimum = flat_epoch(by_minimum),
    by_minimum_iterated = iterated_epoch(by_minimum),
    even = flat_epoch(even),
    even_iterated = iterated_epoch(even),
    sample = function() sample.int(n_rows),
    # A list of batches, which a dataloader has only to walk through: what the iterated ones are measured against too.
    published = function() published_epoch(strata, minimum)
  ), rounds, times)
  setting = sprintf("%s rows, %d strata", format(n_rows, big.mark = ",", scientific = FALSE), n_strata)
  is_large = n_rows == 1e6
  # What any form with R's own order is above.
  show_ratio(sprintf("R, sample.int alone over the published data.table form, %s", setting), seconds, "sample",
    "published")
  for (ours in c("by_minimum", "even")) {
    size = if (ours == "even") "mean batch 256, even" else sprintf("m = %.0f", minimum)
    setting_of = sprintf("%s, %s", setting, size)
    iterated = paste0(ours, "_iterated")
    show_ratio(sprintf("R, an epoch over sample.int, %s", setting_of), seconds, ours, "sample", if (is_large) 0.2)
    show_ratio(sprintf("R, an epoch batch by batch over sample.int, %s", setting_of), seconds, iterated, "sample",
      if (is_large) 0.5)
    show_ratio(sprintf("R, an epoch over the published data.table form, %s", setting_of), seconds, ours, "published",
      0.12)
    show_ratio(sprintf("R, an epoch batch by batch over the published data.table form, %s", setting_of), seconds,
      iterated, "published", 0.12)
  }
}

show_versions("data.table")
show_head()
set.seed(1)
sizes = as.numeric(commandArgs(trailingOnly = TRUE))
for (n_rows in if (length(sizes)) sizes else c(2e4, 1e6)) {
  for (n_strata in c(2L, 10L, 1000L)) {
    measure(n_rows, n_strata, rounds = 7L, times = max(5, 2e5 %/% n_rows))
  }
}
