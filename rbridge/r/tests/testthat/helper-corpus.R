# A folder with files of the given numbers of lines, which contain their positions: corpus(IT1 = 30, news = 50).
corpus_of = function(..., suffixes = ".txt", folder = tempfile("corpus")) {
  dir.create(folder, showWarnings = FALSE)
  sizes = c(...)
  for (name in names(sizes)) {
    for (suffix in suffixes) {
      lines = if (sizes[[name]] > 0) sprintf("%s %d %s", name, seq_len(sizes[[name]]), suffix)
      write_bytes(file.path(folder, paste0(name, suffix)), paste0(c(lines, if (sizes[[name]] > 0) ""), collapse = "\n"))
    }
  }
  folder
}

write_bytes = function(path, text) {
  writeBin(if (is.raw(text)) text else charToRaw(enc2utf8(text)), path)
  path
}
