# Checks a part of the study in R: mlr3torch's benchmark() on the data set `default` with plain, stratified and
# oversampled batches of 32 rows, on the rows of the study's splits: Rscript check.R FOLDER [SPLITS]
#
# FOLDER is that of prepare.R. It needs LibTorch. Learners train for as many epochs as 500 steps take, with Adam and a
# learning rate of 0.01, so the areas under the ROC curve are near those of the study, not equal to them.

library(mlr3)
library(mlr3torch)

arguments = commandArgs(trailingOnly = TRUE)
n_splits = if (length(arguments) > 1L) as.integer(arguments[[2]]) else 10L
table = read.csv(file.path(arguments[[1]], "Default.csv.gz"))
table$student = as.numeric(table$student == "Yes")
table$default = factor(table$default, levels = c("Yes", "No"))
task = as_task_classif(table, target = "default", positive = "Yes", id = "default")

# The splits of the study: rbridge::stratified_split() returns the rows of pystrat.stratified_split().
split_of = function(place) {
  repetition = place %/% 2
  halves = rbridge::stratified_split(table$default, c(0.5, 0.5), seed = repetition)
  own = halves[[1 + place %% 2]]
  parts = rbridge::stratified_split(table$default[own], c(0.75, 0.25), seed = repetition)
  list(train = own[parts[[1]]], test = halves[[2 - place %% 2]])
}
splits = lapply(seq_len(n_splits) - 1, split_of)
resampling = rsmp("custom")
resampling$instantiate(task, lapply(splits, `[[`, "train"), lapply(splits, `[[`, "test"))

n_rows = length(splits[[1]]$train)
samplers = list(
  plain = NULL,
  stratified = rbridge::batch_sampler_stratified(mean_batch_size = 32, seed = 1),
  over = rbridge::batch_sampler_stratified(mean_batch_size = 32, balance = "over", seed = 1)
)
# An epoch of oversampled batches takes as many negatives as positives.
epoch_rows = c(plain = n_rows, stratified = n_rows, over = 2 * sum(table$default[splits[[1]]$train] == "No"))
learner_of = function(name) {
  learner = lrn("classif.mlp", id = name, predict_type = "prob", neurons = 32, p = 0, batch_size = 32, seed = 1,
    epochs = ceiling(500 * 32 / epoch_rows[[name]]), optimizer = t_opt("adam", lr = 0.01))
  if (!is.null(samplers[[name]])) {
    learner$param_set$set_values(batch_sampler = samplers[[name]])
  }
  as_learner(mlr3pipelines::`%>>%`(mlr3pipelines::po("scale"), learner))
}
trained = benchmark(benchmark_grid(task, lapply(names(samplers), learner_of), resampling))
scores = trained$score(msr("classif.auc"))
areas = tapply(scores$classif.auc, list(scores$iteration, scores$learner_id), identity)
print(round(rbind(areas, mean = colMeans(areas)), 4))
