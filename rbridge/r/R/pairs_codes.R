# Users and items of observed pairs as codes, and the kinds of these pairs.

# The recipe of complete arguments.
plan_observed = function(kind, settings) {
  users = pair_codes(settings$users, settings$n_users, "users")
  items = pair_codes(settings$items, settings$n_items, "items")
  data = list(users = users$codes, items = items$codes)
  arguments = settings[setdiff(names(settings), c("users", "items", "seed"))]
  name_of = function(noun, user) if (is.null(users$ids)) show_number(user + 1) else users$ids[user + 1]
  parts = core_plan(kind, c(arguments, data), name_of)
  new_recipe(kind, settings$seed, c(parts, data), labels = c(list(),
    if (!is.null(users$ids)) list(user_ids = users$ids), if (!is.null(items$ids)) list(item_ids = items$ids)))
}

# -> list(codes = from 0, which the core checks, ids = the ids by code if these were given)
pair_codes = function(values, most, parameter) {
  values = plain_value(values)
  refuse_if(length(dim(values)) > 1L, parameter, "be a vector of codes or ids",
    show_count(length(dim(values)), "dimension"))
  if (!is.factor(values) && !(is.character(values) && !is.object(values))) {
    numbers = feedback_values(values, parameter) - 1
    codes = suppressWarnings(as.integer(numbers))
    return(list(codes = if (identical(as.double(codes), numbers)) codes else numbers))
  }
  refuse_if(!is.null(most), paste0("n_", parameter), sprintf("be left out if '%s' are ids", parameter),
    show_value(most), "Give codes to count those without a positive.")
  # In order of first appearance, like strata; levels that do not occur do not count.
  required = "hold codes, integers from 1, or ids, text or a factor"
  text = unicode_text(if (is.factor(values)) levels(values) else values, parameter, required)
  values = if (is.factor(values)) text[as.integer(values)] else text
  n_missing = sum(is.na(values))
  refuse_if(n_missing > 0L, parameter, "have no missing values",
    sprintf("%d missing of %s", n_missing, show_count(length(values), "row")), "Leave these pairs out.")
  ids = unique(values)
  list(codes = match(values, ids) - 1L, ids = ids)
}

observed_kind = function(kind) {
  table_kind(kind,
    of_rows = c("users", "items"),
    plan = function(settings) plan_observed(kind, settings),
    methods = list(
      counts = function() {
        found = core_results(with_instance(private, function() .Call(C_describe, private$.instance)), list())
        known = c("n_users", "n_items", "n_positives", "n_negatives", "negatives_per_positive", "n_skipped_users",
          "acceptance")
        found = c(private$.recipe$parts, found)
        found[intersect(known, names(found))]
      },
      user_ids = function() private$.recipe$labels$user_ids,
      item_ids = function() private$.recipe$labels$item_ids
    )
  )
}
