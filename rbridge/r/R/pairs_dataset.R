#' @title Datasets of Pairs of Users and Items, and of Triples
#'
#' @description
#' Creates a [torch::dataset()] of all pairs of a user and an item, by pair number, for [batch_sampler_pairs()]; or of
#' triples of a user, a positive and negatives, by the pair numbers of whole triples, for [batch_sampler_triples()].
#' The dataloader requests whole batches at once.
#' Your own dataset does not work: torch converts row numbers to integers, and pair numbers are larger.
#'
#' @param n_users,n_items,negatives_per_positive (`integer(1)`)\cr
#'   As in the sampler: pair numbers depend on the total number of items.
#' @param user_features,item_features (`numeric()`, `matrix()` or `NULL`)\cr
#'   The features of each user and item: one value or one row each, in the order of the codes.
#' @param user_ids,item_ids (`character()`, another vector or `NULL`)\cr
#'   The ids of users and items, one for each, in the order of the codes, as `user_ids()` and `item_ids()` of the
#'   sampler return them.
#'
#' @return A dataset whose items are lists of
#' * `user` and `item`, or `positive` (`integer()`), counted from 1, as for [torch::nn_embedding()];
#' * of pairs, `label` (`double()`), 1 for an observed pair and 0 for one that was not observed;
#' * of triples, `negatives` (`matrix()`), with a row for each triple and a column for each of its negatives;
#' * the ids and the features of each, if given, such as `user_id` and `negatives_features`.
#'   Features of negatives have the dimensions triple, negative and, for a matrix of features, its columns.
#'
#' The dataloader converts them to tensors; ids that are text need a `collate_fn`.
#'
#' @export
#' @examples
#' dataset = pair_dataset(n_users = 3, n_items = 4, item_features = c(0.5, 1.5, 2.5, 3.5))
#' dataset[c(7, 12)]
#'
#' triples = triple_dataset(n_users = 3, n_items = 4, negatives_per_positive = 2)
#' triples[c(7, 0, 4, 9, 14, 10)]
pair_dataset = function(n_users, n_items, user_features = NULL, item_features = NULL, user_ids = NULL,
  item_ids = NULL) {
  dataset_of_pairs("pair_dataset", n_users, n_items, user_features, item_features, user_ids, item_ids,
    function(numbers, n_users, n_items) {
      pairs = decode_pairs(numbers, n_items)
      if (any(pairs$user > n_users)) {
        stop(sprintf("There is no user %d: the dataset has %.0f.", max(pairs$user), n_users), call. = FALSE)
      }
      list(user = pairs$user, item = pairs$item, label = as.double(pairs$label))
    })
}

#' @rdname pair_dataset
#' @export
triple_dataset = function(n_users, n_items, negatives_per_positive = 1, user_features = NULL, item_features = NULL,
  user_ids = NULL, item_ids = NULL) {
  per_positive = check_between(negatives_per_positive, "negatives_per_positive", 1, largest_count)
  dataset_of_pairs("triple_dataset", n_users, n_items, user_features, item_features, user_ids, item_ids,
    function(numbers, n_users, n_items) codes_of_triples(numbers, n_users, n_items, per_positive))
}

# A dataset whose numbers `codes_of` turns into codes by name; each name but the first is one of items.
dataset_of_pairs = function(name, n_users, n_items, user_features, item_features, user_ids, item_ids, codes_of) {
  n_users = check_between(n_users, "n_users", 1, largest_count)
  n_items = check_between(n_items, "n_items", 1, largest_count)
  user_ids = check_ids(user_ids, "user_ids", n_users)
  item_ids = check_ids(item_ids, "item_ids", n_items)
  user_features = check_features(user_features, user_ids, n_users, "user_features")
  item_features = check_features(item_features, item_ids, n_items, "item_features")
  force(codes_of)
  generator = torch::dataset(
    name = name,
    initialize = function() NULL,
    .getbatch = function(numbers) {
      batch = codes_of(numbers, n_users, n_items)
      for (side in setdiff(names(batch), "label")) {
        of_user = side == "user"
        batch[[paste0(side, "_id")]] = rows_of(if (of_user) user_ids else item_ids, batch[[side]])
        batch[[paste0(side, "_features")]] = rows_of(if (of_user) user_features else item_features, batch[[side]])
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
`[.pair_dataset` = function(x, i) x$.getbatch(i)

#' @export
`[.triple_dataset` = function(x, i) x$.getbatch(i)

# The values of codes, NULL if there are none; for a matrix of codes, with its dimensions first.
rows_of = function(values, codes) {
  if (is.null(values)) {
    return(NULL)
  }
  found = if (is.matrix(values)) values[codes, , drop = FALSE] else values[codes]
  if (!is.matrix(codes)) {
    return(found)
  }
  array(if (is.factor(found)) as.character(found) else found, c(dim(codes), if (is.matrix(values)) ncol(values)))
}

# Features by code; names are ids, or codes.
check_features = function(features, ids, count, parameter) {
  if (is.null(features)) {
    return(NULL)
  }
  features = exact_numbers(features)
  is_array = length(dim(features)) > 2L
  refuse_if(!is.numeric(features) || is.object(features) || is_array, parameter, "be numbers, a vector or a matrix",
    show_value(features))
  refuse_if(NROW(features) != count, parameter, sprintf("have one value or one row for each of %.0f", count),
    show_count(NROW(features), "value"))
  in_order_of(features, c(if (!is.null(ids)) list(ids), list(seq_len(count))), parameter)
}

# Users, positives and a matrix of negatives, all counted from 1.
codes_of_triples = function(numbers, n_users, n_items, per_positive) {
  pairs = decode_pairs(numbers, n_items)
  place = (seq_along(numbers) - 1) %% (per_positive + 1) # in the triple
  is_whole = length(numbers) %% (per_positive + 1) == 0 && all(pairs$label == (place == 0)) &&
    all(pairs$user == pairs$user[seq_along(numbers) - place]) && all(pairs$user <= n_users)
  refuse_if(!is_whole, "numbers", sprintf(
    "hold whole triples of %.0f users: a positive, then %.0f negatives of its user", n_users, per_positive), "others")
  list(user = pairs$user[place == 0], positive = pairs$item[place == 0],
    negatives = matrix(pairs$item[place > 0], ncol = per_positive, byrow = TRUE))
}
