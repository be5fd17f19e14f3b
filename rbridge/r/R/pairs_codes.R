# Users and items of observed pairs as codes, and the kinds of these pairs.

# The recipe of complete arguments.
plan_observed = function(kind, settings) {
  users = pair_codes(settings$users, settings$n_users, "users")
  items = pair_codes(settings$items, settings$n_items, "items")
  refuse_if(length(users$codes) != length(items$codes), "items",
    sprintf("have one value for each user code, %d", length(users$codes)), show_count(length(items$codes), "value"))
  data = list(cells = (users$codes - 1) * items$count + items$codes - 1)
  arguments = settings[setdiff(names(settings), c("users", "items", "seed"))]
  arguments[c("n_users", "n_items")] = list(users$count, items$count)
  names = if (is.null(users$ids)) as.character(seq_len(users$count)) else users$ids
  parts = core_plan(kind, c(arguments, data), names)
  new_recipe(kind, settings$seed, c(parts, data), labels = c(list(),
    if (!is.null(users$ids)) list(user_ids = users$ids), if (!is.null(items$ids)) list(item_ids = items$ids)))
}

# -> list(codes = from 1, count = how many there are, ids = the ids by code if these were given)
pair_codes = function(values, most, parameter) {
  values = plain_value(values)
  refuse_if(length(dim(values)) > 1L, parameter, "be a vector of codes or ids",
    show_count(length(dim(values)), "dimension"))
  refuse_if(length(values) == 0L, parameter, "have at least one code", "0 values")
  if (is.factor(values) || (is.character(values) && !is.object(values))) {
    refuse_if(!is.null(most), paste0("n_", parameter), sprintf("be left out if '%s' are ids", parameter),
      show_value(most), "Give codes to count those without a positive.")
    return(number_ids(values, parameter))
  }
  advice = "Ids are text or categories, in R a factor."
  refuse_if(!is.numeric(values) || is.object(values), parameter, "hold codes, integers from 1",
    sprintf("%s values", class(values)[1L]), advice)
  codes = as.double(values)
  wrong = which(is.na(codes) | codes != trunc(codes))
  refuse_if(length(wrong) > 0L, parameter, "hold codes, integers from 1", show_value(values[wrong[1L]]), advice)
  largest = if (is.null(most)) largest_count else most
  wrong = which(codes < 1 | codes > largest)
  refuse_if(length(wrong) > 0L, parameter, sprintf("hold codes from 1 to %.0f", largest), show_value(values[wrong[1L]]),
    if (is.null(most)) advice)
  list(codes = codes, count = if (is.null(most)) max(codes) else most)
}

# Ids in order of first appearance, like strata; levels that do not occur do not count.
number_ids = function(values, parameter) {
  required = "hold codes, integers from 1, or ids, text or a factor"
  text = unicode_text(if (is.factor(values)) levels(values) else values, parameter, required)
  values = if (is.factor(values)) text[as.integer(values)] else text
  n_missing = sum(is.na(values))
  refuse_if(n_missing > 0L, parameter, "have no missing values",
    sprintf("%d missing of %s", n_missing, show_count(length(values), "row")), "Leave these pairs out.")
  ids = unique(values)
  list(codes = as.double(match(values, ids)), count = as.double(length(ids)), ids = ids)
}

observed_kind = function(kind) {
  table_kind(kind,
    of_rows = c("users", "items"),
    plan = function(settings) plan_observed(kind, settings),
    fits = NULL, # pairs are no rows of the dataset
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
