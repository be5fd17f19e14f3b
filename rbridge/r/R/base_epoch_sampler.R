#' @title Generators and Instances of Batch Samplers
#'
#' @name batch_sampler_instance
#'
#' @description
#' The functions `batch_sampler_stratified()`, `batch_sampler_weighted()` and so on return a *generator*: a function
#' that makes an *instance* of the sampler from a dataset.
#' Pass an instance to [torch::dataloader()], and the generator to a learner of mlr3torch, which makes an instance for
#' each training.
#'
#' This page describes what generators and instances of all samplers have in common.
#' The page of a sampler describes what it adds.
#'
#' @section Generators:
#' A generator has the class of its function, such as `"batch_sampler_stratified"`, and the class `"torch_sampler"`.
#' Its only argument is `data_source`: a [torch::dataset()], such as `mlr3torch::task_dataset()`, a task or a
#' `list(task = )`.
#' If the sampler needs no column of a task, the data source may be anything, including `NULL`; if it has a number of
#' rows, that must be the number of rows that the arguments describe.
#'
#' Arguments are checked before any work.
#' An error names the argument, its value and what to do.
#' What depends on the dataset, such as the names of columns of a task, is checked when the generator is called,
#' everything else when the generator is made.
#'
#' @section Members of an instance:
#' * `batches(epoch)`: returns all batches of an epoch, by default the next one, as a [batch_list]: a list of the rows
#'   of each batch, counted from 1, with all `rows` and their `offsets` in it; changes nothing.
#' * `set_epoch(epoch)`: sets the next epoch, an integer from 0 to 6700000; returns the instance invisibly.
#' * `epoch`: the next epoch, counted from 0.
#' * `seed`: the seed, given or drawn.
#' * `print()`: shows a summary.
#' * `.iter()`, `.length()` and `.iter_batch(batch_size)`: called by [torch::dataloader()].
#'   `.iter()` returns a function that returns the rows of the next batch at each call, and [coro::exhausted()] after
#'   the last batch.
#'   `.length()` is the number of batches; if epochs differ in it, that of the next epoch.
#'   `.iter_batch()` makes `dataloader(dataset, sampler = instance)` work as well, if its `batch_size` is 1 and
#'   `drop_last` is `FALSE`.
#'
#' With `num_replicas`, an instance returns the batches of all processes, in global order.
#'
#' @section Seeds and epochs:
#' If `seed` is `NULL`, a seed is drawn each time the generator is called: from torch's generator if LibTorch is
#' installed, so that the seed of a learner determines it, and otherwise from R's generator.
#' The state of R's generator does not change in any other case.
#'
#' The seed of an epoch is `(seed + 1327217885 * epoch) %% 2147483647`.
#' If the page of a sampler shows calls of R's functions, the sampler draws what they return after `set.seed()` with the
#' seed of the epoch, and `RNGkind("Mersenne-Twister", "Inversion", "Rejection")`.
#'
#' The same data, settings, seed and epoch give the same batches in every R session and in Python, where rows are
#' counted from 0.
#'
#' An iterator takes its epoch when its first batch is requested, and the next epoch is then one higher.
#' So making an iterator changes nothing, and an abandoned epoch is not repeated.
#'
#' @section While mlr3torch predicts:
#' mlr3torch up to version 0.3.3 uses the sampler for validation and prediction too.
#' The instance then returns all rows in the order of the task, in batches of `batch_size` rows, and its `seed`,
#' `plan()` and `composition()` are `NULL`.
#'
#' @section Saving:
#' A generator or an instance can be saved with [saveRDS()] or sent to another process, and works there by itself.
#' [write_batch_sampler()] writes a generator to a file without code, which can be passed to other people.
#' Samplers of files need the files there.
#' Those of [batch_sampler_python()] work only in the process of their Python.
#'
#' @examples
#' labels = c("a", "a", "b", "b", "b")
#' generator = batch_sampler_stratified(min_samples_per_stratum = 1, strata = labels, seed = 1)
#' sampler = generator(NULL)
#' sampler$.length()
#' sampler$batches()
#' next_batch = sampler$.iter()
#' next_batch()
#' sampler$epoch
NULL

# Shared by all batch samplers of this package: epochs, iteration, the interface of torch::dataloader(), and that
# mlr3torch predicts in the order of the rows.
# A sampler that inherits from it implements private methods: .prepare(data_source, task), called once,
# .epoch_batches(epoch), a list of rows and offsets, .n_batches(), and .describe(), the lines that print() shows; and
# .last_epoch(), if the last epoch is not that of all samplers.

epoch_sampler = function() {
  torch::sampler(
    name = "epoch_sampler",
    initialize = function(data_source) {
      caller = mlr3torch_caller(class(self)[1L])
      if (caller$keeps_order) {
        private$.in_order = rows_in_order(data_source, caller$batch_size)
      } else {
        # A dataset may hold the rows of its task in another order than the task of the training.
        task = source_task(data_source)
        # It is unknown which rows of the task a subset has.
        if (is.null(task) && !inherits(data_source, "dataset_subset")) {
          task = caller$task
        }
        private$.prepare(data_source, task)
      }
    },
    .length = function() {
      as.integer(if (is.null(private$.in_order)) private$.n_batches() else length(private$.in_order$offsets) - 1L)
    },
    batches = function(epoch = self$epoch) batch_list(private$.drawn_batches(epoch)),
    .iter = function() batch_iterator(private$.take_epoch),
    .draws_on_request = function() FALSE,
    .iter_batch = function(batch_size) {
      if (!is_whole_number(batch_size) || batch_size != 1) {
        stop_parameter("batch_size", "be 1", show_value(batch_size),
          advice = "Pass the sampler as 'batch_sampler ='.")
      }
      self$.iter()
    },
    set_epoch = function(epoch) {
      private$.next_epoch = check_range(epoch, "epoch", private$.last_epoch())
      invisible(self)
    },
    print = function(...) {
      lines = if (is.null(private$.in_order)) private$.describe() else format_in_order(private$.in_order)
      cat(sprintf("<%s>", class(self)[1L]), lines, sep = "\n")
      invisible(self)
    },
    private = list(
      .next_epoch = 0,
      .in_order = NULL,
      .last_epoch = function() largest_epoch,
      .drawn_batches = function(epoch) {
        epoch = check_range(epoch, "epoch", private$.last_epoch())
        if (is.null(private$.in_order)) private$.epoch_batches(epoch) else private$.in_order
      },
      .take_epoch = function() {
        batches = private$.drawn_batches(private$.next_epoch)
        private$.next_epoch = private$.next_epoch + 1
        batches
      }
    ),
    active = list(
      epoch = function(value) {
        if (missing(value)) private$.next_epoch else stop_read_only("epoch", self, "Use 'set_epoch()'.")
      }
    ),
    parent_env = environment()
  )
}

# All rows in the order of the dataset, in consecutive batches of at most `batch_size` rows.
rows_in_order = function(data_source, batch_size) {
  n_rows = source_rows(data_source)
  if (is.null(batch_size)) {
    batch_size = n_rows
  }
  n_batches = ceiling(n_rows / batch_size)
  list(rows = seq_len(n_rows), offsets = full_offsets(n_rows, n_batches, batch_size))
}

# The epoch is taken at the first call, so that an iterator that is never called changes nothing.
# Called for every batch of a training, so everything that can be computed before is.
batch_iterator = function(take_epoch) {
  rows = offsets = aux = NULL
  n_batches = taken = 0L
  function() {
    if (is.null(offsets)) {
      batches = take_epoch()
      rows <<- batches$rows
      offsets <<- batches$offsets
      aux <<- batches$aux
      n_batches <<- length(offsets) - 1L
    }
    if (taken == n_batches) {
      return(coro::exhausted())
    }
    taken <<- taken + 1L
    begin = offsets[taken]
    end = offsets[taken + 1L]
    if (!is.null(aux)) {
      return(with_auxiliary(rows, aux, batch_places(offsets, taken)))
    }
    if (begin == end) rows[0L] else rows[(begin + 1L):end]
  }
}

# Adds to a batch its part of the auxiliary values of the rows.
with_auxiliary = function(rows, aux, places) {
  structure(rows[places], aux = lapply(aux, function(values) values[places]))
}

# The places of the rows of a batch, which may be empty.
batch_places = function(offsets, batch) {
  seq.int(offsets[batch] + 1L, length.out = offsets[batch + 1L] - offsets[batch])
}

check_epoch = function(epoch) {
  check_range(epoch, "epoch", largest_epoch)
}

stop_read_only = function(field, sampler, advice = NULL) {
  message = sprintf("The '%s' field of %s cannot be assigned.", field, class(sampler)[1L])
  stop(paste(c(message, advice), collapse = " "), call. = FALSE)
}
