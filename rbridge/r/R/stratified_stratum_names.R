# Names of strata that users give: as they are shown, and found among those of the dataset.

class_codes = function(wanted, names, parameter) {
  codes = match(wanted, names)
  wrong = which(is.na(codes) | wanted %in% names[duplicated(names)])[1L]
  if (is.na(wrong)) {
    return(codes)
  }
  if (is.na(codes[wrong])) {
    stop_parameter(parameter, paste0("name one of the classes, ", show_names(names)), show_value(wanted[wrong]))
  }
  stop_parameter(parameter, "name a class that no other is shown as",
    sprintf("%s, as which %d classes are shown,", show_value(wanted[wrong]), sum(names == wanted[wrong])),
    "Recode the classes, so that each is shown in its own way.")
}

# How a label is shown as the name of a class.
class_name = function(label, parameter) {
  is_label = is.atomic(label) && length(label) == 1L && is.null(dim(label)) && !is.na(label)
  name = if (is_label) {
    tryCatch(encode_column(comparable_column(label, ""))$names, error = function(condition) NULL)
  }
  if (is.null(name)) {
    stop_parameter(parameter, "name a class by its label", show_value(label))
  }
  name
}
