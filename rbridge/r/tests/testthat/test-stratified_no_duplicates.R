# Batches without two rows that share a value: the golden cases, keys of tasks, and what an instance shows.

queries = c("a", "a", "b", "b", "c", "d", "e", "e")
documents = c("p", "q", "q", "r", "p", "s", "a", "t")
pairs = data.frame(query = queries, document = documents)

no_duplicates = function(batch_size, keys = pairs, ..., seed = 1) {
  batch_sampler_no_duplicates(batch_size, keys, ..., seed = seed)(NULL)
}

columns_of_case = function(rows) {
  if (!is.null(rows$keys)) {
    return(lapply(rows$keys, unlist))
  }
  row = seq_len(rows$length) - 1
  Map(function(multiplier, modulus) (row * row * multiplier) %% modulus, rows$multipliers, rows$moduli)
}

test_that("the same batches in every language", {
  for (case in read_golden("no_duplicates.json")$cases) {
    parameters = lapply(case$input$parameters, as_value)
    if (!is.null(parameters$strata)) {
      parameters$strata = factor(parameters$strata)
    }
    sampler = suppressWarnings(do.call(no_duplicates, c(list(keys = columns_of_case(case$input$rows)), parameters)))
    expect_equal(sampler$.length(), case$expected$n_batches)
    for (place in 1:2) {
      batches = as.list(sampler$batches(c(0, 6700000)[place]))
      expect_identical(batches, lapply(case$expected$epochs[[place]], function(rows) unlist(rows) + 1L))
    }
  }
})

test_that("keys are columns of a task, or values in the order of its data", {
  skip_if_not_installed("mlr3")
  task = mlr3::as_task_classif(cbind(pairs, y = factor(rep(c("x", "y"), 4))), target = "y")
  source = list(task = task)
  expected = no_duplicates(3)$batches(2)
  expect_identical(batch_sampler_no_duplicates(3, c("query", "document"), seed = 1)(source)$batches(2), expected)
  expect_identical(batch_sampler_no_duplicates(3, pairs, seed = 1)(source)$batches(2), expected)
  expect_output(print(batch_sampler_no_duplicates(3, c("query", "document"))), "* keys: 'query', 'document'",
    fixed = TRUE)
  generator = batch_sampler_no_duplicates(4, "query", min_samples_per_stratum = 1, seed = 1)
  strata = factor(rep(c("x", "y"), 4))
  expect_identical(generator(source)$batches(0),
    no_duplicates(4, queries, strata = strata, min_samples_per_stratum = 1)$batches(0))
  of = "The 'keys' parameter must"
  expect_match(message_of(batch_sampler_no_duplicates(3, "person", seed = 1)(source)),
    paste(of, "name columns of the task. Got 'person' instead."), fixed = TRUE)
  expect_match(message_of(batch_sampler_no_duplicates(3, pairs, seed = 1)(1:9)),
    "must have as many rows as the sampler was made for, 8. Got 9 rows instead.", fixed = TRUE)
  task$filter(8:1)
  expect_match(message_of(batch_sampler_no_duplicates(3, pairs, seed = 1)(source)),
    paste(of, "be columns of the task if its rows are repeated or in another order"), fixed = TRUE)
})

test_that("values across columns may be of any one kind", {
  days = as.Date("2024-01-01") + 0:3
  for (values in list(0:3, c(0, 0.5, 1, 1.5), letters[1:4], factor(letters[1:4]), days)) {
    sampler = no_duplicates(2, list(values, values[c(2, 1, 4, 3)]), across_columns = TRUE)
    expect_identical(sampler$plan()$values, 4L)
    for (rows in as.list(sampler$batches(0))) {
      expect_setequal((rows - 1L) %/% 2L, 0:1)
    }
  }
  expect_match(message_of(no_duplicates(2, list(1:3, letters[1:3]), across_columns = TRUE)), fixed = TRUE,
    "must have columns of one kind if values count in all of them. Got number and text instead.")
})

test_that("an instance shows its plan, and a frequent value warns, which is cut if it is long", {
  text = strrep("a long document ", 20)
  frequent = paste0(substr(text, 1, 100), "...")
  expect_warning(sampler <- no_duplicates(4, list(query = c(text, text, text, "b", "c"), document = 1:5)), # nolint
    sprintf(paste("Rows that share values are dealt to 3 batches, which are enough for every order, instead of the 2",
      "that the 'batch_size' parameter asks for. A batch has at most 2 rows. The most frequent value, '%s', has 3",
      "rows."), frequent), fixed = TRUE)
  expect_identical(sampler$plan(), data.frame(key = c("query", "document"), values = c(3L, 5L), largest = c(3L, 1L),
    frequent = c(frequent, "1")))
  expect_output(print(sampler), "* keys: 'query', 'document'\n* batches: 3\n", fixed = TRUE)
})
