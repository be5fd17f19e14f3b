#' @title Batch Sampler by Perplexity
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] that visits `sample` of `n_rows` examples in each epoch,
#' those of high perplexity more often.
#' The training loop reports losses to the sampler with `report()`.
#' Draws are uniform, with replacement, until the mean perplexity of all examples is below `initial`, and then in
#' proportion to perplexity.
#' The Python class `pystrat.PerplexityBatchSampler` returns the same batches from the same calls, including reports.
#' Guide: \guide{corpus}.
#'
#' @param n_rows (`integer(1)`)\cr
#'   The number of examples of the dataset, from 1 to 2147483647.
#'   `NULL` (default): that of the dataset with which the generator is called, such as a fold of a resampling.
#' @param sample (`integer(1)`)\cr
#'   The number of examples in an epoch, from 1 to 2147483647; it may exceed `n_rows`.
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
#' @param lengths,max_tokens,window,balance_replicas,seed,num_replicas As in [batch_sampler_epoch_subset()].
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
#' * A saved instance and a state contain the reports; a copy of an instance has its own reports.
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
batch_sampler_perplexity = function(n_rows = NULL, sample, batch_size = NULL, initial = 15, maximum = NULL,
  clip = FALSE, lengths = NULL, max_tokens = NULL, window = NULL, seed = NULL, num_replicas = NULL,
  balance_replicas = FALSE) {
  request_generator("perplexity", list(n_rows = n_rows, sample = sample, batch_size = batch_size, initial = initial,
    maximum = maximum, clip = clip, lengths = lengths, max_tokens = max_tokens, window = window, seed = seed,
    num_replicas = num_replicas, balance_replicas = balance_replicas))
}

plan_perplexity = function(request) {
  request["lengths"] = list(plain_lengths(request$lengths))
  parts = core_plan("perplexity", request)
  new_recipe("perplexity", request$seed, parts, list(reported = rep(NaN, parts$n_rows), started = 0L))
}

kind_perplexity = function() {
  cutting_kind(
    class = "batch_sampler_perplexity",
    plan = plan_perplexity,
    fits = fits_lengths,
    vectors = list(
      parts = c("n_rows", "sample", "batch_size", "num_replicas", "lengths", "max_tokens", "window", "balance_replicas",
        "initial", "maximum", "clip"),
      state = c("reported", "started", "epoch", "batch", "drawn", "weighted")
    ),
    bytes = function(recipe) 80 * recipe$parts$n_rows + cutting_bytes(recipe, recipe$parts$sample),
    n_rows = function(recipe) recipe$parts$n_rows,
    setup = setup_perplexity,
    count_batches = count_perplexity,
    most_batches = function(private, epoch) most_perplexity(private$.recipe$parts, core_count(private, 0)),
    draw = served_perplexity,
    iterate = iterate_perplexity,
    feedback_state = perplexity_state,
    load_feedback = load_perplexity,
    describe = function(private) {
      c(
        format_drawn(private$.recipe),
        sprintf("* Reported: %s, %s", show_count(core_ask(private, "n_reported"), "example"),
          if (core_ask(private, "started") == 1) "drawn in proportion to perplexity" else "drawn uniformly so far"),
        format_order(private$.recipe, private$.place$epoch)
      )
    },
    settings = function(recipe) {
      c(
        format_drawn(recipe),
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
      perplexities = function() if (is.null(private$.in_order)) core_ask(private, "perplexities"),
      started = function() is.null(private$.in_order) && core_ask(private, "started") == 1,
      share_above_maximum = function() if (is.null(private$.in_order)) core_ask(private, "share_above_maximum") else 0
    ),
    # The running epoch, the rows that it visits, from 0, and whether they were drawn in proportion to perplexity.
    private = list(.running = NULL, .visited = NULL, .weighted = FALSE)
  )
}

setup_perplexity = function(recipe, private) {
  state = recipe$state
  core_begin(private, state)
  if (!is.null(state$epoch)) { # it was resumed within this epoch
    private$.running = state$epoch
    private$.visited = state$drawn
    private$.weighted = identical(as.double(state$weighted), 1)
    private$.place = new_place(state$epoch, state$batch)
  }
  private$.recipe$state = list() # it is now in the instance's own fields
  NULL
}

# The number of batches that an epoch can have, if `count`, the number of every epoch, is 0.
most_perplexity = function(parts, count) if (count > 0) count else parts$sample

# By length, the batches of epochs that are not served depend on reports that are gone or have yet to come.
count_perplexity = function(private, epoch) {
  count = core_count(private, epoch)
  if (count == 0 && (epoch == private$.place$epoch || identical(private$.running, epoch))) {
    return(length(served_perplexity(private, epoch)$offsets) - 1)
  }
  most_perplexity(private$.recipe$parts, count)
}

# The batches of the running epoch, or of the next one; by length, they are kept.
served_perplexity = function(private, epoch) {
  asked = list(epoch = epoch, next_epoch = private$.place$epoch)
  if (!is.null(private$.running)) {
    asked = c(asked, list(running = private$.running, weighted = private$.weighted, drawn = private$.visited))
  }
  draw = function() core_ask(private, "epoch", asked)
  if (!by_length(private$.recipe$parts)) {
    return(draw())
  }
  if (!identical(private$.running, epoch) && epoch != private$.place$epoch) {
    private$.latest = NULL # which may have the epoch, but it is not served any more
  }
  latest_batches(private, epoch, draw)
}

iterate_perplexity = function(private, place) {
  epoch = place$epoch
  if (!identical(private$.running, epoch)) {
    begin_perplexity(private, epoch)
  }
  batches_from(served_perplexity(private, epoch), place$batch)
}

begin_perplexity = function(private, epoch) {
  begun = core_tell(private, "begin", list(epoch = epoch))
  private$.visited = begun$drawn
  private$.weighted = begun$weighted == 1
  private$.running = epoch
  if (by_length(private$.recipe$parts)) {
    private$.latest = list(epoch = epoch, batches = begun[c("rows", "offsets")])
  }
}

report_perplexity = function(private, rows, nll) {
  check_is_trained_on(private)
  core_tell(private, "report", list(rows = feedback_rows(rows), nll = feedback_values(nll, "nll")))
  if (!identical(private$.latest$epoch, private$.running)) {
    private$.latest = NULL # an epoch that has yet to begin, whose draws depend on the reports
  }
}

# The reports, and what the epoch of the place visits, if it is drawn.
perplexity_state = function(private, place) {
  known = core_ask(private, "state")
  is_drawn = identical(private$.running, place$epoch)
  state = list(reports = pack_numbers(known$reported), started = known$started == 1,
    drawn = if (is_drawn) pack_numbers(private$.visited))
  if (by_length(private$.recipe$parts)) {
    state$weighted = is_drawn && private$.weighted
  }
  state
}

load_perplexity = function(private, state) {
  has_lengths = by_length(private$.recipe$parts)
  flags = c("started", if (has_lengths) "weighted")
  if (!all(c("reports", "drawn", flags) %in% names(state))) {
    stop_parameter("state", sprintf("have the entries 'reports', %s and 'drawn'", toString(sprintf("'%s'", flags))),
      show_count(length(state), "other"))
  }
  for (flag in flags) {
    if (!isTRUE(state[[flag]]) && !isFALSE(state[[flag]])) {
      stop_parameter("state", sprintf("hold true or false as '%s'", flag), show_value(state[[flag]]))
    }
  }
  reported = packed_in_state(state$reports, double())
  drawn = if (!is.null(state$drawn)) packed_in_state(state$drawn, integer())
  check_drawn(private$.recipe$parts, reported, drawn, state$batch)
  given = list(reported = reported, started = as.double(state$started),
    has_warned = core_ask(private, "state")$has_warned)
  running = if (!is.null(drawn)) {
    list(epoch = as.double(state$epoch), batch = as.double(state$batch), drawn = drawn,
      weighted = as.double(has_lengths && state$weighted))
  }
  core_begin(private, c(given, running))
  private$.running = running$epoch
  private$.visited = drawn
  private$.weighted = has_lengths && state$weighted
  private$.latest = NULL
  NULL
}

packed_in_state = function(text, prototype) {
  numbers = unpack_numbers(text, prototype)
  if (is.null(numbers)) {
    stop_parameter("state", "hold reports and drawn rows as it was saved: numbers, packed into text",
      if (is.character(text)) "other text" else show_value(text))
  }
  numbers
}

# Refuses other numbers of reports and rows; at the beginning of an epoch, its rows may not be drawn yet.
check_drawn = function(parts, reported, drawn, batch) {
  fits = if (is.null(drawn)) batch == 0 else length(drawn) == parts$sample
  if (length(reported) != parts$n_rows || !fits) {
    rows = paste0(if (batch == 0) "all or none of ", show_count(parts$sample, "drawn row"))
    stop_parameter("state", sprintf("hold %s, and %s", show_count(parts$n_rows, "report"), rows),
      sprintf("%d and %d", length(reported), length(drawn)))
  }
}
