#' @title Batch Sampler of Rows of Similar Length
#'
#' @description
#' Creates a batch sampler that cuts the rows of another sampler into batches of similar length, with little padding.
#' An epoch has the rows of the other sampler's epoch.
#' They are sorted by length within windows, ties in drawn order, and cut into batches that are as large as the limits
#' allow.
#' \twin{BatchesByLength}{corpus}
#'
#' @param lengths (`integer()` or `character(1)`)\cr
#'   The length of each row of the dataset in tokens, from 0 to 2147483647; or the name of the column of the task that
#'   has them.
#' @eval described("BatchesByLength", sampler = "a generator", "max_tokens", "batch_size", "window", "balance_replicas",
#'   "shuffle")
#'
#' @return A generator, whose instances have the members of every [batch_sampler_instance], and `sampler()`, which
#' returns the instance of the other sampler, for feedback to it.
#'
#' @export
#' @examples
#' lengths = c(3, 9, 2, 4, 8, 3, 7, 2)
#' generator = batch_sampler_by_length(
#'   batch_sampler_uniform(8, batch_size = 8, seed = 1), lengths, max_tokens = 16)
#' lapply(generator(NULL)$batches(), function(rows) lengths[rows])
batch_sampler_by_length = function(sampler, lengths, max_tokens = NULL, batch_size = NULL, window = NULL,
  balance_replicas = FALSE, shuffle = TRUE) {
  refuse_if(!inherits(sampler, "batch_sampler_generator"), "sampler", "be a generator of this package",
    show_value(sampler))
  inside = attr(sampler, "settings")
  settings = if (is.null(inside$recipe$open)) inside$recipe$parts else inside$recipe$open
  limits = list(max_tokens = max_tokens, batch_size = batch_size, window = window,
    balance_replicas = balance_replicas, shuffle = shuffle, num_replicas = settings$num_replicas)
  is_column = is_column_name(lengths)
  lengths = if (is_column) lengths else feedback_values(lengths, "lengths")
  limits = core_plan("by_length", c(limits, if (!is_column) list(lengths = lengths)))
  waits = is_column || !is.null(inside$recipe$open)
  open = open_recipe("by_length", inside$recipe$seed, c(limits, list(lengths = lengths, sampler = inside$recipe)))
  new_generator(if (waits) open else ready_recipe(open, NULL, NULL, has_seed = FALSE), inside$functions)
}

# The recipe of the sampler inside: vectors whose names begin with "sampler_".
sampler_inside = function(recipe) {
  renamed = function(vectors) {
    vectors = vectors[grep("^sampler_", names(vectors))]
    c(list(), stats::setNames(vectors, sub("^sampler_", "", names(vectors))))
  }
  new_recipe(recipe$parts$sampler, recipe$seed, renamed(recipe$parts), renamed(recipe$state), renamed(recipe$labels))
}

kind_by_length = function() {
  list(
    class = "batch_sampler_by_length",
    complete = function(recipe, data_source, task) {
      given = given_of(recipe)
      lengths = given$lengths
      if (is.character(lengths)) {
        lengths = feedback_values(named_columns(task, lengths, "lengths")[[1L]], "lengths")
      } else {
        check_task_order(task, "lengths")
      }
      inside = ready_recipe(given$sampler, data_source, task, has_seed = FALSE)
      n_rows = sampler_kind(inside$kind)$n_rows(inside)
      refuse_if(!is.null(n_rows) && length(lengths) != n_rows, "lengths",
        sprintf("have one value for each row of the sampler, %.0f", n_rows), show_count(length(lengths), "value"))
      renamed = function(vectors) c(list(), stats::setNames(vectors, sprintf("sampler_%s", names(vectors))))
      limits = given[setdiff(names(given), c("lengths", "sampler"))]
      parts = c(limits, list(lengths = lengths, sampler = inside$kind), renamed(inside$parts))
      new_recipe("by_length", inside$seed, parts, renamed(inside$state), renamed(inside$labels))
    },
    n_rows = function(recipe) length(recipe$parts$lengths),
    inside = sampler_inside,
    setup = function(recipe, private) {
      private$.of = new_generator(sampler_inside(recipe), private$.functions)(NULL)
      core_begin(private, list())
      NULL
    },
    draws_by_replicas = TRUE,
    # If the sampler inside has feedback, the running epoch is kept, because it cannot be drawn again.
    iterates = function(recipe) !is.null(sampler_kind(given_of(recipe)$sampler$kind)$load_feedback),
    iterate = function(private, place) {
      if (!identical(private$.latest$epoch, place$epoch)) {
        private$.latest = NULL
        private$.of$set_epoch(place$epoch)
        private$.of$.__enclos_env__$private$.begin()
        private$.latest = cut_epoch(private, place$epoch)
      }
      batches_from(private$.latest$batches, place$batch)
    },
    draw = function(private, epoch) cut_epoch(private, epoch)$batches,
    count_batches = function(private, epoch) length(cut_epoch(private, epoch)$batches$offsets) - 1,
    fingerprint = function(private) {
      inside = strsplit(private$.of$state()$fingerprint, " ", fixed = TRUE)[[1L]]
      replicas = private$.recipe$parts$num_replicas
      paste(c(core_fingerprint(private), if (!is.null(replicas)) sprintf("num_replicas=%.0f", replicas),
        paste0("sampler_", inside)), collapse = " ")
    },
    feedback_state = function(private, place) {
      if (private$.iterates) {
        is_running = identical(private$.latest$epoch, place$epoch)
        list(sampler = private$.of$state(), drawn = if (is_running) private$.latest$drawn - 1L)
      }
    },
    load_feedback = function(private, state) {
      if (!private$.iterates) {
        return()
      }
      refuse_if(!all(c("sampler", "drawn") %in% names(state)), "state", "have the entries 'sampler' and 'drawn' too",
        show_value(state))
      cut = if (!is.null(state$drawn)) {
        cut_drawn(private, check_epoch(state$epoch), as.integer(unlist(state$drawn)) + 1L)
      }
      private$.of$load_state_dict(state$sampler)
      private$.latest = cut
      NULL
    },
    settings = function(recipe) {
      if (!is.null(recipe$open)) {
        recipe$open$sampler = recipe$open$sampler$kind
      }
      format_arguments(recipe)
    },
    methods = list(sampler = function() private$.of),
    private = list(.instance = NULL, .state = NULL, .of = NULL, .latest = NULL)
  )
}

# The arguments of a recipe, with the recipe of the sampler inside.
given_of = function(recipe) {
  if (is.null(recipe$open)) c(own_parts(recipe), list(sampler = sampler_inside(recipe))) else recipe$open
}

# An epoch, which is kept because the number of its batches requires the draw.
cut_epoch = function(private, epoch) {
  if (identical(private$.latest$epoch, epoch)) {
    return(private$.latest)
  }
  cut = cut_drawn(private, epoch, private$.of$.__enclos_env__$private$.epoch_batches(epoch)$rows)
  if (!private$.iterates) {
    private$.latest = cut
  }
  cut
}

# The rows of an epoch in drawn order, and its batches.
cut_drawn = function(private, epoch, drawn) {
  drawn = as.integer(pmin(drawn, largest_count))
  list(epoch = epoch, drawn = drawn, batches = core_ask(private, "batches", list(rows = drawn, epoch = epoch)))
}
