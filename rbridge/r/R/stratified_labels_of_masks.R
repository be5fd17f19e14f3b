#' @title Labels of Masks
#'
#' @description
#' Returns which classes the mask of each row has, for [batch_sampler_multilabel()], from the masks of segmentation.
#' The Python function is `pystrat.labels_of_masks()`, in which classes count from 0.
#'
#' @param masks (`array()`, `list()`, `torch_tensor()` or [torch::dataset()])\cr
#'   The class of each pixel, from 1 to `n_classes`, as in torch for R.
#'   The first dimension of an array or a tensor is that of the rows.
#'   The masks of a list may differ in shape.
#'   Of a dataset, all items are loaded once; an item is a mask, or a list with the mask as its element `mask` or else
#'   its last one.
#' @eval described("labels_of_masks", "n_classes", ignore = "`integer()`")
#'
#' @return A logical `matrix()` with a row for each mask: whether it has a pixel of the class.
#' The columns are the classes, without those to ignore.
#'
#' @export
#' @examples
#' masks = array(1, c(6, 4, 4))
#' masks[c(1, 4), 2, ] = 3
#' masks[, 4, ] = 255
#' labels = labels_of_masks(masks, n_classes = 3, ignore = c(255, 2))
#' colSums(labels)
#' batch_sampler_multilabel(labels, min_samples_per_label = 1, seed = 1)(NULL)$.length()
labels_of_masks = function(masks, n_classes, ignore = NULL) {
  n_classes = check_between(n_classes, "n_classes", 1, largest_count)
  ignore = if (!is.null(ignore)) mask_values(plain_value(ignore), "ignore", "hold integers")
  values_of = mask_reader(masks)
  required = sprintf("hold integers from 1 to %.0f, or those to ignore", n_classes)
  has = matrix(FALSE, values_of$n_rows, n_classes, dimnames = list(NULL, sprintf("%.0f", seq_len(n_classes))))
  for (row in seq_len(values_of$n_rows)) {
    classes = setdiff(mask_values(values_of$read(row), "masks", required), ignore)
    wrong = classes[classes < 1 | classes > n_classes]
    refuse_if(length(wrong) > 0L, "masks", required, sprintf("%.0f in mask %d", wrong[1L], row),
      sprintf("If it is no class, set ignore = %.0f.", wrong[1L]))
    has[row, classes] = TRUE
  }
  has[, setdiff(seq_len(n_classes), ignore), drop = FALSE]
}

# -> list(n_rows, read = a function of the number of a row that returns its mask)
mask_reader = function(masks) {
  if (inherits(masks, "dataset")) {
    return(list(n_rows = length(masks), read = function(row) mask_of_item(masks$.getitem(row))))
  }
  is_list = is.list(masks) && !is.object(masks)
  if (is_list && length(masks) > 0L) {
    return(list(n_rows = length(masks), read = function(row) mask_of_item(masks[[row]])))
  }
  masks = if (!is_list) mask_of_item(masks)
  refuse_if(length(masks) == 0L || !is.atomic(masks), "masks", "be the masks of one row or more, or a dataset of them",
    show_value(masks))
  n_rows = NROW(masks)
  dim(masks) = c(n_rows, length(masks) / n_rows)
  list(n_rows = n_rows, read = function(row) masks[row, ])
}

mask_of_item = function(item) {
  if (is.list(item) && !is.object(item)) {
    item = if (is.null(item$mask)) item[[length(item)]] else item$mask
  }
  exact_numbers(if (inherits(item, "torch_tensor")) torch::as_array(item) else item)
}

# The distinct values of a mask.
mask_values = function(values, parameter, required) {
  refuse_if(is.object(values) || !(is.numeric(values) || is.logical(values)), parameter, required, show_value(values))
  values = unique(as.double(values))
  wrong = values[is.na(values) | values != floor(values)]
  refuse_if(length(wrong) > 0L, parameter, required, show_value(wrong[1L]))
  values
}
