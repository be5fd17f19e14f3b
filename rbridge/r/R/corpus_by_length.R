#' @title Batch Sampler of Rows of Similar Length
#'
#' @description
#' Creates a batch sampler that cuts the rows of another sampler into batches of similar length, with little padding.
#' An epoch has the rows of the other sampler's epoch.
#' They are sorted by length within windows, ties in drawn order, and cut into batches that are as large as the limits
#' allow.
#' The Python class `pystrat.BatchesByLength` returns the same batches.
#' Its documentation has the guarantees and the rule.
#'
#' Guide: \guide{corpus}.
#'
#' @param sampler (`function`)\cr
#'   A generator of this package whose epochs end, with its seed and `num_replicas`.
#'   Its own batches do not matter.
#' @param lengths (`integer()` or `character(1)`)\cr
#'   The length of each row of the dataset in tokens, from 0 to 2147483647; or the name of the column of the task that
#'   has them.
#' @param max_tokens (`integer(1)`)\cr
#'   The largest number of tokens in a batch, including padding: its rows times its longest row, an empty one counted
#'   as 1.
#'   At least the longest of `lengths`.
#'   Required without `batch_size`.
#' @param batch_size (`integer(1)`)\cr
#'   The largest number of rows in a batch.
#' @param window (`integer(1)`)\cr
#'   The number of consecutive drawn rows that are sorted together; no batch has rows of two windows.
#'   With smaller windows, the rows in a batch vary more from epoch to epoch.
#'   `NULL` (default): all of an epoch, which gives the least padding.
#' @param balance_replicas (`logical(1)`)\cr
#'   Whether the batches of each step, one for each process, have similar numbers of tokens, so that no process waits.
#'   Requires `num_replicas` of the sampler.
#' @param shuffle (`logical(1)`)\cr
#'   `FALSE`: the batches come in the order of the windows, the shortest of a window first.
#'
#' @return A generator of class `"batch_sampler_by_length"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and `sampler()`, which returns the instance of the
#' other sampler, for feedback to it.
#'
#' @export
#' @examples
#' lengths = c(3, 9, 2, 4, 8, 3, 7, 2)
#' generator = batch_sampler_by_length(
#'   batch_sampler_uniform(8, batch_size = 8, seed = 1), lengths, max_tokens = 16)
#' lapply(generator(NULL)$batches(), function(rows) lengths[rows])
batch_sampler_by_length = function(sampler, lengths, max_tokens = NULL, batch_size = NULL, window = NULL,
  balance_replicas = FALSE, shuffle = TRUE) {
  if (!inherits(sampler, "batch_sampler_generator")) {
    stop_parameter("sampler", "be a generator of this package", show_value(sampler))
  }
  inside = attr(sampler, "settings")
  settings = if (is.null(inside$recipe$open)) inside$recipe$parts else inside$recipe$open
  limits = list(max_tokens = max_tokens, batch_size = batch_size, window = window,
    balance_replicas = balance_replicas, shuffle = shuffle, num_replicas = settings$num_replicas)
  lengths = plain_value(lengths)
  if (!is_column_name(lengths)) {
    if (!is.numeric(lengths) || is.object(lengths)) {
      stop_parameter("lengths", "hold numbers, or name a column of the task", show_value(lengths))
    }
    lengths = as.vector(lengths)
    limits$lengths = if (length(lengths) == 1L) as.double(lengths) else lengths
  }
  recipe = new_recipe("by_length", inside$recipe$seed, core_plan("by_length", limits))
  new_generator(c(recipe, list(lengths = lengths, sampler = inside$recipe)), inside$functions)
}

kind_by_length = function() {
  list(
    class = "batch_sampler_by_length",
    vectors = list(parts = "num_replicas"),
    complete = function(recipe, data_source, task) {
      recipe$sampler = ready_recipe(recipe$sampler, data_source, task)
      if (is.character(recipe$lengths)) {
        recipe$parts$lengths = named_columns(task, recipe$lengths, "lengths")[[1L]]
      } else {
        check_task_order(task, "lengths")
        recipe$parts$lengths = recipe$lengths
      }
      n_rows = sampler_kind(recipe$sampler$kind)$n_rows(recipe$sampler)
      if (!is.null(n_rows) && length(recipe$parts$lengths) != n_rows) {
        stop_parameter("lengths", sprintf("have one value for each row of the sampler, %.0f", n_rows),
          show_count(length(recipe$parts$lengths), "value"))
      }
      recipe["seed"] = list(recipe$sampler$seed)
      recipe
    },
    n_rows = function(recipe) length(recipe$parts$lengths),
    setup = function(recipe, private) {
      private$.of = new_generator(recipe$sampler, private$.settings$functions)(NULL)
      private$.has_feedback = is_told(recipe)
      core_begin(private, list())
      NULL
    },
    iterates = is_told,
    iterate = function(private, place) {
      begin_by_length(private, place$epoch)
      batches_from(cut_rows(private, place$epoch), place$batch)
    },
    draw = function(private, epoch) cut_rows(private, epoch),
    count_batches = function(private, epoch) length(cut_rows(private, epoch)$offsets) - 1,
    most_batches = function(private, epoch) {
      # A state has the rows of the running epoch.
      if (private$.has_feedback) NA else length(cut_rows(private, epoch)$offsets) - 1
    },
    fingerprint = function(private) {
      inside = strsplit(private$.of$state()$fingerprint, " ", fixed = TRUE)[[1L]]
      replicas = private$.recipe$parts$num_replicas
      paste(c(core_fingerprint(private), if (!is.null(replicas)) sprintf("num_replicas=%.0f", replicas),
        paste0("sampler.", inside)), collapse = " ")
    },
    feedback_state = state_by_length,
    load_feedback = load_by_length,
    settings = format_by_length,
    methods = list(sampler = function() private$.of),
    private = list(.instance = NULL, .state = NULL, .of = NULL, .has_feedback = FALSE, .latest = NULL)
  )
}

# Whether the sampler inside has feedback: then the running epoch is kept, because it cannot be drawn again.
is_told = function(recipe) !is.null(sampler_kind(recipe$sampler$kind)$load_feedback)

# The batches of an epoch, which are kept because their number requires the draw.
cut_rows = function(private, epoch) {
  if (identical(private$.latest$epoch, epoch)) {
    return(private$.latest$batches)
  }
  rows = private$.of$.__enclos_env__$private$.epoch_batches(epoch)$rows
  batches = core_ask(private, "batches", list(rows = as.integer(pmin(rows, largest_count)), epoch = epoch))
  if (!private$.has_feedback) {
    private$.latest = list(epoch = epoch, batches = batches)
  }
  batches
}

begin_by_length = function(private, epoch) {
  if (identical(private$.latest$epoch, epoch)) {
    return()
  }
  private$.latest = NULL
  private$.of$set_epoch(epoch)
  private$.of$.__enclos_env__$private$.begin()
  private$.latest = list(epoch = epoch, batches = cut_rows(private, epoch))
}

state_by_length = function(private, place) {
  if (private$.has_feedback) {
    running = if (identical(private$.latest$epoch, place$epoch)) private$.latest$batches
    list(sampler = private$.of$state(), rows = if (!is.null(running)) running$rows - 1L, offsets = running$offsets)
  }
}

load_by_length = function(private, state) {
  if (!private$.has_feedback) {
    return()
  }
  if (!all(c("sampler", "rows", "offsets") %in% names(state))) {
    stop_parameter("state", "have the entries 'sampler', 'rows' and 'offsets' too", show_value(state))
  }
  rows = as.integer(unlist(state$rows))
  offsets = as.integer(unlist(state$offsets))
  n_rows = length(private$.recipe$parts$lengths)
  are_rows = !anyNA(rows) && all(rows >= 0 & rows < n_rows)
  are_offsets = length(offsets) == 0L || !anyNA(offsets) && !is.unsorted(offsets) && offsets[1L] == 0L &&
    offsets[length(offsets)] == length(rows)
  if (!are_rows || !are_offsets) {
    stop_parameter("state", sprintf("hold rows from 0 to %d, and where batches begin", n_rows - 1L), "others")
  }
  private$.of$load_state_dict(state$sampler)
  private$.latest = if (!is.null(state$rows)) {
    list(epoch = as.double(state$epoch), batches = list(rows = rows + 1L, offsets = offsets))
  }
  NULL
}

format_by_length = function(recipe) {
  parts = recipe$parts[setdiff(names(recipe$parts), c("lengths", "num_replicas"))]
  shown = sprintf("* %s: %s", names(parts), vapply(parts, function(value) {
    show_value(if (is.integer(value)) value == 1L else value)
  }, ""))
  c(shown, sprintf("* of <%s>", sampler_kind(recipe$sampler$kind)$class))
}
