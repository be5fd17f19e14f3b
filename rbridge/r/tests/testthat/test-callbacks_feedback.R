# Samplers with feedback that stay in Python; tests/bridge has more of them, from both sides.

skip_without_python()

# Two batches an epoch, and a note of everything that was asked, in order.
made = reticulate::py_run_string("
class OfTwo:
    feedback = {
        'update': {'rows': 'rows', 'weights': 'values'},
        'append': {'count': 'number', 'return': 'rows'},
        'total': {'return': 'number'},
    }

    def __init__(self):
        self.asked = []
        self.epoch = 0

    def __len__(self):
        return 2

    def set_epoch(self, epoch):
        if epoch == 3:
            raise ValueError('no epoch 3')
        self.asked.append(f'epoch {epoch}')
        self.epoch = epoch

    def __iter__(self):
        for batch in range(2):
            self.asked.append(f'batch {batch}')
            yield [2 * batch, 3 * batch]

    def update(self, rows, weights):
        self.asked.append(f'update {rows.dtype} {rows.tolist()} {weights.dtype} {weights.tolist()}')

    def append(self, count=None):
        self.asked.append(f'append {count}')
        return [0, 7]

    def total(self):
        return 1.5
", convert = FALSE)

asked_of = function(python) as.character(reticulate::py_to_r(python$asked))

sampler_on = function(python) batch_sampler_python(python)(NULL)

test_that("the generator has the epochs and methods of the sampler", {
  instance = sampler_on(made$OfTwo())
  expect_identical(instance$.length(), 2L)
  expect_identical(as.list(instance$batches(1)), list(c(1L, 1L), c(3L, 4L)))
  expect_error(instance$batches(3), "^ValueError: no epoch 3$")
  expect_output(print(instance), paste0("<batch_sampler_python>\n\\* Class in Python: OfTwo\n",
    "\\* Batches: 2, next epoch 0\n\\* Feedback: update\\(\\), append\\(\\), total\\(\\)"))
  instance$set_epoch(3)
  expect_error(instance$.iter()(), "^ValueError: no epoch 3$")
  expect_identical(instance$epoch, 3)
})

test_that("iterators do not take each other's batches, and Python is asked only when a batch is asked for", {
  python = made$OfTwo()
  instance = sampler_on(python)
  first = instance$.iter()
  second = instance$.iter()
  expect_identical(asked_of(python), character())
  expect_identical(list(first(), second(), first(), second()), list(c(1L, 1L), c(1L, 1L), c(3L, 4L), c(3L, 4L)))
  expect_true(coro::is_exhausted(first()))
  expect_identical(asked_of(python), c("epoch 0", "batch 0", "epoch 1", "batch 0", "batch 1", "batch 1"))
})

test_that("arguments cross as their kinds say, rows counted from 0, and those left out do not cross", {
  python = made$OfTwo()
  instance = sampler_on(python)
  expect_invisible(instance$update(c(1, 3), weights = c(2L, 4L)))
  expect_identical(instance$append(2L), c(1L, 8L))
  expect_identical(instance$append(), c(1L, 8L))
  expect_identical(asked_of(python), c("update int32 [0, 2] float64 [2.0, 4.0]", "append 2", "append None"))
  expect_identical(instance$total(), 1.5)
})

test_that("other arguments are refused before Python is asked", {
  python = made$OfTwo()
  instance = sampler_on(python)
  for (wrong in list(0, -1, 1.5, NA, Inf, 2^31)) {
    expect_error(instance$update(c(1, wrong), c(1, 1)),
      "The 'rows' parameter must hold row numbers, counted from 1. Got ", fixed = TRUE)
  }
  for (wrong in list(c(TRUE, TRUE), NA, factor(c("b", "a")), c("1", "2"), list(1, 2), as.Date("2020-01-01"))) {
    got = sprintf("Got a value of class '%s' instead.", class(wrong)[1L])
    expect_no_warning(expect_error(instance$update(wrong, c(9, 8)),
      paste("The 'rows' parameter must hold row numbers, counted from 1.", got), fixed = TRUE))
    expect_no_warning(expect_error(instance$update(1:2, wrong),
      paste("The 'weights' parameter must hold numbers.", got), fixed = TRUE))
    expect_no_warning(expect_error(instance$append(wrong),
      paste("The 'count' parameter must be one number.", got), fixed = TRUE))
  }
  for (wrong in list(numeric(), c(1, 7))) {
    expect_error(instance$append(wrong), sprintf("be one number. Got %d values instead.", length(wrong)), fixed = TRUE)
  }
  expect_identical(asked_of(python), character())
  expect_silent(instance$update(integer(), numeric()))
})

test_that("tensors are taken as vectors are, and those of logical values refused", {
  skip_without_libtorch()
  python = made$OfTwo()
  instance = sampler_on(python)
  instance$update(torch::torch_tensor(c(1L, 3L), dtype = torch::torch_long()), torch::torch_tensor(c(2, 4)))
  expect_identical(asked_of(python), "update int32 [0, 2] float64 [2.0, 4.0]")
  expect_error(instance$update(torch::torch_tensor(c(TRUE, TRUE)), c(9, 8)), "Got a value of class 'logical' instead.")
})
