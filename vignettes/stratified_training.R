# What the vignette stratified-batches shows of R's data loader and of training in mlr3torch. It needs LibTorch
# (torch::install_torch()), and writes into vignettes/stratified_results/. Call it in the folder of the repository, with
# the number of seeds:
#   OMP_NUM_THREADS=1 Rscript vignettes/stratified_training.R 3

source("vignettes/autism_training.R")

# The published labels, 600 of 20,000 rows positive, and two measurements that tend to be larger in positive rows.
simulate = function() {
  set.seed(1)
  autism = rep(c(1, 0), times = c(600, 19400))
  data.frame(
    autism = factor(ifelse(autism == 1, "yes", "no"), levels = c("yes", "no")),
    x1 = rnorm(20000, mean = autism), x2 = rnorm(20000, mean = autism)
  )
}

# The number of positive rows in each batch of 100 that torch's own data loader makes of the published labels.
shuffled_batches = function() {
  labels = torch::dataset(
    initialize = function() self$labels = rep(c(1, 0), times = c(600, 19400)),
    .getbatch = function(index) self$labels[index],
    .length = function() 20000L
  )()
  torch::torch_manual_seed(1)
  batches = coro::collect(torch::dataloader(labels, batch_size = 100, shuffle = TRUE))
  positives = vapply(batches, function(batch) sum(torch::as_array(batch)), 0)
  data.frame(batch = seq_along(batches), positives)
}

# Every fourth row is for testing.
simulated_children = function(is_test) {
  data = simulate()[(seq_len(20000) %% 4 == 0) == is_test, ]
  list(inputs = as.matrix(data[c("x1", "x2")]), positive = data$autism == "yes", weights = rep(1, nrow(data)))
}

stratified_main = function(n_seeds = 3, epochs = 5, neurons = 8, folder = "vignettes/stratified_results") {
  check_libtorch()
  utils::write.csv(shuffled_batches(), file.path(folder, "shuffled_in_r.csv"), row.names = FALSE)
  settings = expand.grid(batches = c("plain", "stratified"), loss = c("cross-entropy", "AUM"), minimum = c(1, 3),
    learning_rate = 0.003, stringsAsFactors = FALSE)
  train = simulated_children(is_test = FALSE)
  results = train_all(settings, seq_len(n_seeds), train, simulated_children(is_test = TRUE),
    as_task(train, "simulated"), neurons = neurons, epochs = epochs)
  results = results[setdiff(names(results), c("auc_weighted", "batches_md5"))]
  utils::write.csv(results, file.path(folder, "runs_in_r.csv"), row.names = FALSE)
  write_about(file.path(folder, "about_in_r.json"), seeds = seq_len(n_seeds), epochs = epochs, hidden_units = neurons)
}

if (sys.nframe() == 0) {
  arguments = commandArgs(trailingOnly = TRUE)
  stratified_main(if (length(arguments) > 0) as.integer(arguments[1]) else 3)
}
