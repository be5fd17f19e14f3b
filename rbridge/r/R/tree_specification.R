# The nodes of a specification, from YAML or nested lists; the core has the table of their keys.

# -> list(nodes = the declared nodes in preorder, auxiliary = what is given as auxiliary values)
# A node is list(name, path, parent, keys, numbers, op); its parent is a place among the nodes, counted from 0,
# -1 for the root; its numbers and its op, the first name of its comparison, are what the core says of its keys.
read_specification = function(spec) {
  if (is.character(spec) && length(spec) == 1L && !is.na(spec)) {
    spec = unicode_text(spec, "spec", "be text in UTF-8")
    if (!grepl("\n", spec, fixed = TRUE) && grepl("\\.ya?ml$", spec)) {
      check_regular_file(spec, "spec")
      spec = paste(readLines(spec, encoding = "UTF-8", warn = FALSE), collapse = "\n")
    }
    spec = load_yaml(spec, "spec")
  }
  refuse_if(!is_mapping(spec), "spec", "be a mapping: the root node", show_given(spec))
  nodes = list()
  add_node = function(given, place, parent) {
    node = read_node(given, place, if (parent >= 0) nodes[[parent + 1]]$path)
    own = length(nodes)
    nodes[[own + 1]] <<- c(list(parent = parent), node)
    children = node$keys[["children"]]
    below = vapply(seq_along(children), function(i) add_node(children[[i]], as.character(i), own), "")
    refuse_if(anyDuplicated(below) > 0L, "children", sprintf("have names of their own at node '%s'", node$path),
      sprintf("'%s' twice", below[anyDuplicated(below)]))
    node$name
  }
  add_node(spec[names(spec) != "auxiliary"], "root", -1)
  list(nodes = nodes, auxiliary = spec[["auxiliary"]])
}

# -> list(name, path, keys, numbers, op) of a node, which is at `place` among the children of the path `above`, NULL for
# the root
read_node = function(given, place, above) {
  keys = plain_keys(given)
  name = if (!is.null(keys[["name"]])) keys[["name"]] else if (is.null(above)) place else default_name(keys, place)
  path = paste(c(above, if (is_plain_text(name)) name else place), collapse = "/")
  children = keys[["children"]]
  keys[["name"]] = name
  refuse_at(sprintf("of node '%s'", path), {
    refuse_if(!is_mapping(given), "node", "be a mapping of keys", show_given(given))
    found = core_call(if (is.null(above)) "tree_root" else "tree_node", keys)
    refuse_if(!is.null(children) && (!is.list(children) || !is.null(names(children)) || length(children) == 0L),
      "children", "be a list of nodes", show_given(children))
  })
  c(list(name = name, path = path, keys = keys), found[c("numbers", "op")])
}

# The keys that have values, by their first names.
plain_keys = function(given) {
  if (!is_mapping(given)) {
    return(list())
  }
  names(given) = unicode_text(names(given), "spec", "have keys that are text")
  refuse_if(anyDuplicated(names(given)) > 0L, "spec", "have every key once",
    sprintf("'%s' again", names(given)[anyDuplicated(names(given))]))
  keys = lapply(Filter(Negate(is.null), given), function(value) {
    value = plain_value(value)
    if (is.factor(value)) as.character(value) else if (is.character(value)) unicode_text(value, "spec") else value
  })
  if (is.null(keys[["prune"]])) {
    names(keys)[names(keys) == "prune_method"] = "prune"
  }
  if (identical(keys[["value"]], "for_each") && !any(c("op", "for_each") %in% names(keys))) {
    keys[["value"]] = NULL
    keys[["for_each"]] = TRUE
  }
  if (isFALSE(keys[["for_each"]])) {
    keys[["for_each"]] = NULL
  }
  keys
}

# The name of an unnamed node: the column of clones, or a plain value; else its place.
default_name = function(keys, place) {
  value = if (is.null(keys[["for_each"]])) keys[["value"]] else keys[["column"]]
  is_plain = is.atomic(value) && !is.object(value) && length(value) == 1L && !is.na(value) && !identical(value, "")
  if (!is_plain) place else if (is.character(value)) value else show_value(value)
}

# Named or empty: an empty list counts as a mapping without keys.
is_mapping = function(given) {
  is.list(given) && !is.object(given) && (length(given) == 0L || !is.null(names(given)))
}

is_plain_text = function(value) is.character(value) && !is.object(value) && length(value) == 1L

# A list of a specification is shown by its length, as in Python.
show_given = function(value) {
  if (is.list(value) && !is.object(value)) show_count(length(value), "value") else show_value(value)
}

# YAML -> nested lists; y and n are text, as in Python; sequences stay lists.
load_yaml = function(text, parameter) {
  loadNamespace("yaml")
  handlers = list(
    seq = identity,
    int = as.double,
    "bool#yes" = function(text) if (tolower(text) == "y") text else TRUE,
    "bool#no" = function(text) if (tolower(text) == "n") text else FALSE
  )
  tryCatch(yaml::yaml.load(enc2utf8(text), handlers = handlers, eval.expr = FALSE), error = function(problem) {
    stop_parameter(parameter, "be YAML",
      sprintf("what the package yaml refuses (%s)", trimws(conditionMessage(problem))))
  })
}
