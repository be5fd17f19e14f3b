#' @title Batch Sampler by Perplexity
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] that visits `sample` of `n` examples in each epoch, those of high
#' perplexity more often.
#' The training loop reports losses to the sampler with `report()`.
#' Draws are uniform, with replacement, until the mean perplexity of all examples is below `initial`, and then in
#' proportion to perplexity.
#' The Python class `pystrat.PerplexityBatchSampler` returns the same batches from the same calls, including reports.
#' In the project, `docs/corpus.md` is a guide.
#'
#' @param n (`integer(1)`)\cr
#'   The number of examples of the dataset, from 1 to 2147483647.
#' @param sample (`integer(1)`)\cr
#'   The number of examples in an epoch, from 1 to 2147483647; it may exceed `n`.
#' @param batch_size (`integer(1)`)\cr
#'   The number of examples per batch, at least 1; optional with `max_tokens`.
#'   The last batch may be smaller.
#' @param initial (`double(1)`)\cr
#'   The perplexity of an example that was never reported, above 1 and at most 1000000.
#' @param maximum (`double(1)` or `"published"`)\cr
#'   The perplexity above which an example counts as noise.
#'   A positive number is that perplexity itself; a negative number x means the mode plus `abs(x)` spreads;
#'   `"published"` is the published default, -1.5.
#'   `NULL` (default): no maximum.
#' @param clip (`logical(1)`)\cr
#'   The weight of an example above the maximum: the maximum if `TRUE`, 1 if `FALSE` (default), as published.
#'   Requires a `maximum`.
#' @param lengths (`integer()`)\cr
#'   The length of each of the `n` examples in tokens, from 0 to 2147483647.
#'   Requires `max_tokens` or `window`.
#'   `NULL` (default): batches are in drawn order.
#' @param max_tokens,window (`integer(1)`)\cr
#'   Make batches of examples of similar length, see [batch_sampler_epoch_subset()].
#' @param seed (`integer(1)`)\cr
#'   The seed of all epochs, from 0 to 2147483646; together with the reports, it determines the examples.
#'   `NULL` (default): a seed is drawn, see [batch_sampler_instance].
#' @param num_replicas (`integer(1)`)\cr
#'   The number of processes that share an epoch: the number of batches is rounded up to a multiple of it, and their
#'   sizes differ by at most 1.
#'   `NULL` (default): batches are not adapted to processes.
#'
#' @return A generator of class `"batch_sampler_perplexity"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `report(rows, nll)`: reports the mean negative log-likelihood per token of examples, in nats, finite and at least
#'   0; rows count from 1, and if a row is reported more than once, the last value counts; accepts vectors and tensors;
#'   returns the instance invisibly;
#' * `perplexities()`: returns the perplexity of each example, `initial` if it was never reported;
#' * `started()`: returns whether an epoch was drawn in proportion to perplexity;
#' * `share_above_maximum()`: returns the share of the reported examples whose perplexity is above the maximum, from 0
#'   to 1.
#'
#' `batches(epoch)` works for the running epoch and the next one; others depend on reports that are gone or have yet to
#' come.
#'
#' @section The maximum:
#' A maximum with the weight 1 works against the method if it cuts off more than noise: the hardest examples are then
#' drawn least.
#' A warning is given if an epoch is drawn while more than 5 % of the reported examples are above it.
#' The mode of fewer than about 100,000 examples is unstable: set `maximum` to a positive number or `NULL` in that case.
#'
#' @section Guarantees:
#' * An epoch visits exactly `sample` examples, in drawn order unless batches are made by length.
#' * Reports of an epoch take effect from the next epoch on.
#' * The same reports give the same weights on every machine.
#' * A saved instance contains its reports; a copy of an instance has its own reports.
#' * An invalid report is an error, and changes nothing.
#'
#' @source
#' OpenNMT's memory sampling, options `-sample` and `-sample_type`.
#'
#' @seealso [batch_sampler_epoch_subset()] for draws without feedback, [batch_sampler_weighted()] for weights that the
#'   training loop sets.
#'
#' @export
#' @examples
#' sampler = batch_sampler_perplexity(4, sample = 1000, batch_size = 500, seed = 1)(NULL)
#' sampler$report(rows = 1:3, nll = log(c(1, 2, 4)))
#' tabulate(sampler$batches(0)$rows)
batch_sampler_perplexity = function(n, sample, batch_size = NULL, initial = 15, maximum = NULL, clip = FALSE,
  lengths = NULL, max_tokens = NULL, window = NULL, seed = NULL, num_replicas = NULL) {
  settings = drawn_settings(n, sample, batch_size, lengths, max_tokens, window, seed, num_replicas)
  parts = c(settings$parts, list(
    initial = check_initial(initial),
    maximum = if (!is.null(maximum)) check_maximum(maximum),
    clip = check_clip(clip, maximum)
  ))
  state = list(reported = rep(NaN, settings$parts$n), started = 0L)
  new_generator(new_recipe("perplexity", settings$seed, parts, state))
}

largest_perplexity = 1e6

check_initial = function(initial) {
  is_number = is.numeric(initial) && !is.object(initial) && length(initial) == 1L && !is.na(initial)
  if (!is_number || initial <= 1 || initial > largest_perplexity) {
    required = sprintf("be a number above 1 and at most %s", show_value(largest_perplexity))
    stop_parameter("initial", required, show_value(initial))
  }
  as.double(initial)
}

check_maximum = function(maximum) {
  if (identical(maximum, "published")) {
    return(-1.5)
  }
  is_number = is.numeric(maximum) && !is.object(maximum) && length(maximum) == 1L
  if (!is_number || !is.finite(maximum) || maximum == 0) {
    stop_parameter("maximum", "be a finite number other than 0, 'published', or nothing", show_value(maximum))
  }
  as.double(maximum)
}

check_clip = function(clip, maximum) {
  if (check_flag(clip, "clip") && is.null(maximum)) {
    stop_parameter("clip", "be false if there is no maximum", show_value(clip))
  }
  as.integer(clip)
}

kind_perplexity = function() {
  list(
    class = "batch_sampler_perplexity",
    vectors = list(
      parts = c("n", "sample", "batch_size", "num_replicas", "lengths", "max_tokens", "window", "initial", "maximum",
        "clip"),
      state = c("reported", "started", "epoch", "batch", "drawn", "weighted")
    ),
    bytes = function(recipe) 80 * recipe$parts$n + cut_bytes(recipe$parts$sample, recipe$parts),
    check = check_perplexity,
    n_rows = function(recipe) recipe$parts$n,
    count_batches = function(private, epoch) {
      parts = private$.recipe$parts
      count_batches_of(parts$sample, parts, function() served_perplexity(private, epoch))
    },
    setup = setup_perplexity,
    draw = function(private, epoch) served_perplexity(private, epoch),
    iterate = iterate_perplexity,
    describe = function(private) {
      n_reported = sum(!is.nan(private$.reported))
      c(
        format_drawn(private$.recipe$parts),
        sprintf("* Reported: %s, %s", show_count(n_reported, "example"),
          if (private$.started) "drawn in proportion to perplexity" else "drawn uniformly so far"),
        format_order(private$.recipe, private$.next_epoch)
      )
    },
    settings = function(recipe) {
      c(
        format_drawn(recipe$parts),
        sprintf("* initial: %s", show_value(recipe$parts$initial)),
        sprintf("* maximum: %s%s", show_value(recipe$parts$maximum), if (recipe$parts$clip == 1) ", clipped" else ""),
        format_seed(recipe)
      )
    },
    methods = list(
      report = function(rows, nll) {
        report_perplexity(private, rows, nll)
        invisible(self)
      },
      perplexities = function() {
        if (is.null(private$.in_order)) {
          ifelse(is.nan(private$.reported), private$.recipe$parts$initial, private$.reported)
        }
      },
      started = function() private$.started,
      share_above_maximum = function() share_above_maximum(private)
    ),
    # The perplexities, NaN if an example was never reported; the running epoch, the rows that it visits, whether they
    # were drawn in proportion to perplexity, and the number of its batches before the point where the sampler was
    # resumed; whether the warning about the maximum was given; the last epoch cut by length.
    private = list(
      .reported = NULL, .started = FALSE, .running = NULL, .visited = NULL, .weighted = FALSE, .past = 0,
      .has_warned = FALSE, .latest = NULL
    )
  )
}

check_perplexity = function(recipe) {
  check_drawn(recipe)
  parts = recipe$parts
  state = recipe$state
  check_initial(parts$initial)
  if (!is.null(parts$maximum)) {
    check_maximum(parts$maximum)
  }
  check_clip(part_flag(recipe, "clip"), parts$maximum)
  if (!is.double(state$reported) || length(state$reported) != parts$n) {
    stop_parameter("recipe", sprintf("have %s as 'reported'", show_count(parts$n, "number")),
      show_value(state$reported))
  }
  if (!is_whole_number(state$started) || !state$started %in% 0:1) {
    stop_parameter("recipe", "have 0 or 1 as 'started'", show_value(state$started))
  }
  if (!is.null(state$epoch)) {
    check_running(recipe)
  }
}

# The state of a sampler within an epoch has its number, its rows from 0, and the number of its batches that are done.
check_running = function(recipe) {
  state = recipe$state
  if (!is_whole_between(state$epoch, 0, largest_epoch)) {
    stop_parameter("recipe", "have the number of an epoch as 'epoch'", show_value(state$epoch))
  }
  n_batches = count_cut_batches(recipe$parts$sample, recipe$parts)
  if (!is_whole_between(state$batch, 0, if (is.null(n_batches)) recipe$parts$sample else n_batches)) {
    stop_parameter("recipe", "have a number of batches as 'batch'", show_value(state$batch))
  }
  if (by_length(recipe$parts) && (!is_whole_number(state$weighted) || !state$weighted %in% 0:1)) {
    stop_parameter("recipe", "have 0 or 1 as 'weighted'", show_value(state$weighted))
  }
  drawn = state$drawn
  is_drawn = is.integer(drawn) && length(drawn) == recipe$parts$sample && !anyNA(drawn)
  if (!is_drawn || min(drawn) < 0L || max(drawn) >= recipe$parts$n) {
    stop_parameter("recipe", sprintf("have %s from 0 as 'drawn'", show_count(recipe$parts$sample, "row")),
      show_value(drawn))
  }
}

setup_perplexity = function(recipe, private) {
  state = recipe$state
  private$.reported = state$reported
  private$.started = state$started == 1
  if (!is.null(state$epoch)) {
    private$.running = state$epoch
    private$.visited = state$drawn + 1L
    private$.weighted = identical(as.double(state$weighted), 1)
    private$.past = state$batch
    check_past(private, recipe)
  }
  private$.recipe$state = list() # it is now in the instance's own fields
  list(offsets = cut_offsets(recipe$parts$sample, recipe$parts))
}

# By length, the number of batches depends on the rows.
check_past = function(private, recipe) {
  if (by_length(recipe$parts) && private$.past > length(served_perplexity(private, private$.running)$offsets) - 1L) {
    stop_parameter("recipe", "have a number of batches as 'batch'", show_value(private$.past))
  }
}

# Whether an epoch that begins now is drawn in proportion to the weights.
starts_perplexity = function(private) {
  private$.started || .Call(C_is_below_initial, private$.reported, private$.recipe$parts$initial)
}

# -> list(rows, stream)
draw_perplexity = function(private, epoch) {
  recipe = private$.recipe
  parts = recipe$parts
  seed = epoch_seed(recipe$seed, epoch)
  if (!starts_perplexity(private)) {
    return(.Call(C_draw_rows, parts$n, parts$sample, seed))
  }
  ceiling = noise_ceiling(private)
  weight_above = if (parts$clip == 1) ceiling else 1
  .Call(C_draw_by_perplexity, private$.reported, parts$initial, ceiling, weight_above, parts$sample, seed)
}

# The perplexity above which examples count as noise; infinite if there is no maximum.
noise_ceiling = function(private) {
  maximum = private$.recipe$parts$maximum
  if (is.null(maximum)) {
    Inf
  } else if (maximum > 0) {
    maximum
  } else {
    .Call(C_noise_ceiling, private$.reported, -maximum)
  }
}

share_above_maximum = function(private) {
  n_seen = sum(!is.nan(private$.reported))
  sum(private$.reported > noise_ceiling(private), na.rm = TRUE) / max(n_seen, 1)
}

# Warns once if examples that are not rare count as noise.
warn_of_maximum = function(private) {
  parts = private$.recipe$parts
  if (private$.has_warned || parts$clip == 1 || is.null(parts$maximum) || !private$.started) {
    return(invisible())
  }
  share = share_above_maximum(private)
  if (share > 0.05) {
    private$.has_warned = TRUE
    warning(sprintf(paste("%.1f %% of the reported examples are above the maximum, a perplexity of %.2f. They count as",
      "noise and are drawn with the weight 1, the least of all. Choose a higher maximum, none, or clip them."),
      100 * share, noise_ceiling(private)), call. = FALSE)
  }
}

# The batches of the running epoch, or of the next one.
served_perplexity = function(private, epoch) {
  runs = identical(private$.running, epoch)
  if (!runs && epoch != private$.next_epoch) {
    running = if (!is.null(private$.running)) sprintf("%.0f, the running epoch, or ", private$.running)
    stop_parameter("epoch", sprintf("be %s%.0f, the next", paste(running, collapse = ""), private$.next_epoch),
      show_value(epoch), "Others depend on reports that are gone or have yet to come.")
  }
  if (by_length(private$.recipe$parts)) {
    return(latest_batches(private, epoch, function() {
      cut_drawn(if (runs) drawn_again(private) else draw_perplexity(private, epoch), private$.recipe$parts)
    }))
  }
  list(rows = if (runs) private$.visited else draw_perplexity(private, epoch)$rows, offsets = private$.setup$offsets)
}

# The rows of the running epoch, and the stream after its draw: a draw by weight takes two numbers of the generator,
# whatever the weights were.
drawn_again = function(private) {
  parts = private$.recipe$parts
  seed = epoch_seed(private$.recipe$seed, private$.running)
  drawn = if (private$.weighted) {
    .Call(C_draw_by_perplexity, private$.reported, parts$initial, Inf, 1, parts$sample, seed)
  } else {
    .Call(C_draw_rows, parts$n, parts$sample, seed)
  }
  list(rows = private$.visited, stream = drawn$stream)
}

begin_perplexity = function(private, epoch) {
  private$.started = starts_perplexity(private)
  drawn = draw_perplexity(private, epoch)
  private$.visited = drawn$rows
  private$.weighted = private$.started
  private$.running = epoch
  private$.past = 0
  if (by_length(private$.recipe$parts)) {
    private$.latest = list(epoch = epoch, batches = cut_drawn(drawn, private$.recipe$parts))
  }
  warn_of_maximum(private)
}

iterate_perplexity = function(private, epoch) {
  if (!identical(private$.running, epoch)) {
    begin_perplexity(private, epoch)
  }
  batches = served_perplexity(private, epoch)
  rows = batches$rows
  offsets = batches$offsets
  taken = private$.past
  private$.past = 0
  n_batches = length(offsets) - 1L
  function() {
    if (taken < n_batches) {
      taken <<- taken + 1
      rows[batch_places(offsets, taken)]
    }
  }
}

report_perplexity = function(private, rows, nll) {
  check_is_trained_on(private)
  rows = row_positions(rows, private$.recipe$parts$n, "rows")
  nll = feedback_values(nll, "nll")
  if (length(nll) != length(rows)) {
    stop_parameter("nll", sprintf("have one value for each of the rows, %d", length(rows)),
      show_count(length(nll), "value"))
  }
  wrong = which(!is.finite(nll) | nll < 0)
  if (length(wrong) > 0L) {
    got = sprintf("%s for row position %d, counted from 1,", show_value(nll[wrong[1L]]), rows[wrong[1L]])
    stop_parameter("nll", "be finite and at least 0", got)
  }
  private$.reported = .Call(C_report_losses, private$.reported, rows, nll)
  if (!identical(private$.latest$epoch, private$.running)) {
    private$.latest = NULL # an epoch that has yet to begin, whose draws depend on the reports
  }
}
