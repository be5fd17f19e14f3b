# YAML text or a file -> nested lists, as the Python package reads them: the rules of YAML 1.1 as in PyYAML, without
# duplicate keys, aliases and types that are not plain.

read_tree_yaml = function(spec) {
  if (!requireNamespace("yaml", quietly = TRUE)) {
    stop("The package yaml, which reads the specification, is not installed. ",
      "Install it: install.packages(\"yaml\"). Or give the specification as a list.", call. = FALSE)
  }
  if (!grepl("\n", spec, fixed = TRUE) && grepl("\\.ya?ml$", spec)) {
    if (!are_there(spec)) {
      stop_parameter("spec", "be the path of a file that exists, if it ends in .yaml or .yml", show_value(spec))
    }
    check_regular_file(spec, "spec")
    spec = paste(readLines(spec, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  }
  refuse_documents(spec)
  refuse_many_brackets(spec)
  nodes = 0
  is_nested_deeply = FALSE
  # Each node has a number, which identifies a node that an alias repeats. For a key, the package yaml takes the text of
  # the only element. Content that is nested too deeply is discarded, because R itself could not recurse into it.
  handler = function(type) {
    force(type)
    function(value) {
      nodes <<- nodes + 1
      nesting = yaml_nesting(value)
      is_nested_deeply <<- is_nested_deeply || nesting > most_nesting
      if (is_nested_deeply) {
        return(NULL)
      }
      structure(list(value), type = sub("#.*", "", type), number = nodes, nesting = nesting, class = "yaml_node")
    }
  }
  root = tryCatch(
    yaml::yaml.load(enc2utf8(spec), handlers = sapply(yaml_types, handler, simplify = FALSE), eval.expr = FALSE),
    error = function(condition) refuse_yaml(conditionMessage(condition)),
    warning = function(condition) refuse_yaml(conditionMessage(condition))
  )
  if (is_nested_deeply) {
    refuse_nesting()
  }
  if (anyDuplicated(yaml_numbers(root)) > 0L) {
    alias = regmatches(spec, regexpr("(?<![^\\s\\[{,])\\*[^\\s\\]},]+", spec, perl = TRUE))
    stop_parameter("spec", "have no aliases", sprintf("'%s'", alias))
  }
  plain_yaml(root)
}

yaml_types = c(
  "map", "seq", "str", "null", "bool", "bool#yes", "bool#no", "int", "int#hex", "int#oct", "int#base60", "float",
  "float#fix", "float#exp", "float#base60", "float#inf", "float#neginf", "float#nan", "timestamp", "timestamp#iso8601",
  "timestamp#spaced", "timestamp#ymd"
)

refuse_yaml = function(problem) {
  key = regmatches(problem, regexec("Duplicate map key: '(.*)'", problem))[[1L]][2L]
  if (!is.na(key)) {
    stop_parameter("spec", "have every key once", sprintf("'%s' again", key))
  }
  stop_parameter("spec", "be YAML", sprintf("what the package yaml refuses (%s)", trimws(problem)))
}

# The package yaml would read only the first of several documents.
refuse_documents = function(text) {
  lines = strsplit(text, "\n", fixed = TRUE)[[1L]]
  first = which(!grepl("^\\s*(#.*|%.*|---\\s*)?$", lines))[1L]
  if (!is.na(first) && any(grepl("^---(\\s|$)", lines[-seq_len(first)]))) {
    refuse_yaml("expected a single document")
  }
}

# The package yaml takes quadratic time for nested brackets, so they are counted before it reads them. Those in quoted
# text count too, so the limit is generous.
refuse_many_brackets = function(text) {
  bytes = charToRaw(text)
  opened = cumsum((bytes %in% charToRaw("[{")) - (bytes %in% charToRaw("]}")))
  if (any(opened > 10 * most_nesting)) {
    refuse_nesting()
  }
}

# The number of nested maps and sequences, including this one.
yaml_nesting = function(value) {
  if (!is.list(value)) {
    return(0)
  }
  1 + max(0, vapply(value, function(item) max(0, attr(item, "nesting")), double(1L)))
}

# The numbers of a node and of all nodes below it, level by level.
yaml_numbers = function(root) {
  numbers = list()
  level = list(root)
  while (length(level) > 0L) {
    level = Filter(function(node) inherits(node, "yaml_node"), level)
    numbers = c(numbers, lapply(level, attr, "number"))
    values = Filter(is.list, lapply(level, function(node) unclass(node)[[1L]]))
    level = unlist(lapply(values, unname), recursive = FALSE)
  }
  unlist(numbers)
}

plain_yaml = function(node) {
  if (is.null(node)) {
    return(NULL)
  }
  type = attr(node, "type")
  value = if (inherits(node, "yaml_node")) unclass(node)[[1L]]
  if (is.null(value) || is.list(value) != type %in% c("map", "seq")) {
    refuse_yaml("a type that is not plain")
  }
  if (is.list(value)) {
    values = structure(vector("list", length(value)), names = if (type == "map") names(value))
    for (place in seq_along(value)) { # lapply() needs more of the stack at each level
      values[place] = list(plain_yaml(value[[place]]))
    }
    return(values)
  }
  found = plain_scalar(value, type)
  if (identical(found, NA)) {
    stop_parameter("spec", "hold valid values", sprintf("the %s %s", type, show_text(shortened(value))),
      advice = "A text that looks like something else goes in quotes.")
  }
  found
}

# NA for a scalar that does not match its type; text if the package yaml recognizes more than PyYAML.
plain_scalar = function(text, type) {
  switch(type,
    null = NULL,
    str = text,
    bool = yaml_flag(text),
    timestamp = yaml_moment(text),
    yaml_number(text)
  )
}

yaml_flag = function(text) {
  if (text %in% c("y", "Y", "n", "N")) {
    return(text)
  }
  unname(c(yes = TRUE, true = TRUE, on = TRUE, no = FALSE, false = FALSE, off = FALSE)[tolower(text)])
}

yaml_number = function(text) {
  digits = gsub("_", "", text, fixed = TRUE)
  sign = if (startsWith(digits, "-")) -1 else 1
  size = sub("^[-+]", "", digits)
  if (grepl("^[0-9]+(:[0-5]?[0-9])+(\\.[0-9]*)?$", size)) {
    sign * Reduce(function(total, part) 60 * total + part, as.double(strsplit(size, ":", fixed = TRUE)[[1L]]))
  } else if (grepl("^0[0-7]+$", size)) {
    sign * Reduce(function(total, digit) 8 * total + digit, as.double(strsplit(size, "")[[1L]]))
  } else if (grepl("^(0|[1-9][0-9]*|0x[0-9a-fA-F]+)$", size) ||
    grepl("^([0-9]+\\.[0-9]*|\\.[0-9]+)([eE][-+][0-9]+)?$", size)) {
    sign * as.double(size)
  } else if (grepl("^\\.(inf|Inf|INF)$", size)) {
    sign * Inf
  } else if (grepl("^\\.(nan|NaN|NAN)$", size)) {
    NaN
  } else if (grepl("^[-+]?[0-9.]", text)) {
    text
  } else {
    NA
  }
}

# A day, or a time in UTC.
yaml_moment = function(text) {
  day = "([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
  time = "([0-9]{1,2}):([0-9]{2}):([0-9]{2}(?:\\.[0-9]*)?)"
  zone = "[ \t]*(?:Z|([-+])([0-9]{1,2})(?::([0-9]{2}))?)?"
  pattern = sprintf("^%s(?:(?:[Tt]|[ \t]+)%s%s)?$", day, time, zone)
  parts = regmatches(text, regexec(pattern, text, perl = TRUE))[[1L]][-1L]
  if (length(parts) == 0L) {
    return(text)
  }
  date = as.Date(paste(parts[1:3], collapse = "-"), format = "%Y-%m-%d", optional = TRUE)
  if (is.na(date)) {
    return(NA)
  }
  if (parts[4L] == "") {
    return(date)
  }
  numbers = as.double(parts[4:6])
  offset = sum(as.double(parts[8:9]) * c(3600, 60), na.rm = TRUE)
  seconds = as.double(unclass(date)) * 86400 + sum(numbers * c(3600, 60, 1)) - if (parts[7L] == "-") -offset else offset
  as.POSIXct(seconds, origin = "1970-01-01", tz = "UTC")
}
