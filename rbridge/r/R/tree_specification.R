# The validated specification of a tree, from a nested list or YAML: names and plain values, no table yet.
# Everything that can be checked without a table is checked here, so that the error for a mistake names the path of its
# node before anything is built.
# -> list(nodes, auxiliary, functions = the auxiliary values that are functions, given = all of them); the nodes are
# declared nodes in preorder, each a list of
# * name, path, parent (its place among the nodes, 0 for the root), has_children, mode, times (its `repeat`), prune;
# * column, operator, value if it has a condition; for_each, the name of a column, and missing if it clones;
# * form (0 no weight, 1 a number, 2 the sum of a column, 3 the number of rows), weight and weight_column; row_weight.

tree_modes = c("replacement", "sequential", "shuffle")
tree_prunes = c("individual", "parent")
tree_missing = c("error", "stratum", "drop")
tree_symbols = c("==" = "eq", "!=" = "ne", "<" = "lt", "<=" = "le", ">" = "gt", ">=" = "ge")
tree_operators = c("eq", "ne", "lt", "le", "gt", "ge", "in", "not in", "between", "isnull")
tree_keys = c("name", "column", "value", "op", "for_each", "missing", "mode", "weight", "row_weight", "repeat", "prune",
  "prune_method", "children")
tree_root_keys = c(setdiff(tree_keys, c("for_each", "missing", "weight", "prune", "prune_method")), "auxiliary")

parse_tree = function(spec) {
  if (is_plain_text(spec) && !is.na(spec)) {
    spec = read_tree_yaml(unicode_text(spec, "spec", "be text in UTF-8"))
  }
  check_nesting(spec)
  spec = plain_keys(spec, "spec")
  if (!is_mapping(spec)) {
    stop_parameter("spec", "be a mapping: the root node", show_given(spec))
  }
  root = spec[names(spec) != "auxiliary"]
  nodes = parse_node(root, above = "", place = "root", keys = tree_root_keys, parent = 0L, before = 0L)
  auxiliary = parse_auxiliary(spec[["auxiliary"]])
  list(nodes = nodes, auxiliary = auxiliary, functions = Filter(is.function, spec[["auxiliary"]]),
    given = spec[["auxiliary"]])
}

# A list of a specification is shown by its length, as in Python.
show_given = function(value) {
  if (is.list(value) && !is.object(value)) show_count(length(value), "value") else show_value(value)
}

# The limits of nested mappings and lists, because the stack of R is small, and of all of them, because a short
# description can repeat its parts endlessly.
most_nesting = 128L
most_nested = 1000000L

# Refuses lists that are nested too deeply, before any recursion into them.
check_nesting = function(spec) {
  level = list(spec)
  total = 0
  for (depth in seq_len(most_nesting + 1L)) {
    level = level[vapply(level, function(item) is.list(item) && !is.object(item), logical(1L))]
    if (length(level) == 0L) {
      return(invisible())
    }
    total = total + length(level)
    if (total > most_nested) {
      break
    }
    level = unlist(lapply(level, unname), recursive = FALSE)
  }
  refuse_nesting()
}

refuse_nesting = function() {
  stop_parameter("spec",
    sprintf("have at most %d mappings and lists, nested at most %d deep", most_nested, most_nesting), "more")
}

# Named or empty: an empty list counts as a mapping without keys.
is_mapping = function(given) {
  is.list(given) && !is.object(given) && (length(given) == 0L || !is.null(names(given)))
}

# Refuses what has no plain meaning: NA is not a value, only the last of repeated names would count, and other classes
# are bare numbers. `key` is the place of `spec`.
plain_keys = function(spec, key) {
  if (is.object(spec) || !is.list(spec)) {
    return(plain_item(spec, key))
  }
  keys = unicode_text(names(spec), "spec", "have keys that are text")
  if (anyDuplicated(keys) > 0L) {
    stop_parameter("spec", "have every key once", sprintf("'%s' again", keys[anyDuplicated(keys)]))
  }
  places = if (is.null(keys)) rep(key, length(spec)) else keys
  plain = structure(vector("list", length(spec)), names = keys)
  for (place in seq_along(spec)) { # Map() needs several times the stack at each level
    plain[place] = list(plain_keys(spec[[place]], places[place]))
  }
  plain
}

plain_item = function(value, key) {
  value = plain_value(value)
  if (is.object(value) && !inherits(value, c("Date", "POSIXt", "factor"))) {
    stop_parameter("spec", tree_kinds, sprintf("%s in '%s'", show_class(value), key))
  }
  # NaN is a number, which conditions refuse with their node.
  is_missing = if (is.atomic(value) || inherits(value, "POSIXt")) is.na(value) else FALSE
  if (is.double(value) && !is.object(value)) {
    is_missing = is_missing & !is.nan(value)
  }
  if (any(is_missing)) {
    stop_parameter("spec", "have no missing values", sprintf("NA in '%s'", key),
      advice = "Missing values are found by 'op: isnull'.")
  }
  if (is.factor(value)) as.character(value) else value
}

# -> this node and all below it, in preorder; `before` nodes come before it, and it is at `place` among the children of
# the path `above`, which is empty for the root
parse_node = function(written, above, place, keys, parent, before) {
  path_of = function(name) if (nzchar(above)) paste(above, name, sep = "/") else name
  if (!is_mapping(written)) {
    stop_parameter("node", "be a mapping of keys", show_given(written), where = of_node(path_of(place)))
  }
  given = with_for_each(written)
  is_root = !nzchar(above)
  name = if ("name" %in% names(given)) given[["name"]] else if (is_root) place else name_of_node(given, place)
  is_named = is_plain_text(name) && is_unicode(name) && nzchar(name)
  path = path_of(if (is_named) name else place)
  children = given[["children"]]
  place_of_node = list(name = name, path = path, parent = parent, has_children = length(children) > 0L)
  node = c(place_of_node, refuse_at(of_node(path), parse_keys(given, written, keys, is_named)))
  below = vector("list", length(children))
  n_nodes = 1L
  for (i in seq_along(children)) {
    below[[i]] = parse_node(children[[i]], path, as.character(i), tree_keys, parent = before + 1L,
      before = before + n_nodes)
    n_nodes = n_nodes + length(below[[i]])
  }
  names = vapply(below, function(nodes) nodes[[1L]]$name, character(1L))
  again = names[names %in% names[duplicated(names)]]
  if (length(again) > 0L) {
    stop_parameter("children", "have names of their own", sprintf("'%s' twice", again[1L]), where = of_node(path))
  }
  c(list(node), unlist(below, recursive = FALSE))
}

# What the keys of a node say; `written` is the node for messages.
parse_keys = function(given, written, keys, is_named) {
  check_tree_keys(given, keys)
  if (!is_named) {
    stop_parameter("name", "be a text", show_given(given[["name"]]))
  }
  check_tree_children(given)
  c(
    parse_selection(given, written),
    list(
      mode = tree_choice(given, "mode", tree_modes, "replacement"),
      missing = tree_choice(given, "missing", tree_missing, "error")
    ),
    parse_weight(given),
    list(row_weight = parse_row_weight(given), times = parse_repeat(given)),
    list(prune = parse_prune(given))
  )
}

# `value: for_each` is `for_each: true`, unless `op` or `for_each` is given.
with_for_each = function(given) {
  if (identical(given[["value"]], "for_each") && !any(c("op", "for_each") %in% names(given))) {
    given["value"] = list(TRUE)
    names(given)[names(given) == "value"] = "for_each"
  }
  given
}

# The name of an unnamed node: the column of clones, or the value; the position if the value is not plain.
name_of_node = function(given, place) {
  value = given[[if (isTRUE(given[["for_each"]])) "column" else "value"]]
  is_plain = is_plain_text(value) || ((is.logical(value) || is.numeric(value)) && !is.object(value))
  if (is_plain && length(value) == 1L && !identical(value, "") && is_unicode(as.character(value))) {
    return(if (is.character(value)) enc2utf8(value) else show_value(value))
  }
  place
}

# A node as text, for a message about a missing key.
as_written = function(given) {
  sprintf("{%s}", paste(sprintf("%s: %s", names(given), vapply(given, show_given, character(1L))), collapse = ", "))
}

check_tree_keys = function(given, keys) {
  for (key in names(given)) {
    if (!key %in% keys) {
      stop_parameter("node", paste("have no keys but", paste(keys, collapse = ", ")), sprintf("'%s'", key),
        advice = sprintf("The nearest one is '%s'.", nearest_name(key, keys)))
    }
  }
}

check_tree_children = function(given) {
  children = given[["children"]]
  is_listed = is.list(children) && !is.object(children) && is.null(names(children)) && length(children) > 0L
  if ("children" %in% names(given) && !is_listed) {
    stop_parameter("children", "be a list of nodes", show_given(children))
  }
}

of_node = function(path) sprintf("of node '%s'", path)

is_plain_text = function(value) is.character(value) && !is.object(value) && length(value) == 1L

tree_choice = function(given, key, choices, default = NULL) {
  if (!key %in% names(given)) {
    return(default)
  }
  value = given[[key]]
  if (!is_plain_text(value) || !value %in% choices) {
    stop_parameter(key, paste("be one of", show_names(choices, Inf)), show_given(value))
  }
  value
}

tree_column = function(given, key) {
  if (!key %in% names(given)) {
    return(NULL)
  }
  if (!is_plain_text(given[[key]])) {
    stop_parameter(key, "be the name of a column", show_given(given[[key]]))
  }
  unicode_text(given[[key]], key, "be the name of a column")
}

# The condition of a node, or the column whose values each get a clone; `written` is the node for messages.
parse_selection = function(given, written) {
  column = tree_column(given, "column")
  for_each = "for_each" %in% names(given) && check_flag(given[["for_each"]], "for_each")
  others = intersect(c("value", "op"), names(given))
  if (for_each) {
    if (is.null(column)) {
      stop_parameter("column", "be given with 'for_each'", as_written(written))
    }
    for (key in others) {
      stop_parameter(key, "be left out with 'for_each'", show_given(given[[key]]), "Put it in a node of its own.")
    }
    return(list(for_each = column))
  }
  if ("missing" %in% names(given)) {
    stop_parameter("missing", "be left out without 'for_each'", show_given(given[["missing"]]), "Use 'op: isnull'.")
  }
  if (is.null(column)) {
    for (key in others) {
      stop_parameter("column", sprintf("be given with '%s'", key), as_written(written))
    }
    return(NULL)
  }
  if (!"value" %in% names(given) && !identical(given[["op"]], "isnull")) {
    stop_parameter("value", "be given with 'column', unless 'op' is 'isnull'", as_written(written))
  }
  c(list(column = column), parse_comparison(given))
}

parse_comparison = function(given) {
  operator = tree_choice(given, "op", c(tree_operators, names(tree_symbols)), "eq")
  if (operator %in% names(tree_symbols)) {
    operator = tree_symbols[[operator]]
  }
  value = given[["value"]]
  refuse = function(requirement) stop_parameter("value", requirement, show_given(value))
  if (operator == "isnull") {
    if ("value" %in% names(given)) {
      refuse("be left out with 'op: isnull'")
    }
    return(list(operator = operator, value = list()))
  }
  if (!operator %in% c("in", "not in", "between")) {
    return(list(operator = operator, value = list(check_tree_value(value))))
  }
  values = several_values(value)
  if (is.null(values) || (operator == "between" && length(values) != 2L)) {
    refuse(if (operator == "between") "be a list of two values, both included" else "be a list of values")
  }
  list(operator = operator, value = lapply(values, check_tree_value))
}

# The items of a list, or of a vector of more than one item; else NULL.
several_values = function(value) {
  if (is.list(value) && !is.object(value)) {
    return(if (is.null(names(value)) && length(value) > 0L) value)
  }
  is_vector = is.atomic(value) || inherits(value, "POSIXt")
  if (is_vector && length(value) > 1L) lapply(seq_along(value), function(i) value[i])
}

# A value of a condition: one text, number, logical value, day or time.
check_tree_value = function(value) {
  is_plain = (is.character(value) || is.logical(value) || is.numeric(value) || inherits(value, c("Date", "POSIXt"))) &&
    length(value) == 1L
  if (!is_plain || is.na(value)) {
    stop_parameter("value", "be a text, a number, a logical value or a date", show_given(value),
      advice = "Missing values are found by 'op: isnull'.")
  }
  value
}

parse_weight = function(given) {
  if (!"weight" %in% names(given)) {
    return(list(form = 0L, weight = 1))
  }
  weight = given[["weight"]]
  if (is_plain_text(weight)) {
    column = regmatches(weight, regexec("^proportional\\((.+)\\)$", trimws(weight)))[[1L]][2L]
    if (!is.na(column)) {
      column = trimws(enc2utf8(column))
      of_column = list(form = 2L, weight = 1, weight_column = column)
      return(if (column == "count") list(form = 3L, weight = 1) else of_column)
    }
  } else if (is.numeric(weight) && !is.object(weight) && length(weight) == 1L && isTRUE(weight >= 0 & weight < Inf)) {
    return(list(form = 1L, weight = as.double(weight)))
  }
  stop_parameter("weight", "be a non-negative number, 'proportional(COLUMN)' or 'proportional(count)'",
    show_given(weight))
}

parse_row_weight = function(given) {
  column = tree_column(given, "row_weight")
  if (is.null(column)) {
    return(NULL)
  }
  if ("children" %in% names(given)) {
    stop_parameter("row_weight", "be given at a leaf", "a node with children")
  }
  mode = if ("mode" %in% names(given)) given[["mode"]] else "replacement"
  if (mode != "replacement") {
    stop_parameter("row_weight", "be left out unless 'mode' is 'replacement'",
      sprintf("'%s' with %s", column, show_given(mode)))
  }
  column
}

parse_repeat = function(given) {
  times = if ("repeat" %in% names(given)) given[["repeat"]] else 1
  if (!is_whole_between(times, 1, largest_count)) {
    stop_parameter("repeat", sprintf("be an integer from 1 to %.0f", largest_count), show_given(times))
  }
  as.integer(times)
}

parse_prune = function(given) {
  keys = intersect(c("prune", "prune_method"), names(given))
  if (length(keys) > 1L) {
    stop_parameter("prune", "be given once", "also 'prune_method'")
  }
  if (length(keys) == 1L) tree_choice(given, keys, tree_prunes)
}

# The columns that are compared or cloned, and those that are weights, each once.
tree_columns = function(nodes) {
  named = function(...) {
    found = lapply(nodes, function(node) unlist(node[c(...)], use.names = FALSE))
    unique(as.character(unlist(found)))
  }
  list(coded = named("column", "for_each"), numbers = named("weight_column", "row_weight"))
}

# The name that is most similar to a word: twice the characters in common divided by all characters; among equals the
# last in order of code points, as in Python's difflib.
nearest_name = function(word, names) {
  names = unique(enc2utf8(names))
  word = utf8ToInt(iconv(enc2utf8(word), "UTF-8", "UTF-8", sub = "byte")) # the input may have any bytes
  likeness = vapply(names, function(name) {
    codes = utf8ToInt(name)
    2 * count_matches(codes, word) / (length(codes) + length(word))
  }, double(1L))
  sort(names[likeness == max(likeness)], decreasing = TRUE, method = "radix")[1L]
}

# The number of characters in the longest common part, and in those of the text to its left and right.
count_matches = function(left, right) {
  if (length(left) == 0L || length(right) == 0L) {
    return(0)
  }
  best = c(0L, 0L, 0L)
  lengths = integer(length(right) + 1L)
  for (i in seq_along(left)) {
    lengths = c(0L, ifelse(right == left[i], lengths[seq_along(right)] + 1L, 0L))
    if (max(lengths) > best[1L]) {
      best = c(max(lengths), i, which.max(lengths) - 1L)
    }
  }
  if (best[1L] == 0L) {
    return(0)
  }
  best[1L] + count_matches(left[seq_len(best[2L] - best[1L])], right[seq_len(best[3L] - best[1L])]) +
    count_matches(left[-seq_len(best[2L])], right[-seq_len(best[3L])])
}
