#' @title Batch Sampler of a User, a Positive and Negatives of That User
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()], for losses that compare an item that a user met, the positive,
#' with items that the same user has not met, the negatives, such as BPR and sampled softmax.
#' An epoch has every positive once, each with new negatives of its user.
#'
#' It yields pair numbers, which [triple_dataset()] turns into users, positives and negatives.
#' The Python class `pystrat.TripleBatchSampler` returns the same pair numbers from the same seed.
#'
#' Guide: \guide{pairs}.
#'
#' @param users,items (`integer()`, `character()` or `factor()`)\cr
#'   The user and the item of each positive, as codes or as ids, or as names of columns of the task, as in
#'   [batch_sampler_pairs()].
#'   A pair that occurs twice is two positives.
#' @param batch_size (`integer(1)`)\cr
#'   The largest number of triples in a batch.
#' @param negatives_per_positive (`integer(1)`)\cr
#'   The number of negatives per positive: 1 (default) for BPR, more for a sampled softmax.
#' @param n_users,n_items (`integer(1)`)\cr
#'   As in [batch_sampler_pairs()].
#' @param unique (`logical(1)`)\cr
#'   Whether the negatives of one positive are all different.
#' @param full_users (`character(1)`)\cr
#'   What to do with users who have met all items.
#'   `"error"` (default): raise an error.
#'   `"skip"`: they are left out with their positives.
#'   If all users have met all items, an error is raised in any case.
#' @param seed,num_replicas (`integer(1)`)\cr
#'   As in [batch_sampler_pairs()].
#'
#' @return A generator of class `"batch_sampler_triples"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], where `rows` are pair numbers (`double()`), and
#' * `counts()`: returns a list of the numbers `n_users`, `n_items`, `n_positives`, the triples of an epoch,
#'   `negatives_per_positive`, and `n_skipped_users`, whose positives are left out because they have met all items.
#' * `user_ids()` and `item_ids()`: return the ids by code (`character()`), `NULL` if codes were given.
#'
#' @section Guarantees:
#' * An epoch has every positive exactly once, with `negatives_per_positive` negatives of its user, except those of
#'   skipped users.
#' * Each negative is uniform among the items that its user has not met, at any density.
#'   No positive is among the negatives of its user.
#' * With P positives, an epoch has `ceiling(P / batch_size)` batches, rounded up to a multiple of `num_replicas`; their
#'   sizes differ by at most 1 triple.
#' * A batch has the pair numbers of its triples, one after another, positive first.
#' * The order of the positives does not matter.
#' * The same positives, settings, seed and epoch give the same pair numbers in every R session and in Python.
#'
#' @section Errors:
#' An argument has the wrong type or is out of range; a user has no free item, or with `unique` fewer than
#' `negatives_per_positive`; there are fewer triples than replicas, or more than 2^31 - 1 pairs.
#'
#' @source
#' S. Rendle and others, "BPR: Bayesian Personalized Ranking from Implicit Feedback", 2009.
#'
#' @seealso [triple_dataset()], [batch_sampler_pairs()].
#'
#' @export
#' @examples
#' met = data.frame(user = c("ann", "ann", "bob", "eve"), item = c("x", "y", "y", "z"))
#' generator = batch_sampler_triples(
#'   met$user, met$item, batch_size = 2, negatives_per_positive = 2, seed = 1
#' )
#' sampler = generator(NULL)
#' sampler
#' counts = sampler$counts()
#' dataset = triple_dataset(counts$n_users, counts$n_items, negatives_per_positive = 2)
#' loader = torch::dataloader(dataset, batch_sampler = sampler, collate_fn = identity)
#' coro::loop(for (batch in loader) str(batch))
batch_sampler_triples = function(users, items, batch_size, negatives_per_positive = 1, n_users = NULL, n_items = NULL,
  unique = FALSE, full_users = "error", seed = NULL, num_replicas = NULL) {
  check_observed(users, items)
  request_generator("triples", list(users = users, items = items, batch_size = batch_size,
    negatives_per_positive = negatives_per_positive, n_users = n_users, n_items = n_items, unique = unique,
    full_users = full_users, seed = seed, num_replicas = num_replicas))
}

plan_triples = function(request) {
  planned = plan_observed("triples", request)
  if (is.null(planned$parts)) {
    return(planned$settings)
  }
  labels = observed_labels(planned, c("batch_size", "full_users", "num_replicas"),
    n_skipped_users = planned$parts$n_skipped_users)
  planned$parts$n_skipped_users = NULL
  new_recipe("triples", planned$settings$seed, planned$parts, labels = labels)
}

kind_triples = function() {
  core_kind(
    class = "batch_sampler_triples",
    plan = plan_triples,
    vectors = list(
      parts = c("n_users", "n_items", "n_batches", "negatives_per_positive", "unique", "cells"),
      labels = c("batch_size", "full_users", "num_replicas", "n_skipped_users", "user_ids", "item_ids")
    ),
    bytes = function(recipe) {
      parts = recipe$parts
      16 * parts$n_users + 50 * length(parts$cells) * (2 + parts$negatives_per_positive) + 40 * parts$n_batches
    },
    check = check_triples,
    describe = function(private) {
      c(format_triples(private$.recipe$parts), format_shuffled(private$.recipe, private$.place$epoch))
    },
    settings = function(recipe) c(format_observed_settings(recipe), format_triples(recipe$parts)),
    methods = list(
      counts = function() {
        parts = private$.recipe$parts
        list(n_users = parts$n_users, n_items = parts$n_items, n_positives = length(parts$cells),
          negatives_per_positive = parts$negatives_per_positive,
          n_skipped_users = private$.recipe$labels$n_skipped_users)
      },
      user_ids = function() private$.recipe$labels$user_ids,
      item_ids = function() private$.recipe$labels$item_ids
    )
  )
}

check_triples = function(recipe) {
  n_users = recipe$parts$n_users
  skipped = recipe$labels$n_skipped_users
  if (!is_whole_between(skipped, 0, n_users)) {
    stop_parameter("recipe", sprintf("have an integer from 0 to %.0f as 'n_skipped_users'", n_users),
      show_value(skipped))
  }
  check_recipe_ids(recipe)
}

format_triples = function(parts) {
  c(
    sprintf("* Table: %s, %s", show_count(parts$n_users, "user"), show_count(parts$n_items, "item")),
    sprintf("* Triples: %s, %s each", show_count(length(parts$cells), "positive"),
      show_count(parts$negatives_per_positive, "negative")),
    sprintf("* Batches: %.0f", parts$n_batches)
  )
}
