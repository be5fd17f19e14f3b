#' @title Batch Sampler Declared as a Tree
#'
#' @description
#' Creates a batch sampler that draws rows of a table as a tree declares it: by class, by family, by source, in pairs,
#' with auxiliary values for augmentation.
#' \twin{TreeBatchSampler}{tree}
#'
#' @inheritParams batch_sampler_stratified
#' @param spec (`list()` | `character(1)`)\cr
#'   The root node: a named list, YAML text, or the name of a YAML file that ends in `.yaml` or `.yml`.
#'   YAML and auxiliary values require the package yaml.
#'   `children` is a list of named lists, and a list of one value is written `list("a")`.
#'   An auxiliary value may be a pure function of the numbers of the epoch and of the draw in it, both from 0, which is
#'   called for the draws of whole epochs.
#' @eval described("TreeBatchSampler", "batch_size", length = "`integer(1)` or `character(1)`", "drop_last",
#'   "persistent")
#' @param table (`data.frame()` | named `list()`)\cr
#'   One row for each row of the dataset, in its order.
#'   Columns hold logical values, numbers, text, factors, dates (`Date`) or times (`POSIXct`).
#'   `NULL` (default): the columns of the task.
#'
#' @return A generator of class `"batch_sampler_tree"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance].
#' If the specification names auxiliary values, `batches(epoch)` also has the element `aux`, a list with one vector for
#' each. A batch has its part of them as the attribute `"aux"`, which [auxiliary_dataset()] passes to a dataset.
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
  refuse_if(!is.null(table) && !is.list(table), "table", "be a data frame or a list of columns", show_value(table))
  request = mget(c(tree_settings, "seed"))
  settings = as_settings(core_plan("tree", request))
  read = read_specification(spec)
  settings$nodes = read$nodes
  settings$auxiliary = auxiliary_data(read_auxiliary(read$auxiliary), read$auxiliary)
  settings$shown = vapply(read$auxiliary, show_given, "")
  functions = Filter(is.function, read$auxiliary)
  # The text of users' functions distinguishes samplers.
  labels = if (length(functions) > 0L) list(functions = paste(deparse(functions), collapse = "\n")) else list()
  recipe = open_recipe("tree", request$seed, settings, labels)
  new_generator(if (is.null(table)) recipe else tree_recipe(recipe, table), functions)
}

tree_settings = c("batch_size", "length", "drop_last", "persistent", "num_replicas")

# The recipe of an open one, for a table or for the columns of a task.
tree_recipe = function(recipe, table, task = NULL) {
  refuse_if(is.null(table) && is.null(task), "table", "be given if the dataset has no task", "nothing")
  n_rows = if (is.null(table)) task$nrow else table_rows(table)
  refuse_if(n_rows < 1, "table", "have at least one row", "0 rows")
  open = recipe$open
  named = function(of_node) unique(as.character(unlist(lapply(open$nodes, of_node))))
  coded = named(function(node) node$keys[["column"]])
  numbers = setdiff(named(function(node) c(summed_column(node), node$keys[["row_weight"]])), "count")
  columns = tree_table(table, unique(c(coded, numbers)), task)
  coded = Map(tree_codes, columns[coded], coded)
  numbers = refuse_at("of the table", Map(tree_numbers, columns[numbers], numbers))
  data = c(tree_data(open$nodes, n_rows, coded, numbers), open$auxiliary)
  given = c(open[intersect(tree_settings, names(open))], data)
  parts = core_plan("tree", given, if (length(open$shown) > 0L) unname(open$shown))
  new_recipe("tree", recipe$seed, c(parts, data), labels = recipe$labels)
}

kind_tree = function() {
  table_kind("tree",
    of_rows = "table",
    complete = function(recipe, data_source, task) {
      if (is.null(recipe$open)) recipe else tree_recipe(recipe, NULL, task)
    },
    count_batches = function(private, epoch) {
      if (is.null(private$.recipe$parts$length)) NA_integer_ else core_count(private, epoch)
    },
    setup = tree_setup,
    draw = function(private, epoch) {
      drawn = core_batches(private, epoch)
      c(drawn[c("rows", "offsets")], list(aux = drawn_auxiliary(private$.setup, drawn, epoch, begin = 0)))
    },
    iterates = function(recipe) is.null(c(recipe$open$length, recipe$parts$length)),
    iterate = endless_batches
  )
}

# An iteration over an endless epoch: a function that returns the next batch at each call.
# The epoch is that of a persistent sampler with the seed of the epoch, whose epochs are the parts that are drawn at
# once.
endless_batches = function(private, place) {
  recipe = private$.recipe
  epoch = place$epoch
  size = recipe$parts$batch_size
  drawn_at_once = size * max(1, 16384 %/% size)
  changed = list(batch_size = drawn_at_once, length = drawn_at_once, persistent = 1L, num_replicas = NULL)
  part = list(kind = "tree", seed = epoch_seed(recipe$seed, epoch), parts = utils::modifyList(recipe$parts, changed))
  state = list2env(list(.recipe = part, .instance = NULL), parent = emptyenv())
  setup = private$.setup
  taken = place$batch * size
  number = -1
  drawn = NULL
  function() {
    if (taken %/% drawn_at_once != number) {
      number <<- taken %/% drawn_at_once
      drawn <<- core_batches(state, number)
      drawn$aux <<- drawn_auxiliary(setup, drawn, epoch, begin = number * drawn_at_once)
    }
    places = taken %% drawn_at_once + seq_len(size)
    taken <<- taken + size
    if (is.null(drawn$aux)) drawn$rows[places] else with_auxiliary(drawn$rows, drawn$aux, places)
  }
}
