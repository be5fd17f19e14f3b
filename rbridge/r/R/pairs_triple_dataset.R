#' @title Dataset of Triples of a User, a Positive and Negatives
#'
#' @description
#' Creates a [torch::dataset()] of triples for [batch_sampler_triples()], by the pair numbers of whole triples.
#' The dataloader requests whole batches at once.
#'
#' @param n_users,n_items (`integer(1)`)\cr
#'   The total numbers of users and of items, as in the sampler.
#' @param negatives_per_positive (`integer(1)`)\cr
#'   As in the sampler.
#' @param user_features,item_features,user_ids,item_ids
#'   As in [pair_dataset()].
#'
#' @return A dataset whose items are lists of
#' * `user` and `positive` (`integer()`), counted from 1, one for each triple;
#' * `negatives` (`matrix()`), with a row for each triple and a column for each of its negatives;
#' * if given, `user_id`, `positive_id` and `negatives_id`, and `user_features`, `positive_features` and
#'   `negatives_features`.
#'   Features of negatives have the dimensions triple, negative and, for a matrix of features, its columns.
#'
#' The dataloader converts them to tensors; ids that are text need a `collate_fn`.
#'
#' @section Errors:
#' As for [pair_dataset()].
#' When items are requested: numbers that are not those of whole triples.
#'
#' @seealso [batch_sampler_triples()]
#'
#' @export
#' @examples
#' dataset = triple_dataset(n_users = 3, n_items = 4, negatives_per_positive = 2)
#' dataset[c(7, 0, 4, 9, 14, 10)]
triple_dataset = function(n_users, n_items, negatives_per_positive = 1, user_features = NULL, item_features = NULL,
  user_ids = NULL, item_ids = NULL) {
  n_users = check_code_count(n_users, "n_users")
  n_items = check_code_count(n_items, "n_items")
  check_table(n_users, n_items)
  negatives_per_positive = check_between(negatives_per_positive, "negatives_per_positive", 1, largest_count)
  user_ids = check_ids(user_ids, "user_ids", n_users)
  item_ids = check_ids(item_ids, "item_ids", n_items)
  user_features = check_features(user_features, user_ids, n_users, "user_features")
  item_features = check_features(item_features, item_ids, n_items, "item_features")
  generator = torch::dataset(
    name = "triple_dataset",
    initialize = function() NULL,
    .getbatch = function(numbers) {
      codes = codes_of_triples(numbers, n_users, n_items, negatives_per_positive)
      batch = codes
      batch$user_id = user_ids[codes$user]
      batch$positive_id = item_ids[codes$positive]
      batch$negatives_id = if (!is.null(item_ids)) shaped(item_ids[codes$negatives], codes$negatives)
      batch$user_features = rows_of(user_features, codes$user)
      batch$positive_features = rows_of(item_features, codes$positive)
      batch$negatives_features = if (!is.null(item_features)) {
        shaped(rows_of(item_features, as.vector(codes$negatives)), codes$negatives)
      }
      batch
    },
    .length = function() 2 * n_users * n_items,
    parent_env = environment()
  )
  generator()
}

# torch's own method converts indices to integers, which cannot hold pair numbers.
#' @export
`[.triple_dataset` = function(x, i) x$.getbatch(i)

# Users, positives and a matrix of negatives, all counted from 1.
codes_of_triples = function(numbers, n_users, n_items, per_positive) {
  pairs = decode_pairs(numbers, n_items)
  group = per_positive + 1
  if (nrow(pairs) %% group == 0) {
    user = matrix(pairs$user, nrow = group)
    item = matrix(pairs$item, nrow = group)
    label = matrix(pairs$label, nrow = group)
    is_whole = all(user == user[rep(1L, group), ]) && all(user <= n_users) && all(label[1L, ] == 1L) &&
      all(label[-1L, ] == 0L)
    if (is_whole) {
      return(list(user = user[1L, ], positive = item[1L, ], negatives = t(item[-1L, , drop = FALSE])))
    }
  }
  stop_parameter("numbers", sprintf("hold whole triples of %.0f users: a positive, then %.0f negatives of its user",
    n_users, per_positive), "others")
}

# Values for each of the negatives, with their dimensions first.
shaped = function(values, negatives) {
  if (is.factor(values)) {
    values = levels(values)[as.integer(values)]
  }
  array(values, c(dim(negatives), if (is.matrix(values)) ncol(values)))
}
