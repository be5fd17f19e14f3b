#' @title Loader for Tensors in Memory
#'
#' @description
#' Creates a loader that gathers the rows of many batches at once, for training loops and luz; in mlr3torch, use the
#' callback [rbridge.tensor_loader].
#' It yields what `dataloader(tensor_dataset(...), batch_sampler = sampler)` yields, bit for bit and in the same order.
#' Guide: \guide{fast-epochs}.
#'
#' @param ... (`torch_tensor()`, vector, matrix, array, `list()` or [torch::dataset()])\cr
#'   The data, with names or without, all with the number of rows that the sampler was made for; lists may be nested.
#'   A single list or dataset without a name determines the form of a batch by itself.
#'   A dataset with a method `.getbatch()`, such as [pair_dataset()], is requested for many batches at once; it returns
#'   a value for each row, or for each triple.
#' @param sampler ([batch_sampler_instance])\cr
#'   An instance of a batch sampler of this package.
#' @eval described("TensorLoader", "transform", "chunk")
#' @param device (`character(1)`, `torch_device()` or `NULL`)\cr
#'   The device of the batches.
#'   `NULL` (default): the device of the data.
#'
#' @return An object of the classes `"tensor_loader"` and `"dataloader"`.
#' [length()] is the number of batches.
#' `loader$set_epoch(epoch)` sets the next epoch of the sampler, `loader$batch_sampler`.
#' `loader$state_dict()` returns the state after the batches that were taken; `loader$load_state_dict(state)` continues
#' at it.
#'
#' A batch is a list in the form of `...`; if rows have auxiliary values ([batch_sampler_tree()]), it ends with a list
#' of them, `aux`.
#' It is a part of the memory of its chunk, which it keeps: to keep a batch, keep `batch$clone()`.
#' A chunk of a sampler with feedback is one batch, which is drawn when it is requested.
#'
#' @export
#' @examplesIf torch::torch_is_installed()
#' labels = c(0, 1, 1, 0, 1, 1)
#' sampler = batch_sampler_stratified(1, strata = labels, seed = 1)(NULL)
#' loader = tensor_loader(x = torch::torch_arange(1, 6), y = labels, sampler = sampler)
#' coro::loop(for (batch in loader) print(as.numeric(batch$x)))
tensor_loader = function(..., sampler, transform = NULL, device = NULL, chunk = 1048576) {
  is_generator = inherits(sampler, "batch_sampler_generator")
  refuse_if(is_generator || !inherits(sampler, "epoch_sampler"), "sampler",
    "be an instance of a batch sampler of rbridge", if (is_generator) "a generator" else show_value(sampler),
    advice = if (is_generator) "Call it with the dataset, or with NULL.")
  chunk = check_between(chunk, "chunk", 1, largest_exact)
  data = list(...)
  if (length(data) == 1L && is.null(names(data)) && (is_form(data[[1L]]) || inherits(data[[1L]], "dataset"))) {
    data = data[[1L]]
  }
  leaves = leaves_of(data)
  refuse_if(length(leaves) == 0L, "...", "have at least one tensor", "none")
  n_rows = unlist(lapply(leaves, n_rows_of))
  refuse_if(length(n_rows) > 0L && min(n_rows) != max(n_rows), "...", "have the same number of rows",
    sprintf("%.0f and %s", min(n_rows), show_count(max(n_rows), "row")))
  for (leaf in leaves) {
    check_sampled_rows(if (inherits(leaf, "dataset")) source_rows(leaf) else n_rows[1L], sampler$.n_rows(), "...")
  }
  TensorLoader$new(data, sampler, transform, device, chunk)
}

# luz adds a field with its device.
TensorLoader = R6Class(c("tensor_loader", "dataloader"),
  lock_objects = FALSE,
  public = list(
    batch_sampler = NULL,
    initialize = function(data, sampler, transform = NULL, device = NULL, chunk = 1048576) {
      private$.data = data
      private$.settings = list(transform = transform, device = device, chunk = chunk)
      self$batch_sampler = sampler
    },
    .iter = function() {
      private$.data = map_form(private$.data, function(leaf) if (is.object(leaf)) leaf else torch::torch_tensor(leaf))
      private$.place = place = NULL # of the iteration, once it has begun and until it is over
      following = do.call(chunked_batches, c(list(private$.data, self$batch_sampler), private$.settings))
      list(.next = function() {
        if (is.null(place)) { # samplers of torch itself have none
          sampler = self$batch_sampler
          first = if (inherits(sampler, "epoch_sampler")) sampler$.next_place() else list(batches_done = 0)
          private$.place = place <<- list2env(first)
        }
        batch = following()
        place$batches_done = place$batches_done + 1
        if (coro::is_exhausted(batch) && identical(private$.place, place)) {
          private$.place = NULL
        }
        batch
      })
    },
    .length = function() self$batch_sampler$.length(),
    set_epoch = function(epoch, batches_done = NULL) {
      self$batch_sampler$set_epoch(epoch, batches_done)
      private$.place = NULL
      invisible(self)
    },
    state_dict = function() self$batch_sampler$state(private$.place$epoch, private$.place$batches_done),
    load_state_dict = function(state) {
      self$batch_sampler$load_state_dict(state)
      private$.place = NULL
      invisible(self)
    },
    print = function(...) {
      cat(sprintf("<tensor_loader>\n* Batches: %d, of chunks of at most %.0f bytes\n", self$.length(),
        private$.settings$chunk))
      print(self$batch_sampler)
      invisible(self)
    }
  ),
  private = list(.data = NULL, .settings = NULL, .place = NULL)
)

# Whether this is a list of data, and not itself a tensor, a dataset or a table.
is_form = function(data) is.list(data) && !is.object(data)

is_tensor = function(value) inherits(value, "torch_tensor")

# Calls a function for each leaf of nested lists; returns the results in the same form.
map_form = function(data, f) {
  if (is_form(data)) lapply(data, map_form, f) else f(data)
}

leaves_of = function(data) {
  if (is_form(data)) do.call(c, c(list(list()), lapply(unname(data), leaves_of))) else list(data)
}

# Refuses data with another number of rows than those of the sampler, if both are known.
check_sampled_rows = function(n_rows, expected, parameter) {
  refuse_if(!is.null(expected) && !is.null(n_rows) && n_rows != expected, parameter,
    sprintf("have as many rows as the sampler was made for, %.0f", expected), show_count(n_rows, "row"),
    if (n_rows > expected) "Of more rows, give only those of the sampler.")
}

# The number of rows of a leaf, NULL for a dataset, whose number of rows may be that of all possible pairs.
n_rows_of = function(leaf) {
  if (is_tensor(leaf)) {
    refuse_if(length(leaf$shape) == 0L, "...", "have rows", "a tensor of 0 dimensions")
    refuse_if(leaf$requires_grad, "...", "require no gradients", "one that does", "Call its method detach().")
    return(leaf$shape[1L])
  }
  if (inherits(leaf, "dataset")) {
    refuse_if(!is.function(.subset2(leaf, ".getbatch")), "...", "be datasets with a method '.getbatch'", "one without")
    return(NULL)
  }
  refuse_if(is.object(leaf) || !(is.numeric(leaf) || is.logical(leaf)), "...",
    "be tensors, numbers, datasets or lists of these", show_value(leaf))
  NROW(leaf)
}

# Iterates over the next epoch of a sampler: a function that returns the next batch at each call. The bytes of a row are
# known after the first chunk, which is one batch.
chunked_batches = function(data, sampler, transform, device, chunk) {
  take = several(sampler$.iter(), inherits(sampler, "epoch_sampler") && sampler$.draws_on_request())
  row_bytes = Inf
  batches = list()
  n_taken = 0L
  gather = function(rows) {
    gathered = gather_rows(data, rows)
    if (is.infinite(row_bytes) && sum(lengths(rows)) > 0L) {
      row_bytes <<- sum(vapply(leaves_of(gathered), function(leaf) {
        if (is_tensor(leaf)) leaf$numel() * leaf$element_size() else as.numeric(utils::object.size(leaf))
      }, 1)) / sum(lengths(rows))
    }
    moved = map_form(gathered, function(leaf) {
      if (is.null(device) || !is_tensor(leaf)) leaf else leaf$to(device = device)
    })
    split_form(moved, lengths(rows))
  }
  function() {
    if (n_taken == length(batches)) {
      rows = take(chunk / row_bytes)
      batches <<- if (length(rows) > 0L) gather(rows)
      n_taken <<- 0L
    }
    if (length(batches) == 0L) {
      return(coro::exhausted())
    }
    n_taken <<- n_taken + 1L
    if (is.null(transform)) batches[[n_taken]] else transform(batches[[n_taken]])
  }
}

# A function that takes the next batches: as many as have at most this number of rows together, at least one. What does
# not fit waits for the next call; a batch that is drawn on request must not wait.
several = function(next_batch, on_request) {
  waiting = NULL
  function(most) {
    batches = list()
    n_rows = 0
    repeat {
      rows = if (is.null(waiting)) next_batch() else waiting
      waiting <<- rows
      if (coro::is_exhausted(rows) || length(batches) > 0L && n_rows + length(rows) > most) {
        return(batches)
      }
      waiting <<- NULL
      batches[[length(batches) + 1L]] = rows
      n_rows = n_rows + length(rows)
      if (on_request) {
        return(batches)
      }
    }
  }
}

# The rows of all batches, in the form of a batch.
gather_rows = function(data, batches) {
  rows = unlist(batches)
  aux = if (!is.null(attr(batches[[1L]], "aux"))) do.call(Map, c(list(c), lapply(batches, attr, "aux")))
  index = NULL
  gathered = map_form(data, function(leaf) {
    if (inherits(leaf, "dataset")) {
      return(map_form(leaf$.getbatch(structure(rows, aux = aux)), as_values))
    }
    if (is.null(index)) {
      index <<- torch::torch_tensor(rows, dtype = torch::torch_long(), device = leaf$device)
    }
    torch::torch_index_select(leaf, 1L, index$to(device = leaf$device))
  })
  values = if (!is.null(aux)) list(aux = lapply(aux, as_values))
  if (is.null(values)) gathered else c(gathered, if (is.null(names(gathered))) unname(values) else values)
}

# Text, which has no tensor, stays as it is.
as_values = function(leaf) {
  if (is.object(leaf) || is.character(leaf)) leaf else torch::torch_tensor(leaf)
}

# Cuts the rows of a chunk into batches: a list of batches, each in the form of the chunk.
# A dataset may return one value for several rows, such as those of a triple.
split_form = function(data, sizes) {
  if (is_form(data)) {
    return(.mapply(list, lapply(data, split_form, sizes), NULL))
  }
  n_values = if (is_tensor(data)) data$shape[1L] else NROW(data)
  group = sum(sizes) %/% max(1, n_values)
  refuse_if(group * n_values != sum(sizes) || any(sizes %% max(1, group) != 0), "...",
    "return a value for each row, or for each group of rows",
    sprintf("%s for %s", show_count(n_values, "value"), show_count(sum(sizes), "row")))
  sizes = sizes %/% max(1, group)
  if (is_tensor(data)) {
    # Unlike torch_split(), it makes tensors that do not know of one another when gradients are computed.
    return(data$unsafe_split_with_sizes(sizes))
  }
  Map(function(size, end) rows_of(data, seq.int(to = end, length.out = size)), sizes, cumsum(sizes))
}
