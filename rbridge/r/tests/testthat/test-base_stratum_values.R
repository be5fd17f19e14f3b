# Tables name strata in columns of the types that the user passed.

plan_of = function(strata, ...) {
  batch_sampler_strata_subset(1, 1, strata = strata, seed = 1, missing = "stratum", ...)(NULL)$plan()
}

times = as.POSIXct("2020-01-01", tz = "UTC") + c(1.5 * 86400, 0)

test_that("a table names strata in a column of the type of the labels, with NA for missing ones", {
  for (values in list(c(1L, 0L), c(2.5, -1), c(1e300, 123456789012345), c(TRUE, FALSE), c("b", "a"),
    as.Date(c("2020-01-02", "0900-01-01")), times, factor(c("b", "a"), levels = c("a", "unused", "b")),
    factor(c("low", "high"), levels = c("low", "high"), ordered = TRUE))) {
    expect_identical(plan_of(values)$stratum, values)
    if (!is.character(values)) {
      expect_identical(plan_of(values[c(1:2, NA)])$stratum, values[c(1:2, NA)])
    }
  }
  expect_identical(plan_of(c("a", NA))$stratum, c("a", "NA"))
  expect_identical(plan_of(factor(c("NA", "a")))$stratum, factor(c("NA", "a")))
  expect_identical(plan_of(stratum_codes(c(0, 1), c("1", "0")))$stratum, c("1", "0"))
  skip_if_not_installed("bit64")
  expect_identical(plan_of(bit64::as.integer64(c(5, 3)))$stratum, c(5, 3))
})

test_that("values that their names do not give exactly are text", {
  expect_identical(plan_of(c(0.1 + 0.2, 1))$stratum, c("0.3", "1"))
  expect_identical(plan_of(c(2^53, 1))$stratum, c("9.00719925474099e+15", "1"))
  expect_identical(plan_of(times + 0.5)$stratum, c("2020-01-02T12:00:00", "2020-01-01T00:00:00"))
  expect_identical(plan_of(as.Date("2020-01-01") + 0.5)$stratum, "2020-01-01")
  expect_type(plan_of(as.Date("9999-12-31") + 1)$stratum, "character")
})

test_that("several columns follow the names of the strata, each of its type", {
  strata = data.frame(site = c(2L, 1L, 2L), sex = factor(c("m", "f", NA)), check = c("", "x, ", "y"))
  plan = plan_of(strata[1:2])
  expect_identical(as.list(plan[1:3]), list(stratum = c("2, m", "1, f", "2, NA"), stratum.site = strata$site,
    stratum.sex = strata$sex))
  expect_identical(plan_of(strata[c(1L, 3L, 2L)])$stratum.check, NULL)
  expect_identical(plan_of(strata[c(1L, 3L), c(1L, 3L)])$stratum.check, c("", "y"))
  expect_identical(names(plan_of(list(1:2, c("a", "b"))))[2:3], c("stratum.1", "stratum.2"))
  expect_identical(plan_of(data.frame(site = 2:1))$stratum, 2:1)
})

test_that("all tables with a row for each stratum have the types", {
  labels = rep(c(1L, 0L), c(4L, 8L))
  grouped = batch_sampler_stratified_group(1, groups = seq_along(labels), strata = labels, seed = 1)(NULL)
  one = batch_sampler_one_stratum(2, strata = labels, seed = 1)(NULL)
  for (table in list(grouped$plan(), one$plan(), advise(labels, 4)$strata,
    batch_plan(labels, 1, strata_per_batch = 2), batch_plan(labels, 1, groups = seq_along(labels)))) {
    expect_identical(table$stratum, c(1L, 0L))
  }
  expect_named(one$composition(0), c("1", "0"))
  dropped = factor(c(NA, "b", "a"))
  plan = batch_sampler_strata_subset(1, 1, strata = dropped, missing = "drop", seed = 1)(NULL)$plan()
  expect_identical(plan$stratum, dropped[-1L])
})

test_that("batches of shards have the types of their own rows if these hold for the strata of all processes", {
  plan_of_shards = function(own, others) {
    counts = shard_counts(list(own = own, others = others))
    batch_sampler_sharded(NULL, counts, "own", seed = 1, strata = if (is.character(own)) list(own) else own,
      mean_batch_size = sum(counts))(NULL)$plan()
  }
  levels = c("b", "a", "unused")
  for (case in list(list(c(1L, 0L), c(1L, 2L)), list(c(0.5, 1), c(0.5, 2.25)), list(c(TRUE, FALSE), TRUE),
    list(c("b", "a"), "c"), list(as.Date("2020-01-02"), as.Date("2020-01-01")),
    list(factor(c("b", "a"), levels), factor(c("a", "b"), levels)))) {
    plan = plan_of_shards(case[[1L]], case[[2L]])
    strata = unique(c(case[[1L]], case[[2L]]))
    expect_identical(plan$stratum, strata[order(as.character(strata))])
    expect_identical(plan$rows, 0L + (plan$stratum %in% case[[1L]]))
  }
  expect_identical(plan_of_shards(factor("a"), factor("c"))$stratum, c("a", "c"))
  expect_identical(plan_of_shards(0.5, 0.1 + 0.2)$stratum, c(0.1 + 0.2, 0.5))
  expect_identical(plan_of_shards(1:2, "x")$stratum, c("1", "2", "x"))
  columns = data.frame(site = 1:2, sex = c("f", "m"))
  expect_identical(as.list(plan_of_shards(columns, columns)[2:4]), list(stratum = c("1, f", "2, m"),
    stratum.site = 1:2, stratum.sex = c("f", "m")))
  columns$sex[2L] = "\"m"
  expect_named(plan_of_shards(columns, columns), c("shard", "stratum", "rows", "fewest", "most"))
})

test_that("a recipe without types has text, and types that do not fit the names give missing values", {
  recipe = recipe_of(batch_sampler_one_stratum(2, strata = factor(rep(c("b", "a"), 3)), seed = 1))
  recipe$labels[c("kinds", "levels")] = NULL
  expect_identical(generator_of_recipe(recipe)(NULL)$plan()$stratum, c("b", "a"))
  for (kind in c("boolean", "integer", "double", "day", "time")) {
    recipe$labels$kinds = kind
    expect_silent(expect_true(all(is.na(generator_of_recipe(recipe)(NULL)$plan()$stratum))))
  }
})
