#' @title Batch Sampler of Observed Pairs and New Negatives
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()], for recommenders and other models of interactions.
#' An epoch has all observed pairs of a user and an item, the positives, and new pairs that were not observed, the
#' negatives.
#'
#' It yields pair numbers, which [pair_dataset()] turns into users, items and labels; [decode_pairs()] does the same by
#' hand.
#'
#' Guide: \guide{pairs}.
#' Example: `vignette("recommender", package = "rbridge")`.
#'
#' @param users,items (`integer()`, `character()` or `factor()`)\cr
#'   The user and the item of each positive: codes, integers from 1, or ids.
#'   Or `character(1)`, the name of a column of the task, for a task that mlr3 splits, resamples or reorders.
#'   Whole doubles are codes as well.
#'   Text and factors are ids, which get the codes 1, 2, ... in order of first appearance; levels that do not occur get
#'   none.
#'   Use `factor()` to treat numbers as ids.
#'   A pair that occurs twice is two positives.
#' @param ratio (`numeric(1)`)\cr
#'   The share of positives, above 0 and below 1.
#'   It is rounded to 15 significant digits, as R shows it, and is exact as such a decimal number: 0.3 is 3/10.
#'   For `k` negatives per positive, use `1 / (1 + k)`.
#' @param batch_size (`integer(1)`)\cr
#'   The largest number of pairs in a batch.
#' @param n_users,n_items (`integer(1)`)\cr
#'   The total numbers of users and of items, at most 2^31 - 1 each and 2^52 pairs.
#'   `NULL` (default): the largest code.
#'   Not allowed with ids, whose number is that of those that occur.
#' @param method (`character(1)`)\cr
#'   How to draw negatives.
#'   `"uniform"` (default): from all pairs of a user and an item.
#'   `"per_user"`: from all items, for each user `(1 - ratio) / ratio` for each of the user's positives.
#'   `"popularity"`: the user of a random positive, with an item in proportion to a power of the number of its
#'   positives.
#' @param unique (`logical(1)`)\cr
#'   Whether no negative occurs twice in an epoch.
#'   Not allowed with `"popularity"`: there, popular items should occur often.
#' @param reject_positives (`logical(1)`)\cr
#'   `TRUE` (default): no positive is among the negatives.
#'   `FALSE`: negatives are drawn from all pairs, which is faster.
#' @param power (`numeric(1)`)\cr
#'   For `"popularity"`, at least 0: with 1, items are drawn as often as they are observed; with 0, all are equally
#'   likely.
#'   `NULL` (default): 0.75.
#' @param full_users (`character(1)`)\cr
#'   For `"per_user"`, what to do with users whose positives are all items.
#'   `"error"` (default): raise an error.
#'   `"skip"`: the user gets no negatives; the positives stay.
#'   If the positives of all users are all items, an error is raised in any case.
#' @param seed (`integer(1)`)\cr
#'   The seed of all epochs, an integer from 0 to 2147483646.
#'   `NULL` (default): a seed is drawn, see [batch_sampler_instance].
#' @param num_replicas (`integer(1)`)\cr
#'   The number of processes that share an epoch; at least 1.
#'   The number of batches is rounded up to a multiple of it.
#'   `NULL` (default): 1.
#'
#' @return A generator of class `"batch_sampler_pairs"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], where `rows` are pair numbers (`double()`), and
#' * `counts()`: returns a list of the numbers `n_users`, `n_items`, `n_positives` and `n_negatives` of an epoch,
#'   `n_skipped_users`, who get no negatives because all items are their positives, and `acceptance`, the share of the
#'   draws that is kept, which is below 1 only with `"popularity"`.
#' * `user_ids()` and `item_ids()`: return the ids by code (`character()`), `NULL` if codes were given.
#'
#' @section Guarantees:
#' * An epoch has every positive once and `floor(n_positives * (1 - ratio) / ratio + 1/2)` negatives, in exact
#'   rationals.
#'   With `"per_user"`, each user gets the floor or the ceiling of its share.
#' * No positive is among the negatives, unless `reject_positives = FALSE`.
#' * `"uniform"` and `"per_user"` draw each free pair, of the user in question, with exactly the same probability, at
#'   any density, and without rejection.
#' * Each batch holds the floor or the ceiling of its share of the positives and of the negatives, at least one of each,
#'   positives first; sizes differ by at most 1.
#' * The order of the positives does not matter.
#' * A pair number is `2 * (user * n_items + item) + label`, with users and items counted from 0 and the label 1 for a
#'   positive.
#'   It is a value and not a position.
#' * The same positives, settings, seed and epoch give the same pair numbers in every R session and in the Python class
#'   `pystrat.NegativePairBatchSampler`.
#'
#' @section Errors:
#' An argument has the wrong type or is out of range; no pair is left to draw, or too few for `unique`; `"popularity"`
#' would keep less than 1/100 of the draws, in total or for one user; or a batch would have no positive or no negative.
#' The message contains the numbers, and what works.
#'
#' @source
#' Datatonic, "Sampling methods within TensorFlow input functions", 2018.
#' The power 0.75 is from T. Mikolov and others, "Distributed Representations of Words and Phrases and their
#' Compositionality", 2013.
#'
#' @seealso [pair_dataset()], [decode_pairs()].
#'
#' @export
#' @examples
#' bought = data.frame(
#'   customer = c("ann", "ann", "bob", "eve", "eve", "dan"),
#'   book = c("emma", "ulysses", "emma", "walden", "ulysses", "emma")
#' )
#' generator = batch_sampler_pairs(
#'   bought$customer, bought$book, ratio = 1 / 3, batch_size = 9, seed = 1
#' )
#' generator
#' sampler = generator(NULL)
#' counts = sampler$counts()
#' dataset = pair_dataset(
#'   counts$n_users, counts$n_items,
#'   user_ids = sampler$user_ids(), item_ids = sampler$item_ids()
#' )
#' loader = torch::dataloader(
#'   dataset, batch_sampler = generator(dataset), collate_fn = identity)
#' coro::loop(for (batch in loader) print(data.frame(batch)))
batch_sampler_pairs = function(users, items, ratio, batch_size, n_users = NULL, n_items = NULL, method = "uniform",
  unique = FALSE, reject_positives = TRUE, power = NULL, full_users = "error", seed = NULL, num_replicas = NULL) {
  check_observed(users, items)
  request_generator("pairs", list(users = users, items = items, ratio = ratio, batch_size = batch_size,
    n_users = n_users, n_items = n_items, method = method, unique = unique, reject_positives = reject_positives,
    power = power, full_users = full_users, seed = seed, num_replicas = num_replicas))
}

plan_pairs = function(request) {
  planned = plan_observed("pairs", request)
  if (is.null(planned$parts)) {
    return(planned$settings)
  }
  labels = observed_labels(planned, c("ratio", "batch_size", "full_users", "num_replicas"))
  new_recipe("pairs", planned$settings$seed, planned$parts, labels = labels)
}

kind_pairs = function() {
  core_kind(
    class = "batch_sampler_pairs",
    plan = plan_pairs,
    vectors = list(
      parts = c("n_users", "n_items", "n_batches", "method", "unique", "reject_positives", "power", "cells",
        "n_negatives"),
      labels = c("ratio", "batch_size", "full_users", "num_replicas", "user_ids", "item_ids")
    ),
    bytes = function(recipe) {
      parts = recipe$parts
      users = if (parts$method != "uniform") 80 * parts$n_users else 0
      items = if (parts$method == "popularity") 120 * parts$n_items else 0
      users + items + 100 * (length(parts$cells) + sum(as.double(parts$n_negatives))) + 40 * parts$n_batches
    },
    check = check_recipe_ids,
    setup = function(recipe, private) list(counts = pairs_counts(recipe)),
    describe = function(private) {
      c(format_pairs(private$.recipe$parts, private$.setup$counts),
        format_shuffled(private$.recipe, private$.place$epoch))
    },
    settings = function(recipe) c(format_observed_settings(recipe), format_pairs(recipe$parts)),
    methods = list(
      counts = function() private$.setup$counts,
      user_ids = function() private$.recipe$labels$user_ids,
      item_ids = function() private$.recipe$labels$item_ids
    )
  )
}

# The counts of an epoch that an instance reports.
pairs_counts = function(recipe) {
  parts = recipe$parts
  c(
    list(n_users = parts$n_users, n_items = parts$n_items, n_positives = length(parts$cells),
      n_negatives = sum(as.double(parts$n_negatives))),
    core_call("pair_counts", parts)
  )
}

format_pairs = function(parts, counts = NULL) {
  c(
    sprintf("* Table: %s, %s", show_count(parts$n_users, "user"), show_count(parts$n_items, "item")),
    sprintf("* Pairs: %s, %s", show_count(length(parts$cells), "positive"),
      show_count(sum(as.double(parts$n_negatives)), "negative")),
    if (isTRUE(counts$n_skipped_users > 0)) sprintf("* Users without negatives: %.0f", counts$n_skipped_users),
    sprintf("* Batches: %.0f", parts$n_batches),
    sprintf("* Method: %s", parts$method)
  )
}
