#' @title Batch Sampler Declared as a Tree
#'
#' @description
#' Creates a batch sampler that draws rows of a table as a tree declares it: by class, by family, by source, in pairs,
#' with auxiliary values for augmentation.
#' The Python class `pystrat.TreeBatchSampler` draws the same rows and values from the same specification, table and
#' seed.
#'
#' @param spec (`list()` | `character(1)`)\cr
#'   The root node: a named list, YAML text, or the name of a YAML file that ends in `.yaml` or `.yml`.
#'   YAML requires the package yaml.
#'   The keys are described in `docs/tree.md` of the project; `children` is a list of named lists, and a list of one
#'   value is written `list("a")`.
#'   `repeat` is a reserved word in R and needs backticks: `` list(`repeat` = 2) ``.
#'   An empty list is a root without keys.
#'   An auxiliary value may be a function of the number of the epoch and the number of the draw in it, both from 0.
#'   It must be pure, that is, return the same for the same numbers, and is called for the draws of whole epochs.
#' @param batch_size (`integer(1)`)\cr
#'   The number of draws per batch.
#' @param length (`integer(1)` | `character(1)`)\cr
#'   The number of draws per epoch; or the name of a node, for as many draws as it takes until every row below it has
#'   been drawn.
#'   `NULL`: epochs do not end.
#'   An iteration then returns batches as long as they are requested, `.length()` is `NA`, and `batches()`, which
#'   returns a whole epoch, raises an error.
#' @param table (`data.frame()` | named `list()`)\cr
#'   One row for each row of the dataset, in its order.
#'   Columns hold logical values, numbers, text, factors, dates (`Date`) or times (`POSIXct`).
#'   A time is compared in UTC, to the microsecond, and a date counts as the beginning of its day.
#'   `NULL` (default): the columns of the task.
#' @param drop_last (`logical(1)`)\cr
#'   Whether to drop a last batch with fewer draws.
#' @param persistent (`logical(1)`)\cr
#'   Whether all epochs form one endless sequence of draws.
#' @param seed (`integer(1)`)\cr
#'   From 0 to 2147483646.
#'   `NULL` (default): a seed is drawn, see [batch_sampler_instance].
#'
#' @return A generator of class `"batch_sampler_tree"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance].
#' If the specification names auxiliary values, `batches(epoch)` also has the element `aux`, a list with one vector for
#' each. A batch has its part of them as the attribute `"aux"`, which [auxiliary_dataset()] passes to a dataset.
#'
#' @section Guarantees:
#' * The same table, specification, seed and epoch give the same rows and auxiliary values in every R session and in
#'   Python.
#' * The draws equal those of drawing row by row, where each node keeps its own state: the option that is being
#'   repeated, its place in the sequence, the remaining options of its shuffle, its stream of random numbers.
#' * If `length` names a node, every row below it is among the draws of every epoch; with `persistent = TRUE`, of the
#'   first epoch only, because later ones may begin within a shuffle.
#' * A generator holds no column of the table, unless the table is that of a task: it can be saved, and works in other
#'   processes.
#'
#' @section Errors:
#' The specification is invalid, columns are missing, or nodes have no rows: as for `TreeBatchSampler` in Python, with
#' the same messages, but without line numbers of YAML.
#' The specification contains missing values, repeated names, or values of other classes than `Date`, `POSIXct`,
#' `POSIXlt` and `factor`.
#' A column that is used occurs twice in the table or is a matrix, or the dataset has another number of rows than the
#' table.
#' The specification is YAML and the package yaml is not installed.
#' The specification and a given table are checked when `batch_sampler_tree()` is called, the columns of a task when the
#' generator is called.
#'
#' A warning is given if a weight has no effect because its parent does not draw with replacement, and if a batch size
#' splits rows that the root repeats.
#'
#' @section YAML:
#' Values follow YAML 1.1 as Python's PyYAML reads it: `yes` is a logical value, and text that looks like something else
#' needs quotes.
#' A time has a `T` between day and hour: `2020-01-01T12:00:00`.
#'
#' @seealso [auxiliary_dataset()] for a dataset that receives the auxiliary values of its rows.
#'
#' @export
#' @examples
#' table = data.frame(label = rep(c("active", "inactive"), times = c(3, 9)))
#' generator = batch_sampler_tree(
#'   list(children = list(
#'     list(name = "active", column = "label", value = "active", weight = 0.3),
#'     list(name = "inactive", column = "label", value = "inactive", weight = 0.7)
#'   )),
#'   batch_size = 4,
#'   length = 12,
#'   table = table,
#'   seed = 1
#' )
#' collect_rows(generator, n_rows = 12)
batch_sampler_tree = function(spec, batch_size, length, table = NULL, drop_last = FALSE, persistent = FALSE,
  seed = NULL) {
  if (!is.null(table) && !is.list(table)) {
    stop_parameter("table", "be a data frame or a list of columns", show_value(table))
  }
  batch_size = check_count(batch_size, "batch_size")
  if (is.null(length)) {
    batch_size = check_between(batch_size, "batch_size", 1, largest_count)
  }
  configuration = list(
    batch_size = batch_size,
    length = if (!is.null(length)) check_tree_length(length),
    drop_last = check_flag(drop_last, "drop_last"),
    persistent = check_flag(persistent, "persistent"),
    seed = if (!is.null(seed)) check_range(seed, "seed", largest_seed)
  )
  if (is.null(length) && configuration$persistent) {
    stop_parameter("persistent", "be false if 'length' is not given, since no epoch ends", "TRUE")
  }
  parsed = parse_tree(spec)
  configuration = c(configuration, parsed[c("nodes", "auxiliary")])
  # The text of a user's function distinguishes samplers.
  configuration$own = if (length(parsed$functions) > 0L) paste(deparse(parsed$functions), collapse = "\n")
  new_generator(functions = parsed$functions, recipe = if (is.null(table)) {
    open_recipe("tree", configuration$seed, configuration, tree_labels(configuration))
  } else {
    tree_recipe(table, configuration)
  })
}

tree_name = "batch_sampler_tree"

check_tree_length = function(length) {
  if (is_plain_text(length) && !is.na(length)) {
    return(unicode_text(length, "length", "be a number of draws, or the name of a node"))
  }
  if (!is_whole_between(length, 1, largest_count)) {
    stop_parameter("length", sprintf("be an integer from 1 to %.0f", largest_count), show_value(length))
  }
  as.double(length)
}

# The recipe of a tree built from a table, or from the columns of a task.
tree_recipe = function(table, configuration, task = NULL) {
  if (is.null(table) && is.null(task)) {
    stop_parameter("table", "be given if the dataset has no task", "nothing")
  }
  n_rows = if (is.null(table)) task$nrow else table_rows(table)
  if (n_rows < 1) {
    stop_parameter("table", sprintf("have from 1 to %.0f rows", largest_count), show_count(n_rows, "row"))
  }
  used = tree_columns(configuration$nodes)
  columns = tree_table(table, unique(c(used$coded, used$numbers)), task)
  coded = Map(tree_codes, columns[used$coded], used$coded)
  numbers = refuse_at("of the table", Map(tree_numbers, columns[used$numbers], used$numbers))
  tree = build_tree(configuration$nodes, n_rows, coded, numbers)
  length = if (!is.null(configuration$length)) epoch_length(configuration$length, tree)
  n_batches = tree_batches_of(length, configuration)
  warn_of_tree(configuration)
  parts = list(
    batch_size = configuration$batch_size,
    length = length,
    n_batches = n_batches,
    persistent = as.integer(configuration$persistent),
    n_rows = as.double(n_rows)
  )
  parts = c(parts, tree$parts, configuration$auxiliary)
  new_recipe("tree", configuration$seed, parts, labels = tree_labels(configuration))
}

# The number of batches of an epoch, NULL if it does not end.
tree_batches_of = function(length, configuration) {
  if (is.null(length)) {
    return(NULL)
  }
  whole_batches = if (configuration$drop_last) floor else ceiling
  n_batches = whole_batches(length / configuration$batch_size)
  if (n_batches == 0) {
    stop_parameter("length", sprintf("be at least %.0f, the batch size, with drop_last", configuration$batch_size),
      show_value(length))
  }
  n_batches
}

tree_labels = function(configuration) {
  labels = lapply(configuration[c("batch_size", "length", "drop_last", "persistent")], show_value)
  c(labels, if (!is.null(configuration$own)) list(functions = configuration$own))
}

warn_of_tree = function(configuration) {
  nodes = configuration$nodes
  for (node in nodes[-1L]) {
    parent = nodes[[node$parent]]
    if (node$form > 0L && parent$mode != "replacement") {
      warning(sprintf(
        "The 'weight' of node '%s' has no effect: its parent '%s' has the mode '%s', not 'replacement'.",
        node$path, parent$path, parent$mode
      ), call. = FALSE)
    }
  }
  times = nodes[[1L]]$times
  if (times > 1 && configuration$batch_size %% times != 0) {
    warning(sprintf(paste(
      "The 'batch_size' parameter, %.0f, is not a multiple of the root's 'repeat', %d: rows that follow one",
      "another by it are split between batches."), configuration$batch_size, times), call. = FALSE)
  }
}

kind_tree = function() {
  list(
    class = tree_name,
    vectors = list(
      parts = c("batch_size", "length", "n_batches", "persistent", "n_rows", "modes", "repeats", "depths", "counts",
        "rows", "weighted", "weights", "auxiliary", "functions", "kinds", "n_arguments", "numbers", "texts"),
      labels = c("batch_size", "length", "drop_last", "persistent", "functions")
    ),
    bytes = tree_bytes,
    complete = function(recipe, data_source, task) {
      if (!is.null(recipe$open)) {
        recipe = tree_recipe(NULL, recipe$open, task)
      }
      check_tree_rows(data_source, recipe$parts$n_rows)
      recipe
    },
    check = check_tree_recipe,
    n_rows = function(recipe) NULL,
    n_batches = function(recipe) if (is_endless(recipe)) NA_integer_ else recipe$parts$n_batches,
    setup = tree_setup,
    draw = function(private, epoch) tree_batches(private$.setup, epoch),
    iterates = is_endless,
    iterate = function(private, epoch) endless_batches(private$.setup, epoch),
    describe = function(private) {
      parts = private$.recipe$parts
      c(
        sprintf("* Rows: %.0f, of a tree with %s", parts$n_rows, show_count(length(parts$modes), "node")),
        if (is_endless(private$.recipe)) {
          sprintf("* Batches: without end, of %s", show_count(parts$batch_size, "row"))
        } else {
          sprintf("* Batches: %.0f, of %s", parts$n_batches, show_rows(diff(private$.setup$offsets)))
        },
        sprintf("* Order: drawn by seed %.0f, next epoch %.0f", private$.recipe$seed, private$.next_epoch)
      )
    },
    settings = function(recipe) {
      c(
        format_labels(recipe$labels),
        if (!is.null(recipe$seed)) sprintf("* seed: %.0f", recipe$seed),
        if (is.null(recipe$open)) sprintf("* nodes: %d, of %s", length(recipe$parts$modes),
          show_count(recipe$parts$n_rows, "row"))
      )
    }
  )
}

is_endless = function(recipe) {
  is.null(if (is.null(recipe$open)) recipe$parts$length else recipe$open$length)
}

check_tree_rows = function(data_source, n_rows) {
  n_source = source_rows(data_source)
  if (!is.null(n_source) && n_source != n_rows) {
    stop_parameter("table", sprintf("have one row for each row of the dataset, %.0f", n_source),
      show_count(n_rows, "row"))
  }
}

# The routine that reads the vectors of the tree checks them.
check_tree_recipe = function(recipe) {
  if (is_endless(recipe)) {
    part_count(recipe, "batch_size", 1, largest_count)
    part_count(recipe, "persistent", 0, 0)
  } else {
    batch_size = part_count(recipe, "batch_size", 1, largest_exact)
    length = part_count(recipe, "length", 1, largest_count)
    part_count(recipe, "n_batches", 1, ceiling(length / batch_size))
    part_flag(recipe, "persistent")
  }
  part_count(recipe, "n_rows", 1, largest_count)
  check_recipe_auxiliary(recipe$parts)
}

# Each node and each auxiliary value may have a random number generator of its own, of 2.5 kB.
tree_bytes = function(recipe) {
  parts = recipe$parts
  n_draws = if (is_endless(recipe)) {
    3 * (parts$batch_size + 16384)
  } else {
    min(parts$length, parts$n_batches * parts$batch_size)
  }
  n_batches = if (is_endless(recipe)) 0 else parts$n_batches
  n_auxiliary = length(parts$auxiliary)
  2800 * (length(parts$modes) + n_auxiliary) + 16 * length(parts$rows) + 64 * length(parts$weights) +
    (40 + 60 * n_auxiliary) * n_draws + 40 * n_batches
}

# -> list(parts, seed, offsets, auxiliary, memory = what the epochs share)
tree_setup = function(recipe, private) {
  parts = recipe$parts
  setup = list(
    parts = parts,
    seed = recipe$seed,
    offsets = if (!is_endless(recipe)) full_offsets(parts$length, parts$n_batches, parts$batch_size),
    auxiliary = recipe_auxiliary(parts),
    functions = private$.settings$functions,
    memory = new_memory()
  )
  check_user_functions(setup$auxiliary, setup$functions)
  prepare_tree(setup)
  setup
}

prepare_tree = function(setup) {
  memory = setup$memory
  memory$tree = .Call(C_prepare_declared, memory, setup$parts, auxiliary_limits(setup$auxiliary))
}

tree_batches = function(setup, epoch) {
  if (is.null(setup$offsets)) {
    stop_parameter("length", "be given for the arrays of a whole epoch", "nothing")
  }
  persistent = setup$parts$persistent == 1
  seed = if (persistent) setup$seed else epoch_seed(setup$seed, epoch)
  count = setup$offsets[length(setup$offsets)]
  drawn = draw_tree(setup, seed, count, setup$parts$length, if (persistent) epoch, epoch = epoch)
  batches = list(rows = drawn$rows, offsets = setup$offsets)
  batches$aux = drawn$aux
  batches
}

# -> list(rows, aux): the first draws of a seed; or those of the part with the number `part`, from 0, if the sequence of
# all draws is cut into parts of `length` draws. The next part is drawn at once, any other after all draws before it.
# For user functions, the first draw has the number `begin` in the epoch.
# The tree is checked and laid out once, and again if `memory` has lost that, as after saving.
draw_tree = function(setup, seed, count, length, part, epoch, begin = 0) {
  draw = function() .Call(C_draw_declared, setup$memory$tree, seed, count, length, part)
  drawn = if (!is.null(setup$memory$tree)) draw()
  if (is.null(drawn)) {
    prepare_tree(setup)
    drawn = draw()
  }
  found = list(rows = drawn$rows)
  if (length(setup$auxiliary) > 0L) {
    user = lapply(stats::setNames(nm = names(setup$auxiliary)), function(name) {
      function() values_of_user(setup$functions[[name]], epoch, begin, count)
    })
    first = if (is.null(part)) 0 else part * length
    found$aux = Map(auxiliary_values, setup$auxiliary, drawn$numbers, first, count, user)
  }
  found
}

# An iteration over an endless epoch: a function that returns the next batch at each call.
endless_batches = function(setup, epoch) {
  size = setup$parts$batch_size
  drawn_at_once = size * max(1, 16384 %/% size)
  seed = epoch_seed(setup$seed, epoch)
  part = -1
  drawn = NULL
  taken = drawn_at_once
  function() {
    if (taken == drawn_at_once) {
      part <<- part + 1
      drawn <<- draw_tree(setup, seed, drawn_at_once, drawn_at_once, part, epoch, begin = part * drawn_at_once)
      taken <<- 0
    }
    places = taken + seq_len(size)
    taken <<- taken + size
    if (is.null(drawn$aux)) drawn$rows[places] else with_auxiliary(drawn$rows, drawn$aux, places)
  }
}
