# Arguments that the dataset supplies: the rows, the weights and the labels of each training are those of its own task.

skip_if_not_installed("mlr3torch")

measured = data.frame(
  y = factor(rep(c("yes", "no"), times = c(10, 30))), x = seq_len(40) / 40, w = rep(c(2, 1, 0.5, 4), 10),
  n_tokens = rep(1:8, 5), rain = rep(c(1, 0), times = c(12, 28)), wind = rep(c(0, 1), times = 20)
)

task_measured = function(rows = 1:40) {
  task = mlr3::as_task_classif(measured, target = "y")
  task$set_col_roles(c("w", "n_tokens", "rain", "wind"), roles = character())
  task$filter(rows)
}

# Generators for what a dataset supplies, or for values.
generators_for = function(n = NULL, w = "w", by = inverse_frequency_weights, wet = c("rain", "wind"), y = NULL,
  tokens = "n_tokens") {
  list(
    uniform = batch_sampler_uniform(n, 3, seed = 1),
    weighted = batch_sampler_weighted(w, 3, seed = 1),
    by_labels = batch_sampler_weighted(by, 3, seed = 1),
    prioritized = batch_sampler_prioritized(n, 3, seed = 1),
    multilabel = batch_sampler_multilabel(wet, 2, seed = 1),
    per_label = batch_sampler_per_label(wet, 2, 1, seed = 1),
    by_length = batch_sampler_by_length(batch_sampler_uniform(n, 12, seed = 1), tokens, max_tokens = 20),
    perplexity = batch_sampler_perplexity(n, 3, seed = 1),
    downsampled = batch_sampler_downsampled(1, 6, strata = y, seed = 1),
    one_stratum = batch_sampler_one_stratum(4, y, seed = 1),
    few_strata = batch_sampler_strata_subset(1, strata = y, mean_batch_size = 5, rare = "allow", seed = 1),
    grouped = batch_sampler_stratified_group(1, tokens, "apart", y, rare = "allow", seed = 1),
    distinct = batch_sampler_no_duplicates(3, tokens, seed = 1)
  )
}

waiting = generators_for()
of_rows = setdiff(names(waiting), "per_label") # whose batches are rows

given = function(rows) {
  of = measured[rows, ]
  generators_for(length(rows), of$w, inverse_frequency_weights(of$y), of[c("rain", "wind")], of$y, of$n_tokens)
}

test_that("a generator that waits for a dataset gives the batches of its rows, in whatever order they are", {
  for (rows in list(1:40, c(40:20, 12:3), c(5:35, 5:35))) {
    expected = given(rows)
    for (name in names(waiting)) {
      sampler = waiting[[name]](list(task = task_measured(rows)))
      expect_identical(sampler$batches(0), expected[[name]](NULL)$batches(0), info = name)
    }
  }
})

test_that("weights are the column of the role weights_learner by default", {
  task = task_measured(30:5)
  expect_error(waiting_by_role <- batch_sampler_weighted(batch_size = 3, seed = 1), NA)
  expect_error(waiting_by_role(task), "must be given if no column of the task has the role weights_learner",
    fixed = TRUE)
  task$set_col_roles("w", roles = "weights_learner")
  expect_identical(waiting_by_role(task)$weights(), measured$w[30:5])
})

test_that("a function of the labels gets the columns of the role stratum, and else the target, also a numeric one", {
  seen = NULL
  keep = function(labels) {
    seen <<- labels
    rep(1, 30)
  }
  generator = batch_sampler_weighted(keep, batch_size = 3, seed = 1)
  task = task_measured(11:40)
  generator(task)
  expect_identical(seen, task$truth())
  task$set_col_roles(c("rain", "wind"), add_to = "stratum")
  generator(task)
  expect_identical(seen, data.frame(measured[11:40, c("rain", "wind")], row.names = NULL))
  task = mlr3::as_task_regr(measured[1:30, c("x", "w")], target = "x")
  generator(task)
  expect_identical(seen, measured$x[1:30])
  expect_error(generator(mlr3::as_task_regr(measured[c("x", "w")], target = "x")),
    "must return one weight for each row of the task, 40. Got 30 values instead.", fixed = TRUE)
})

test_that("without a task or a number of rows, errors say what is needed", {
  refused = function(code, text) expect_error(code, text, fixed = TRUE)
  refused(waiting$uniform(NULL), "'n_rows' parameter must be given if the dataset has no number of rows. Got nothing")
  refused(waiting$weighted(dataset_of(40)), "'weights' parameter must hold values if the dataset has no task. Got 'w'")
  refused(waiting$by_labels(dataset_of(40)),
    "'weights' parameter must be values if the dataset has no task with a target or strata. Got a function")
  refused(batch_sampler_weighted("v", batch_size = 3)(task_measured()),
    "'weights' parameter must name columns of the task. Got 'v' instead.")
  refused(batch_sampler_weighted(c("w", "x"), batch_size = 3),
    "'weights' parameter must hold numbers. Got a value of class 'character' instead.")
  refused(batch_sampler_multilabel(c("rain", "x"), 2)(task_measured()), "'labels' parameter must hold 0 and 1, or")
})

test_that("values in a generator belong to the order of the data, and other rows are an error, not wrong weights", {
  backwards = task_measured(40:1)
  labels = measured[c("rain", "wind")]
  for (case in list(
    list(batch_sampler_weighted(measured$w, 3), "weights"),
    list(batch_sampler_multilabel(labels, 2), "labels"),
    list(batch_sampler_per_label(labels, 2, 1), "labels"),
    list(batch_sampler_by_length(batch_sampler_uniform(batch_size = 9), 1:40, max_tokens = 90), "lengths")
  )) {
    expect_error(case[[1L]](backwards), fixed = TRUE,
      sprintf("'%s' parameter must be columns of the task if its rows are repeated", case[[2L]]))
  }
})

test_that("generators that wait show it, and work after saveRDS()", {
  expect_output(print(waiting$by_labels), paste0("<batch_sampler_weighted> generator\n* batch_size: 3\n",
    "* replacement: TRUE\n* seed: 1\n* weights: a function"), fixed = TRUE)
  file = withr::local_tempfile()
  saveRDS(waiting$by_labels, file)
  task = task_measured(30:1)
  expect_identical(readRDS(file)(task)$batches(0), waiting$by_labels(task)$batches(0))
})

test_that("every kind of sampler trains in a resampling, and with validation", {
  skip_without_libtorch()
  withr::local_seed(1) # parts by chance may lack a second row of the rarest label
  task = task_measured()
  for (name in of_rows) {
    learner = mlr3::lrn("classif.mlp", epochs = 2, batch_size = 8, device = "cpu", seed = 1,
      batch_sampler = waiting[[name]], predict_type = "prob")
    scores = mlr3::resample(task, learner, mlr3::rsmp("cv", folds = 2))$score(mlr3::msr("classif.auc"))
    expect_identical(nrow(scores), 2L)
    learner$param_set$set_values(measures_valid = mlr3::msr("classif.logloss"))
    mlr3::set_validate(learner, 0.3)
    learner$train(task)
    expect_true(is.finite(learner$internal_valid_scores$classif.logloss))
  }
})

test_that("pairs and triples take users and items from columns of the task", {
  met = data.frame(user = rep(1:5, 8), item = rep(c("p", "q", "r", "s"), 10), bought = rep(c(0, 1), 20))[1:15, ]
  task = mlr3::as_task_regr(met, target = "bought")
  fold = task$clone()$filter(c(9, 3, 5, 8))
  seen = met[fold$row_ids, ]
  of = list(
    pairs = function(users, items, ...) batch_sampler_pairs(users, items, 1 / 3, 4, ..., seed = 1),
    triples = function(users, items, ...) batch_sampler_triples(users, items, 4, ..., seed = 1)
  )
  for (sampler in of) {
    generator = sampler("user", "item", n_users = 5)
    expect_output(print(generator), "* users: 'user'", fixed = TRUE)
    expect_identical(generator(list(task = fold))$batches(2),
      sampler(seen$user, seen$item, n_users = 5)(NULL)$batches(2))
    expect_identical(generator(task)$item_ids(), unique(met$item))
    refused = function(call, text) expect_error(call, text, fixed = TRUE)
    refused(generator(NULL), "The 'users' parameter must hold values if the dataset has no task. Got 'user' instead.")
    refused(sampler("user", "shop")(task), "The 'items' parameter must name columns of the task. Got 'shop' instead.")
    refused(sampler(NULL, 1:3), "'users' parameter must hold numbers. Got a value of class 'NULL' instead.")
  }
})
