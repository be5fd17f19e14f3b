#' @title Batch Sampler of a User, a Positive and Negatives of That User
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()], for losses that compare an item that a user met, the positive,
#' with items that the same user has not met, the negatives, such as BPR and sampled softmax.
#' It yields pair numbers, which [triple_dataset()] turns into users, positives and negatives.
#' \twin{TripleBatchSampler}{pairs}
#'
#' @eval described("TripleBatchSampler", "batch_size", "negatives_per_positive", "unique", "full_users")
#' @inheritParams batch_sampler_pairs
#'
#' @return A generator of class `"batch_sampler_triples"` and `"torch_sampler"`.
#' Its instances have the members of those of [batch_sampler_pairs()], where `counts()` returns `n_users`, `n_items`,
#' `n_positives`, the triples of an epoch, `negatives_per_positive`, and `n_skipped_users`, who have met all items.
#'
#' @export
#' @examples
#' met = data.frame(user = c("ann", "ann", "bob", "eve"), item = c("x", "y", "y", "z"))
#' generator = batch_sampler_triples(
#'   met$user, met$item, batch_size = 2, negatives_per_positive = 2, seed = 1
#' )
#' sampler = generator(NULL)
#' counts = sampler$counts()
#' dataset = triple_dataset(counts$n_users, counts$n_items, negatives_per_positive = 2)
#' loader = torch::dataloader(dataset, batch_sampler = sampler, collate_fn = identity)
#' coro::loop(for (batch in loader) str(batch))
batch_sampler_triples = function(users, items, batch_size, negatives_per_positive = 1, n_users = NULL, n_items = NULL,
  unique = FALSE, full_users = "error", seed = NULL, num_replicas = NULL) {
  sampler_of("triples")
}

kind_triples = function() observed_kind("triples")
