# The rows in the order of the dataset, in batches of `batch_size`, with which mlr3torch up to 0.3.3 predicts.
recipe_in_order = function(n_rows, batch_size) {
  batch_size = if (is.null(batch_size)) n_rows else batch_size
  new_recipe("in_order", NULL, list(offsets = as.integer(pmin(batch_size * 0:ceiling(n_rows / batch_size), n_rows))))
}

kind_in_order = function() {
  table_kind("in_order",
    n_rows = function(recipe) max(recipe$parts$offsets),
    count_batches = function(private, epoch) length(private$.recipe$parts$offsets) - 1,
    draw = function(private, epoch) {
      offsets = private$.recipe$parts$offsets
      list(rows = seq_len(max(offsets)), offsets = offsets)
    },
    fingerprint = function(private) "kind=in_order",
    settings = function(recipe) "* order: of the dataset, without strata, for mlr3torch predicts"
  )
}
