# Text that users give, as UTF-8; NULL remains NULL.
# Text without characters is refused before anything compares it: R shows the byte ff like the text <ff>, and
# enc2utf8() makes it that text.
unicode_text = function(text, parameter, required = column_kinds, place = "") {
  if (is.null(text)) {
    return(NULL)
  }
  refuse_if(any(Encoding(text) == "bytes") || !all(validEnc(text)), parameter, required,
    paste0("text that is not Unicode", place))
  enc2utf8(as.vector(text))
}
