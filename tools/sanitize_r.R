# Draws from mutated files of recipes of every kind; called by tools/sanitize_r.sh, whose sanitizers end the process.

arguments = commandArgs(trailingOnly = TRUE)
library(rbridge, lib.loc = arguments[1L])
setwd("rbridge/r/tests/testthat")
for (helper in c("helper-specimens.R", "helper-recipe_files.R", "helper-hostile_recipes.R")) source(helper)
note = function(number, kind, wrong, bytes) cat(sprintf("file %d, of '%s': %s\n", number, kind, wrong))
reactions = reactions_to_hostile_files(as.integer(arguments[2L]), as.integer(arguments[3L]), note)
print(reactions)
quit(status = if (all(names(reactions) %in% c("refused", "drew"))) 0 else 1)
