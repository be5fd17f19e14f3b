#' @title Generators and Instances of Batch Samplers
#'
#' @name batch_sampler_instance
#'
#' @description
#' The functions `batch_sampler_stratified()` and so on return a *generator*: a function that makes an *instance* of the
#' sampler from a dataset.
#' Pass an instance to [torch::dataloader()], and the generator to a learner of mlr3torch, which makes instances.
#'
#' @section Generators:
#' A generator has the class of its function, such as `"batch_sampler_stratified"`, and `"torch_sampler"`.
#' Its only argument is `data_source`: a [torch::dataset()], such as `mlr3torch::task_dataset()`, a task or a
#' `list(task = )`; anything, including `NULL`, if the sampler needs no column of a task.
#' If it has a number of rows, that must be the number that the arguments describe; names of values have no meaning.
#'
#' @section Members of an instance:
#' * `batches(epoch)`: returns all batches of an epoch, by default the next one, as a [batch_list]; changes nothing.
#' * `set_epoch(epoch, batches_done)`: sets the next epoch, from 0 to 6700000, and the number of batches of this
#'   instance to leave out, by default 0; but an instance that is already placed within this epoch stays there.
#' * `state(epoch, batches_done)`: returns the state after this many batches of this instance; by default, where the
#'   next iteration begins.
#' * `load_state_dict(state)`: continues at a state.
#' * `set_rank(rank, num_replicas)`: limits the instance to the batches `rank`, `rank + num_replicas`, ... of all
#'   batches, counted from 0, from the beginning of the next epoch on.
#'   The generator must have been made for this `num_replicas`.
#' * `epoch`, `rank` and `seed`: the next epoch, counted from 0; the number of the process, `NULL` if the instance
#'   returns all batches; and the seed, given or drawn.
#' * `.iter()` and `.iter_batch(1)`, for [torch::dataloader()]: return a function that returns the rows of the next
#'   batch at each call, and finally [coro::exhausted()].
#' * `.length()`: returns the number of batches of the next iteration, of a resumed epoch the rest; while mlr3torch
#'   trains, that of the running one.
#'
#' @section Members of instances with strata:
#' The page of a sampler says which of these its instances have.
#' * `plan()`: returns a `data.frame()` with one row for each `stratum`: its `rows`, and the `fewest` and the `most` of
#'   them in a batch of any epoch that holds it; `print()` also shows the batches, and [plot_plan()] plots it.
#' * `composition(epoch)`: returns the rows of each stratum in each batch of an epoch, by default the next one, a
#'   `data.frame()` with one row for each batch and one column for each stratum.
#' * `class_weights(normalize)`: returns the training weight of each stratum, a named vector: its rows divided by their
#'   mean number in an epoch, `NA` if that is 0; with `normalize = TRUE`, divided by their mean over an epoch.
#' * `weights(rows, normalize)`: returns the weight of each of `rows`, by default of all rows of the dataset.
#'
#' @section Seeds and epochs:
#' If `seed` is `NULL`, a seed is drawn each time the generator is called: from torch's generator if LibTorch is
#' installed, so that the seed of a learner determines it, and otherwise from R's, which never changes otherwise.
#' The same data, settings, seed and epoch give the same batches in Python, where rows are counted from 0.
#' An iterator takes its epoch when its first batch is requested, and the next epoch is then one higher.
#'
#' @section States:
#' A state is a list of `version`, `fingerprint`, `epoch` and `batch`, the number of batches of all processes that are
#' done; samplers with feedback add entries.
#' An instance with the same data, parameters and seed, also in Python, continues with the batches that would have
#' followed.
#' It does not know which batches were trained on: count them, or use a [tensor_loader()], which has a `state_dict()`.
#' Guide: \guide{distributed-and-resume}.
#'
#' @section While mlr3torch predicts:
#' mlr3torch up to version 0.3.3 uses the sampler for validation and prediction too.
#' The instance then returns all rows in the order of the task, in batches of `batch_size` rows.
#'
#' @section Saving:
#' A generator or an instance can be saved with [saveRDS()] or sent to another process, with its feedback; to continue
#' the running epoch, save a state.
#' [write_batch_sampler()] writes a generator to a file without code, for other people.
#'
#' @examples
#' labels = c("a", "a", "b", "b", "b")
#' sampler = batch_sampler_stratified(1, strata = labels, seed = 1)(NULL)
#' sampler$batches()
#' next_batch = sampler$.iter()
#' next_batch()
#' sampler$epoch
NULL

# Shared by all batch samplers of this package: epochs, iteration, and the interface of torch::dataloader(). An instance
# (R/base_generator.R) also has its recipe, and the members of its kind.

epoch_sampler = function() {
  torch::sampler(
    name = "epoch_sampler",
    initialize = function() private$.setup = private$.kind()$setup(private$.recipe, private),
    .length = function() {
      place = if (private$.asked_within_epoch && !is.null(private$.begun)) private$.begun else private$.place
      as.integer((private$.n_batches(place$epoch) - place$batch) / private$.stride)
    },
    batches = function(epoch = self$epoch) {
      batch_list(private$.part(check_range(epoch, "epoch", private$.last_epoch())))
    },
    .iter = function() {
      private$.begun = NULL
      following = NULL # an iterator that is never called changes nothing
      function() {
        if (is.null(following)) {
          following <<- private$.begin()
        }
        rows = following()
        if (is.null(rows)) coro::exhausted() else rows
      }
    },
    # The number of rows of the data that batches are of; NULL if they are of other numbers, or unknown.
    .n_rows = function() private$.kind()$n_rows(private$.recipe),
    .draws_on_request = function() private$.iterates,
    .iter_batch = function(batch_size) {
      refuse_if(!identical(as.double(batch_size), 1), "sampler", "yield single rows if 'batch_size' is given",
        "a sampler that yields batches", "Pass it as 'batch_sampler =', without 'batch_size'.")
      self$.iter()
    },
    set_epoch = function(epoch, batches_done = NULL) {
      place = place_after(private, epoch, batches_done)
      if (!identical(place, private$.place)) {
        private$.go_on_at(place)
      }
      invisible(self)
    },
    set_rank = function(rank, num_replicas) {
      num_replicas = check_between(num_replicas, "num_replicas", 1, largest_count)
      check_range(rank, "rank", num_replicas - 1)
      n_batches = private$.n_batches()
      made_for = c(private$.recipe$parts$num_replicas, 1)[1L]
      is_made_for_another = isTRUE(private$.kind()$draws_by_replicas) && made_for != num_replicas
      refuse_if(is_made_for_another || !is.na(n_batches) && n_batches %% num_replicas != 0, "num_replicas",
        "be that of the generator, so that all processes have as many batches", show_value(num_replicas))
      private$.rank = as.double(rank)
      private$.stride = num_replicas
      private$.go_on_at(new_place(private$.place$epoch))
      invisible(self)
    },
    state = function(epoch = NULL, batches_done = 0) {
      state_at(private, if (is.null(epoch)) private$.place else place_after(private, epoch, batches_done))
    },
    .next_place = function() {
      list(epoch = private$.place$epoch, batches_done = private$.place$batch / private$.stride)
    },
    load_state_dict = function(state) {
      private$.go_on_at(place_of_state(private, state))
      invisible(self)
    },
    print = function(...) {
      cat(sprintf("<%s>", class(self)[1L]), private$.kind()$settings(private$.recipe),
        sprintf("* batches: %.0f", private$.n_batches()), sprintf("* next epoch: %.0f", self$epoch), sep = "\n")
      invisible(self)
    },
    private = list(
      .recipe = NULL,
      .setup = NULL,
      .place = list(epoch = 0, batch = 0, ahead = NULL), # of the next iteration
      .begun = NULL, # where the newest iteration began, with what it draws one by one
      .asked_within_epoch = FALSE, # mlr3torch asks after each batch how many the epoch has
      .rank = 0,
      .stride = 1, # the number of replicas, if the instance has a rank
      .iterates = FALSE, # whether batches are drawn one by one
      .kind = function() sampler_kind(private$.recipe$kind),
      .n_batches = function(epoch = private$.place$epoch) private$.kind()$count_batches(private, epoch),
      .last_epoch = function() {
        last = private$.kind()$last_epoch
        if (is.null(last)) largest_epoch else last(private$.recipe)
      },
      .epoch_batches = function(epoch) private$.kind()$draw(private, epoch),
      .fingerprint = function() private$.kind()$fingerprint(private),
      # All batches of an epoch for this rank, or those after `done` batches of all ranks.
      .part = function(epoch, done = 0) {
        part_of_batches(private$.epoch_batches(epoch), private$.rank + done, private$.stride)
      },
      .go_on_at = function(place) {
        private$.place = place
        private$.begun = NULL
      },
      # The epoch is drawn before the next one is another.
      .begin = function() {
        place = private$.place
        check_range(place$epoch, "epoch", private$.last_epoch())
        private$.begun = place
        following = if (private$.iterates) {
          one_rank_of(private$.kind()$iterate(private, place), private$.rank, private$.stride)
        } else {
          batches_from(private$.part(place$epoch, place$batch))
        }
        private$.place = new_place(place$epoch + 1)
        following
      }
    ),
    active = list(
      seed = function(value) read_only("seed", missing(value), private$.recipe$seed),
      epoch = function(value) read_only("epoch", missing(value), private$.place$epoch, " Use 'set_epoch()'."),
      rank = function(value) {
        read_only("rank", missing(value), if (private$.stride > 1) private$.rank, " Use 'set_rank()'.")
      }
    ),
    parent_env = environment()
  )
}

read_only = function(field, is_read, value, advice = NULL) {
  if (is_read) value else stop("The '", field, "' field cannot be assigned.", advice, call. = FALSE)
}

# A function that returns the rows of the next batch at each call, NULL at the end, after `done` batches.
batches_from = function(batches, done = 0) {
  n_batches = length(batches$offsets) - 1
  function() {
    if (done < n_batches) {
      done <<- done + 1
      rows_of_batch(batches, done)
    }
  }
}

# Of batches that are drawn one by one, those of a rank: all ranks draw the batches that they train on together.
one_rank_of = function(following, rank, stride) {
  if (stride == 1) {
    return(following)
  }
  function() {
    batches = lapply(seq_len(stride), function(place) following())
    batches[[rank + 1]]
  }
}

check_epoch = function(epoch) check_range(epoch, "epoch", largest_epoch)
