# Text that users give, as UTF-8; NULL remains NULL.
# Text without characters is refused before anything compares it: R shows the byte ff like the text <ff>, and
# enc2utf8() makes it that text.
unicode_text = function(text, parameter, required = column_kinds, place = "") {
  if (is.null(text)) {
    return(NULL)
  }
  refuse_if(!is_unicode(text), parameter, required, paste0("text that is not Unicode", place))
  enc2utf8(as.vector(text))
}

# In a locale that is not UTF-8, unmarked text must also have a meaning: every byte is valid in the locale "C".
is_unicode = function(text) {
  marks = Encoding(text)
  if (any(marks == "bytes") || !all(validEnc(text))) {
    return(FALSE)
  }
  if (l10n_info()[["UTF-8"]]) {
    return(TRUE)
  }
  unmarked = text[marks == "unknown" & !is.na(text)]
  !anyNA(iconv(unmarked, "", "UTF-8"))
}
