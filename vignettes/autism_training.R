# The training of the vignette autism-nsch in R, with mlr3torch: the survey, settings and budget of autism_training.py,
# the learning rates that were chosen there, and a test set of its own. It needs LibTorch (torch::install_torch()), and
# writes vignettes/autism_results/runs_in_r.csv. Call it in the folder of the repository, with the number of seeds:
#   Rscript vignettes/autism_training.R 10

library(mlr3)
library(mlr3pipelines)
library(mlr3torch)

# The loss of autism_training.py: the AUM of predictions divided by their mean absolute deviation from the median.
nn_scaled_aum_loss = torch::nn_module(c("nn_scaled_aum_loss", "nn_loss"),
  initialize = function() self$aum = rbridge::nn_aum_loss(),
  forward = function(input, target) {
    scale = torch::torch_clamp(torch::torch_mean(torch::torch_abs(input - torch::torch_median(input))), min = 1e-6)
    self$aum(input / scale, target)
  }
)

read_survey = function() {
  survey = utils::read.csv("pystrat/data/nsch_2017.csv.gz", na.strings = "", stringsAsFactors = TRUE)
  survey = survey[!is.na(survey$autism), ]
  survey$autism = factor(survey$autism, levels = c("yes", "no"))
  survey
}

survey_task = function(survey) {
  task = as_task_classif(survey, target = "autism", positive = "yes", id = "nsch_2017")
  task$select(setdiff(task$feature_names, c("survey_weight", "age_group")))
  task
}

# Rows of the test set: a quarter of the children of each class.
test_rows = function(survey) {
  set.seed(2017)
  unlist(lapply(split(seq_len(nrow(survey)), survey$autism), function(rows) sample(rows, round(length(rows) / 4))))
}

# Words one-hot, numbers standardised, an indicator for what is missing, and a network with one hidden layer.
# Without a batch sampler, mlr3torch shuffles the rows. A batch without positives has an AUM whose gradient is 0, and is
# not skipped as in Python. The rows are made tensors once (`tensor_dataset`), which saves most of the time.
make_learner = function(loss, batches, promise, learning_rate, n_batches, n_rows, seed) {
  network = lrn("classif.mlp",
    neurons = 16, p = 0, epochs = 10, opt.lr = learning_rate, seed = seed, predict_type = "prob",
    batch_size = ceiling(n_rows / n_batches), tensor_dataset = TRUE,
    loss = if (loss == "AUM") nn_scaled_aum_loss else t_loss("cross_entropy")
  )
  if (batches == "stratified") {
    network$param_set$set_values(batch_sampler = rbridge::batch_sampler_stratified(promise, seed = seed))
  }
  as_learner(
    gunion(list(po("nop"), po("missind"))) %>>% po("featureunion") %>>% po("imputemedian") %>>% po("imputeoor") %>>%
      po("encode") %>>% po("scale") %>>% network
  )
}

# The area under the ROC curve, with weights: the share of pairs of a positive and a negative row in the right order.
area = function(scores, positive, weights) {
  negative = order(scores[!positive])
  below = c(0, cumsum(weights[!positive][negative]))
  sorted = scores[!positive][negative]
  wins = below[findInterval(scores[positive], sorted, left.open = TRUE) + 1]
  ties = below[findInterval(scores[positive], sorted) + 1] - wins
  sum(weights[positive] * (wins + ties / 2)) / (sum(weights[positive]) * sum(weights[!positive]))
}

# Trains and evaluates one network: the area of the sample, and of the population that the survey weights stand for.
train_once = function(setting, seed, survey, task, test) {
  train = setdiff(seq_len(nrow(survey)), test)
  n_batches = sum(survey$autism[train] == "yes") %/% setting$promise
  learner = make_learner(setting$loss, setting$batches, setting$promise, setting$learning_rate, n_batches,
    length(train), seed)
  learner$train(task, row_ids = train)
  scores = learner$predict(task, row_ids = test)$prob[, "yes"]
  positive = survey$autism[test] == "yes"
  data.frame(setting, seed, auc = area(scores, positive, rep(1, length(test))),
    auc_weighted = area(scores, positive, survey$survey_weight[test]))
}

# Of each setting the learning rate with the largest mean area on the validation rows of autism_training.py.
chosen_settings = function() {
  tuning = utils::read.csv("vignettes/autism_results/tuning.csv")
  means = stats::aggregate(auc ~ loss + batches + promise + learning_rate, tuning, mean)
  best = do.call(rbind, lapply(split(means, means[c("promise", "loss", "batches")]), function(setting) {
    setting[which.max(setting$auc), ]
  }))
  best[c("loss", "batches", "promise", "learning_rate")]
}

# The results of all runs, with a bar on a terminal, and nothing elsewhere.
for_each_run = function(n_runs, train_run) {
  numbers = if (cli::is_dynamic_tty()) cli::cli_progress_along(seq_len(n_runs), "training") else seq_len(n_runs)
  do.call(rbind, lapply(numbers, train_run))
}

main = function(n_seeds = 10) {
  if (!torch::torch_is_installed()) {
    stop("Training in R needs LibTorch: torch::install_torch().", call. = FALSE)
  }
  survey = read_survey()
  task = survey_task(survey)
  test = test_rows(survey)
  settings = chosen_settings()
  runs = expand.grid(setting = seq_len(nrow(settings)), seed = seq_len(n_seeds))
  results = for_each_run(nrow(runs), function(run) {
    train_once(settings[runs$setting[run], ], runs$seed[run], survey, task, test)
  })
  utils::write.csv(results, "vignettes/autism_results/runs_in_r.csv", row.names = FALSE)
}

if (sys.nframe() == 0) {
  arguments = commandArgs(trailingOnly = TRUE)
  main(if (length(arguments) > 0) as.integer(arguments[1]) else 10)
}
