#' @title Batch Sampler for Rows With Several Labels
#'
#' @description
#' Creates a batch sampler with a minimum number of rows of every label in every batch, for rows with any number of
#' labels.
#' \twin{MultilabelBatchSampler}{multilabel}
#'
#' @inheritParams batch_sampler_stratified
#' @param labels (`matrix()` or `data.frame()` of `logical()`, `numeric()` or text, `list()`, or `character()`)\cr
#'   One row for each row of the dataset and one column for each label: 1 or `TRUE` if the row has the label, else 0 or
#'   `FALSE`.
#'   Every label has at least one row.
#'   In a column of text or a factor, each value is a label, such as `"color=red"`.
#'   A sparse matrix of the package Matrix is accepted as well; [labels_of_masks()] returns the labels of masks.
#'   Or a list with the labels of each row as text, such as `list(c("cat", "dog"), "dog", character())`.
#'   Or the names of such columns of the task, for a task that mlr3 splits, resamples or reorders.
#' @eval described("MultilabelBatchSampler", "min_samples_per_label", "mean_batch_size", "max_batches", "rare")
#' @eval members("MultilabelBatchSampler",
#'   "min_samples_per_label(): returns the minimum number of rows of every label in every batch, given or found.",
#'   "label_counts(epoch)", "shortfalls(epoch)")
#'
#' @export
#' @examples
#' labels = cbind(rain = rep(c(1, 0), c(6, 12)), wind = rep(c(0, 1, 0), c(4, 5, 9)))
#' generator = batch_sampler_multilabel(labels, min_samples_per_label = 2, seed = 1)
#' sampler = generator(NULL)
#' sampler$label_counts(epoch = 0)
#' nrow(sampler$shortfalls(epoch = 0))
batch_sampler_multilabel = function(labels, min_samples_per_label = NULL, mean_batch_size = NULL, max_batches = NULL,
  rare = "error", shuffle = TRUE, seed = NULL, num_replicas = NULL) {
  sampler_of("multilabel")
}

kind_multilabel = function() {
  table_kind("multilabel",
    of_rows = "labels",
    methods = list(
      min_samples_per_label = function() as.integer(private$.recipe$parts$found[2L]),
      label_counts = function(epoch = self$epoch) {
        label_table(held_labels(private, epoch), private$.recipe$labels$names)
      },
      shortfalls = function(epoch = self$epoch) {
        held = t(held_labels(private, epoch))
        missing = private$.recipe$parts$found[2L] - held
        places = which(missing > 0, arr.ind = TRUE, useNames = FALSE)
        data.frame(batch = places[, 2L], label = private$.recipe$labels$names[places[, 1L]], rows = held[places],
          missing = missing[places])
      }
    )
  )
}

# The rows of each label in each batch of an epoch, one row per batch.
held_labels = function(private, epoch) {
  epoch = check_epoch(epoch)
  matrix(core_batches(private, epoch)$held, ncol = length(private$.recipe$labels$names), byrow = TRUE)
}
