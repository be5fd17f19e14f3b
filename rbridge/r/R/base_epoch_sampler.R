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
    batches = function(epoch) {
      epoch = check_range(epoch, "epoch", private$.last_epoch())
      if (is.null(private$.in_order)) private$.epoch_batches(epoch) else private$.in_order
    },
    .iter = function() batch_iterator(private$.take_epoch),
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
      .take_epoch = function() {
        batches = self$batches(private$.next_epoch)
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
  list(rows = seq_len(n_rows), offsets = as.integer(pmin(n_rows, batch_size * 0:n_batches)))
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
