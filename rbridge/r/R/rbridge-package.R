#' @details
#' [batch_sampler_stratified()] makes a batch sampler for [torch::dataloader()] and for the learners of mlr3torch.
#' [batch_sampler_downsampled()] makes one with all rows of the rare class and, each epoch, a fresh part of the others.
#' [batch_sampler_uniform()], [batch_sampler_weighted()] and [batch_sampler_prioritized()] draw rows alike, by weights
#' that a training may change, and by priorities; [sum_tree()] does so for a training loop of your own.
#' [batch_sampler_multilabel()] makes one for rows with any number of labels.
#' [batch_sampler_pairs()] makes one of observed pairs of users and items and fresh pairs that were not observed.
#' [batch_sampler_triples()] makes one of observed pairs, each with fresh items that its user did not meet.
#' [batch_sampler_epoch_subset()] and [batch_sampler_perplexity()] visit part of the examples in each epoch.
#' [batch_sampler_corpus_mixture()] mixes files of text by rules, and [corpus_dataset()] reads their lines.
#' [batch_sampler_rare_events()] makes one of all lines of some files and a fresh part of others, for rare events.
#' [batch_sampler_tree()] makes one that draws rows of a table as a tree declares it, and [auxiliary_dataset()] makes a
#' dataset that gets the values drawn with them.
#' [stratum_codes()] holds strata that are already numbered, as another program hands them over.
#' [collect_rows()] shows which rows a dataloader delivers, batch by batch.
#' [batch_plan()] shows the batches before any training, [min_samples_for_batch_size()] chooses the promise by their
#' size, and [bin_target()] makes strata of a numeric target.
#'
#' An error about an argument is a condition of the class `"rbridge_refusal"` with the fields `name`, of the function or
#' class that refuses the argument, `parameter`, `requirement`, `got` and `advice`, of which the message is made.
#'
#' The package needs neither Python nor LibTorch to make batches: [torch::torch_is_installed()] may be `FALSE`.
#'
#' @useDynLib rbridge, .registration = TRUE
#' @importFrom R6 R6Class
#' @keywords internal
"_PACKAGE"

# The methods of an R6 class find these in the environment of the instance, and `.data` ggplot2 in the data.
utils::globalVariables(c("self", "private", "super", ".data"))

.onLoad = function(libname, pkgname) { # nolint
  namespace = topenv()
  namespace$nn_aum_loss = make_nn_aum_loss(namespace)
  # Whichever of the two packages is loaded first.
  setHook(packageEvent("mlr3torch", "onLoad"), function(...) register_set_epoch_callback())
  if (isNamespaceLoaded("mlr3torch")) {
    register_set_epoch_callback()
  }
}
