# What only functions without public names show; each part says why.

# A refusal of the test's own, in places that are nested.
test_that("where a parameter is, is said by the innermost code that knows it", {
  refused = function() stop_parameter("x", "be 1", "2", "Try 1.")
  expect_error(refuse_at("of the table", refuse_at("of 'a'", refused())), fixed = TRUE,
    "The 'x' parameter of 'a' must be 1. Got 2 instead. Try 1.")
  expect_error(refuse_as("y", refuse_at("at node 'a'", refused())), fixed = TRUE,
    "The 'y' parameter at node 'a' must be 1. Got 2 instead. Try 1.")
})

# Counts of rows that no test can hold.
test_that("integers that doubles cannot hold exactly are refused", {
  expect_error(bins_of_distinct(rep(2^30, 4), 2^21), fixed = TRUE,
    "must have a product with twice the rows below 2^53, to be exact. Got 2097152 and 4294967296 rows instead.")
  expect_identical(bins_of_distinct(rep(2^30, 4), 2^19), 1:4)
})

# Not by an exported function: none writes missing numbers, or vectors of 2^31 bytes within a test.
test_that("missing numbers have one form, and vectors that are too long for one call of R are cut", {
  recipe = recipe_of(batch_sampler_perplexity(3, 2, 2, seed = 1))
  files = lapply(list(NaN, NA), function(missing) {
    recipe$state$reported = c(missing, 1, -0)
    file = withr::local_tempfile()
    write_recipe(recipe, file)
    readBin(file, "raw", 5000)
  })
  expect_identical(files[[2L]], files[[1L]])
  file = withr::local_tempfile()
  for (vector in list(1:10, as.raw(0:9), c(0.5, 1:9), 1, double())) {
    output = file(file, "wb")
    write_vector(vector, output, at_once = 3)
    close(output)
    input = file(file, "rb")
    expect_identical(read_vector(input, typeof(vector), length(vector), at_once = 4), vector)
    close(input)
  }
})

# What plot() draws of a plan, since a device keeps only pixels: the height of every batch of a stratum, read off the
# middles of the steps.
heights = function(outline) {
  outline$rows[seq(1L, nrow(outline), by = 2L)]
}

test_that("a plot shows the strata from the rarest on, with the rows of every batch", {
  plan = plan_with_ties()
  panels = plan_panels(plan, 12)
  expect_identical(vapply(panels, `[[`, "", "label"), c("rare (43 rows)", "long (52 rows)", "common (270 rows)"))
  expect_identical(vapply(panels, `[[`, "", "in_a_batch"), c("7 to 8", "8 to 9", "45"))
  drawn = lapply(panels, function(panel) heights(panel$outline))
  expect_identical(drawn, unname(as.list(plan$composition()[c("rare", "long", "common")])))
  expect_identical(panels[[1]]$outline$batch[c(1, 2, 3, 12)], c(0.5, 1.5, 1.5, 6.5))
})

test_that("a plot says how many of the strata it shows, and cuts long names", {
  plan = batch_plan(rep(c(strrep("x", 40), letters), each = 2), 1)
  expect_length(plan_panels(plan, 12), 12)
  expect_match(plan_subtitle(plan, 12), "; the 12 rarest of 27 strata", fixed = TRUE)
  expect_no_match(plan_subtitle(plan, 27), "rarest")
  expect_identical(plan_panels(plan, 1)[[1]]$label, paste0(strrep("x", 30), "... (2 rows)"))
})

test_that("axes have whole numbers only", {
  expect_identical(whole_breaks(c(0, 2)), c(0, 1, 2))
  expect_identical(whole_breaks(c(1, 200)), c(50, 100, 150, 200))
})
