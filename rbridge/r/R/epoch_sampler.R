# What every batch sampler of this package shares: epochs, iteration, and what torch::dataloader() asks for.
# A sampler that inherits it gives two more methods: batches(epoch), a list of rows and offsets, and .length().

epoch_sampler = function() {
  torch::sampler(
    name = "epoch_sampler",
    initialize = function(data_source) NULL,
    .iter = function() batch_iterator(private$.take_epoch),
    .iter_batch = function(batch_size) {
      if (!is_whole_number(batch_size) || batch_size != 1) {
        stop_parameter("batch_size", "be 1", show_value(batch_size), of = class(self)[1L],
          advice = "Pass the sampler as 'batch_sampler ='.")
      }
      self$.iter()
    },
    set_epoch = function(epoch) {
      private$.next_epoch = check_epoch(epoch, self)
      invisible(self)
    },
    private = list(
      .next_epoch = 0,
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

# The epoch is taken at the first call, so that an iterator that is never asked changes nothing.
batch_iterator = function(take_epoch) {
  batches = NULL
  taken = 0L
  function() {
    if (is.null(batches)) {
      batches <<- take_epoch()
    }
    if (taken == length(batches$offsets) - 1L) {
      return(coro::exhausted())
    }
    taken <<- taken + 1L
    batches$rows[(batches$offsets[taken] + 1L):batches$offsets[taken + 1L]]
  }
}

check_epoch = function(epoch, sampler) {
  check_range(epoch, "epoch", largest_epoch, of = class(sampler)[1L])
}

stop_read_only = function(field, sampler, advice = NULL) {
  message = sprintf("The '%s' field of %s cannot be assigned.", field, class(sampler)[1L])
  stop(paste(c(message, advice), collapse = " "), call. = FALSE)
}
