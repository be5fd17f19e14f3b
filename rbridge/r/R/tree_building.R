# What the core takes of a specification and the columns of a table, and what its messages name of them.

# -> the vectors of a request for the declared nodes
tree_data = function(nodes, n_rows, coded, numbers) {
  of_all = function(field, type, default) {
    vapply(nodes, function(node) if (is.null(node[[field]])) default else node[[field]], type)
  }
  place_of = function(names, columns) {
    places = match(names, columns, nomatch = 0L) - 1L
    places[names == ""] = -1L
    places
  }
  is_condition = vapply(nodes, function(node) !is.null(node$column), NA)
  compared = vapply(nodes, function(node) c(node$column, node$for_each, "")[1L], "")
  taken = lapply(nodes[is_condition], function(node) taken_codes(node, coded[[node$column]]))
  data = list(
    n_rows = as.double(n_rows),
    parents = of_all("parent", 0L, NULL) - 1L,
    names = of_all("name", "", NULL),
    columns = place_of(compared, names(coded)),
    n_values = vapply(unname(coded), function(column) length(column$values), 0L),
    are_conditions = as.raw(is_condition),
    taken = as.raw(unlist(taken)),
    missing = as.raw(match(of_all("missing", "", NULL), tree_missing) - 1L),
    prunes = as.raw(match(of_all("prune", "", ""), c("", tree_prunes)) - 1L),
    node_modes = as.raw(match(of_all("mode", "", NULL), tree_modes) - 1L),
    times = of_all("times", 0L, NULL),
    forms = as.raw(of_all("form", 0L, NULL)),
    fixed_weights = of_all("weight", 0, NULL),
    summed = place_of(of_all("weight_column", "", ""), names(numbers)),
    row_weights = place_of(of_all("row_weight", "", ""), names(numbers))
  )
  codes = lapply(unname(coded), `[[`, "codes")
  names(codes) = sprintf("codes%d", seq_along(codes) - 1L)
  names(numbers) = sprintf("numbers%d", seq_along(numbers) - 1L)
  c(data, codes, numbers)
}

# -> a function that returns what messages of the core name, of which numbers are counted from 0
tree_names = function(nodes, coded, numbers, length) {
  function(what, places) {
    place = places[1L] + 1
    switch(what,
      length = length,
      nearest = nearest_name(length, vapply(nodes, `[[`, "", "name")),
      path = nodes[[place]]$path,
      label = tree_label(nodes[[place]], coded, places[2L]),
      column = names(coded)[place],
      numbers = names(numbers)[place]
    )
  }
}

# The name of a node, with the value of a clone.
tree_label = function(node, coded, code) {
  if (is.null(node$for_each)) {
    return(node$name)
  }
  column = coded[[node$for_each]]
  sprintf("%s[%s]", node$name, if (code < length(column$values)) column$show(column$values[code + 1]) else "NA")
}
