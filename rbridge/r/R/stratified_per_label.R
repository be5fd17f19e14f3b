#' @title Batch Sampler of Labels With Positives and Negatives of Their Own
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()].
#' Every batch has some of many labels, and for each of them rows that have the label, its positives, and rows that do
#' not, its negatives.
#' It is for losses of several binary tasks, such as areas under ROC curves.
#'
#' It yields numbers for pairs of a row and a label; [decode_pairs()] and [pair_dataset()] turn them into
#' rows and labels.
#' The Python class `pystrat.PerLabelBatchSampler` returns the same numbers from the same seed.
#' Its documentation has the guarantees and the rule.
#'
#' Guide: \guide{multilabel}.
#'
#' @inheritParams batch_sampler_stratified
#' @param labels (`matrix()`, `data.frame()`, sparse matrix or `character()`)\cr
#'   The labels of the rows, as in [batch_sampler_multilabel()]: 1 or `TRUE` if the row has the label.
#'   Or the names of columns of the task.
#' @param positives_per_label (`integer(1)`)\cr
#'   k, the number of rows with the label, for each label of a batch.
#' @param negatives_per_label (`integer(1)`)\cr
#'   l, the number of rows without the label, for each label of a batch.
#' @param labels_per_batch (`integer(1)`)\cr
#'   P, the number of labels in a batch.
#'   `NULL` (default): all L labels.
#' @param n_batches (`integer(1)`)\cr
#'   The number of batches of an epoch.
#'   `NULL` (default): `n_rows %/% (P * (k + l))`, and at least 1.
#' @return A generator of class `"batch_sampler_per_label"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], where `rows` are numbers (`double()`), and
#' * `labels()`: returns the names of the labels (`character()`);
#' * `class_weights(normalize = FALSE)`: returns the training weight of the positives and of the negatives of each label
#'   (`data.frame()` with the columns `label`, `positives` and `negatives`), the rows with the label, or without it,
#'   divided by their mean number in an epoch; if `normalize`, divided by their mean over all epochs, so that the
#'   learning rate keeps its scale;
#' * `weights(numbers, normalize = FALSE)`: returns the weight of each of `numbers`, such as those of a batch
#'   (`double()`); `NA` for a number that is in no batch.
#'
#' @source
#' The method is that of `TriSampler` in LibAUC (Z. Yuan and others, "LibAUC: A Deep Learning Library for X-Risk
#' Optimization", 2023), with exact counts.
#'
#' @seealso [batch_sampler_multilabel()] for rows of all labels in every batch.
#'
#' @export
#' @examples
#' labels = cbind(rain = rep(c(1, 0), c(3, 9)), wind = rep(c(0, 1), c(7, 5)))
#' generator = batch_sampler_per_label(labels, 1, 2, seed = 1)
#' sampler = generator(NULL)
#' decode_pairs(sampler$batches(0)[[1]], n_items = 2, item_ids = sampler$labels())
batch_sampler_per_label = function(labels, positives_per_label, negatives_per_label, labels_per_batch = NULL,
  n_batches = NULL, seed = NULL, num_replicas = NULL) {
  request_generator("per_label", list(labels = labels, positives_per_label = positives_per_label,
    negatives_per_label = negatives_per_label, labels_per_batch = labels_per_batch, n_batches = n_batches, seed = seed,
    num_replicas = num_replicas))
}

kind_per_label = function() {
  plans = plans_of_labels("per_label", c("n_batches", "num_replicas"))
  core_kind(
    class = "batch_sampler_per_label",
    plan = plans$plan,
    plan_settings = plans$plan_settings,
    vectors = list(
      parts = c("n_rows", "n_labels", "n_batches", "labels_per_batch", "positives_per_label", "negatives_per_label",
        "counts", "positives"),
      labels = c("n_batches", "num_replicas", "names")
    ),
    bytes = function(recipe) {
      parts = recipe$parts
      n_chosen = parts$n_batches * parts$labels_per_batch
      40 * (parts$n_rows + parts$n_labels) + 40 * parts$n_batches +
        (16 + 40 * (parts$positives_per_label + parts$negatives_per_label)) * n_chosen
    },
    fits = function(recipe, data_source, task) check_given_values("labels", task),
    check = check_multilabel,
    describe = function(private) {
      c(format_per_label(private$.recipe), format_shuffled(private$.recipe, private$.place$epoch))
    },
    settings = function(recipe) {
      settings = recipe$labels[setdiff(names(recipe$labels), "names")]
      c(format_labels(settings), format_seed(recipe), format_per_label(recipe))
    },
    methods = list(
      labels = function() private$.recipe$labels$names,
      class_weights = function(normalize = FALSE) {
        weights = weights_of_signs(private$.recipe$parts, check_flag(normalize, "normalize"))
        data.frame(label = private$.recipe$labels$names, weights)
      },
      weights = function(numbers, normalize = FALSE) {
        parts = private$.recipe$parts
        weights_of_numbers(parts, weights_of_signs(parts, check_flag(normalize, "normalize")), numbers)
      }
    )
  )
}

# The weights of the positives and of the negatives of each label.
weights_of_signs = function(parts, normalize) {
  available = list(positives = parts$counts, negatives = parts$n_rows - parts$counts)
  each = list(positives = parts$positives_per_label, negatives = parts$negatives_per_label)
  n_chosen = parts$n_batches * parts$labels_per_batch
  Map(function(available, own) {
    if (normalize) {
      available * (each$positives + each$negatives) / (parts$n_rows * own)
    } else {
      available * parts$n_labels / (n_chosen * own)
    }
  }, available, each)
}

# Those of numbers for a row and a label; NA for a number that is in no batch.
weights_of_numbers = function(parts, weights, numbers) {
  limit = 2 * parts$n_rows * parts$n_labels
  numbers = check_row_positions(numbers, limit - 1, "numbers", "numbers of rows and labels", 0)
  pair = numbers %/% 2
  label = pair %% parts$n_labels
  positives = rep((seq_len(parts$n_labels) - 1) * parts$n_rows, parts$counts) + parts$positives
  is_positive = (label * parts$n_rows + pair %/% parts$n_labels) %in% positives
  has = numbers %% 2 == 1
  found = ifelse(has, weights$positives[label + 1], weights$negatives[label + 1])
  found[has != is_positive] = NA
  found
}

format_per_label = function(recipe) {
  parts = recipe$parts
  c(
    sprintf("* Rows: %.0f", parts$n_rows),
    sprintf("* Labels: %.0f: %s", parts$n_labels, show_names(recipe$labels$names)),
    sprintf("* Batches: %.0f, of %s with %s and %s each", parts$n_batches, show_count(parts$labels_per_batch, "label"),
      show_count(parts$positives_per_label, "positive"), show_count(parts$negatives_per_label, "negative"))
  )
}
