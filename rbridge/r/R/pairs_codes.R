# Codes and ids of users and items, as the core takes them.

# -> list(parts, settings, ids): the parts of a recipe of observed pairs, NULL without users or items, the checked
#   arguments, and the ids by code, NULL if codes were given
plan_observed = function(kind, request) {
  settings = core_plan(kind, request[setdiff(names(request), c("users", "items"))])
  if (is.null(request$users) || is.null(request$items)) {
    return(list(settings = settings))
  }
  users = pair_codes(request$users, settings$n_users, "users")
  items = pair_codes(request$items, settings$n_items, "items")
  request = settings
  request$n_users = if (is.null(users$ids)) settings$n_users else length(users$ids)
  request$n_items = if (is.null(items$ids)) settings$n_items else length(items$ids)
  parts = core_plan(kind, c(request, list(users = users$codes, items = items$codes)), users$ids)
  list(parts = parts, settings = settings, ids = list(user_ids = users$ids, item_ids = items$ids))
}

check_observed = function(users, items) {
  if (is.null(users) || is.null(items)) {
    stop_parameter(if (is.null(users)) "users" else "items", "have at least one code", "0 values")
  }
}

# The labels of the recipe of observed pairs: how some settings are shown, further labels, and the ids.
observed_labels = function(planned, names, ...) {
  c(shown_settings(planned$settings, names), list(...), planned$ids)
}

# -> list(codes = from 1, which the core checks, ids = the ids by code if these were given)
pair_codes = function(values, most, parameter) {
  values = plain_value(values)
  if (length(dim(values)) > 1L) {
    stop_parameter(parameter, "be a vector of codes or ids", show_count(length(dim(values)), "dimension"))
  }
  if (length(values) == 0L) {
    stop_parameter(parameter, "have at least one code", "0 values")
  }
  if (is.factor(values) || (is.character(values) && !is.object(values))) {
    numbered = number_ids(values, parameter)
    if (!is.null(most)) {
      stop_parameter(paste0("n_", parameter), sprintf("be left out if '%s' are ids", parameter), show_value(most),
        "Give codes to count those without a positive.")
    }
    return(numbered)
  }
  if (!is.numeric(values) || is.object(values)) {
    stop_parameter(parameter, "hold codes, integers from 1", sprintf("%s values", class(values)[1L]),
      "Ids are text or categories, in R a factor.")
  }
  list(codes = as.double(values))
}

# Ids in order of first appearance, like strata; levels that do not occur do not count.
number_ids = function(values, parameter) {
  required = "hold codes, integers from 1, or ids, text or a factor"
  text = unicode_text(if (is.factor(values)) levels(values) else values, parameter, required)
  values = if (is.factor(values)) text[as.integer(values)] else text
  first = unique(values)
  n_missing = sum(is.na(values))
  if (n_missing > 0L) {
    stop_parameter(parameter, "have no missing values",
      sprintf("%d missing of %s", n_missing, show_count(length(values), "row")), "Leave these pairs out.")
  }
  list(codes = as.double(match(values, first)), ids = first)
}

# The names of users and items, if they have any, in a recipe.
check_recipe_ids = function(recipe) {
  for (name in c("user", "item")) {
    ids = recipe$labels[[paste0(name, "_ids")]]
    count = recipe$parts[[paste0("n_", name, "s")]]
    if (!is.null(ids) && (!is.character(ids) || length(ids) != count)) {
      stop_parameter("recipe", sprintf("have %.0f texts as '%s_ids'", count, name), show_value(ids))
    }
  }
}

# What print() shows of the settings of a generator.
format_observed_settings = function(recipe) {
  shown = recipe$labels[setdiff(names(recipe$labels), c("user_ids", "item_ids"))]
  c(format_labels(shown), format_seed(recipe))
}
