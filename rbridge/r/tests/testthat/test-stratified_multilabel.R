# Rows with several labels: forms of labels, and tasks. tests/bridge compares batches and tables with Python's.

triangle = data.frame(a = c(1, 0, 1, 0), b = c(1, 1, 0, 0), c = c(0, 1, 1, 0))

test_that("every form of labels is the same", {
  skip_if_not_installed("Matrix")
  plain = batch_sampler_multilabel(triangle, 1, max_batches = 1, seed = 1)
  mixed = data.frame(a = triangle$a == 1, b = triangle$b, c = as.integer(triangle$c))
  sparse = Matrix::Matrix(as.matrix(triangle), sparse = TRUE)
  for (labels in list(as.matrix(triangle), as.matrix(triangle) == 1, mixed, triangle == 1, sparse)) {
    generator = batch_sampler_multilabel(labels, 1, max_batches = 1, seed = 1)
    expect_identical(recipe_of(generator), recipe_of(plain))
  }
  unnamed = batch_sampler_multilabel(unname(as.matrix(triangle)), 1, max_batches = 1)(NULL)
  expect_named(unnamed$label_counts(0), c("1", "2", "3"))
})

test_that("each value of a column of text or of a factor is a label, in order of first appearance", {
  labels = data.frame(
    sex = rep(c("m", "f"), 30),
    site = factor(rep(c("west", "east", "east"), 20), levels = c("east", "none", "west")),
    sick = rep(c(0, 0, 0, 1), 15)
  )
  by_hand = data.frame("sex=m" = labels$sex == "m", "sex=f" = labels$sex == "f", "site=west" = labels$site == "west",
    "site=east" = labels$site == "east", sick = labels$sick, check.names = FALSE)
  sampler = batch_sampler_multilabel(labels, 3, max_batches = 4, seed = 1)(NULL)
  expect_identical(sampler$batches(0), batch_sampler_multilabel(by_hand, 3, max_batches = 4, seed = 1)(NULL)$batches(0))
  counts = sampler$label_counts(0)
  expect_identical(setdiff(names(counts), "batch"), names(by_hand))
  expect_true(all(counts[names(by_hand)] >= 3))
  as_matrix = as.matrix(labels[c("sex", "site")])
  expect_identical(batch_sampler_multilabel(as_matrix, 3, seed = 1)(NULL)$batches(0),
    batch_sampler_multilabel(labels[c("sex", "site")], 3, seed = 1)(NULL)$batches(0))
})

test_that("labels belong to rows in their order", {
  generator = batch_sampler_multilabel(outer(1:40, c(7, 3), `%%`) == 0, 2, seed = 1)
  expect_identical(collect_rows(generator, 40), generator(NULL)$batches(0))
  expect_error(collect_rows(generator, 39), "have as many rows as the sampler was made for, 40. Got 39 rows")
  expect_identical(sort(generator(list(task = task_of()))$batches(0)$rows), 1:40)
  for (rows in list(c(2:40, 1), c(1:39, 1))) {
    expect_error(generator(list(task = task_of(rows))), "'labels' parameter must be columns of the task if its rows")
  }
})

test_that("rows may list their labels, masks have them, and shortfalls name what batches lack", {
  sampler = function(labels) batch_sampler_multilabel(labels, 1, rare = "allow", seed = 1)(NULL)
  expected = sampler(cbind(cat = c(1, 0, 0), dog = c(1, 1, 0)))
  lists = list(c("cat", "dog"), "dog", character())
  expect_identical(sampler(lists)$label_counts(0), expected$label_counts(0))
  expect_identical(sampler(lists)$batches(0), expected$batches(0))
  expect_named(sampler(data.frame(pet = I(lists)))$label_counts(0), c("pet=cat", "pet=dog"))
  expect_error(sampler(list("cat", 3)), "must have a vector of text for each row. Got 3 instead.", fixed = TRUE)
  expect_error(sampler(list("cat", NA_character_)), "Got 1 missing of 2 labels instead.", fixed = TRUE)
  four = data.frame(a = c(1, 0, 1, 0), b = c(1, 1, 0, 0), c = c(0, 1, 1, 0))
  expect_equal(sampler(four)$shortfalls(0), data.frame(batch = 1, label = "c", rows = 0, missing = 1))
  expect_output(print(sampler(four)$label_counts(0)), "1 1 1 0", fixed = TRUE)

  masks = array(1, c(3, 2, 2))
  masks[1, 1, ] = 2
  masks[, 2, 2] = 255
  expected = matrix(c(TRUE, FALSE, FALSE, FALSE, FALSE, FALSE), 3, dimnames = list(NULL, c("2", "3")))
  expect_identical(labels_of_masks(masks, 3, ignore = c(255, 1)), expected)
  expect_identical(labels_of_masks(list(masks[1, , ], list(x = 0, mask = masks[2, , ]), 1), 3, c(255, 1)), expected)
  expect_error(labels_of_masks(masks, 3), fixed = TRUE,
    paste("must hold integers from 1 to 3, or those to ignore. Got 255 in mask 1 instead.",
      "If it is no class, set ignore = 255."))
})
