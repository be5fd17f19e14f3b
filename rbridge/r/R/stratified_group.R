#' @title Batch Sampler That Keeps Groups Together or Apart
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch that keeps the rows of a group
#' together, or apart, with a minimum number of rows of every stratum in every batch.
#' It is for rows that belong together, such as the images of a patient or the events of a session.
#' The Python class `pystrat.StratifiedGroupBatchSampler` returns the same batches, row for row, from the same seed.
#'
#' @param min_samples_per_stratum (`integer(1)`)\cr
#'   The minimum m: every batch has at least m rows of every stratum.
#' @param groups (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   The group of each row, without missing values; or `character()`, the names of columns of the task.
#'   With several columns, every combination that occurs is a group.
#'   `NULL` (default): the column of the task with the role `"group"`.
#' @param keep (`character(1)`)\cr
#'   `"together"` (default): all rows of a group are in one batch, and must have the same stratum.
#'   `"apart"`: the rows of a group are spread over the batches as evenly as possible, and may have different strata.
#' @param strata (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   The strata, as in [batch_sampler_stratified()].
#'   `NULL` (default): those of the task.
#' @param rare (`character(1)`)\cr
#'   What to do if a stratum has fewer than m rows.
#'   `"error"` (default): refuse it.
#'   `"warn"` and `"allow"`: put all rows into one batch, with or without a warning.
#' @param missing (`character(1)`)\cr
#'   What to do with rows that have a missing value in the strata, as in [batch_sampler_stratified()].
#' @param seed (`integer(1)`)\cr
#'   As in [batch_sampler_stratified()].
#' @param num_replicas (`integer(1)`)\cr
#'   The number of processes that share an epoch.
#'   The number of batches is rounded down to a multiple of it.
#'   `NULL` (default): 1.
#'
#' @return A generator of class `"batch_sampler_stratified_group"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `plan()`: returns a `data.frame()` with the columns `stratum`, its `rows`, the number of `groups` with rows of it,
#'   its rows in the `largest` of these groups, and the `fewest` and the `most` in any batch of any epoch.
#'   Its class is `"range_plan"`: `print()` also shows the batches, and [plot_plan()] plots it.
#' * `composition(epoch)`: returns the rows of each stratum in each batch of an epoch, by default the next one, a
#'   `data.frame()` with one row for each batch and one column for each stratum; changes nothing.
#'
#' @section Guarantees:
#' * An epoch visits every row once.
#' * In every epoch, every batch has at least m rows of each stratum, and between the `fewest` and the `most` of
#'   `plan()`.
#' * Together: all rows of a group are in one batch.
#'   Within a batch, rows are ordered by stratum, then by group in the order of dealing, then as in the epoch.
#' * Apart: every batch has the floor or the ceiling of its share of each stratum and of each group.
#'   Batch sizes differ by at most 1, and larger batches come first.
#'   Within a batch, rows are ordered by stratum, then as in the epoch.
#'
#' @section Groups together:
#' A group of at least m rows is called large.
#' If a stratum has L large groups, and its other groups have N rows in total and at most g each, then
#' `L + (N + g - d) %/% (M + g - d)` batches always keep the minimum.
#' Here d is the greatest common divisor of the sizes of the other groups, and M the smallest multiple of d that is at
#' least m.
#' For more batches, there are groups with the same L, N, g and d for which the minimum fails.
#' The number of batches B is the smallest of these numbers over the strata.
#' If every group has one row, it is that of [batch_sampler_stratified()].
#'
#' The groups of a stratum are dealt in the order of their first rows in the epoch, except that the first B large groups
#' come before all others.
#' Each group goes to the batch with the fewest rows of its stratum.
#' Ties are broken by the number of rows of earlier strata, then by the number of the batch.
#' Batch sizes therefore differ, and change from epoch to epoch.
#'
#' @section Groups apart:
#' The number of batches is that of [batch_sampler_stratified()].
#' If each group has rows of only one stratum, the rows are sorted by stratum and group, with the groups in the order of
#' the epoch, and dealt to the batches in turn.
#' Otherwise, the rows are the edges of a graph of strata and groups.
#' They are colored in the order of the epoch, such that the colors of every stratum and of every group are as equal as
#' possible.
#' Such a coloring always exists (D. de Werra, "Equitable colorations of graphs", 1971).
#'
#' @section Errors:
#' An argument has the wrong type or is out of range, a group is missing, a stratum is rare with `rare = "error"`, a
#' group has rows of several strata with `keep = "together"`, or there are more replicas than batches.
#'
#' @seealso [batch_sampler_stratified()] for rows without groups.
#'
#' @export
#' @examples
#' patients = c("a", "a", "a", "b", "b", "c", "c", "d", "d", "d")
#' sick = c(1, 1, 1, 1, 1, 0, 0, 0, 0, 0)
#' generator = batch_sampler_stratified_group(2, groups = factor(patients), strata = sick, seed = 1)
#' sampler = generator(NULL)
#' sampler$plan()
#' sampler$composition(0)
#' lapply(coro::collect(sampler$.iter()), function(rows) patients[rows])
batch_sampler_stratified_group = function(min_samples_per_stratum, groups = NULL, keep = "together", strata = NULL,
  rare = "error", missing = "error", seed = NULL, num_replicas = NULL) {
  configuration = list(
    min_samples_per_stratum = check_one_minimum(min_samples_per_stratum),
    keep = check_choice(keep, "keep", c("together", "apart")),
    rare = check_choice(rare, "rare", c("error", "warn", "allow")),
    missing = check_choice(missing, "missing", c("error", "stratum", "drop")),
    seed = if (!is.null(seed)) check_range(seed, "seed", largest_seed),
    num_replicas = check_positive(num_replicas, "num_replicas")
  )
  strata = if (!is_deferred(strata)) encode_strata(strata, configuration$missing) else unicode_text(strata, "strata")
  groups = if (!is_deferred(groups)) encode_groups(groups) else unicode_text(groups, "groups")
  if (is.list(strata) && is.list(groups)) {
    return(new_generator(grouped_recipe(strata, groups, configuration)))
  }
  # Both entries are always present, even as NULL: otherwise, `$` could match another name partially.
  configuration = c(configuration, list(strata = strata, groups = groups))
  new_generator(open_recipe("stratified_group", configuration$seed, configuration, grouped_labels(configuration)))
}

encode_groups = function(groups) {
  refuse_as("groups", encode_strata(groups, missing = NULL))
}

# `strata` and `groups` are encoded.
grouped_recipe = function(strata, groups, configuration) {
  n_rows = length(strata$codes)
  if (length(groups$codes) != n_rows) {
    stop_parameter("groups", sprintf("have one value for each row of 'strata', %d", n_rows),
      show_count(length(groups$codes), "value"))
  }
  if (anyNA(groups$codes)) {
    refuse_as("groups", check_missing(is.na(groups$codes), NULL))
  }
  n_strata = length(strata$names)
  n_groups = length(groups$names)
  parts = list(
    codes = recipe_codes(strata$codes, n_strata),
    n_strata = as.double(n_strata),
    groups = recipe_codes(groups$codes, n_groups),
    n_groups = as.double(n_groups)
  )
  found = grouped_rows(parts)
  if (configuration$keep == "together") {
    refuse_crossing(parts, found, strata$names, groups$names)
  }
  parts$n_batches = grouped_batches(parts, found, strata, configuration)
  parts$min_samples_per_stratum = min(configuration$min_samples_per_stratum, largest_count)
  parts$together = as.integer(configuration$keep == "together")
  new_recipe("stratified_group", configuration$seed, parts, labels = grouped_labels(configuration, strata$names))
}

grouped_labels = function(configuration, names = NULL) {
  settings = c("min_samples_per_stratum", "keep", "rare", "missing", "num_replicas")
  c(lapply(Filter(Negate(is.null), configuration[settings]), show_value), list(names = names))
}

# The groups of the sampled rows of a recipe; the stratum of a group is that of its first sampled row.
# -> list(groups = the group of each row from 0, n_groups for rows that are never sampled,
#   sizes, strata = the number of rows and the stratum, from 0, of each group)
grouped_rows = function(parts) {
  codes = as.integer(parts$codes)
  sampled = which(codes < parts$n_strata)
  groups = rep(as.integer(parts$n_groups), length(codes))
  groups[sampled] = as.integer(parts$groups)[sampled]
  strata = integer(parts$n_groups)
  strata[groups[rev(sampled)] + 1L] = codes[rev(sampled)] # the last of several assignments wins: the first row
  list(groups = groups, sizes = tabulate(groups[sampled] + 1L, parts$n_groups), strata = strata)
}

# The rows whose stratum is not that of their group.
crossing_rows = function(parts, found) {
  which(c(found$strata, as.integer(parts$n_strata))[found$groups + 1L] != as.integer(parts$codes))
}

refuse_crossing = function(parts, found, strata, groups) {
  row = crossing_rows(parts, found)[1L]
  if (!is.na(row)) {
    group = found$groups[row] + 1L
    stop_parameter("groups", "lie in one stratum each", sprintf("'%s' in '%s' and '%s'", groups[group],
      strata[found$strata[group] + 1L], strata[as.integer(parts$codes[row]) + 1L]),
      "Give all rows of a group one stratum, such as the rarest that it has.")
  }
}

common_divisor = function(a, b) {
  while (b > 0) {
    rest = a %% b
    a = b
    b = rest
  }
  a
}

# The largest number of batches for which the bounds keep the minimum in every epoch.
grouped_batches = function(parts, found, strata, configuration) {
  counts = stratum_counts(strata)
  minimum = configuration$min_samples_per_stratum
  fewest = min(counts)
  if (configuration$rare == "error" && fewest < minimum) {
    stop_parameter("min_samples_per_stratum",
      sprintf("be at most %.0f: the smallest stratum, '%s', has %s", fewest, strata$names[which.min(counts)],
        show_count(fewest, "row")),
      show_value(minimum), "Lower it, or set 'rare' to 'warn' or 'allow'.")
  }
  most = if (configuration$keep == "apart") {
    counts %/% minimum
  } else {
    vapply(sizes_by_stratum(parts, found), most_grouped_batches, 1, minimum = min(minimum, largest_count))
  }
  n_batches = share_of_replicas(max(1, min(most)), configuration$num_replicas)
  n_rare = sum(counts < minimum)
  if (configuration$rare == "warn" && n_rare > 0) {
    warning(sprintf("%d of %d strata have fewer than %s: all rows are in one batch.", n_rare, length(counts),
      show_count(minimum, "row")), call. = FALSE)
  }
  n_batches
}

# -> a list with the sizes of the groups of each stratum; only rows of the stratum count
sizes_by_stratum = function(parts, found) {
  sampled = found$groups < parts$n_groups
  strata = as.integer(parts$codes)[sampled]
  groups = found$groups[sampled]
  sorted = order(strata, groups)
  strata = strata[sorted]
  groups = groups[sorted]
  begins = which(c(TRUE, diff(strata) != 0L | diff(groups) != 0L))
  sizes = as.double(diff(c(begins, length(strata) + 1L)))
  unname(split(sizes, factor(strata[begins], seq_len(parts$n_strata) - 1L)))
}

# A number of batches for which a stratum with groups of these sizes always keeps the minimum: nearly always the
# largest.
# If the last batch to be filled had fewer rows, no other batch would exceed it by more than one small group.
most_grouped_batches = function(sizes, minimum) {
  small = sizes[sizes < minimum]
  n_large = length(sizes) - length(small)
  if (length(small) == 0L) {
    return(n_large)
  }
  divisor = Reduce(common_divisor, unique(small))
  slack = max(small) - divisor
  n_large + (sum(small) + slack) %/% (divide_up(minimum, divisor) * divisor + slack)
}

# The fewest rows of a stratum that a batch can have: the better of two bounds.
# The first bound considers only the batches without a large group, the other all batches.
fewest_grouped_rows = function(sizes, minimum, n_batches) {
  small = sizes[sizes < minimum]
  large = sizes[sizes >= minimum]
  without = n_batches - length(large)
  fewest = if (without <= 0) {
    min(large)
  } else if (length(small) == 0L) {
    0
  } else {
    divisor = Reduce(common_divisor, unique(small))
    min(large, max(0, divide_up(sum(small) - (without - 1) * max(small), without * divisor)) * divisor)
  }
  max(fewest, divide_up(sum(sizes) - (n_batches - 1) * max(sizes), n_batches))
}

kind_stratified_group = function() {
  list(
    class = "batch_sampler_stratified_group",
    vectors = list(
      parts = c("codes", "n_strata", "groups", "n_groups", "n_batches", "min_samples_per_stratum", "together"),
      labels = c("min_samples_per_stratum", "keep", "rare", "missing", "num_replicas", "names")
    ),
    bytes = function(recipe) strata_bytes(recipe) + 400 * length(recipe$parts$codes),
    complete = function(recipe, data_source, task) {
      if (is.null(recipe$open)) {
        check_given_strata(recipe, data_source, task)
        return(recipe)
      }
      grouped_recipe(grouped_strata(recipe$open, data_source, task), source_groups(recipe$open, data_source, task),
        recipe$open)
    },
    check = check_grouped,
    n_rows = function(recipe) NULL,
    n_batches = function(recipe) recipe$parts$n_batches,
    setup = grouped_setup,
    draw = function(private, epoch) draw_grouped(private$.setup, epoch_seed(private$.setup$seed, epoch)),
    describe = function(private) format_grouped(private$.setup, private$.next_epoch),
    settings = function(recipe) {
      shown = if (is.null(recipe$open)) sprintf("%.0f", recipe$parts$n_groups) else format_open(recipe$open$groups)
      c(format_strata_generator(recipe), sprintf("* groups: %s", shown))
    },
    methods = list(
      plan = function() if (is.null(private$.in_order)) plan_of_groups(private$.setup),
      composition = function(epoch = NULL) {
        epoch_composition(self, private, epoch, codes_of_grouped(private$.setup))
      }
    )
  )
}

# The strata of an open recipe, encoded; they may be known before the groups.
grouped_strata = function(configuration, data_source, task) {
  if (!is.list(configuration$strata)) {
    return(source_strata(data_source, configuration, task))
  }
  check_task_order(task)
  check_strata_rows(data_source, length(configuration$strata$codes))
  configuration$strata
}

# The groups of an open recipe, encoded: given values, columns of the task, or its group role.
source_groups = function(configuration, data_source, task) {
  groups = configuration$groups
  if (is.null(groups)) {
    columns = group_role(task)
    return(encode_groups(task_columns(task, columns)))
  }
  refuse_as("groups", if (is.character(groups) && names_columns(groups, task, source_rows(data_source))) {
    encode_strata(task_columns(task, groups), missing = NULL)
  } else {
    given_groups(groups, data_source, task)
  })
}

# The given groups of the rows of a task, or of a dataset without a task; text has one value per row.
given_groups = function(groups, data_source, task) {
  check_task_order(task, bind_groups)
  encoded = if (is.character(groups)) encode_strata(groups, missing = NULL) else groups
  check_strata_rows(data_source, length(encoded$codes),
    advice = if (is.character(groups) && is.null(task)) "Names of columns need a task.")
  encoded
}

group_role = function(task) {
  columns = task$col_roles$group
  if (length(columns) == 0L) {
    stop_parameter("groups", "be given if the dataset has no task with a column of the role group", "nothing",
      advice = if (!is.null(task)) bind_groups)
  }
  columns
}

bind_groups = paste(
  "Bind the values as a column, task$cbind(data.frame(patient = values)),",
  "and give it the role: task$set_col_roles(\"patient\", roles = \"group\")."
)

check_grouped = function(recipe) {
  check_strata(recipe)
  part_count(recipe, "min_samples_per_stratum", 1, largest_count)
  part_flag(recipe, "together")
  groups = recipe$parts$groups
  n_rows = length(recipe$parts$codes)
  if (!typeof(groups) %in% c("raw", "integer") || length(groups) != n_rows) {
    stop_parameter("recipe", "have one group for each row as 'groups', raw or integer", show_value(groups))
  }
  n_groups = part_count(recipe, "n_groups", 1, n_rows)
  if (anyNA(groups) || any(as.integer(groups) < 0L | as.integer(groups) >= n_groups)) {
    stop_parameter("recipe", "have numbers of groups as 'groups'", "others")
  }
}

# The data of an instance: numbers of the recipe, and the groups of the rows.
grouped_setup = function(recipe, private) {
  parts = recipe$parts
  counts = count_codes(parts)
  counts = counts[-length(counts)]
  if (any(counts == 0)) {
    stop_parameter("recipe", "have a row of each stratum", "none")
  }
  found = grouped_rows(parts)
  sizes = sizes_by_stratum(parts, found)
  nested = length(crossing_rows(parts, found)) == 0L
  together = parts$together == 1
  if (together && !nested) {
    stop_parameter("recipe", "have groups that lie in one stratum each", "others")
  }
  if (together && any(lengths(sizes) < parts$n_batches)) {
    stop_parameter("recipe", "have a group of each stratum for each batch", "fewer")
  }
  if (any(counts < parts$n_batches)) {
    stop_parameter("recipe", "have a row of each stratum for each batch", "fewer")
  }
  c(parts[c("n_batches", "min_samples_per_stratum", "n_groups")], found[c("groups", "strata")],
    list(together = together, nested = nested, codes = if (!together) as.integer(parts$codes), counts = counts,
      sizes = sizes, largest = max(found$sizes), names = recipe$labels$names, seed = recipe$seed))
}

draw_grouped = function(setup, seed) {
  n_strata = length(setup$counts)
  if (setup$together) {
    .Call(C_draw_groups_together, setup$groups, setup$strata, n_strata, setup$n_batches,
      setup$min_samples_per_stratum, seed)
  } else {
    .Call(C_draw_groups_apart, setup$codes, setup$groups, n_strata, setup$n_groups, setup$n_batches, setup$nested, seed)
  }
}

# The stratum of each row, from 0.
codes_of_grouped = function(setup) {
  if (setup$together) setup$strata[setup$groups + 1L] else setup$codes
}

plan_of_groups = function(setup) {
  table = grouped_table(setup)
  range_plan(table, setup$n_batches, held_by_groups(setup, table))
}

grouped_table = function(setup) {
  n_batches = setup$n_batches
  largest = vapply(setup$sizes, max, 1)
  fewest = setup$counts %/% n_batches
  most = divide_up(setup$counts, n_batches)
  if (setup$together) {
    fewest = vapply(setup$sizes, fewest_grouped_rows, 1, setup$min_samples_per_stratum, n_batches)
    most = (setup$counts - largest) %/% n_batches + largest
  }
  data.frame(
    stratum = setup$names,
    rows = as.integer(setup$counts),
    groups = lengths(setup$sizes),
    largest = as.integer(largest),
    fewest = as.integer(fewest),
    most = as.integer(most)
  )
}

# What the batches hold: "each with at least 3 rows of every stratum, groups together"
held_by_groups = function(setup, table) {
  least = show_count(min(table$fewest), "row")
  if (setup$together) {
    return(sprintf("each with at least %s of every stratum, groups together", least))
  }
  most = show_count(divide_up(setup$largest, setup$n_batches), "row")
  sprintf("each with at least %s of every stratum and at most %s of a group", least, most)
}

format_grouped = function(setup, next_epoch) {
  c(
    sprintf("* Rows: %.0f, of %s and %s", sum(setup$counts), show_count(length(setup$counts), "stratum"),
      show_count(setup$n_groups, "group")),
    sprintf("* Batches: %.0f, %s", setup$n_batches, held_by_groups(setup, grouped_table(setup))),
    sprintf("* Order: shuffled by seed %.0f, next epoch %.0f", setup$seed, next_epoch)
  )
}
