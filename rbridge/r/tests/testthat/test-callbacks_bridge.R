# Samplers whose batches Python makes, an epoch at a time.

skip_without_python()

python = reticulate::py_run_string("
class InTwo:
    def __len__(self):
        return 2

    def batches(self, epoch):
        if epoch == 3:
            raise ValueError('no epoch 3')
        return [[4 + epoch, epoch], [1 + epoch, 3 + epoch, 2 + epoch]]

in_two = InTwo()

def with_gap(place):
    batches = [[4, 0], [2]]
    batches.insert(int(place), [])
    return batches
", convert = FALSE)

test_that("a sampler whose batches Python makes keeps the contract of a torch sampler", {
  generator = batch_sampler_python(python$in_two)
  expect_s3_class(generator, c("batch_sampler_python", "batch_sampler_generator", "torch_sampler"), exact = TRUE)
  instance = generator(NULL)
  expect_identical(instance$.length(), 2L)
  expect_identical(next_epoch_of(instance), list(c(5L, 1L), c(2L, 4L, 3L)))
  expect_identical(instance$epoch, 1)
  iterator = instance$.iter()
  instance$set_epoch(2L)
  expect_identical(iterator(), c(7L, 3L), info = "the epoch is taken when the first batch is asked for")
  expect_identical(iterator(), c(4L, 6L, 5L))
  expect_true(coro::is_exhausted(iterator()))
  expect_true(coro::is_exhausted(iterator()))
  expect_error(instance$.iter()(), "^ValueError: no epoch 3$")
  expect_identical(instance$epoch, 3, info = "an epoch that failed was not taken")
  expect_output(print(instance), "<batch_sampler_python>\n\\* Class in Python: InTwo\n\\* Batches: 2, next epoch 3")
})

test_that("an empty batch is delivered as one, wherever it stands", {
  for (place in 0:2) {
    generator = batch_sampler_python(python$with_gap(place))
    batches = append(list(c(5L, 1L), 3L), list(integer()), after = place)
    expect_identical(as.list(collect_rows(generator, 5)), batches)
    expect_identical(drain(generator(NULL)$.iter()), batches)
  }
})

test_that("rows that the dataset does not have are refused, where it tells its number of rows", {
  generator = batch_sampler_python(python$in_two)
  expect_error(collect_rows(generator, 4), paste(
    "The 'sampler' parameter must give rows of the dataset, of which there are 4.",
    "Got row 5, counted from 1, instead."
  ), fixed = TRUE)
  expect_error(generator(task_of(1:3))$batches(0), "of which there are 3.", fixed = TRUE)
})

test_that("a sampler whose batches Python makes refuses with its own name", {
  instance = batch_sampler_python(python$in_two)(NULL)
  expect_error(
    instance$set_epoch(-1),
    "The 'epoch' parameter must be an integer from 0 to 6700000. Got -1 instead.",
    fixed = TRUE
  )
  expect_error(
    instance$.iter_batch(100),
    paste(
      "The 'batch_size' parameter must be 1. Got 100 instead.",
      "Pass the sampler as 'batch_sampler ='."
    ),
    fixed = TRUE
  )
  expect_error(instance$epoch <- 3, "The 'epoch' field of batch_sampler_python cannot be assigned. Use 'set_epoch()'.",
    fixed = TRUE)
})
