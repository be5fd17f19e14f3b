#' @title Stratified Batch Sampler for Sharded Data
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] and for the learners of mlr3torch with a minimum number of rows of
#' every stratum in every batch, for data that no process holds whole.
#' The data are in shards, such as files or partitions, and each process holds some of them.
#' The processes share only the table of counts: the number of rows of each stratum in each shard.
#' Batch b of this sampler is the part of the global batch b that this process holds.
#' The Python class `pystrat.ShardedStratifiedBatchSampler` returns the same batches, row for row, from the same seed.
#'
#' @param min_samples_per_stratum (`integer(1)`)\cr
#'   The minimum m.
#' @param counts (`matrix()`, `table()` or `data.frame()`)\cr
#'   The number of rows of each stratum (columns) in each shard (rows), over all processes and the same in each of them,
#'   in any order.
#'   Pass the result of [shard_counts()] or [bind_counts()], or such a table from elsewhere with the names of shards and
#'   strata.
#' @param shards (`character()`)\cr
#'   The names of the shards of this process, in their order in its dataset, which holds them one after another.
#' @param seed (`integer(1)`)\cr
#'   From 0 to 2147483646, the same in all processes.
#' @param strata (`NULL`, vector, `factor()`, `data.frame()`, `list()` of columns or [stratum_codes()])\cr
#'   The strata of the rows of this process, as in [batch_sampler_stratified()], without missing values.
#'   `NULL` (default): those of the task.
#' @param promise (`character(1)`)\cr
#'   `"global"` (default): every batch has at least m rows of every stratum over all processes.
#'   An epoch has `n_min %/% m` batches, where n_min is the size of the smallest stratum.
#'   `"local"`: every batch has at least m rows of every stratum of each shard, and therefore of each process.
#'   An epoch has `n_min %/% m` batches, where n_min is the size of the smallest stratum of a shard.
#' @param shuffle (`logical(1)`)\cr
#'   `FALSE`: the rows of each stratum in each shard keep their order.
#'
#' @return A generator of class `"batch_sampler_sharded"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `plan()`: returns a `data.frame()` with the columns `shard`, `stratum`, `rows`, and the `fewest` and `most` of
#'   these rows in a batch.
#'
#' @section Guarantees:
#' The rows are dealt to B batches in turn, each cell beginning where the one before ended: stratum by stratum and
#' within it shard by shard with `promise = "global"`, shard by shard and within it stratum by stratum with `"local"`.
#' Strata and shards are in order of their names, by code point.
#' For n rows, n_s of them in stratum s, n_r in shard r, and n_rs in both:
#' * All processes have the same number of batches, B.
#'   No batch of a process is empty.
#' * Every shard contributes the floor or the ceiling of n_rs / B rows of each stratum to each batch.
#' * The sizes of the batches over all processes differ by at most 1.
#' * `"global"`: each batch has the floor or the ceiling of n_s / B rows of each stratum over all processes.
#'   A process whose shards are consecutive contributes the floor or the ceiling of its share of them.
#' * `"local"`: each batch has the floor or the ceiling of n_r / B rows of each shard.
#'   The batches of a process whose shards are consecutive differ by at most 1 row.
#' * The rows of a batch over all processes do not depend on which process holds which shard, because each shard is
#'   shuffled separately.
#' * With a single shard, the batches are those of [batch_sampler_stratified()] with `assign = "even"`, row for row, if
#'   its strata first appear in the order of their names.
#' * Within a batch, rows are ordered by shard, as in `shards`, then by stratum, then by rank.
#'
#' In epoch e, shard r of R shards, from 0, has the order of a single shard in epoch `e * R + r`.
#' This number must stay below 2^31 - 1, which limits the number of epochs to at most 6,700,001, and to 21,474 with 10^5
#' shards.
#'
#' @section Errors:
#' An argument has the wrong type or is out of range; the rows do not match the `counts` of the shards; a stratum, or
#' with `promise = "local"` a stratum of a shard, has too few rows; a batch would have no row of this process; or there
#' are 2^31 batches or more.
#'
#' @seealso [sharded_plan()] for the plan, which depends only on the counts.
#'
#' @export
#' @examples
#' strata = list(a.csv = rep(c("no", "yes"), c(5, 2)), b.csv = rep(c("no", "yes"), c(8, 4)))
#' counts = shard_counts(strata)
#' for (shard in names(strata)) { # in two processes
#'   own = factor(strata[[shard]])
#'   generator = batch_sampler_sharded(2, counts, shard, seed = 1, strata = own)
#'   print(generator(NULL)$plan())
#' }
batch_sampler_sharded = function(min_samples_per_stratum, counts, shards, seed, strata = NULL, promise = "global",
  shuffle = TRUE) {
  seed = check_range(seed, "seed", largest_seed)
  configuration = list(
    min_samples_per_stratum = check_one_minimum(min_samples_per_stratum),
    shuffle = check_flag(shuffle, "shuffle"),
    plan = make_sharded_plan(counts, min_samples_per_stratum, promise)
  )
  check_sharded_batches(configuration$plan)
  configuration$places = shard_places(configuration$plan, shards)
  check_own_shards(configuration$plan, configuration$places)
  if (is_deferred(strata)) {
    # The entry is there also if it is NULL: $strata would else be taken for an abbreviation.
    settings = c(configuration, list(strata = unicode_text(strata, "strata"), missing = NULL))
    return(new_generator(open_recipe("sharded", seed, settings, sharded_labels(configuration))))
  }
  new_generator(sharded_recipe(encode_strata(strata, NULL, exact = TRUE), configuration, seed))
}

# Refuses shards if some batch would have no row of them.
check_own_shards = function(plan, places) {
  if (fewest_rows(plan, places) > 0) {
    return(invisible())
  }
  n_rows = sum(plan$table[places, ])
  stop_parameter("shards", sprintf("have a row for each of %s", show_batches(plan$n_batches)),
    sprintf("%s in %s, of which some batch has none,", show_count(n_rows, "row"), show_count(length(places), "shard")),
    paste0("Give this process more shards", if (n_rows > 0) ", or raise 'min_samples_per_stratum'." else "."))
}

# `strata` are encoded.
sharded_recipe = function(strata, configuration, seed) {
  plan = configuration$plan
  places = configuration$places
  n_strata = length(plan$strata)
  parts = list(
    codes = recipe_codes(shard_columns(strata, plan, places), n_strata),
    n_strata = as.double(n_strata),
    n_shards = as.double(length(plan$shards)),
    n_batches = plan$n_batches,
    shards = as.double(places - 1),
    sizes = rowSums(plan$table[places, , drop = FALSE]),
    begins = as.vector(t(shard_begins(plan, places))),
    shuffle = as.integer(configuration$shuffle)
  )
  new_recipe("sharded", seed, parts, labels = sharded_labels(configuration))
}

sharded_labels = function(configuration) {
  plan = configuration$plan
  settings = list(
    min_samples_per_stratum = configuration$min_samples_per_stratum, promise = plan$promise,
    shuffle = configuration$shuffle
  )
  c(lapply(settings, show_setting), list(names = plan$strata, shards = plan$shards[configuration$places]))
}

# The column of the table of each row, from 1; refuses rows that do not match the table.
shard_columns = function(strata, plan, places) {
  columns = class_codes(strata$names, plan$strata, "strata", noun = "stratum")
  if (anyDuplicated(columns)) {
    stop_parameter("strata", "have strata of different names", "two of one name", "Recode them.")
  }
  counts = plan$table[places, , drop = FALSE]
  sizes = rowSums(counts)
  if (length(strata$codes) != sum(sizes)) {
    stop_parameter("strata", sprintf("have one value for each row of the shards, %.0f", sum(sizes)),
      show_count(length(strata$codes), "value"))
  }
  codes = columns[strata$codes]
  ends = cumsum(sizes)
  for (shard in seq_along(places)) {
    own = seq.int(ends[shard] - sizes[shard] + 1, length.out = sizes[shard])
    found = tabulate(codes[own], length(plan$strata))
    wrong = which(found != counts[shard, ])[1L]
    if (!is.na(wrong)) {
      stop_parameter("strata", sprintf("have the rows of 'counts': %s of '%s' in the shard '%s'",
        show_count(counts[shard, wrong], "row"), plan$strata[wrong], plan$shards[places[shard]]),
      show_value(found[wrong]))
    }
  }
  codes
}

kind_sharded = function() {
  list(
    class = "batch_sampler_sharded",
    vectors = list(
      parts = c("codes", "n_strata", "n_shards", "n_batches", "shards", "sizes", "begins", "shuffle"),
      labels = c("min_samples_per_stratum", "promise", "shuffle", "names", "shards")
    ),
    bytes = function(recipe) strata_bytes(recipe) + 160 * length(recipe$parts$begins),
    complete = function(recipe, data_source, task) {
      if (is.null(recipe$open)) {
        check_given_strata(recipe, data_source, task)
        return(recipe)
      }
      sharded_recipe(source_strata(data_source, recipe$open, task, exact = TRUE), recipe$open, recipe$seed)
    },
    check = check_sharded,
    n_rows = function(recipe) NULL,
    n_batches = function(recipe) recipe$parts$n_batches,
    last_epoch = function(recipe) min(largest_epoch, largest_count %/% recipe$parts$n_shards - 1),
    setup = sharded_setup,
    draw = function(private, epoch) shard_batches(private$.setup, epoch),
    describe = function(private) format_sharded(private$.setup, private$.next_epoch),
    settings = format_sharded_generator,
    methods = list(
      plan = function() if (is.null(private$.in_order)) shards_table(private$.setup)
    )
  )
}

# The compiled routines check each number.
check_sharded = function(recipe) {
  n_strata = part_count(recipe, "n_strata", 1, largest_count)
  n_shards = part_count(recipe, "n_shards", 1, largest_count)
  part_count(recipe, "n_batches", 1, length(recipe$parts$codes)) # each batch has a row
  part_flag(recipe, "shuffle")
  shards = recipe$parts$shards
  are_numbers = is.double(shards) && length(shards) > 0L &&
    all(is.finite(shards) & shards >= 0 & shards < n_shards & shards == floor(shards))
  if (!are_numbers || anyDuplicated(shards)) {
    stop_parameter("recipe", sprintf("have different numbers of shards below %.0f as 'shards'", n_shards),
      show_value(shards))
  }
  for (name in c("names", "shards")) {
    labels = recipe$labels[[name]]
    if (!is.character(labels) || length(labels) != (if (name == "names") n_strata else length(shards))) {
      stop_parameter("recipe", sprintf("have the names of all %s", if (name == "names") "strata" else "shards"),
        show_value(labels))
    }
  }
}

sharded_setup = function(recipe, private) {
  setup = c(recipe$parts, list(labels = recipe$labels, seed = recipe$seed, memory = new_memory()))
  setup$counts = prepare_shards(setup)
  check_shard_begins(setup)
  setup
}

# The batches in which cells begin follow from the cells that are dealt before. So those are known of the first cell,
# and of a cell after another one of this process.
check_shard_begins = function(setup) {
  strata = rep(seq_len(setup$n_strata) - 1, length(setup$shards))
  shards = rep(setup$shards, each = setup$n_strata)
  # Cells are dealt by the major number and then by the minor one; both are from 0.
  is_local = identical(setup$labels$promise, "'local'")
  major = if (is_local) shards else strata
  minor = if (is_local) strata else shards
  n_minor = if (is_local) setup$n_strata else setup$n_shards
  dealt = order(major, minor)
  later = dealt[-1L]
  before = dealt[-length(dealt)]
  follows = (major[later] == major[before] & minor[later] == minor[before] + 1) |
    (major[later] == major[before] + 1 & minor[later] == 0 & minor[before] == n_minor - 1)
  ends = (setup$begins[before] + setup$counts[before]) %% setup$n_batches
  is_first = major[dealt[1L]] == 0 && minor[dealt[1L]] == 0
  if ((is_first && setup$begins[dealt[1L]] != 0) || any(setup$begins[later][follows] != ends[follows])) {
    stop_parameter("recipe", "have batches as 'begins' that follow from the rows dealt before", "others")
  }
}

# The layout, which all epochs share, is kept in `memory`, and computed again if it was lost.
# -> the rows of each stratum in each shard, shard by shard
prepare_shards = function(setup) {
  prepared = .Call(C_prepare_shards, setup$memory, setup$codes, setup$n_strata, setup$sizes, setup$begins,
    setup$n_batches)
  setup$memory$shards = prepared$reference
  prepared$counts
}

shard_batches = function(setup, epoch) {
  draw = function() {
    .Call(C_draw_shards, setup$memory$shards, setup$shards, setup$n_shards, setup$shuffle == 1, setup$seed, epoch)
  }
  batches = if (!is.null(setup$memory$shards)) draw()
  if (is.null(batches)) {
    prepare_shards(setup)
    batches = draw()
  }
  batches
}

shards_table = function(setup) {
  counts = setup$counts
  data.frame(
    shard = rep(setup$labels$shards, each = setup$n_strata),
    stratum = rep(setup$labels$names, length(setup$shards)),
    rows = as.integer(counts),
    fewest = as.integer(counts %/% setup$n_batches),
    most = as.integer(divide_up(counts, setup$n_batches))
  )
}

format_sharded = function(setup, next_epoch) {
  c(
    sprintf("* Rows: %.0f, of %s in %d of %s", sum(setup$sizes), show_count(setup$n_strata, "stratum"),
      length(setup$shards), show_count(setup$n_shards, "shard")),
    sprintf("* Batches: %.0f", setup$n_batches),
    format_sharded_settings(setup$labels),
    if (setup$shuffle == 1) {
      sprintf("* Order: shuffled by seed %.0f, next epoch %.0f", setup$seed, next_epoch)
    } else {
      "* Order: of the dataset"
    }
  )
}

format_sharded_settings = function(labels) {
  settings = labels[setdiff(names(labels), c("names", "shards"))]
  format_labels(settings)
}

format_sharded_generator = function(recipe) {
  c(
    format_sharded_settings(recipe$labels),
    format_seed(recipe),
    sprintf("* strata: %d, of shards %s", length(recipe$labels$names), show_names(recipe$labels$shards))
  )
}
