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
  is_dataset = inherits(masks, "dataset")
  if (!is_dataset && (!is.list(masks) || is.object(masks))) {
    masks = mask_of_item(masks)
    refuse_if(!is.atomic(masks) || length(dim(masks)) < 2L, "masks", "be the masks of rows, or a dataset of them",
      show_value(masks))
    masks = asplit(masks, 1L)
  }
  refuse_if(!is.null(ignore) && !is.numeric(ignore), "ignore", "hold integers", show_value(ignore))
  required = sprintf("hold integers from 1 to %.0f, or those to ignore", n_classes)
  has = matrix(FALSE, length(masks), n_classes, dimnames = list(NULL, sprintf("%.0f", seq_len(n_classes))))
  for (row in seq_len(nrow(has))) {
    item = if (is_dataset) masks$.getitem(row) else masks[[row]]
    classes = setdiff(unique(as.double(mask_of_item(item))), ignore)
    wrong = classes[is.na(classes) | classes < 1 | classes > n_classes | classes != floor(classes)]
    refuse_if(length(wrong) > 0L, "masks", required, sprintf("%.15g in mask %d", wrong[1L], row),
      sprintf("If it is no class, set ignore = %.15g.", wrong[1L]))
    has[row, classes] = TRUE
  }
  has[, setdiff(seq_len(n_classes), ignore), drop = FALSE]
}

mask_of_item = function(item) {
  if (is.list(item) && !is.object(item)) {
    item = if (is.null(item$mask)) item[[length(item)]] else item$mask
  }
  exact_numbers(if (inherits(item, "torch_tensor")) torch::as_array(item) else item)
}
