# Arguments that R and Python share are described once, in the docstrings of pystrat: in a comment of R,
# `@eval described("UniformBatchSampler", "batch_size")` gives the same @param. An argument with a name, such as
# ignore = "`integer()`", has this type in R; "users,items" have one description.
# `@eval members("SumTree", "find(values)")` gives the @return with what the docstrings of Python's methods and
# properties say of these members; one with a text, such as "clone(): returns a copy.", is taken as it is.
# roxygen2::roxygenise("rbridge/r") sources this file, in the root of the repository.

python = unlist(lapply(list.files("pystrat", "[.]py$", recursive = TRUE, full.names = TRUE), readLines))

described = function(object, ...) {
  wanted = c(...)
  names = if (is.null(names(wanted))) wanted else ifelse(nzchar(names(wanted)), names(wanted), wanted)
  parameters = python_parameters(object)
  lines = Map(function(name, type) {
    entry = parameters[[sub(",.*", "", name)]]
    if (is.null(entry)) stop("the docstring of ", object, " has no parameter ", name)
    type = if (name == type) type_in_r(entry[1]) else type
    c(sprintf("@param %s (%s)\\cr", name, type), paste0("  ", text_in_r(entry[-1])))
  }, names, wanted)
  unlist(lines, use.names = FALSE)
}

# The parameters of a class or a function by name: for each the type, and the lines of the text.
python_parameters = function(object) {
  begin = grep(sprintf("^(class|def) %s[(:]", object), python)
  if (length(begin) != 1) stop("pystrat has ", length(begin), " objects ", object)
  lines = python[-seq_len(begin)]
  rules = grep("^    -+$", lines)
  end = min(rules[2] - 2, Filter(function(line) line > rules[1], grep('"""', lines))[1] - 1)
  section = substring(lines[(rules[1] + 1):end], 5)
  begins = grep("^[a-z*]", section)
  entries = split(section, findInterval(seq_along(section), begins))
  names = strsplit(sub(" :.*", "", section[begins]), ", ")
  texts = lapply(entries, function(entry) c(sub("^[^:]* : ", "", entry[1]), trimws(entry[-1][nzchar(entry[-1])])))
  stats::setNames(rep(texts, lengths(names)), unlist(names))
}

of_instances = "A generator, whose instances have the members of every [batch_sampler_instance], and"

members = function(object, ..., of = of_instances) {
  items = vapply(c(...), function(item) {
    known = regmatches(item, regexec("^(\\w+(\\([^)]*\\))?): (.*)$", item))[[1]]
    if (length(known) > 0) return(sprintf("* `%s`: %s", known[2], known[4]))
    said = python_summary(object, sub("\\(.*", "", item))
    sprintf("* `%s`: %s", item, if (grepl("(", item, fixed = TRUE)) said else sub("^returns ", "", said))
  }, "")
  c(paste("@return", of), items)
}

# What the docstring of a method or a property of a class, or of its base, says before its sections.
python_summary = function(object, name) {
  begin = grep(sprintf("^class %s[(:]", object), python)
  if (length(begin) != 1) stop("pystrat has ", length(begin), " classes ", object)
  ends = grep("^(class|def|@) ?", python)
  lines = python[begin:c(ends[ends > begin], length(python))[1]]
  found = grep(sprintf("^    def %s\\(", name), lines)
  if (length(found) == 0) return(python_summary(sub("^class \\w+\\((\\w+).*", "\\1", python[begin]), name))
  text = strsplit(paste(trimws(lines[-seq_len(found[1])]), collapse = "\n"), '"""', fixed = TRUE)[[1]][2]
  text = sub("\nParameters\n.*", "", text)
  text = paste(text_in_r(gsub("\n+", "\n", trimws(text))), collapse = "\n  ")
  text = gsub("\\bNaN\\b", "NA", text)
  text = gsub(", as a new array|[,;] shape \\([^)]*\\)", "", gsub(" and return ", " and returns ", text))
  verb = sub(" .*", "", text)
  lower = paste0(tolower(substring(text, 1, 1)), substring(text, 2))
  if (verb %in% c("Add", "Draw", "Report", "Return", "Set")) sub(" ", "s ", lower) else paste("returns", lower)
}

type_in_r = function(type) {
  type = sub(", (optional|default.*)$", "", type)
  plain = c(int = "`integer(1)`", float = "`numeric(1)`", bool = "`logical(1)`", mapping = "named `numeric()`",
    callable = "`function`", "function" = "`function`")
  choices = regmatches(type, gregexpr('"[^"]+"', type))[[1]]
  others = setdiff(strsplit(sub("^\\{.*\\}( or )?", "", type), " or ")[[1]], choices)
  if (!all(others %in% names(plain))) stop("the type ", type, " is not known in R")
  types = c(sprintf("`%s`", choices), plain[others])
  sub(",([^,]*)$", " or\\1", paste(types, collapse = ", "))
}

# Each piece between backticks is code.
text_in_r = function(lines) {
  pieces = strsplit(gsub("``", "`", paste(lines, collapse = "\n")), "`")[[1]]
  is_code = seq_along(pieces) %% 2 == 0
  pieces[is_code] = vapply(pieces[is_code], code_in_r, "")
  pieces[!is_code] = gsub("\\b(TRUE|FALSE|NULL)\\b", "`\\1`", values_in_r(pieces[!is_code]))
  strsplit(paste(pieces, collapse = ""), "\n")[[1]]
}

values_in_r = function(text) gsub("\\bNone\\b", "NULL", gsub("\\bFalse\\b", "FALSE", gsub("\\bTrue\\b", "TRUE", text)))

# Python's classes are functions in R, and its mappings named vectors.
code_in_r = function(code) {
  if (grepl("^[A-Z]\\w+BatchSampler$", code)) {
    return(sprintf("[batch_sampler%s()]", tolower(gsub("([A-Z])", "_\\1", sub("BatchSampler$", "", code)))))
  }
  code = values_in_r(code)
  code = gsub("//", "%/%", gsub(" ?\\*\\* ?", "^", gsub('^(\\w+)=("\\w+")$', "\\1 = \\2", code)), fixed = TRUE)
  sprintf("`%s`", gsub('"?(\\w+)"?: ', "\\1 = ", sub("^\\{(.*)\\}$", "c(\\1)", code)))
}

assign("described", described, envir = globalenv())
assign("members", members, envir = globalenv())
list()
