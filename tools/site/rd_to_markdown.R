# Writes the help pages of the R package as Markdown for the site, a file for each: FOLDER/NAME.md.
#
#   Rscript tools/site/rd_to_markdown.R NAMES FOLDER     NAMES is a table of names.py
#
# A help page is a tree, each node of which has a tag. `markdown_of` has a way to write each tag that the help pages
# use. Another one is an error, so that no text is lost.

arguments = commandArgs(trailingOnly = TRUE)
pages = utils::read.csv(arguments[1L])
macros = tools::loadRdMacros("rbridge/r/man/macros/guides.Rd")
macros = tools::loadRdMacros(textConnection("\\newcommand{\\guide}{\\code{docs/#1.md}}"), macros)

tag_of = function(node) sub("^\\\\", "", attr(node, "Rd_tag"))

# The text of a node without its markup.
plain = function(node) paste(unlist(node), collapse = "")

# A backslash before each character that Markdown would take for markup.
escaped = function(text) {
  text = gsub("([][\\\\`*_<>{}|#~])", "\\\\\\1", text)
  gsub("^( *)([-+]|[0-9]+[.)]) ", "\\1\\\\\\2 ", text)
}

code = function(text) {
  fence = if (grepl("`", text, fixed = TRUE)) "``" else "`"
  paste0(fence, gsub("\n", " ", text), fence)
}

fenced = function(text, language) sprintf("\n\n```%s\n%s\n```\n\n", language, gsub("^\\s*\n|\\s+$", "", text))

# All lines but the first, moved to the right.
hanging = function(text, by) gsub("\n(?=[^\n])", paste0("\n", strrep(" ", by)), trimws(text), perl = TRUE)

# Links lead to pages of this package. Names of other packages are shown as code, as they are written.
link = function(node) {
  option = attr(node, "Rd_option")
  topic = sub("^=", "", if (is.null(option)) plain(node) else plain(option))
  if (topic %in% pages$r) sprintf("[%s](%s.md)", code(plain(node)), topic) else code(plain(node))
}

# A list whose items begin with a mark, or with their numbers.
items_of = function(node, mark = NULL) {
  begins = vapply(node, tag_of, "") == "item"
  parts = split(as.list(node), cumsum(begins))[-1L]
  marks = if (is.null(mark)) paste0(seq_along(parts), ".") else rep(mark, length(parts))
  items = mapply(function(part, mark) paste(mark, hanging(markdown(part[-1L]), nchar(mark) + 1L)), parts, marks)
  paste0("\n\n", paste(items, collapse = "\n"), "\n\n")
}

markdown_of = function(node) {
  switch(tag_of(node),
    TEXT = escaped(plain(node)),
    RCODE = ,
    VERB = plain(node),
    COMMENT = ,
    dontshow = ,
    USERMACRO = , # what it stands for follows
    "if" = "", # roxygen2 wraps code in these, for HTML alone
    code = if (length(node) == 1L && identical(tag_of(node[[1L]]), "link")) link(node[[1L]]) else code(plain(node)),
    verb = code(plain(node)),
    link = link(node),
    emph = sprintf("*%s*", markdown(node)),
    strong = sprintf("**%s**", markdown(node)),
    email = plain(node),
    enc = markdown(node[[1L]]),
    cr = "\\",
    url = sprintf("<%s>", plain(node)),
    href = sprintf("[%s](%s)", markdown(node[[2L]]), plain(node[[1L]])),
    itemize = items_of(node, "-"),
    enumerate = items_of(node),
    describe = described(node),
    subsection = paste0("\n\n### ", markdown(node[[1L]]), "\n\n", markdown(node[[2L]])),
    preformatted = fenced(plain(node), "text"),
    stop("rd_to_markdown.R does not know the tag ", tag_of(node), call. = FALSE)
  )
}

markdown = function(nodes) paste(vapply(nodes, markdown_of, ""), collapse = "")

# The items of a list of terms, each with its description.
described = function(node) {
  items = Filter(function(child) tag_of(child) == "item", node)
  texts = vapply(items, function(item) paste0(markdown(item[[1L]]), ": ", trimws(markdown(item[[2L]]))), "")
  paste0("\n\n", paste0("- ", vapply(texts, hanging, "", 2L), collapse = "\n"), "\n")
}

# One argument: its name and, if the text begins with it, its type; then the rest of the text.
argument = function(item) {
  text = trimws(markdown(item[[2L]]))
  typed = regmatches(text, regexec("^\\((.*?)\\)\\\\\n(.*)$", text))[[1L]]
  type = if (length(typed) > 0L) paste(" :", typed[2L]) else ""
  paste0("**", code(plain(item[[1L]])), "**", type, "\n: ", hanging(if (length(typed) > 0L) typed[3L] else text, 2L))
}

# Usage as R shows it: a method has its generic and its class.
usage_of = function(node) {
  if (tag_of(node) != "method") {
    return(plain(node))
  }
  sprintf("# S3 method for class '%s'\n%s", plain(node[[2L]]), plain(node[[1L]]))
}

section = function(title, text) paste0("## ", title, "\n\n", trimws(text))

# Without what roxygen2 wraps examples under a condition in.
examples_of = function(node) fenced(plain(node[vapply(node, tag_of, "") != "dontshow"]), "r")

# Each section of a help page with its title, in the order in which R shows them.
sections = list(
  usage = function(node) section("Usage", fenced(paste(vapply(node, usage_of, ""), collapse = ""), "r")),
  arguments = function(node) {
    items = Filter(function(child) tag_of(child) == "item", node)
    section("Arguments", paste(vapply(items, argument, ""), collapse = "\n\n"))
  },
  value = function(node) section("Value", markdown(node)),
  details = function(node) section("Details", markdown(node)),
  format = function(node) section("Format", markdown(node)),
  section = function(node) section(markdown(node[[1L]]), markdown(node[[2L]])),
  source = function(node) section("Source", markdown(node)),
  author = function(node) section("Author", markdown(node)),
  seealso = function(node) section("See also", markdown(node)),
  examples = function(node) section("Examples", examples_of(node))
)
unshown = c("TEXT", "COMMENT", "name", "alias", "title", "description", "docType", "keyword")

page = function(file) {
  rd = tools::parse_Rd(file, macros = macros)
  tags = vapply(rd, tag_of, "")
  unknown = setdiff(tags, c(names(sections), unshown))
  if (length(unknown) > 0L) {
    stop(file, " has sections that rd_to_markdown.R does not know: ", paste(unknown, collapse = ", "), call. = FALSE)
  }
  name = plain(rd[[match("name", tags)]])
  python = pages$python[match(name, pages$r)]
  parts = lapply(names(sections), function(tag) lapply(rd[tags == tag], sections[[tag]]))
  text = c(
    paste("#", escaped(name)),
    paste0("**", trimws(markdown(rd[[match("title", tags)]])), "**"),
    if (nzchar(python)) sprintf("In Python: {py:obj}`%s`", python),
    trimws(markdown(rd[[match("description", tags)]])),
    unlist(parts)
  )
  writeLines(paste(text, collapse = "\n\n"), paste0(name, ".md"), useBytes = TRUE)
  for (other in intersect(vapply(rd[tags == "alias"], plain, ""), setdiff(pages$r, name))) {
    writeLines(sprintf("# %s\n\nSee [%s](%s.md).", escaped(other), code(name), name), paste0(other, ".md"))
  }
}

files = normalizePath(list.files("rbridge/r/man", pattern = "\\.Rd$", full.names = TRUE))
setwd(arguments[2L])
invisible(lapply(files, page))
