# Names of strata that users give: as they are shown, and looked up among those of the dataset.

# `noun` is what messages call a stratum.
class_codes = function(wanted, names, parameter, noun = "class") {
  nouns = c(class = "classes", stratum = "strata", shard = "shards")[[noun]]
  codes = match(wanted, names)
  wrong = which(is.na(codes) | wanted %in% names[duplicated(names)])[1L]
  if (is.na(wrong)) {
    return(codes)
  }
  refuse_if(is.na(codes[wrong]), parameter, sprintf("name one of the %s, %s", nouns, show_names(names)),
    show_value(wanted[wrong]))
  stop_parameter(parameter, sprintf("name a %s that no other is shown as", noun),
    sprintf("%s, as which %d %s are shown,", show_value(wanted[wrong]), sum(names == wanted[wrong]), nouns),
    sprintf("Recode the %s, so that each is shown in its own way.", nouns))
}

# How a label is shown as the name of a class.
class_name = function(label, parameter) {
  label = plain_value(label)
  is_label = is.atomic(label) && length(label) == 1L && is.null(dim(label)) && !is.na(label)
  name = if (is_label) {
    tryCatch(encode_column(comparable_column(label, ""))$names, error = function(condition) NULL)
  }
  refuse_if(is.null(name), parameter, "name a class by its label", show_value(label))
  name
}

# The names of values that are given by stratum.
check_class_names = function(values, parameter, noun = "class") {
  required = sprintf("name the %s", c(class = "classes", stratum = "strata")[[noun]])
  names = unicode_text(names(values), parameter, required)
  refuse_if(length(names) == 0L || anyNA(names), parameter, required, "values without names")
  refuse_if(anyDuplicated(names), parameter, sprintf("name each %s once", noun),
    sprintf("'%s' twice", names[anyDuplicated(names)]))
  names
}
