#' @title Batch Sampler of Labels With Positives and Negatives of Their Own
#'
#' @description
#' Creates a batch sampler whose every batch has some of many labels, and for each of them rows that have the label, its
#' positives, and rows that do not, its negatives.
#' It yields numbers for pairs of a row and a label; [decode_pairs()] and [pair_dataset()] turn them into rows and
#' labels.
#' \twin{PerLabelBatchSampler}{multilabel}
#'
#' @inheritParams batch_sampler_stratified
#' @param labels (`matrix()`, `data.frame()`, sparse matrix or `character()`)\cr
#'   The labels of the rows, as in [batch_sampler_multilabel()].
#' @eval described("PerLabelBatchSampler", "positives_per_label", "negatives_per_label", "labels_per_batch",
#'   "n_batches")
#' @eval members("PerLabelBatchSampler", "labels(): returns the names of the labels.", "class_weights(normalize)",
#'   "weights(numbers, normalize)")
#'
#' @export
#' @examples
#' labels = cbind(rain = rep(c(1, 0), c(3, 9)), wind = rep(c(0, 1), c(7, 5)))
#' generator = batch_sampler_per_label(labels, 1, 2, seed = 1)
#' sampler = generator(NULL)
#' decode_pairs(sampler$batches(0)[[1]], n_items = 2, item_ids = sampler$labels())
batch_sampler_per_label = function(labels, positives_per_label, negatives_per_label, labels_per_batch = NULL,
  n_batches = NULL, seed = NULL, num_replicas = NULL) {
  sampler_of("per_label")
}

kind_per_label = function() {
  table_kind("per_label",
    of_rows = "labels",
    n_rows = function(recipe) NULL, # batches are numbers of pairs
    methods = list(
      labels = function() private$.recipe$labels$names,
      class_weights = function(normalize = FALSE) {
        weights = matrix(stratum_weights(private, normalize), ncol = 2L)
        data.frame(label = private$.recipe$labels$names, positives = weights[, 2L], negatives = weights[, 1L])
      },
      # A number that is in no batch has no weight. Those of the core are of the negatives of each label, then of the
      # positives.
      weights = function(numbers, normalize = FALSE) {
        parts = private$.recipe$parts
        weights = stratum_weights(private, normalize)
        n_labels = length(weights) / 2
        most = 2 * length(parts$codes) * n_labels - 1
        numbers = check_positions(numbers, most, "numbers", "numbers of rows and labels", 0)
        pair = numbers %/% 2
        label = pair %% n_labels
        set = as.integer(parts$codes[pair %/% n_labels + 1])
        has = numbers %% 2
        ifelse(parts$sets[set * n_labels + label + 1] == as.raw(has), weights[label + 1 + n_labels * has], NA_real_)
      }
    )
  )
}
