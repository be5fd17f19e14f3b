# The training of the vignette autism-nsch in R, with mlr3torch: the children, inputs, settings, first weights and
# stratified batches of autism_training.py, and the learning rates that were chosen there. It needs LibTorch
# (torch::install_torch()), and writes runs_in_r.csv and about_in_r.json into vignettes/autism_results/. Call it in the
# folder of the repository, with the number of seeds:
#   OMP_NUM_THREADS=1 Rscript vignettes/autism_training.R 10

library(mlr3)
library(mlr3torch)
source("tools/libtorch.R")

results_folder = "vignettes/autism_results"

# The loss of autism_training.py: the AUM of predictions divided by their mean absolute deviation from the median.
nn_scaled_aum_loss = torch::nn_module(c("nn_scaled_aum_loss", "nn_loss"),
  initialize = function() self$aum = rbridge::aum_loss(),
  forward = function(input, target) {
    scale = torch::torch_clamp(torch::torch_mean(torch::torch_abs(input - torch::torch_median(input))), min = 1e-6)
    self$aum(input / scale, target)
  }
)

# The data -------------------------------------------------------------------------------------------------------------

read_survey = function() {
  survey = utils::read.csv("data/nsch_2017.csv.gz", na.strings = "")
  survey[!is.na(survey$autism), ]
}

# The rows for training and for testing, in the order that they have in Python, which counts rows from 0.
read_split = function() {
  split = utils::read.csv(file.path(results_folder, "split.csv.gz"))
  split(split$row + 1L, split$part)
}

# The inputs of the network as in Python: words one-hot, numbers standardized, an indicator for what is missing.
# Medians, means and categories are those of the rows `fitted_on`.
prepare = function(survey, fitted_on) {
  predictors = survey[setdiff(names(survey), c("autism", "survey_weight", "age_group"))]
  is_word = vapply(predictors, is.character, logical(1))
  one_hot = lapply(predictors[is_word], function(word) {
    word[is.na(word)] = "missing"
    outer(word, sort(unique(word[fitted_on]), method = "radix"), "==") + 0
  })
  numbers = predictors[!is_word]
  filled = lapply(numbers, function(number) {
    replace(number, is.na(number), stats::median(number[fitted_on], na.rm = TRUE))
  })
  missing = lapply(Filter(function(number) anyNA(number[fitted_on]), numbers), is.na)
  standardized = vapply(c(filled, missing), function(number) {
    center = mean(number[fitted_on])
    (number - center) / sqrt(mean((number[fitted_on] - center)^2))
  }, numeric(nrow(survey)))
  inputs = cbind(do.call(cbind, one_hot), standardized)
  dimnames(inputs) = list(NULL, sprintf("input_%03d", seq_len(ncol(inputs))))
  inputs
}

# What is known of the children in these rows: the inputs, which ones are positive, and the survey weights.
children_of = function(survey, inputs, rows) {
  list(inputs = inputs[rows, ], positive = survey$autism[rows] == "yes", weights = survey$survey_weight[rows])
}

as_task = function(children, id) {
  data = data.frame(children$inputs, y = factor(ifelse(children$positive, "yes", "no"), levels = c("yes", "no")))
  as_task_classif(data, target = "y", positive = "yes", id = id)
}

# Training -------------------------------------------------------------------------------------------------------------

# A network with one hidden layer. Without a batch sampler mlr3torch shuffles the rows. The rows are made tensors once
# (`tensor_dataset`), which saves most of the time.
make_learner = function(setting, seed, n_rows, n_batches, callbacks = list(), neurons = 16, epochs = 10) {
  learner = lrn("classif.mlp",
    neurons = neurons, p = 0, epochs = epochs, opt.lr = setting$learning_rate, seed = seed, predict_type = "prob",
    batch_size = ceiling(n_rows / n_batches), tensor_dataset = TRUE, device = "cpu",
    loss = if (setting$loss == "AUM") nn_scaled_aum_loss else t_loss("cross_entropy"), callbacks = callbacks
  )
  if (setting$batches == "stratified") {
    learner$param_set$set_values(batch_sampler = rbridge::batch_sampler_stratified(setting$minimum, seed = seed))
  }
  learner
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

# The MD5 sum of a list of batches, given by the rows of each, counted from 1.
batches_md5 = function(batches) {
  cli::hash_md5(paste(vapply(batches, paste, "", collapse = " "), collapse = "\n"))
}

# A callback that keeps, for each epoch, what the batches were and how good the network is on `test` after it. A batch
# without positives has an AUM whose gradient is 0; it is counted, and not skipped as in Python.
callback_history = function(train, test) {
  inputs = torch::torch_tensor(test$inputs)
  target = torch::torch_tensor(test$positive + 0)
  torch_callback("history_of_epochs",
    initialize = function() self$epochs = list(),
    on_epoch_begin = function() self$batches = list(),
    on_batch_begin = function() {
      self$batches[[self$ctx$step]] = as.integer(self$ctx$batch$.index)
    },
    on_epoch_end = function() {
      torch::with_no_grad({
        output = self$ctx$network(inputs)$squeeze(2)
        aum = nn_scaled_aum_loss()(output, target)$item()
      })
      scores = as.numeric(output)
      without = vapply(self$batches, function(rows) !any(train$positive[rows]), logical(1))
      self$epochs[[self$ctx$epoch]] = data.frame(
        epoch = self$ctx$epoch, batches_an_epoch = length(without), without = sum(without),
        auc = area(scores, test$positive, rep(1, length(scores))),
        auc_weighted = area(scores, test$positive, test$weights), aum = aum, batches_md5 = batches_md5(self$batches)
      )
    },
    state_dict = function() do.call(rbind, self$epochs),
    load_state_dict = function(state_dict) self$epochs = split(state_dict, state_dict$epoch)
  )
}

# Trains one network; one row an epoch. Further arguments are those of make_learner().
train_once = function(setting, seed, train, test, task, ...) {
  n_batches = sum(train$positive) %/% setting$minimum
  learner = make_learner(setting, seed, length(train$positive), n_batches, list(callback_history(train, test)), ...)
  learner$train(task)
  data.frame(setting, seed, learner$model$callbacks$history_of_epochs, row.names = NULL)
}

# Of each setting the learning rate with the largest mean area on the validation rows of autism_training.py.
chosen_settings = function() {
  tuning = utils::read.csv(file.path(results_folder, "tuning.csv"))
  means = stats::aggregate(auc ~ loss + batches + minimum + learning_rate, tuning, mean)
  best = do.call(rbind, lapply(split(means, means[c("minimum", "loss", "batches")]), function(setting) {
    setting[which.max(setting$auc), ]
  }))
  best[c("loss", "batches", "minimum", "learning_rate")]
}

# The rows of all runs below one another, with a bar on a terminal, and nothing elsewhere.
for_each_run = function(n_runs, train_run) {
  runs = if (cli::is_dynamic_tty()) cli::cli_progress_along(seq_len(n_runs), "training") else seq_len(n_runs)
  do.call(rbind, lapply(runs, train_run))
}

# The results of all settings and seeds.
train_all = function(settings, seeds, train, test, task, ...) {
  runs = expand.grid(setting = seq_len(nrow(settings)), seed = seeds)
  results = for_each_run(nrow(runs), function(run) {
    train_once(settings[runs$setting[run], ], runs$seed[run], train, test, task, ...)
  })
  measures = c("auc", "auc_weighted", "aum")
  results[measures] = round(results[measures], 4)
  results
}

# The results --------------------------------------------------------------------------------------------------------

write_about = function(file, ...) {
  about = list(..., versions = as.list(training_versions()), date = format(Sys.Date()))
  jsonlite::write_json(about, file, auto_unbox = TRUE, pretty = 2)
}

main = function(n_seeds = 10) {
  check_libtorch()
  survey = read_survey()
  rows = read_split()
  inputs = prepare(survey, rows$rest)
  train = children_of(survey, inputs, rows$rest)
  test = children_of(survey, inputs, rows$test)
  results = train_all(chosen_settings(), seq_len(n_seeds), train, test, as_task(train, "nsch_2017"))
  utils::write.csv(results, file.path(results_folder, "runs_in_r.csv"), row.names = FALSE)
  write_about(file.path(results_folder, "about_in_r.json"), seeds = seq_len(n_seeds), epochs = 10, hidden_units = 16,
    inputs = ncol(inputs), rows = lengths(rows))
}

if (sys.nframe() == 0) {
  arguments = commandArgs(trailingOnly = TRUE)
  main(if (length(arguments) > 0) as.integer(arguments[1]) else 10)
}
