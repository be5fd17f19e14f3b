#' @title Dataset That Is Given Auxiliary Values
#'
#' @description
#' A [torch::dataset()] that takes its batches from another one and hands them, together with the auxiliary values of
#' their rows, to a function of yours: for augmentation that a specification of [batch_sampler_tree()] declares.
#' The values are drawn with the rows, so that they are the same for any number of workers, and in every run.
#'
#' A dataset of your own does not get them: torch makes plain integers of the rows that it asks a dataset for.
#'
#' @param dataset ([torch::dataset()])\cr
#'   An instance, with a method `.getbatch()`.
#' @param augment (`function()`)\cr
#'   Called for every batch with what `dataset$.getbatch(rows)` returns, and with a named list that has one vector for
#'   each auxiliary value, one element a row.
#'   It returns the batch that the dataloader gets.
#'
#' @return A dataset of as many rows.
#' If rows come without auxiliary values, as where mlr3torch predicts, their batch is that of `dataset` itself.
#'
#' @section Errors:
#' What is no dataset, or one without `.getbatch()`: of one that has `.getitem()` alone, torch asks row by row, and the
#' values of a batch do not arrive.
#' An `augment` that is no function.
#'
#' @export
#' @examples
#' images = torch::dataset(
#'   initialize = function() NULL,
#'   .getbatch = function(index) list(x = matrix(index, ncol = 1)),
#'   .length = function() 12
#' )()
#' spec = list(mode = "shuffle", auxiliary = list(angle = "uniform(-10, 10)"))
#' generator = batch_sampler_tree(
#'   spec, batch_size = 4, length = 12, table = list(row = 1:12), seed = 1
#' )
#' augment = function(batch, aux) c(batch, list(angle = aux$angle))
#' augmented = auxiliary_dataset(images, augment = augment)
#' augmented[generator(augmented)$.iter()()]
auxiliary_dataset = function(dataset, augment) {
  name_errors("auxiliary_dataset")
  if (!inherits(dataset, "dataset")) {
    stop_parameter("dataset", "be a dataset of torch, not its generator", show_value(dataset))
  }
  if (!is.function(.subset2(dataset, ".getbatch"))) {
    stop_parameter("dataset", "have a method '.getbatch'", "one without")
  }
  if (!is.function(augment)) {
    stop_parameter("augment", "be a function of a batch and its auxiliary values", show_value(augment))
  }
  generator = torch::dataset(
    name = "auxiliary_dataset",
    task = source_task(dataset),
    initialize = function() NULL,
    .getbatch = function(rows) {
      aux = attr(rows, "aux")
      batch = dataset[as.integer(rows)]
      if (is.null(aux)) batch else augment(batch, aux)
    },
    .length = function() length(dataset),
    parent_env = environment()
  )
  generator()
}

# torch's own method makes integers of the rows, without what they carry.
#' @export
`[.auxiliary_dataset` = function(x, i) x$.getbatch(i)
