#' @details
#' [batch_sampler_stratified()] creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch,
#' with a minimum number of rows of every stratum in every batch.
#' [batch_sampler_instance] describes what all samplers have in common; the guide \guide{samplers} helps to choose one.
#' [tensor_loader()] and the callback [rbridge.tensor_loader] make an epoch fast if the data are in memory.
#' [aum_loss] is a loss for such batches, and [stratified_split()] divides rows into parts, such as training and test.
#'
#' An error about an argument is a condition of class `"rbridge_refusal"`.
#' Its message consists of the fields `parameter`, `requirement`, `got` and `advice`.
#'
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
