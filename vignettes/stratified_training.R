# What the vignette stratified-batches shows of R's data loader, which needs LibTorch (torch::install_torch()) to
# shuffle.
# It writes into vignettes/stratified_results/. Call it in the folder of the repository:
#   Rscript vignettes/stratified_training.R

source("tools/libtorch.R")

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

if (sys.nframe() == 0) {
  check_libtorch()
  utils::write.csv(shuffled_batches(), "vignettes/stratified_results/shuffled_in_r.csv", row.names = FALSE)
}
