# All errors about arguments have one grammar, so that R and Python give the same text:
# The '{parameter}' parameter must {requirement}. Got {got} instead. {advice}

# Raises such an error, of the class "rbridge_refusal", with the parts of the message as fields.
# `where` says where the parameter or the value is, such as "of the table" or "at node 'root/rare'".
stop_parameter = function(parameter, requirement, got, advice = NULL, where = NULL) {
  named = paste(c(sprintf("The '%s' parameter", parameter), where), collapse = " ")
  message = sprintf("%s must %s. Got %s instead.", named, requirement, got)
  stop(structure(class = c("rbridge_refusal", "simpleError", "error", "condition"), list(
    message = paste(c(message, advice), collapse = " "), call = user_call(),
    parameter = parameter, requirement = requirement, got = got, advice = advice, where = where
  )))
}

# Raises it if a condition holds; only then are the parts evaluated.
refuse_if = function(condition, ...) {
  if (condition) {
    stop_parameter(...)
  }
}

# The call by which the user came to this package: the outermost one of its functions, methods and generators.
user_call = function() {
  for (place in seq_len(sys.nframe())) {
    called = sys.function(place)
    if (inherits(called, "batch_sampler_generator") || identical(topenv(environment(called)), topenv())) {
      return(sys.call(place))
    }
  }
}

# Evaluates `code`; if it refuses a parameter, the error has another name for it, or says where it is, unless it already
# does.
refuse_as = function(parameter, code, where = NULL) {
  tryCatch(code, rbridge_refusal = function(refusal) {
    stop_parameter(c(parameter, refusal$parameter)[1L], refusal$requirement, refusal$got, refusal$advice,
      c(refusal$where, where)[1L])
  })
}

refuse_at = function(where, code) refuse_as(NULL, code, where)

show_value = function(value) {
  if (is.null(value)) {
    "nothing"
  } else if (is.object(value) || !is.atomic(value) && !(is.list(value) && length(value) != 1L)) {
    sprintf("a value of class '%s'", class(value)[1L])
  } else if (length(value) != 1L) {
    show_count(length(value), "value")
  } else if (is.na(value) && !is.nan(value)) {
    "NA"
  } else if (is.character(value)) {
    show_text(value)
  } else if (is.numeric(value)) {
    show_number(as.double(value))
  } else {
    format(value)
  }
}

# Bytes that are not characters are shown as <ff>: a message must itself be valid text.
# Control characters, which could change what a terminal shows, are escaped.
show_text = function(text) {
  shown = iconv(enc2utf8(text), "UTF-8", "UTF-8", sub = "byte")
  controls = gregexpr("[\u0001-\u001f\u007f-\u009f]", shown, perl = TRUE)
  regmatches(shown, controls) = lapply(regmatches(shown, controls), vapply, FUN.VALUE = "", function(control) {
    switch(control, "\t" = "\\t", "\n" = "\\n", "\r" = "\\r", sprintf("\\x%02x", utf8ToInt(control)))
  })
  sprintf("'%s'", shown)
}

# The first 100 characters, and "..." if there are more.
shortened = function(text) {
  ifelse(nchar(text) <= 100L, text, paste0(substr(text, 1L, 100L), "..."))
}

# At most 15 digits; 17 for a number that would look like a whole number but is not.
show_number = function(value) {
  shown = sprintf("%.15g", value)
  if (is.finite(value) && value != floor(value) && !grepl("[.e]", shown)) sprintf("%.17g", value) else shown
}

# "1 row", "2 rows", "2 strata"
show_count = function(count, noun) {
  several = if (endsWith(noun, "stratum")) sub("um$", "a", noun) else paste0(noun, "s")
  sprintf("%.0f %s", as.double(count), if (count == 1) noun else several)
}

# "'a', 'b', 'c'", and ", ..." if there are more than `most`
show_names = function(names, most = 10L) {
  quoted = vapply(names[seq_len(min(length(names), most))], show_text, "")
  paste(c(quoted, if (length(names) > most) "..."), collapse = ", ")
}
