# Labels of rows, the sets that they form, and the rows that batches lack, for batch_sampler_multilabel().

# -> a logical matrix with column names; anything but 0 and 1 is refused
label_matrix = function(labels) {
  if (is.data.frame(labels)) {
    check_label_columns(labels)
  }
  if (is.data.frame(labels) || inherits(labels, "sparseMatrix")) {
    labels = as.matrix(labels)
  }
  check_label_matrix(labels)
  wrong = is.na(labels) | (labels != 0 & labels != 1)
  if (any(wrong)) {
    stop_parameter("labels", "hold 0 and 1", show_value(t(labels)[which(t(wrong))[1L]]))
  }
  names = unicode_text(colnames(labels), "labels", "name each label by a text")
  matrix(labels == 1, nrow(labels), ncol(labels),
    dimnames = list(NULL, if (is.null(names)) as.character(seq_len(ncol(labels))) else names))
}

check_label_columns = function(labels) {
  for (name in names(labels)) {
    column = labels[[name]]
    if (is.object(column) || !is.null(dim(column)) || !(is.logical(column) || is.numeric(column))) {
      stop_parameter("labels", "hold 0 and 1", sprintf("%s values in column '%s'", class(column)[1L], name))
    }
  }
}

check_label_matrix = function(labels) {
  if (length(dim(labels)) != 2L || is.object(labels) || !is.atomic(labels)) {
    stop_parameter("labels", "be a matrix with one row per row of the dataset", show_shape(labels))
  }
  for (side in 1:2) {
    noun = c("row", "column")[side]
    if (dim(labels)[side] == 0L) {
      stop_parameter("labels", sprintf("have at least one %s", noun), sprintf("0 %ss", noun))
    }
  }
  if (!is.logical(labels) && !is.numeric(labels)) {
    stop_parameter("labels", "hold 0 and 1", sprintf("%s values", typeof(labels)))
  }
}

# "1 dimension", "3 dimensions"; anything but a vector of several values, as a value
show_shape = function(value) {
  is_text = is.character(value) && length(value) == 1L && is.null(dim(value))
  if (is.null(value) || is.object(value) || !is.atomic(value) || is_text) {
    return(show_value(value))
  }
  show_count(max(1L, length(dim(value))), "dimension")
}

# The parts of a recipe: the number of each row's label set, in order of first appearance, and the labels of each set.
label_sets = function(labels) {
  codes = .Call(C_number_label_sets, labels) + 1L
  sets = labels[!duplicated(codes), , drop = FALSE]
  list(codes = recipe_codes(codes, nrow(sets)), sets = as.raw(t(sets)), n_labels = as.double(ncol(labels)))
}

check_labels_have_rows = function(labels) {
  empty = which(colSums(labels) == 0)
  if (length(empty) > 0L) {
    stop_parameter("labels", "have a row of every label", sprintf("no row of label '%s'", colnames(labels)[empty[1L]]),
      "Leave the label out.")
  }
}

# The number of batches that the counts of the labels allow.
multilabel_batches = function(labels, minimum, max_batches, shortfall, replicas) {
  counts = colSums(labels)
  rarest = which.min(counts)
  n_min = counts[[rarest]]
  check_labels_have_rows(labels)
  if (minimum > n_min && shortfall == "error") {
    stop_parameter("min_samples_per_label",
      sprintf("be at most %.0f: the rarest label, '%s', has %s", n_min, colnames(labels)[rarest],
        show_count(n_min, "row")),
      show_value(minimum), "Lower it, or set 'shortfall' to 'warn' or 'allow'.")
  }
  share_of_replicas(min(max(1, n_min %/% minimum), max_batches), replicas)
}

# -> list(batches = the batch of each row, set after set, held = the rows of each label, one row per batch), in the
# order of
# the dataset
assigned_labels = function(parts, n_batches = parts$n_batches) {
  .Call(C_assign_labels, parts$codes, parts$sets, parts$n_labels, n_batches, searched_minimum(parts))
}

# One batch lacks the same rows, however large the minimum.
searched_minimum = function(parts) min(parts$minimum, .Machine$integer.max)

# -> data.frame(batch, label, missing): numbers, in order of the batches
lacking_labels = function(held, minimum) {
  places = which(t(held < minimum), arr.ind = TRUE)
  found = data.frame(batch = unname(places[, 2L]), label = unname(places[, 1L]))
  found$missing = minimum - held[cbind(found$batch, found$label)]
  found
}

describe_shortfall = function(lacking, names) {
  others = nrow(lacking) - 1L
  sprintf("batch %d lacks %s of label '%s'%s", lacking$batch[1L], show_count(lacking$missing[1L], "row"),
    names[lacking$label[1L]], if (others > 0L) sprintf(", and %d more such", others) else "")
}

# The error that names a number of batches with which no row is lacking.
stop_shortfall = function(parts, names, max_batches, replicas) {
  lacking = lacking_labels(assigned_labels(parts)$held, parts$minimum)
  fewest = 0 # in units of replicas; `fewest` works, `most` does not
  most = parts$n_batches %/% replicas
  while (most - fewest > 1) {
    middle = (fewest + most) %/% 2
    if (all(assigned_labels(parts, middle * replicas)$held >= parts$minimum)) {
      fewest = middle
    } else {
      most = middle
    }
  }
  advice = "or set 'shortfall' to 'warn' or 'allow'."
  if (fewest == 0) {
    stop_parameter("num_replicas",
      "be lower: no number of batches was found of which each holds enough rows of every label",
      show_value(replicas), paste("Lower it,", advice))
  }
  stop_parameter("max_batches", sprintf("be at most %.0f", fewest * replicas),
    sprintf("%s, for %s: %s,", show_value(max_batches), show_batches(parts$n_batches),
      describe_shortfall(lacking, names)),
    paste(if (is.null(max_batches)) "Set" else "Lower", "it,", advice))
}

# The rows of each label in each batch of an epoch, one row per batch; NULL while mlr3torch predicts.
held_labels = function(private, batches) {
  if (!is.null(private$.in_order)) {
    return(NULL)
  }
  parts = private$.recipe$parts
  sets = matrix(parts$sets == 1L, ncol = parts$n_labels, byrow = TRUE)
  batch = rep(seq_len(parts$n_batches), times = diff(batches$offsets))
  set = as.integer(parts$codes)[batches$rows] + 1L
  held = vapply(seq_len(parts$n_labels), function(label) tabulate(batch[sets[set, label]], parts$n_batches),
    integer(parts$n_batches))
  matrix(held, parts$n_batches)
}

shortfall_table = function(held, recipe) {
  lacking = lacking_labels(held, recipe$parts$minimum)
  data.frame(
    batch = lacking$batch, label = recipe$labels$names[lacking$label],
    rows = held[cbind(lacking$batch, lacking$label)], missing = lacking$missing
  )
}
