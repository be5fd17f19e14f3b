# The tree sampler of R: its instances, objects that only R has, epochs without an end. Draws and errors that are the
# same as in Python are in test-tree_golden.R.

labels = data.frame(label = rep(c("active", "inactive"), times = c(3, 9)))

sampler_of = function(spec = turns, batch_size = 4, length = "active", table = labels, ..., seed = 1) {
  batch_sampler_tree(spec, batch_size, length, table = table, ..., seed = seed)
}

test_that("a batch carries its part of the auxiliary values, and instances show themselves", {
  generator = sampler_of()
  instance = generator(NULL)
  expect_output(print(instance), "* table: 12 rows\n* batches: 2\n", fixed = TRUE)
  expect_output(print(generator), "* batch_size: 4\n* length: 'active'\n* drop_last: FALSE\n", fixed = TRUE)
  found = instance$batches(0)
  expect_identical(found$offsets, c(0L, 4L, 6L))
  expect_named(found$aux, c("angle", "side", "step"))
  iterator = instance$.iter()
  first = iterator()
  expect_identical(attr(first, "aux"), lapply(found$aux, head, 4))
  expect_identical(as.vector(first), found$rows[1:4])
  expect_identical(attr(iterator(), "aux"), lapply(found$aux, tail, 2))
  expect_true(coro::is_exhausted(iterator()))
  expect_identical(collect_rows(generator, 12)$rows, found$rows)
  plain = sampler_of(turns[c("mode", "children")])(NULL)
  expect_null(plain$batches(0)$aux)
  expect_null(attributes(plain$.iter()()))
})

test_that("factors, classes of times and R's own vectors are read as what they say", {
  table = data.frame(
    group = factor(c("u", "v", NA, "u"), levels = c("v", "w", "u")),
    time = as.POSIXct("2020-01-01 12:00:00", tz = "Europe/Berlin") + c(0, 0.25, 0.25 + 1e-8, NA),
    day = as.Date(c("0900-03-01", NA, "1970-01-02", "1970-01-02")) + c(0, 0, 0, 0.5)
  )
  rows = function(...) {
    sort(sampler_of(list(mode = "sequential", ...), length = "root", table = table)(NULL)$batches(0)$rows)
  }
  expect_identical(rows(column = "group", value = factor("u")), c(1L, 4L))
  for (value in list(c("v", "w"), list("v"))) {
    expect_identical(rows(column = "group", op = "in", value = value), 2L)
  }
  time = as.POSIXct("2020-01-01 11:00:00", tz = "UTC")
  expect_identical(rows(column = "time", value = as.POSIXlt(time) + 0.25), 2:3)
  expect_identical(rows(column = "time", op = "in", value = time + c(0, 0.25)), 1:3)
  expect_identical(rows(column = "day", value = as.Date("1970-01-02")), 3:4)
  expect_error(rows(column = "time", value = 1), "must be a date as column 'time' holds. Got 1 instead.", fixed = TRUE)
  table$time = as.POSIXlt(table$time)
  expect_identical(rows(column = "time", op = ">", value = as.Date("2020-01-01")), 1:3)
})

test_that("missing values, repeated keys and nothing are no specification", {
  skip_if_not_installed("yaml")
  refused = function(text, ...) expect_error(sampler_of(...), text, fixed = TRUE)
  for (value in list(NA, NA_character_, NaN, factor(NA), list("a", NA))) {
    refused("'value' parameter of node 'root' must be", list(column = "label", value = value))
  }
  refused("The 'spec' parameter must have every key once. Got 'name' again instead.",
    list(children = list(list(name = "a", name = "b"))))
  refused("must be a mapping: the root node. Got nothing instead.", NULL)
  refused("must be a mapping: the root node. Got 0 values instead.", character())
  refused("must be the path of a file that exists", "nowhere.yaml")
  refused("The 'table' parameter must be a data frame or a list", table = 3)
  expect_identical(sampler_of(list(), length = 12)(NULL)$.length(), 3L)
})

test_that("the columns are those of the task where no table is given, in its order", {
  skip_if_not_installed("mlr3")
  task = mlr3::as_task_classif(
    cbind(labels[c(1:3, 4:6), , drop = FALSE], flag = rep(c(TRUE, FALSE), 3), x = 1), target = "label", id = "t"
  )
  task$filter(c(6, 1, 2, 4))
  spec = list(mode = "sequential", children = list(
    list(name = "each", column = "flag", for_each = TRUE, mode = "sequential")
  ))
  generator = sampler_of(spec, length = "root", table = NULL)
  flags = task$data(rows = task$row_ids, cols = "flag")[[1L]]
  expect_identical(generator(list(task = task))$batches(0)$rows,
    sampler_of(spec, length = "root", table = list(flag = flags))(NULL)$batches(0)$rows)
  expect_error(generator(NULL), "must be given if the dataset has no task. Got nothing instead.", fixed = TRUE)
  expect_output(print(generator), "* length: 'root'", fixed = TRUE)
  expect_error(sampler_of()(list(task = task)),
    "parameter must have as many rows as the sampler was made for, 12. Got 4 rows instead.",
    fixed = TRUE)
})

endless_of = function(auxiliary = NULL, ..., batch_size = 7, length = NULL) {
  spec = list(mode = "sequential", children = list(
    list(column = "label", value = "active", mode = "shuffle"),
    list(column = "label", value = "inactive")
  ))
  spec$auxiliary = auxiliary
  table = data.frame(label = rep(c("active", "inactive"), times = c(10, 90)))
  batch_sampler_tree(spec, batch_size, length = length, table = table, seed = 3, ...)
}

own_value = function(epoch, draw) 100.5 * epoch + draw

# 16,100 draws are made at once for batches of 700 rows.
test_that("iterations without an end have the draws of any finite epoch, and do not disturb one another", {
  auxiliary = list(angle = "normal(0, 1)", own = own_value, step = "counter()")
  for (batch_size in c(700, 20000)) {
    n_batches = if (batch_size == 700) 30 else 2
    sampler = endless_of(auxiliary, batch_size = batch_size)(NULL)
    finite = endless_of(auxiliary, batch_size = batch_size, length = n_batches * batch_size)(NULL)
    for (epoch in 0:1) {
      next_batch = sampler$set_epoch(epoch)$.iter()
      expected = finite$set_epoch(epoch)$.iter()
      same = vapply(seq_len(n_batches), function(batch) {
        found = next_batch()
        if (batch %% 20 == 0) sampler$set_epoch(3)$.iter()()
        identical(found, expected())
      }, NA)
      expect_true(all(same))
    }
  }
})

test_that("an auxiliary value may be a function of the epoch and the draw, which may return anything", {
  sampler = endless_of(list(own = own_value), length = 50)(NULL)
  for (epoch in c(0, 3)) {
    expect_identical(sampler$batches(epoch)$aux$own, own_value(epoch, 0:49))
  }
  mixed = endless_of(list(own = function(epoch, draw) if (draw == 1) list(draw) else "a"), length = 3)(NULL)
  expect_identical(mixed$batches(0)$aux$own, list("a", list(1), "a"))
})

test_that("a generator with a function can be saved, and a recipe alone lacks it", {
  generator = endless_of(list(own = own_value), length = 20)
  loaded = unserialize(serialize(generator, NULL))
  expect_identical(loaded(NULL)$batches(1), generator(NULL)$batches(1))
  expect_error(generator_of_recipe(recipe_of(generator))(NULL), fixed = TRUE,
    "must come with the functions of its auxiliary values. Got a recipe alone")
  expect_error(endless_of(list(own = "function()"), length = 20), "The 'auxiliary' parameter must map", fixed = TRUE)
})
