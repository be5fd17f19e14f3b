# Samplers with feedback in R, on functions that answer like Python; tests/bridge tests the whole path.

methods_of_two = list(
  update = list(rows = "rows", weights = "values"),
  append = list(count = "number", return = "rows"),
  total = list(return = "number")
)

# Two batches an epoch, and a note of everything that was asked, in order.
python_like = function() {
  asked = list()
  note = function(...) asked[[length(asked) + 1L]] <<- list(...)
  taken = integer()
  list(
    asked = function() asked,
    batches = function(epoch) {
      note("batches", epoch)
      if (epoch == 3) list(error = "ValueError: no epoch 3") else list(value = list(0:3, c(0L, 2L, 4L)))
    },
    begin = function(epoch) {
      note("begin", epoch)
      if (epoch == 3) {
        return(list(error = "ValueError: no epoch 3"))
      }
      taken <<- c(taken, 0L)
      list(value = length(taken))
    },
    take = function(iteration) {
      note("take", iteration)
      taken[iteration] <<- taken[iteration] + 1L
      list(value = if (taken[iteration] <= 2L) c(2L, 3L) * (taken[iteration] - 1L))
    },
    call = function(method, arguments) {
      note(method, arguments)
      switch(method, append = list(value = c(0L, 7L)), total = list(value = 1.5), update = list(value = NULL))
    }
  )
}

sampler_on = function(python) callback_generator(python, 2, "OfTwo", "object 1", methods_of_two)(NULL)

test_that("the generator keeps the contract of a torch sampler", {
  python = python_like()
  generator = callback_generator(python, 2L, "OfTwo", "object 1", methods_of_two)
  expect_s3_class(generator, c("batch_sampler_python", "batch_sampler_generator", "torch_sampler"), exact = TRUE)
  instance = generator(NULL)
  expect_identical(instance$.length(), 2L)
  expect_identical(instance$batches(1), batch_list(list(rows = 1:4, offsets = c(0L, 2L, 4L))))
  expect_error(instance$batches(3), "^ValueError: no epoch 3$")
  expect_output(print(instance), paste0("<batch_sampler_python>\n\\* Class in Python: OfTwo\n",
    "\\* Batches: 2, next epoch 0\n\\* Feedback: update\\(\\), append\\(\\), total\\(\\)"))
})

test_that("Python is asked once a batch, and only when a batch is asked for", {
  python = python_like()
  instance = sampler_on(python)
  iterator = instance$.iter()
  expect_length(python$asked(), 0L)
  expect_identical(instance$epoch, 0)
  expect_identical(iterator(), c(1L, 1L))
  expect_identical(python$asked(), list(list("begin", 0), list("take", 1L)))
  expect_identical(instance$epoch, 1)
  expect_identical(iterator(), c(3L, 4L))
  expect_true(coro::is_exhausted(iterator()))
  n_asked = length(python$asked())
  expect_true(coro::is_exhausted(iterator()))
  expect_length(python$asked(), n_asked)
})

test_that("two iterators do not take each other's batches", {
  instance = sampler_on(python_like())
  first = instance$.iter()
  second = instance$.iter()
  expect_identical(list(first(), second(), first(), second()), list(c(1L, 1L), c(1L, 1L), c(3L, 4L), c(3L, 4L)))
})

test_that("an epoch that failed is not taken", {
  instance = sampler_on(python_like())
  instance$set_epoch(3)
  expect_error(instance$.iter()(), "^ValueError: no epoch 3$")
  expect_identical(instance$epoch, 3)
})

test_that("arguments cross as their kinds say, rows counted from 0, and those left out do not cross", {
  python = python_like()
  instance = sampler_on(python)
  expect_invisible(instance$update(c(1, 3), weights = c(2L, 4L)))
  expect_identical(python$asked()[[1L]], list("update", list(rows = c(0L, 2L), weights = c(2, 4))))
  expect_identical(instance$append(2L), c(1L, 8L))
  expect_identical(python$asked()[[2L]], list("append", list(count = 2)))
  expect_identical(instance$append(), c(1L, 8L))
  expect_length(python$asked()[[3L]][[2L]], 0L)
  expect_identical(instance$total(), 1.5)
})

test_that("what is no row number is refused before Python is asked", {
  python = python_like()
  instance = sampler_on(python)
  for (wrong in list(0, -1, 1.5, NA, Inf, 2^31)) {
    expect_error(instance$update(c(1, wrong), c(1, 1)),
      "The 'rows' parameter must hold row numbers, counted from 1. Got ", fixed = TRUE)
  }
  expect_length(python$asked(), 0L)
})

test_that("what is neither numeric nor a tensor is refused before Python is asked, and so are other than one number", {
  python = python_like()
  instance = sampler_on(python)
  of = "parameter must"
  for (wrong in list(c(TRUE, TRUE), NA, factor(c("b", "a")), c("1", "2"), list(1, 2), as.Date("2020-01-01"))) {
    class_text = sprintf("Got a value of class '%s' instead.", class(wrong)[1L])
    expect_no_warning(expect_error(instance$update(wrong, c(9, 8)),
      paste("The 'rows'", of, "hold row numbers, counted from 1.", class_text), fixed = TRUE))
    expect_no_warning(expect_error(instance$update(1:2, wrong),
      paste("The 'weights'", of, "hold numbers.", class_text), fixed = TRUE))
    expect_no_warning(expect_error(instance$append(wrong),
      paste("The 'count'", of, "be one number.", class_text), fixed = TRUE))
  }
  for (wrong in list(numeric(), c(1, 7))) {
    expect_error(instance$append(wrong),
      sprintf("The 'count' %s be one number. Got %d values instead.", of, length(wrong)), fixed = TRUE)
  }
  expect_length(python$asked(), 0L)
  expect_silent(instance$update(integer(), numeric()))
})

test_that("tensors are taken as vectors are, and those of logical values refused", {
  skip_without_libtorch()
  python = python_like()
  instance = sampler_on(python)
  instance$update(torch::torch_tensor(c(1L, 3L), dtype = torch::torch_long()), torch::torch_tensor(c(2, 4)))
  expect_identical(python$asked()[[1L]], list("update", list(rows = c(0L, 2L), weights = c(2, 4))))
  expect_error(instance$update(torch::torch_tensor(c(TRUE, TRUE)), c(9, 8)), "Got a value of class 'logical' instead.")
})

test_that("samplers of different objects of Python hash differently", {
  skip_if_not_installed("mlr3misc")
  of = function(identity) {
    mlr3misc::hash_input(callback_generator(python_like(), 2, "OfTwo", identity, methods_of_two))
  }
  expect_identical(of("object 1"), of("object 1"))
  expect_false(identical(of("object 1"), of("object 2")))
})
