#' @details
#' [batch_sampler_stratified()] creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch,
#' with a minimum number of rows of every stratum in every batch.
#' [batch_sampler_downsampled()] takes all rows of the rare class and, in each epoch, a new part of the others.
#' [batch_sampler_uniform()], [batch_sampler_weighted()] and [batch_sampler_prioritized()] draw rows uniformly, by
#' weights that training may change, and by priorities; [sum_tree()] draws rows in your own training loop.
#' [batch_sampler_multilabel()] is for rows with any number of labels.
#' [batch_sampler_pairs()] mixes observed pairs of users and items with new pairs that were not observed.
#' [batch_sampler_triples()] takes observed pairs, each with new items that its user has not met.
#' [batch_sampler_epoch_subset()] and [batch_sampler_perplexity()] visit part of the examples in each epoch.
#' [batch_sampler_corpus_mixture()] mixes files of text by rules, and [corpus_dataset()] reads their lines.
#' [batch_sampler_rare_events()] takes all lines of some files and a new part of others, for rare events.
#' [batch_sampler_tree()] draws rows of a table as a tree declares it, and [auxiliary_dataset()] makes a dataset that
#' receives the values drawn with them.
#' [batch_sampler_instance] describes what all of these samplers have in common.
#' [stratum_codes()] holds strata that another program has already numbered.
#' [tensor_loader()] and the callback [rbridge.tensor_loader] make an epoch fast if the data are in memory.
#' The measures [classif.rocaum and classif.invauc][rbridge.measures] of mlr3 are those of the AUM loss and of AUC.
#' [collect_rows()] shows which rows a dataloader delivers, batch by batch.
#' [batch_plan()] shows the batches before training, [min_samples_for_batch_size()] chooses the minimum by batch size,
#' and [bin_target()] makes strata of a numeric target.
#' [stratified_split()] and the resampling [rbridge.stratified_split] divide rows into parts, such as training and test.
#'
#' An error about an argument is a condition of class `"rbridge_refusal"`.
#' Its field `name` is the function or class that refuses the argument; its message consists of the fields `parameter`,
#' `requirement`, `got` and `advice`.
#'
#' `browseVignettes("rbridge")` lists the vignettes, such as `vignette("stratified-batches", package = "rbridge")`.
#' To get them, install the package from a tarball, which `R CMD build rbridge/r` makes; `R CMD INSTALL rbridge/r`
#' installs the package from the folder, without vignettes.
#' The guide \guide{samplers} helps to choose a sampler.
#' The package needs neither Python nor LibTorch to make batches: [torch::torch_is_installed()] may be `FALSE`.
#'
#' @useDynLib rbridge, .registration = TRUE
#' @importFrom R6 R6Class
#' @keywords internal
"_PACKAGE"

# The methods of an R6 class find these in the environment of the instance; ggplot2 finds `.data` in the data.
utils::globalVariables(c("self", "private", "super", ".data"))

register_in_mlr3 = function() {
  mlr3::mlr_resamplings$add("rbridge.stratified_split", ResamplingStratifiedSplit)
  mlr3::mlr_measures$add("classif.rocaum", MeasureROCAUM)
  mlr3::mlr_measures$add("classif.invauc", MeasureInvAUC)
}

.onLoad = function(libname, pkgname) { # nolint
  namespace = topenv()
  namespace$aum_loss = make_aum_loss(namespace)
  # The two packages may be loaded in any order.
  setHook(packageEvent("mlr3torch", "onLoad"), function(...) register_callbacks())
  if (isNamespaceLoaded("mlr3torch")) {
    register_callbacks()
  }
  setHook(packageEvent("mlr3", "onLoad"), function(...) register_in_mlr3())
  if (isNamespaceLoaded("mlr3")) {
    register_in_mlr3()
  }
}
