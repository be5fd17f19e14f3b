# The tree of a specification and the columns of a table. The core builds it; conditions are evaluated, and errors
# phrased, here.

# -> list(
#   parts = the vectors of the recipe,
#   nodes, declared = the declared nodes, and the position among them of each node that was built,
#   built = what C_build_declared() returns,
#   path = a function that returns the labels of a node, counted from 1, and of its ancestors
# )
build_tree = function(nodes, n_rows, coded, numbers) {
  of_all = function(field, type, default) {
    vapply(nodes, function(node) if (is.null(node[[field]])) default else node[[field]], type)
  }
  columns = lapply(nodes, function(node) coded[[c(node$column, node$for_each, "")[1L]]])
  modes = match(of_all("mode", "", NULL), tree_modes) - 1L
  built = .Call(C_build_declared, n_rows, list(
    parents = of_all("parent", 0L, NULL) - 1L,
    codes = lapply(columns, `[[`, "codes"),
    n_values = vapply(columns, function(column) length(column$values), 0L),
    taken = Map(function(node, column) if (!is.null(node$column)) taken_codes(node, column), nodes, columns),
    missing = match(of_all("missing", "", NULL), tree_missing) - 1L,
    prune = match(of_all("prune", "", ""), c("", tree_prunes)) - 1L,
    forms = of_all("form", 0L, NULL),
    modes = modes,
    weights = of_all("weight", 0, NULL),
    summed = lapply(nodes, function(node) if (!is.null(node$weight_column)) numbers[[node$weight_column]]),
    row_weights = lapply(nodes, function(node) if (!is.null(node$row_weight)) numbers[[node$row_weight]])
  ))
  if (!is.null(built$refused)) {
    refuse_tree(built, nodes, columns)
  }
  parts = list(
    modes = as.raw(modes)[built$declared],
    repeats = of_all("times", 0L, NULL)[built$declared],
    depths = built$depths,
    counts = built$counts,
    rows = built$rows,
    weighted = as.raw(built$matter)[built$declared],
    weights = built$weights
  )
  path = function(node) {
    places = integer()
    while (node > 0L) {
      places = c(node, places)
      node = built$parents[node] + 1L
    }
    paste(tree_path(built$declared[places], built$values[places], nodes, columns), collapse = "/")
  }
  list(parts = parts, nodes = nodes, built = built, path = path)
}

# The labels of declared nodes, with the values of the codes of their clones.
tree_path = function(declared, codes, nodes, columns) {
  unlist(Map(function(place, code) {
    node = nodes[[place]]
    column = columns[[place]]
    if (is.null(node$for_each)) {
      return(node$name)
    }
    sprintf("%s[%s]", node$name, if (code < length(column$values)) column$show(column$values[code + 1L]) else "NA")
  }, declared, codes))
}

refuse_tree = function(built, nodes, columns) {
  failed = nodes[[built$failed]]
  labels = tree_path(built$path, built$values, nodes, columns)
  if (built$refused == "empty") {
    refuse_empty(built, failed, labels)
  }
  place = if (built$refused == "total") paste(labels, collapse = "/") else failed$path
  refuse_at(sprintf("at node '%s'", place), switch(built$refused,
    missing = stop_parameter("table", sprintf("have no missing values in column '%s'", failed$for_each),
      sprintf("%.0f missing of %s", built$n_missing, show_count(built$n_rows, "row")),
      advice = "Set its 'missing' to 'stratum' or 'drop'."),
    weight = ,
    row_weight = stop_parameter("table", sprintf("have finite non-negative weights in column '%s'",
      failed[[if (built$refused == "weight") "weight_column" else "row_weight"]]), show_value(built$number)),
    total = stop_parameter("weight", "have a positive, finite sum over the options of every node",
      show_value(built$number))
  ))
}

# The error that shows why a node is empty: from the empty node to the one that may not be.
refuse_empty = function(built, failed, labels) {
  paths = sprintf("'%s'", Reduce(function(above, label) paste(above, label, sep = "/"), labels, accumulate = TRUE))
  chain = rev(paths[match(built$emptied, built$path):length(paths)])
  lacking = if (failed$has_children) "no children left" else "no rows"
  taking = paste0(sprintf(", which takes %s with it", chain[-1L]), collapse = "")
  stop_parameter("spec", "leave something to draw at the root and at every node without 'prune'",
    sprintf("%s at %s%s", lacking, chain[1L], taking),
    advice = "Give the node 'prune: individual' or 'prune: parent', or look at its condition.")
}

# The draws of an epoch: their number, or as many as it takes until every row below a node has been drawn.
epoch_length = function(length, tree) {
  if (!is.character(length)) {
    return(length)
  }
  names = vapply(tree$nodes, `[[`, "", "name")
  found = which(names[tree$built$declared] == length)
  if (length(found) != 1L) {
    refuse_length(length, names, length(found))
  }
  needed = .Call(C_pass_length, tree$built, tree$parts$modes, tree$parts$repeats, found)
  if (!is.na(needed[2L])) {
    stop_parameter("length", paste("be a number of draws, or the name of a node that, as all above and below it, draws",
      "in sequence or shuffled"), sprintf("'%s', while '%s' draws with replacement,", length, tree$path(needed[2L])))
  }
  if (needed[1L] > largest_count) {
    more = if (needed[1L] >= 2^53) "more than " else ""
    stop_parameter("length", sprintf("take at most %.0f draws", largest_count),
      sprintf("'%s', which takes %s%.0f,", length, more, needed[1L]))
  }
  needed[1L]
}

refuse_length = function(length, names, n_found) {
  if (n_found > 1L) {
    stop_parameter("length", "be a number of draws, or the name of one node",
      sprintf("'%s', the name of %s,", length, show_count(n_found, "node")))
  }
  is_pruned = length %in% names
  stop_parameter("length", "be a number of draws, or the name of a node",
    paste0(show_value(length), if (is_pruned) ", which is pruned,"),
    advice = if (!is_pruned) sprintf("The nearest name is '%s'.", nearest_name(length, names)))
}
