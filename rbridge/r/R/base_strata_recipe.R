# Shared by the kinds whose recipes have strata: codes, their number, and the batches to which their rows are dealt.

check_stratum_names = function(recipe) {
  names = recipe$labels$names
  n_strata = recipe$parts$n_strata
  if (!is.character(names) || length(names) != n_strata) {
    stop_parameter("recipe", sprintf("have %s of strata", show_count(n_strata, "name")), show_value(names))
  }
}

strata_bytes = function(recipe) {
  parts = recipe$parts
  32 * length(parts$codes) + 64 * parts$n_batches + 200 * parts$n_strata
}

# The generator of a sampler of strata, which waits for a dataset if that has the strata. `recipe_of` makes a recipe of
# encoded strata, and `labels_of` its labels.
strata_generator = function(kind, strata, configuration, recipe_of, labels_of) {
  if (!is_deferred(strata)) {
    return(new_generator(recipe_of(encode_strata(strata, configuration$missing), configuration)))
  }
  # The entry exists even if it is NULL; otherwise, $strata would match a longer name.
  configuration = c(configuration, list(strata = unicode_text(strata, "strata")))
  new_generator(open_recipe(kind, configuration$seed, configuration, labels_of(configuration)))
}

# What completes the recipe of such a sampler for a dataset.
with_strata_of_source = function(recipe_of, exact = FALSE) {
  function(recipe, data_source, task) {
    if (is.null(recipe$open)) {
      check_given_strata(recipe, data_source, task)
      return(recipe)
    }
    recipe_of(source_strata(data_source, recipe$open, task, exact = exact), recipe$open)
  }
}

# Given strata belong to the rows of the dataset, in their order.
check_given_strata = function(recipe, data_source, task) {
  check_task_order(task)
  check_strata_rows(data_source, length(recipe$parts$codes))
}

# Encoded strata as the core takes them.
strata_data = function(strata) {
  n_strata = length(strata$names)
  list(codes = recipe_codes(strata$codes, n_strata), n_strata = as.double(n_strata))
}

dealt_kind = function(kind, methods, ...) {
  table_kind(kind, setup = dealt_setup, methods = c(planned_methods(), methods), ...)
}

# What an instance shows of its plan: list(
#   codes, shuffle, seed, walks, weights,
#   counts = the rows of each stratum, followed by those that are in no batch, plan
# )
dealt_setup = function(recipe, private) {
  parts = recipe$parts
  found = core_described(recipe)
  available = found$counts[-length(found$counts)]
  assign = if (found$even == 1) "even" else "proportional"
  plan = make_plan(found$taken, recipe$labels$names, found$n_batches, assign, available)
  list(codes = parts$codes, counts = found$counts, plan = plan, shuffle = !identical(parts$shuffle, 0L),
    seed = recipe$seed, walks = identical(parts$in_turn, 1L), weights = found$weights)
}

# The members of instances with such a setup.
planned_methods = function() {
  plan = function() if (is.null(private$.in_order)) composition_table(private$.setup$plan)
  c(list(plan = plan), weight_methods())
}

# The members of instances that know how often an epoch takes the rows of each stratum, on average.
weight_methods = function() {
  list(
    class_weights = function(normalize = FALSE) {
      normalize = check_flag(normalize, "normalize")
      if (is.null(private$.in_order)) {
        weights_of_setup(private$.setup, normalize)
      }
    },
    weights = function(rows = NULL, normalize = FALSE) {
      weights = self$class_weights(normalize)
      n = length(if (is.null(weights)) private$.in_order$rows else private$.setup$codes)
      rows = if (is.null(rows)) seq_len(n) else check_row_positions(rows, n)
      if (is.null(weights)) rep(1, length(rows)) else unname(weights[as.integer(private$.setup$codes[rows]) + 1L])
    }
  )
}

# The training weight of each stratum, by name, for batches of all strata or of some.
weights_of_setup = function(setup, normalize) {
  if (is.null(setup$blocks)) {
    return(weights_of_strata(setup$plan, setup$weights, normalize))
  }
  weights_of_subset(setup, normalize)
}

# The training weight of each stratum, by name. `given` has the weights of all strata if the user gave any.
weights_of_strata = function(plan, given, normalize) {
  taken = plan$counts
  weights = stats::setNames(if (is.null(given)) plan$available / taken else given, plan$names)
  if (!normalize) {
    return(weights)
  }
  if (is.null(given)) {
    return(weights * (sum(taken) / sum(plan$available)))
  }
  relative = weights / max(weights)
  relative / Reduce(`+`, relative * (taken / sum(taken))) # sum() has other last digits than Python
}

# Rows of the dataset, as numbers from 1 to n; or other whole numbers between bounds.
check_row_positions = function(rows, n, parameter = "rows", noun = "row positions", first = 1) {
  rows = plain_value(rows)
  if (!is.numeric(rows) || is.object(rows)) {
    stop_parameter(parameter, paste("hold", noun), sprintf("%s values", class(rows)[1L]))
  }
  wrong = which(is.na(rows) | rows < first | rows > n | rows != trunc(rows))
  if (length(wrong) > 0L) {
    stop_parameter(parameter, sprintf("hold %s from %.0f to %.0f", noun, first, n), show_value(rows[wrong[1L]]))
  }
  rows
}

# The rows of each stratum, followed by those that are in no batch.
count_codes = function(parts) {
  core_call("count_codes", parts[c("codes", "n_strata")])$counts
}

rows_of_strata = function(parts) utils::head(count_codes(parts), -1L)

# Strata that wait for a dataset: names of columns, or those of the task; some recipes wait for something else alone.
format_open = function(strata) {
  if (is.null(strata)) {
    "of the dataset"
  } else if (is.character(strata)) {
    show_names(strata)
  } else if (is.function(strata)) {
    "a function"
  } else {
    sprintf("%d, of %s", length(strata$names), show_count(length(strata$codes), "row"))
  }
}

# The settings of a generator, and where its strata come from.
format_strata_generator = function(recipe) {
  settings = recipe$labels[setdiff(names(recipe$labels), "names")]
  shown = if (is.null(recipe$open)) {
    sprintf("%d, of %s", length(recipe$labels$names), show_count(length(recipe$parts$codes), "row"))
  } else {
    format_open(recipe$open$strata)
  }
  c(
    format_labels(settings),
    format_seed(recipe),
    sprintf("* strata: %s", shown)
  )
}
