#' @title Decode Pair Numbers to Users, Items and Labels
#'
#' @description
#' Decodes the pair numbers of [batch_sampler_pairs()]: `2 * (user * n_items + item) + label`, with users and items
#' counted from 0, in R and in Python. What is decoded counts from 1.
#'
#' @param numbers (`numeric()`)\cr
#'   Pair numbers, integers from 0 to 2^53 - 1.
#' @param n_items (`integer(1)`)\cr
#'   The total number of items, as in the sampler.
#' @inheritParams pair_dataset
#'
#' @return A data.frame with one row for each number and the columns
#' * `user` and `item`: ids if these were given, else codes (`integer()`), counted from 1;
#' * `label` (`integer()`), 1 for an observed pair and 0 for one that was not observed.
#'
#' @export
#' @examples
#' decode_pairs(c(7, 12), n_items = 4)
#' decode_pairs(c(7, 12), n_items = 4, user_ids = c("ann", "bob"))
decode_pairs = function(numbers, n_items, user_ids = NULL, item_ids = NULL) {
  n_items = check_between(n_items, "n_items", 1, largest_count)
  user_ids = check_ids(user_ids, "user_ids")
  item_ids = check_ids(item_ids, "item_ids", n_items)
  numbers = plain_value(numbers)
  refuse_if(!is.numeric(numbers) || is.object(numbers), "numbers", pair_numbers, show_value(numbers))
  numbers = as.double(numbers)
  wrong = which(is.na(numbers) | numbers != trunc(numbers) | numbers < 0 | numbers >= 2^53)
  refuse_if(length(wrong) > 0L, "numbers", pair_numbers, show_value(numbers[wrong[1L]]))
  cells = numbers %/% 2
  users = cells %/% n_items + 1
  most = if (is.null(user_ids)) .Machine$integer.max else length(user_ids)
  refuse_if(any(users > most), "numbers", sprintf("be those of at most %s", show_count(most, "user")),
    show_value(max(users)))
  items = cells %% n_items + 1
  data.frame(
    user = if (is.null(user_ids)) as.integer(users) else user_ids[users],
    item = if (is.null(item_ids)) as.integer(items) else item_ids[items],
    label = as.integer(numbers %% 2)
  )
}

# Ids by code: `count` of them if that is given. Names are codes.
check_ids = function(ids, parameter, count = NULL) {
  ids = plain_value(ids)
  refuse_if(!is.null(ids) && (!is.atomic(ids) || length(dim(ids)) > 0L), parameter, "be a vector of ids",
    show_value(ids))
  refuse_if(!is.null(ids) && !is.null(count) && length(ids) != count, parameter,
    sprintf("have one id for each of %.0f", count), show_count(length(ids), "value"))
  in_order_of(ids, list(seq_along(ids)), parameter)
}

pair_numbers = "hold pair numbers, integers from 0 to 2^53 - 1"
