# Samplers of Python in R, through reticulate; prints what they deliver as JSON. Its arguments are a file with samplers
# of others, one with the training loop, and a folder of texts.

library(rbridge)
arguments = commandArgs(trailingOnly = TRUE)
pystrat = reticulate::import("pystrat")
corpus = reticulate::import("pystrat.corpus")
reticulate::py_run_file(arguments[1])
py = reticulate::py
train = eval(parse(arguments[2]))

rows_of = function(sampler, n_rows, ...) {
  collected = collect_rows(batch_sampler_python(sampler, ...), n_rows)
  unname(split(collected$rows - 1L, rep(seq_len(length(collected$offsets) - 1L), diff(collected$offsets))))
}
trained = function(sampler) train(batch_sampler_python(sampler), 2) - 1L
message_of = function(...) tryCatch(..., error = conditionMessage)

# Numbers of pairs are beyond R's integers; reticulate makes numbers of R doubles, and vectors of one value scalars.
pairs = function(users, items, ...) {
  sampler = pystrat$NegativePairBatchSampler(users, items, ..., seed = 1L)
  format(collect_rows(batch_sampler_python(sampler), 10)$rows, digits = 16, trim = TRUE)
}
mixture = batch_sampler_python(corpus$CorpusMixtureBatchSampler(arguments[3], 8, suffixes = list(".txt"), sample = 50,
  rules = list("gold *", "a,b 20", "news 10"), seed = 1))
weighted = function() pystrat$WeightedBatchSampler(c(1, 2, 0, 4, 0.5, 3, 1, 1), 3, n_batches = 7, seed = 5)
told = batch_sampler_python(weighted())(NULL)
told$update(2, 1 / 3)
resumed = weighted()
resumed$load_state_dict(weighted()$state())
beta = reticulate::py_eval("beta", convert = FALSE)
of_beta = pystrat$PrioritizedBatchSampler(8, 3, alpha = 1, epsilon = 0.5, beta = beta)
of_beta$update(0:1, c(0, 3.5))
stratified = pystrat$StratifiedBatchSampler(rep(c("a", "b"), times = c(3, 8)), 1L, seed = 1L)

cat(jsonlite::toJSON(digits = NA, list(
  stratified = rows_of(stratified, 11),
  epoch = stratified$batches(2L)$rows,
  class = class(batch_sampler_python(stratified)),
  "function" = rows_of(py$asymmetric, 7, n_batches = 3),
  mixture = collect_rows(mixture, 145)$rows - 1L,
  plan = corpus_plan(mixture)$drawn,
  pairs = list(
    integers = pairs(c(0L, 0L, 1L, 2L), c(0L, 3L, 1L, 3L), 0.4, 5L, n_users = 1000000L, n_items = 1000000000L),
    doubles = pairs(c(0, 0, 1, 2), c(0, 3, 1, 3), 0.4, 5, n_users = 1e6, n_items = 1e9),
    one = pairs(0L, 1L, 0.5, 2L)
  ),
  trained = list(
    weighted = trained(weighted()),
    resumed = trained(resumed),
    prioritized = trained(pystrat$PrioritizedBatchSampler(8, 3, n_batches = 7, seed = 5, stratified = TRUE)),
    perplexity = trained(pystrat$PerplexityBatchSampler(20, 8, n_batches = 4, seed = 1))
  ),
  weights = told$weights(2),
  importance = batch_sampler_python(of_beta)(NULL)$importance_weights(1:2, 4),
  refused = list(
    python = message_of(collect_rows(batch_sampler_python(py$failing, 2), 3)),
    no_length = message_of(batch_sampler_python(py$asymmetric)),
    no_python = message_of(batch_sampler_python(3)),
    no_count = message_of(batch_sampler_python(py$asymmetric, 0.5))
  )
)))
