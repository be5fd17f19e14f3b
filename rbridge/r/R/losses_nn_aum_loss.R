#' @title AUM Loss
#'
#' @description
#' A loss for binary classification: the area under the minimum of the false positive rate and the false negative rate,
#' over all thresholds.
#' It is 0 exactly where no negative row is predicted above a positive one, that is, where the ROC curve reaches its
#' corner, and it has a useful gradient everywhere else, unlike the area under the ROC curve.
#' It needs rows of both classes in every batch, which [batch_sampler_stratified()] guarantees.
#'
#' `nn_aum_loss` is a generator of modules of torch, as [torch::nn_bce_with_logits_loss] is.
#' The Python class `pystrat.losses.AUMLoss` gives the same values and the same gradients.
#'
#' @return A module of torch, a function of
#' * `input`: the predictions, a tensor of floating point numbers of shape `(n)` or `(n, 1)`, of any scale, such as
#'   logits.
#'   A larger one means a positive row.
#' * `target`: the labels, a tensor of shape `(n)` or `(n, 1)` of logical values or numbers, 1 for positive rows and 0
#'   for negative ones.
#'
#' It returns the loss as a tensor that is a scalar.
#'
#' @section The loss:
#' A row is predicted positive where its prediction is above the threshold.
#' The false positive rate is the share of the negatives that are, the false negative rate the share of the positives
#' that are not.
#' The loss is the sum, over the distinct predictions in order, of the minimum of the two rates between two neighbours
#' times the step from one to the next.
#' So
#' * tied predictions are one threshold, and the order of the rows does not matter;
#' * the loss is a sum, not a mean: it is in units of the predictions, whatever the number of rows;
#' * it does not change where the same number is added to all predictions;
#' * a batch of one class has loss 0 and gradient 0.
#'
#' It takes `O(n log n)`, by sorting, which R does on the CPU wherever the tensors are.
#' Numbers shorter than 32 bits are computed with as 32-bit ones.
#'
#' torch has a loss of the same name.
#' In torch 0.17.0 its value comes out too small where the two largest predictions are tied: for the predictions 2, 2,
#' -1, -3.5 of rows with the labels 0, 1, 1, 0 it gives 0 in place of 1.5.
#' Write `rbridge::nn_aum_loss` where both packages are attached.
#'
#' @section The gradient:
#' The loss is piecewise linear.
#' The gradient is the slope of its piece, computed from counts of rows in exact integers.
#' Where predictions are tied, pieces may meet.
#' There the gradient is the mean of two: with the tied negatives just above the tied positives, and with them just
#' below, each shared out equally among the tied rows of a class.
#' This is a subgradient, and it is the gradient itself where there is one.
#' Where no more than two rows are tied, it is the mean of the derivatives from the left and from the right.
#' So predictions that are all tied have loss 0 and yet a gradient that drives the classes apart.
#'
#' @section Use in mlr3torch:
#' Give the generator to a learner as `loss`.
#' It is for binary tasks alone: there mlr3torch makes one prediction a row, and labels that are 1 for the positive
#' class of the task.
#' With more classes, or in regression, it is refused at the first batch.
#'
#' @section Errors:
#' `input` or `target` that is not a tensor of shape `(n)` or `(n, 1)`, predictions that are not floating point numbers
#' or not finite, none at all, labels other than 0 and 1, and not as many labels as predictions.
#'
#' @source
#' J. Hillman and T. D. Hocking, "Optimizing ROC curves with a sort-based surrogate loss for binary classification and
#' changepoint detection", Journal of Machine Learning Research 24(70), 2023.
#' There errors are counts or rates; here they are rates, so that a rare class weighs as much as a frequent one.
#'
#' @seealso [batch_sampler_stratified()] for batches with rows of both classes.
#'
#' @export
#' @examples
#' if (torch::torch_is_installed()) {
#'   predictions = torch::torch_tensor(c(2, -3.5, -1, 1.5), requires_grad = TRUE)
#'   loss = nn_aum_loss()(predictions, torch::torch_tensor(c(0, 0, 1, 1)))
#'   print(loss$item())
#'   loss$backward()
#'   predictions$grad
#' }
#'
#' # in mlr3torch
#' if (requireNamespace("mlr3torch", quietly = TRUE)) {
#'   mlr3::lrn("classif.mlp",
#'     epochs = 10, batch_size = 100, loss = rbridge::nn_aum_loss,
#'     batch_sampler = batch_sampler_stratified(min_samples_per_stratum = 3)
#'   )
#' }
nn_aum_loss = NULL

# A module inherits from a class that torch keeps to itself and changes from version to version.
# Made when this package is built, it would hold the class of the version that was there then; .onLoad() makes it.
make_nn_aum_loss = function(namespace) {
  torch::nn_module(
    c("nn_aum_loss", "nn_loss"),
    initialize = function() NULL,
    forward = function(input, target) aum_loss(input, target),
    parent_env = namespace
  )
}
