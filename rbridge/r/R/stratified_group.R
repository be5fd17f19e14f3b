#' @title Batch Sampler That Keeps Groups Together or Apart
#'
#' @description
#' Makes a batch sampler for [torch::dataloader()] and for the learners of mlr3torch that keeps the rows of a group
#' together, or apart, with a minimum of rows of every stratum in every batch.
#' It is for rows that are alike: the images of a patient, the words of a speaker, the events of a session.
#' `pystrat.StratifiedGroupBatchSampler` in Python gives the same batches, row for row, from the same seed.
#'
#' @param min_samples_per_stratum (`integer(1)`)\cr
#'   m, the rows of each stratum that every batch holds at least.
#' @param groups (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   The group of each row, without missing values; or `character()`, the names of columns of the task.
#'   Of several columns every combination that occurs is a group.
#'   `NULL` (default): the column of the task that has the role `"group"`.
#' @param keep (`character(1)`)\cr
#'   `"together"` (default): all rows of a group are in one batch; all of them have one stratum.
#'   `"apart"`: the rows of a group are spread over the batches as evenly as can be; they may have any strata.
#' @param strata (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   What the strata are, as in [batch_sampler_stratified()].
#'   `NULL` (default): the task says it.
#' @param rare (`character(1)`)\cr
#'   What to do if a stratum has fewer than m rows.
#'   `"error"` (default): refuse.
#'   `"warn"` and `"allow"`: go on with one batch of all rows, with or without a warning.
#' @param missing (`character(1)`)\cr
#'   What to do with rows that have a missing value in the strata, as in [batch_sampler_stratified()].
#' @param seed (`integer(1)`)\cr
#'   As in [batch_sampler_stratified()].
#' @param num_replicas (`integer(1)`)\cr
#'   Number of processes that share the batches of an epoch: the number of batches is rounded down to a multiple of it.
#'   `NULL` (default): 1.
#'
#' @return A generator of class `"batch_sampler_stratified_group"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `plan()`: a `data.frame()` with the columns `stratum`, its `rows`, the `groups` with rows of it, how many the
#'   `largest` of these groups has, and the `fewest` and the `most` that a batch of any epoch can hold.
#'
#' @section Guarantees:
#' * An epoch visits every row once.
#' * Every batch holds at least m rows of each stratum, in every epoch, and no fewer or more than `plan()` says.
#' * Together: all rows of a group are in one batch.
#'   Within a batch the rows are in order of stratum, then of group as they were dealt, then of the epoch.
#' * Apart: every batch holds the floor or the ceiling of its share of each stratum and of each group, and the sizes of
#'   batches differ by at most 1; the larger ones come first.
#'   Within a batch the rows are in order of stratum, then of the epoch.
#'
#' @section Groups together:
#' In each stratum call the groups of at least m rows large.
#' If L of them are large, and the others have N rows in all and at most g each, then
#' `L + (N + g - d) %/% (M + g - d)` batches are sure to keep the minimum, where d is the greatest common divisor of the
#' sizes of the others, and M the least multiple of d that is at least m.
#' With more batches, some groups of the same L, N, g and d would fail.
#' The number of batches B is the smallest of these numbers over the strata.
#' If all groups have one row, it is that of [batch_sampler_stratified()].
#'
#' The groups of a stratum come in the order of the epoch, where a group has the place of its first row; but the first B
#' large groups come before the others.
#' Each group goes to the batch with the fewest rows of its stratum; of several, to the one with the fewest rows of the
#' strata before; of several, to the first.
#' So batch sizes differ, and change from epoch to epoch.
#'
#' @section Groups apart:
#' The number of batches is that of [batch_sampler_stratified()].
#' If each group has rows of one stratum only, the rows are dealt to the batches in turn, sorted by stratum and group,
#' the groups in the order of the epoch.
#' Else they are the edges of a graph of strata and groups, which are colored in the order of the epoch, such that the
#' colors of every stratum and of every group are as equal as can be.
#' Such a coloring always exists (D. de Werra, "Equitable colorations of graphs", 1971).
#'
#' @section Errors:
#' An argument of the wrong type or out of range, a missing group, with `keep = "together"` a group with rows of several
#' strata, a rare stratum with `rare = "error"`, and more replicas than batches.
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
#' lapply(coro::collect(sampler$.iter()), function(rows) patients[rows])
batch_sampler_stratified_group = function(min_samples_per_stratum, groups = NULL, keep = "together", strata = NULL,
  rare = "error", missing = "error", seed = NULL, num_replicas = NULL) {
  name_errors("batch_sampler_stratified_group")
  configuration = list(
    min_samples_per_stratum = check_count(min_samples_per_stratum, "min_samples_per_stratum"),
    keep = check_choice(keep, "keep", c("together", "apart")),
    rare = check_choice(rare, "rare", c("error", "warn", "allow")),
    missing = check_choice(missing, "missing", c("error", "stratum", "drop")),
    seed = if (!is.null(seed)) check_range(seed, "seed", largest_seed),
    num_replicas = check_positive(num_replicas, "num_replicas")
  )
  strata = if (!is_deferred(strata)) encode_strata(strata, configuration$missing) else plain_text(strata)
  groups = if (!is_deferred(groups)) encode_groups(groups) else plain_text(groups)
  if (is.list(strata) && is.list(groups)) {
    return(new_generator(grouped_recipe(strata, groups, configuration)))
  }
  # The entries are there also if they are NULL: $strata would else be taken for an abbreviation.
  configuration = c(configuration, list(strata = strata, groups = groups))
  new_generator(open_recipe("stratified_group", configuration$seed, configuration, grouped_labels(configuration)))
}

plain_text = function(text) {
  if (!is.null(text)) enc2utf8(as.vector(text))
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

# The groups of the rows that are sampled, of the parts of a recipe; a group has the stratum of its first such row.
# -> list(groups = the group of each row from 0, n_groups for rows that are never sampled,
#   sizes, strata = the rows and the stratum, from 0, of each group)
grouped_rows = function(parts) {
  codes = as.integer(parts$codes)
  sampled = which(codes < parts$n_strata)
  groups = rep(as.integer(parts$n_groups), length(codes))
  groups[sampled] = as.integer(parts$groups)[sampled]
  strata = integer(parts$n_groups)
  strata[groups[rev(sampled)] + 1L] = codes[rev(sampled)] # of equal groups the last one counts
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

# The largest number of batches that is sure to keep the minimum in every epoch.
grouped_batches = function(parts, found, strata, configuration) {
  counts = stratum_counts(strata)
  minimum = configuration$min_samples_per_stratum
  smallest = smallest_stratum(counts, strata$names)
  if (configuration$rare == "error" && smallest$rows < minimum) {
    stop_parameter("min_samples_per_stratum", sprintf("be at most %.0f: %s", smallest$rows, show_smallest(smallest)),
      show_value(minimum), "Lower it, or set 'rare' to 'warn' or 'allow'.")
  }
  most = if (configuration$keep == "apart") {
    counts %/% minimum
  } else {
    vapply(sizes_by_stratum(parts, found), most_grouped_batches, 1, minimum = min(minimum, largest_count))
  }
  n_batches = max(1, min(most))
  replicas = replicas_of(configuration)
  if (n_batches < replicas) {
    stop_replicas(n_batches, replicas, NULL)
  }
  n_rare = sum(counts < minimum)
  if (configuration$rare == "warn" && n_rare > 0) {
    warning(sprintf("%d of %d strata of %s have fewer than %s: all rows are in one batch.", n_rare, length(counts),
      public_name(), show_count(minimum, "row")), call. = FALSE)
  }
  n_batches - n_batches %% replicas
}

# -> a list of the rows of each stratum that its groups have
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

# With how many batches a stratum with groups of these sizes is sure to keep the minimum.
# If the last batch to be filled had less, all others would have at most as much and another small group.
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

# The fewest rows that a batch can hold of a stratum: the better of two bounds, of which the first one looks at the
# batches without a large group alone, the other at all of them.
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
      plan = function() if (is.null(private$.in_order)) grouped_table(private$.setup)
    )
  )
}

# The strata of an open recipe, encoded, which may have waited for the groups alone.
grouped_strata = function(configuration, data_source, task) {
  if (!is.list(configuration$strata)) {
    return(source_strata(data_source, configuration, task))
  }
  check_task_order(task)
  check_strata_rows(data_source, length(configuration$strata$codes))
  configuration$strata
}

# The groups of an open recipe, encoded: those that were given, columns of the task, or its group role.
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

# The groups of the rows behind a task, or of a dataset without one; text is one value a row.
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

# What an instance works with: numbers of the recipe, and the groups of the rows.
grouped_setup = function(recipe, private) {
  parts = recipe$parts
  counts = .Call(C_count_codes, parts$codes, parts$n_strata)
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

format_grouped = function(setup, next_epoch) {
  least = show_count(min(grouped_table(setup)$fewest), "row")
  most = show_count(divide_up(setup$largest, setup$n_batches), "row")
  c(
    sprintf("* Rows: %.0f, of %d strata and %.0f groups", sum(setup$counts), length(setup$counts), setup$n_groups),
    if (setup$together) {
      sprintf("* Batches: %.0f, each with at least %s of every stratum, groups together", setup$n_batches, least)
    } else {
      sprintf("* Batches: %.0f, each with at least %s of every stratum and at most %s of a group", setup$n_batches,
        least, most)
    },
    sprintf("* Order: shuffled by seed %.0f, next epoch %.0f", setup$seed, next_epoch)
  )
}
