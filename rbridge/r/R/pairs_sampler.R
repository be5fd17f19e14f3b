#' @title Batch Sampler of Observed Pairs and New Negatives
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()], for recommenders and other models of interactions.
#' It yields pair numbers, which [pair_dataset()] turns into users, items and labels.
#' \twin{NegativePairBatchSampler}{pairs}
#' Example: `vignette("recommender", package = "rbridge")`.
#'
#' @inheritParams batch_sampler_stratified
#' @param users,items (`integer()`, `character()` or `factor()`)\cr
#'   The user and the item of each positive: codes, integers from 1, or ids.
#'   Or `character(1)`, the name of a column of the task, for a task that mlr3 splits, resamples or reorders.
#'   Text and factors are ids, which get the codes 1, 2, ... in order of first appearance.
#'   A pair that occurs twice is two positives.
#' @eval described("NegativePairBatchSampler", "ratio", "batch_size", "n_users,n_items", "method", "unique",
#'   "reject_positives", "power", "full_users")
#'
#' @return A generator of class `"batch_sampler_pairs"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], where `rows` are pair numbers (`double()`), and
#' * `counts()`: a list of the numbers `n_users`, `n_items`, `n_positives` and `n_negatives` of an epoch,
#'   `n_skipped_users`, who get no negatives, and `acceptance`, the share of the draws that is kept;
#' * `user_ids()` and `item_ids()`: the ids by code (`character()`), `NULL` if codes were given.
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
  sampler_of("pairs")
}

kind_pairs = function() observed_kind("pairs")
