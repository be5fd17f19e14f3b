# Rules of distribution: the share of the sample that comes from each file. One per line: a pattern, blanks, and a
# weight.

# The text of rules, which the core accepts, as bytes.
# `source` is a file of rules, or a list or several of them written out.
read_rules = function(source) {
  text = text_of_rules(source)
  core_call("read_rules", list(rules = text), function(word, places) shown_part(text, places))
  text
}

text_of_rules = function(source) {
  required = "be a file of rules, or a list of rules"
  if (is.character(source) && length(source) == 1L && !is.na(source)) {
    if (!are_there(source)) {
      stop_parameter("rules", required, sprintf("%s, no file,", show_value(source)),
        "Put a rule that is written out into a list.")
    }
    check_regular_file(source, "rules")
    return(readBin(source, "raw", file.size(source)))
  }
  if (!is.list(source) && !is.character(source)) {
    stop_parameter("rules", required, show_value(source))
  }
  c(raw(), unlist(lapply(check_paths(source, "rules", required), function(rule) c(charToRaw(rule), charToRaw("\n")))))
}

# A part of the text of rules as messages show it; a zero byte cannot be shown.
shown_part = function(text, places) {
  part = text[seq_len(places[2L] - places[1L]) + places[1L]]
  sprintf("'%s'", shown_name(rawToChar(part[part != as.raw(0L)])))
}
