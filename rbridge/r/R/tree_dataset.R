#' @title Dataset With Auxiliary Values
#'
#' @description
#' Creates a [torch::dataset()] that passes the batches of another dataset to your function, with the auxiliary values
#' of their rows that [batch_sampler_tree()] draws, for augmentation.
#' torch converts row numbers to plain integers before it passes them to a dataset, so your own does not receive them.
#'
#' @param dataset ([torch::dataset()])\cr
#'   An instance with a method `.getbatch()`.
#' @param augment (`function()`)\cr
#'   Takes the result of `dataset$.getbatch(rows)`, and a named list that has one vector for each auxiliary value, with
#'   one element for each row; returns the batch for the dataloader.
#'
#' @return A dataset with the same number of rows.
#' If rows have no auxiliary values, as when mlr3torch predicts, their batch is that of `dataset` itself.
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
  refuse_if(!inherits(dataset, "dataset"), "dataset", "be a dataset of torch, not its generator", show_value(dataset))
  refuse_if(!is.function(.subset2(dataset, ".getbatch")), "dataset", "have a method '.getbatch'", "one without")
  generator = torch::dataset(
    name = "auxiliary_dataset",
    task = source_task(dataset),
    initialize = function() {
      self$dataset = dataset
      self$augment = augment
    },
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

# torch's own method converts the rows to integers, without their attributes.
#' @export
`[.auxiliary_dataset` = function(x, i) x$.getbatch(i)
