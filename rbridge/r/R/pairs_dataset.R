#' @title Dataset of Pairs of Users and Items
#'
#' @description
#' Creates a [torch::dataset()] of all pairs of a user and an item, by pair number, for [batch_sampler_pairs()].
#' The dataloader requests whole batches at once.
#'
#' Your own dataset does not work: torch converts row numbers to integers, and pair numbers are larger.
#'
#' @param n_users,n_items (`integer(1)`)\cr
#'   The total numbers of users and of items, as in the sampler: pair numbers depend on the number of items.
#' @param user_features,item_features (`numeric()`, `matrix()` or `NULL`)\cr
#'   The features of each user and item: one value or one row each, in the order of the codes.
#' @param user_ids,item_ids (`character()`, another vector or `NULL`)\cr
#'   The ids of users and items, one for each, in the order of the codes, as `user_ids()` and `item_ids()` of the
#'   sampler return them.
#'
#' @return A dataset whose items are lists of
#' * `user` and `item` (`integer()`), counted from 1, as for [torch::nn_embedding()];
#' * `label` (`double()`), 1 for an observed pair and 0 for one that was not observed;
#' * `user_id`, `item_id`, `user_features` and `item_features`, if given.
#'
#' The dataloader converts them to tensors; ids that are text need a `collate_fn`.
#'
#' @section Errors:
#' The numbers of users or items are not positive integers of at most 2^31 - 1, or make more than 2^52 pairs.
#' There is not one value or one row of features or ids for each; features have more than two dimensions.
#' When items are requested: numbers that [decode_pairs()] refuses, and a pair number of a user that does not exist.
#'
#' @export
#' @examples
#' dataset = pair_dataset(n_users = 3, n_items = 4, item_features = c(0.5, 1.5, 2.5, 3.5))
#' dataset[c(7, 12)]
pair_dataset = function(n_users, n_items, user_features = NULL, item_features = NULL, user_ids = NULL,
  item_ids = NULL) {
  n_users = check_code_count(n_users, "n_users")
  n_items = check_code_count(n_items, "n_items")
  check_table(n_users, n_items)
  user_ids = check_ids(user_ids, "user_ids", n_users)
  item_ids = check_ids(item_ids, "item_ids", n_items)
  user_features = check_features(user_features, user_ids, n_users, "user_features")
  item_features = check_features(item_features, item_ids, n_items, "item_features")
  generator = torch::dataset(
    name = "pair_dataset",
    initialize = function() NULL,
    .getbatch = function(numbers) {
      pairs = decode_pairs(numbers, n_items)
      if (any(pairs$user > n_users)) {
        stop(sprintf("There is no user %d: the dataset has %.0f.", max(pairs$user), n_users), call. = FALSE)
      }
      batch = list(user = pairs$user, item = pairs$item, label = as.double(pairs$label))
      batch$user_id = user_ids[pairs$user]
      batch$item_id = item_ids[pairs$item]
      batch$user_features = rows_of(user_features, pairs$user)
      batch$item_features = rows_of(item_features, pairs$item)
      batch
    },
    .length = function() 2 * n_users * n_items,
    parent_env = environment()
  )
  generator()
}

# torch's own method converts indices to integers, which cannot hold pair numbers.
#' @export
`[.pair_dataset` = function(x, i) x$.getbatch(i)

rows_of = function(features, places) {
  if (is.matrix(features)) features[places, , drop = FALSE] else features[places]
}

check_table = function(n_users, n_items) {
  most = 2^52 %/% n_users
  if (n_items > most) {
    stop_parameter("n_items", sprintf("be at most %.0f with %.0f users, so that pair numbers stay below 2^53", most,
      n_users), show_value(n_items))
  }
}

# Features by code; names are ids, or codes.
check_features = function(features, ids, count, parameter) {
  features = exact_numbers(features)
  if (length(dim(features)) > 2L) {
    stop_parameter(parameter, "be a vector or a matrix", show_count(length(dim(features)), "dimension"))
  }
  if (is.null(features)) {
    return(NULL)
  }
  if (!is.numeric(features) || is.object(features)) {
    stop_parameter(parameter, "be numbers", show_value(features))
  }
  if (NROW(features) != count) {
    stop_parameter(parameter, sprintf("have one value or one row for each of %.0f", count),
      show_count(NROW(features), "value"))
  }
  in_order_of(features, c(if (!is.null(ids)) list(ids), list(seq_len(count))), parameter)
}
