#' @title AUM Loss
#'
#' @description
#' A loss for binary classification: the area under the minimum of the false positive rate and the false negative rate,
#' over all thresholds.
#' It is 0 if and only if no negative row is predicted above a positive one, and has a useful gradient everywhere else.
#' It needs rows of both classes in every batch, which [batch_sampler_stratified()] guarantees.
#'
#' `aum_loss` is a generator of torch modules, like [torch::nn_bce_with_logits_loss]; `pystrat.losses.AUMLoss` in Python
#' has the same values and gradients.
#' Guide: \guide{aum}.
#'
#' @return A torch module, a function of
#' * `input`: the predictions, a tensor of floating-point numbers of shape `(n)` or `(n, 1)`, of any scale, such as
#'   logits; larger means positive;
#' * `target`: the labels, a tensor of such a shape, of logical values or numbers, 1 for positive and 0 for negative
#'   rows.
#'
#' It returns the loss as a scalar tensor: the sum, over the distinct predictions in order, of the minimum of the two
#' rates between two neighbors times the distance between them.
#' A batch of one class has loss 0 and gradient 0.
#' The loss is piecewise linear; where tied predictions let pieces meet, the gradient is the mean of two slopes, which
#' separates the classes even if all predictions are tied.
#' R sorts on the CPU, in `O(n log n)`.
#' `torch::nn_aum_loss` of torch 0.17.0 differs: its value is too small if the two largest predictions are tied.
#'
#' @source
#' J. Hillman and T. D. Hocking, "Optimizing ROC curves with a sort-based surrogate loss for binary classification and
#' changepoint detection", Journal of Machine Learning Research 24(70), 2023.
#' The paper uses counts or rates of errors; this loss uses rates.
#'
#' @export
#' @examplesIf torch::torch_is_installed()
#' predictions = torch::torch_tensor(c(2, -3.5, -1, 1.5), requires_grad = TRUE)
#' loss = aum_loss()(predictions, torch::torch_tensor(c(0, 0, 1, 1)))
#' loss$backward()
#' predictions$grad
aum_loss = NULL

# .onLoad() makes it: a module inherits from a class that is internal to torch and changes between versions, and made
# when this package is built, it would contain the class of the torch version at that time.
make_aum_loss = function(namespace) {
  torch::nn_module(
    c("aum_loss", "nn_loss"),
    initialize = function() NULL,
    forward = function(input, target) aum_of_tensors(input, target),
    parent_env = namespace
  )
}
