# Checks the spelling of the documents, the help pages, and the docstrings and comments of Python.
#
#   Rscript tools/spelling.R            print the words that neither the dictionary nor the list of words has
#   Rscript tools/spelling.R --write    write the list, rbridge/r/inst/WORDLIST, anew: all words not in the dictionary

word_list = "rbridge/r/inst/WORDLIST"
writes = "--write" %in% commandArgs(trailingOnly = TRUE)
known = if (writes) character() else readLines(word_list, encoding = "UTF-8")

files_of = function(pattern) system2("git", c("ls-files", shQuote(pattern)), stdout = TRUE)
prose = tempfile("prose")
stopifnot(system2(".venv/bin/python", c("tools/prose.py", prose, files_of("*.py"))) == 0)
texts = c(
  setdiff(files_of("*.md"), "rbridge/r/NEWS.md"), # the same as CHANGELOG.md
  list.files("rbridge/r/man", pattern = "[.]Rd$", full.names = TRUE),
  list.files(prose, recursive = TRUE, full.names = TRUE)
)
found = spelling::spell_check_files(texts, ignore = known, lang = "en_US")
description = read.dcf("rbridge/r/DESCRIPTION", fields = c("Title", "Description"))[1, ]
in_description = spelling::spell_check_text(description, ignore = known, lang = "en_US")

if (writes) {
  writeLines(sort(unique(c(found$word, in_description$word)), method = "radix"), word_list, useBytes = TRUE)
} else if (nrow(found) + nrow(in_description) > 0) {
  print(found)
  print(in_description)
  message("check (spelling): these words are unknown. If they are right: `Rscript tools/spelling.R --write`")
  quit(status = 1)
}
