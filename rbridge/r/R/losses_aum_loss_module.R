#' @title AUM Loss
#'
#' @description
#' A loss for binary classification: the area under the minimum of the false positive rate and the false negative rate,
#' over all thresholds.
#' It is 0 if and only if no negative row is predicted above a positive one: the ROC curve then reaches its corner.
#' Unlike the area under the ROC curve, it has a useful gradient everywhere else.
#' It needs rows of both classes in every batch, which [batch_sampler_stratified()] guarantees.
#'
#' `aum_loss` is a generator of torch modules, like [torch::nn_bce_with_logits_loss].
#' The Python class `pystrat.losses.AUMLoss` returns the same values and the same gradients.
#'
#' @return A torch module, a function of
#' * `input`: the predictions, a tensor of floating-point numbers of shape `(n)` or `(n, 1)`, of any scale, such as
#'   logits.
#'   Larger means positive.
#' * `target`: the labels, a tensor of shape `(n)` or `(n, 1)` of logical values or numbers, 1 for positive rows and 0
#'   for negative rows.
#'
#' It returns the loss as a scalar tensor.
#'
#' @section The loss:
#' A row is predicted positive if its prediction is above the threshold.
#' The false positive rate is the share of the negatives that are predicted positive, the false negative rate the share
#' of the positives that are not.
#' The loss is the sum, over the distinct predictions in order, of the minimum of the two rates between two neighbors
#' times the distance between them.
#' It follows that
#' * tied predictions are one threshold, and the order of the rows does not matter;
#' * the loss is a sum, not a mean: its unit is that of the predictions, whatever the number of rows;
#' * adding the same number to all predictions does not change it;
#' * a batch of one class has loss 0 and gradient 0.
#'
#' Its time is `O(n log n)`, because predictions are sorted.
#' R sorts them on the CPU, whatever the device of the tensors.
#' Floating-point types shorter than 32 bits are computed with 32 bits.
#'
#' `torch::nn_aum_loss` of torch 0.17.0 differs: its value is too small if the two largest predictions are tied.
#' For the predictions 2, 2, -1, -3.5 of rows with the labels 0, 1, 1, 0, it returns 0 instead of 1.5.
#'
#' @section The gradient:
#' The loss is piecewise linear.
#' The gradient is the slope of its piece, computed from counts of rows in exact integers.
#' If predictions are tied, pieces may meet.
#' The gradient there is the mean of two: one with the tied negatives just above the tied positives, one with them just
#' below, each divided equally among the tied rows of a class.
#' This is a subgradient, and the gradient itself if there is one.
#' If at most two rows are tied, it is the mean of the derivatives from the left and from the right.
#' So if all predictions are tied, the loss is 0, but the gradient still separates the classes.
#'
#' @section Use in mlr3torch:
#' Pass the generator to a learner as `loss`.
#' It works only for binary tasks, where mlr3torch makes one prediction per row, and labels are 1 for the positive class
#' of the task.
#' With more classes, or in regression, it raises an error at the first batch.
#'
#' @source
#' J. Hillman and T. D. Hocking, "Optimizing ROC curves with a sort-based surrogate loss for binary classification and
#' changepoint detection", Journal of Machine Learning Research 24(70), 2023.
#' The paper uses counts or rates of errors; this loss uses rates, so that a rare class has the same weight as a
#' frequent one.
#'
#' @seealso [batch_sampler_stratified()] for batches with rows of both classes.
#'
#' @export
#' @examples
#' if (torch::torch_is_installed()) {
#'   predictions = torch::torch_tensor(c(2, -3.5, -1, 1.5), requires_grad = TRUE)
#'   loss = aum_loss()(predictions, torch::torch_tensor(c(0, 0, 1, 1)))
#'   print(loss$item())
#'   loss$backward()
#'   predictions$grad
#' }
#'
#' # in mlr3torch
#' if (requireNamespace("mlr3torch", quietly = TRUE)) {
#'   mlr3::lrn("classif.mlp",
#'     epochs = 10, batch_size = 100, loss = rbridge::aum_loss,
#'     batch_sampler = batch_sampler_stratified(min_samples_per_stratum = 3)
#'   )
#' }
aum_loss = NULL

# A module inherits from a class that is internal to torch and changes between versions.
# If it was made when this package is built, it would contain the class of the torch version at that time; .onLoad()
# makes it.
make_aum_loss = function(namespace) {
  torch::nn_module(
    c("aum_loss", "nn_loss"),
    initialize = function() NULL,
    forward = function(input, target) aum_of_tensors(input, target),
    parent_env = namespace
  )
}
