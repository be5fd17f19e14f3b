# The data set of the survey, against the file that it is made of.

test_that("the data set has the rows and columns of the extract", {
  file = test_path("survey", "nsch_2017.csv.gz")
  skip_if_not(file.exists(file))
  extract = utils::read.csv(file, na.strings = "")
  expect_identical(names(nsch_2017), names(extract))
  as_text = nsch_2017
  are_factors = vapply(as_text, is.factor, NA)
  as_text[are_factors] = lapply(as_text[are_factors], as.character)
  expect_equal(as_text, extract)
})

test_that("the outcome is rare, its first class is the positive one, and every batch can have it", {
  expect_identical(c(table(nsch_2017$autism, useNA = "always")), c(yes = 606L, no = 20907L, 86L), ignore_attr = TRUE)
  expect_identical(levels(nsch_2017$autism), c("yes", "no"))
  answered = nsch_2017[!is.na(nsch_2017$autism), ]
  sampler = batch_sampler_stratified(3, strata = answered$autism, seed = 1)(NULL)
  positives = vapply(sampler$batches(0), function(rows) sum(answered$autism[rows] == "yes"), 0)
  expect_gte(min(positives), 3)
})
