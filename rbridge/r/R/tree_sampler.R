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
#'   Its keys are described in \guide{tree}.
#'   `children` is a list of named lists, and a list of one value is written `list("a")`.
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
#' @param num_replicas (`integer(1)`)\cr
#'   The number of processes that share an epoch, see `set_rank()` of [batch_sampler_instance].
#'   Batches beyond a multiple of it are dropped.
#'   `NULL` (default): one process.
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
  seed = NULL, num_replicas = NULL) {
  if (!is.null(table) && !is.list(table)) {
    stop_parameter("table", "be a data frame or a list of columns", show_value(table))
  }
  settings = list(batch_size = batch_size, length = tree_length(length), drop_last = drop_last,
    persistent = persistent, seed = seed, num_replicas = num_replicas)
  configuration = core_plan("tree", settings)
  parsed = parse_tree(spec)
  core_plan("tree", c(settings, parsed$auxiliary), function(what, place) show_auxiliary(parsed$given[[place + 1]]))
  configuration = c(configuration, list(nodes = parsed$nodes, auxiliary = parsed$auxiliary))
  # The text of a user's function distinguishes samplers.
  configuration$own = if (length(parsed$functions) > 0L) paste(deparse(parsed$functions), collapse = "\n")
  new_generator(functions = parsed$functions, recipe = if (is.null(table)) {
    open_recipe("tree", configuration$seed, configuration, tree_labels(configuration))
  } else {
    tree_recipe(table, configuration)
  })
}

tree_name = "batch_sampler_tree"
tree_shown = c("batch_size", "length", "drop_last", "persistent", "num_replicas")

# The length as the core takes it: text of any encoding in UTF-8.
tree_length = function(length) {
  if (is_plain_text(length) && !is.na(length)) {
    return(unicode_text(length, "length", "be a number of draws, or the name of a node"))
  }
  length
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
  nodes = configuration$nodes
  used = tree_columns(nodes)
  columns = tree_table(table, unique(c(used$coded, used$numbers)), task)
  coded = Map(tree_codes, columns[used$coded], used$coded)
  numbers = refuse_at("of the table", Map(tree_numbers, columns[used$numbers], used$numbers))
  settings = configuration[intersect(tree_shown, names(configuration))]
  request = c(settings, tree_data(nodes, n_rows, coded, numbers), configuration$auxiliary)
  parts = core_plan("tree", request, tree_names(nodes, coded, numbers, configuration$length))
  parts = parts[intersect(tree_parts, names(parts))]
  new_recipe("tree", configuration$seed, parts, labels = tree_labels(configuration))
}

tree_parts = c("batch_size", "length", "n_batches", "persistent", "n_rows", "modes", "repeats", "depths", "counts",
  "rows", "weighted", "weights", "auxiliary", "functions", "kinds", "n_arguments", "numbers", "texts")

tree_labels = function(configuration) {
  labels = lapply(configuration[c("batch_size", "length", "drop_last", "persistent")], show_value)
  c(labels, if (!is.null(configuration$own)) list(functions = configuration$own))
}

kind_tree = function() {
  core_kind(
    class = tree_name,
    vectors = list(
      parts = tree_parts,
      labels = c("batch_size", "length", "drop_last", "persistent", "functions")
    ),
    bytes = tree_bytes,
    n_rows = function(recipe) recipe$parts$n_rows,
    complete = function(recipe, data_source, task) {
      if (!is.null(recipe$open)) {
        recipe = tree_recipe(NULL, recipe$open, task)
      }
      check_tree_rows(data_source, recipe$parts$n_rows)
      recipe
    },
    n_batches = function(recipe) if (is_endless(recipe)) NA_integer_ else recipe$parts$n_batches,
    setup = tree_setup,
    draw = tree_batches,
    iterates = is_endless,
    iterate = endless_batches,
    describe = function(private) {
      parts = private$.recipe$parts
      offsets = if (!is_endless(private$.recipe)) full_offsets(parts$length, parts$n_batches, parts$batch_size)
      c(
        sprintf("* Rows: %.0f, of a tree with %s", parts$n_rows, show_count(length(parts$modes), "node")),
        if (is_endless(private$.recipe)) {
          sprintf("* Batches: without end, of %s", show_count(parts$batch_size, "row"))
        } else {
          sprintf("* Batches: %.0f, of %s", parts$n_batches, show_rows(diff(offsets)))
        },
        format_order(private$.recipe, private$.place$epoch)
      )
    },
    settings = function(recipe) {
      c(
        format_labels(recipe$labels),
        format_seed(recipe),
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

# -> list(auxiliary, functions = those of users)
tree_setup = function(recipe, private) {
  setup = list(auxiliary = recipe_auxiliary(recipe$parts), functions = private$.settings$functions)
  check_user_functions(setup$auxiliary, setup$functions)
  setup
}

tree_batches = function(private, epoch) {
  drawn = core_batches(private, epoch)
  batches = drawn[c("rows", "offsets")]
  batches$aux = drawn_auxiliary(private$.setup, drawn, epoch, begin = 0)
  batches
}

# The auxiliary values of draws, the first of which has the number `begin` in its epoch; NULL if there are none.
drawn_auxiliary = function(setup, drawn, epoch, begin) {
  if (length(setup$auxiliary) == 0L) {
    return(NULL)
  }
  count = length(drawn$rows)
  end = 0
  lapply(stats::setNames(nm = names(setup$auxiliary)), function(name) {
    value = setup$auxiliary[[name]]
    if (value$name == user_function) {
      return(values_of_user(setup$functions[[name]], epoch, begin, count))
    }
    numbers = if (length(drawn$values) == count) drawn$values else drawn$values[end + seq_len(count)]
    end <<- end + count
    if (value$name %in% c("choice", "cycle")) value$arguments[numbers + 1] else numbers
  })
}

# An iteration over an endless epoch: a function that returns the next batch at each call.
# The epoch is that of a persistent sampler with the seed of the epoch, whose epochs are the parts that are drawn at
# once.
endless_batches = function(private, place) {
  recipe = private$.recipe
  epoch = place$epoch
  size = recipe$parts$batch_size
  drawn_at_once = size * max(1, 16384 %/% size)
  changed = list(batch_size = drawn_at_once, length = drawn_at_once, n_batches = 1, persistent = 1L)
  part = list(kind = "tree", seed = epoch_seed(recipe$seed, epoch), parts = utils::modifyList(recipe$parts, changed))
  state = list2env(list(.recipe = part, .instance = NULL), parent = emptyenv())
  setup = private$.setup
  past = place$batch * size
  number = past %/% drawn_at_once - 1
  drawn = NULL
  taken = drawn_at_once
  function() {
    if (taken == drawn_at_once) {
      number <<- number + 1
      drawn <<- core_batches(state, number)
      drawn$aux <<- drawn_auxiliary(setup, drawn, epoch, begin = number * drawn_at_once)
      taken <<- past %% drawn_at_once
      past <<- 0
    }
    places = taken + seq_len(size)
    taken <<- taken + size
    if (is.null(drawn$aux)) drawn$rows[places] else with_auxiliary(drawn$rows, drawn$aux, places)
  }
}
