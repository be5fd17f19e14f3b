# Runs the R code of documents in one process, and prints what each shows, or its error, as JSON. Each document has an
# environment of its own.
#
#   Rscript documents.R TRANSCRIPT CODE    a document whose output tools/transcript.R writes below its blocks, and the
#                                          code of the others, by name in JSON

grDevices::pdf(NULL) # plots go nowhere
documents = jsonlite::fromJSON(commandArgs(trailingOnly = TRUE)[2])
shown = lapply(documents, function(code) {
  tryCatch({
    expressions = parse(text = code, encoding = "UTF-8")
    trimws(utils::capture.output(source(exprs = expressions, local = new.env(), print.eval = TRUE)), "right")
  }, error = conditionMessage)
})
source("tools/transcript.R", local = new.env())
cat(jsonlite::toJSON(shown))
