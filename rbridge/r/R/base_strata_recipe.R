# Shared by the kinds whose recipes have strata: codes, their number, and the batches to which their rows are dealt.

check_stratum_names = function(recipe) {
  names = recipe$labels$names
  n_strata = recipe$parts$n_strata
  if (!is.character(names) || length(names) != n_strata) {
    stop_parameter("recipe", sprintf("have %s of strata", show_count(n_strata, "name")), show_value(names))
  }
}

# `passes` are the rows of each stratum in an epoch, if it is drawn by passes.
strata_bytes = function(recipe, passes = NULL) {
  parts = recipe$parts
  entries = if (is.null(passes)) 0 else 2 * length(parts$codes) + sum(passes)
  32 * length(parts$codes) + 80 * entries + 64 * parts$n_batches + 200 * parts$n_strata
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

# What an instance shows of its plan: list(
#   codes, shuffle, seed,
#   counts = the rows of each stratum, followed by those that are in no batch, plan, in which an epoch takes `taken`
#   rows, all of them if it is NULL
# )
dealt_setup = function(recipe, taken, assign, shuffle) {
  parts = recipe$parts
  counts = count_codes(parts)
  available = counts[-length(counts)]
  plan = make_plan(if (is.null(taken)) available else taken, recipe$labels$names, parts$n_batches, assign, available)
  list(codes = parts$codes, counts = counts, plan = plan, shuffle = shuffle, seed = recipe$seed)
}

# The rows of each stratum, followed by those that are in no batch.
count_codes = function(parts) {
  core_call("count_codes", parts[c("codes", "n_strata")])$counts
}

# Strata that wait for a dataset: names of columns, or those of the task; some recipes wait for something else alone.
format_open = function(strata) {
  if (is.null(strata)) {
    "of the task"
  } else if (is.character(strata)) {
    show_names(strata)
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
