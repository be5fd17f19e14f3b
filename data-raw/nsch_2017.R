# The data set of the R package: `Rscript data-raw/nsch_2017.R` writes rbridge/r/data/nsch_2017.rda from the extract.
# The first class of the outcome is "yes", which mlr3 takes as the positive one; ages have their order.

nsch_2017 = read.csv("data/nsch_2017.csv.gz", na.strings = "", stringsAsFactors = TRUE)
nsch_2017$autism = factor(nsch_2017$autism, c("yes", "no"))
nsch_2017$age_group = factor(nsch_2017$age_group, c("0-5", "6-11", "12-17"))
save(nsch_2017, file = "rbridge/r/data/nsch_2017.rda", compress = "xz", version = 3L)
