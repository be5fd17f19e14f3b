#' @title Batch Sampler for Rare Events in Files
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] over the lines of files: all lines of the positive files, and a new
#' part of the lines of some negative files.
#' Each epoch shuffles the list of the negative files, takes the first ones, and draws from their lines as many
#' negatives as the multiplier says.
#' The other files are not read.
#' The Python class `pystrat.corpus.RareEventBatchSampler` returns the same batches from the same seed.
#' Its documentation has the guarantees and the rule.
#'
#' @inheritParams batch_sampler_stratified
#' @eval described("RareEventBatchSampler", "positives,negatives" = "`character()` or `list()`", "multiplier",
#'   "batch_size", "negative_files_per_epoch", "positive_weight", "negative_weight")
#'
#' @return A generator of class `"batch_sampler_rare_events"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `plan()`: returns the positives and negatives in each batch (`data.frame()`).
#' * `dataset(transform = NULL)`: returns the dataset of the lines of all files, positives first.
#'   Its batches are lists of `item`, the lines (`character()`) or the result of the function `transform`, and `label`,
#'   1 for positives and 0 for negatives.
#'   See [corpus_dataset()] for how lines are read.
#' * `class_weights(epoch = NULL, normalize = FALSE)`: returns the training weights of a positive and of a negative in
#'   an epoch, by default the next one: `c(positive = , negative = )`.
#'   With `normalize = TRUE`, they are divided by their mean over the rows of all epochs.
#' * `negative_files(epoch = NULL)`: returns the negative files that an epoch draws from (`character()`).
#'
#' @source
#' "Sampling methods within TensorFlow input functions", Datatonic.
#'
#' @seealso [batch_sampler_downsampled()] for rows of a table, [correct_probabilities()].
#'
#' @export
#' @examples
#' folder = tempfile()
#' dir.create(folder)
#' files = file.path(folder, c("fraud", "monday", "tuesday", "friday"))
#' for (file in 1:4) writeLines(rep("a line", c(10, 400, 300, 800)[file]), files[file])
#' generator = batch_sampler_rare_events(
#'   list(files[1]), files[-1], multiplier = 4, batch_size = 10,
#'   negative_files_per_epoch = 2, seed = 1)
#' sampler = generator(NULL)
#' sampler
#' basename(sampler$negative_files(0))
#' sampler$class_weights(0)
#' dataset = sampler$dataset(transform = nchar)
#' loader = torch::dataloader(dataset, batch_sampler = sampler, collate_fn = identity)
#' str(coro::collect(loader, n = 1))
batch_sampler_rare_events = function(positives, negatives, multiplier, batch_size,
  negative_files_per_epoch = NULL, positive_weight = 1, negative_weight = NULL, seed = NULL, num_replicas = NULL) {
  request = list(multiplier = multiplier, batch_size = batch_size, negative_files_per_epoch = negative_files_per_epoch,
    positive_weight = positive_weight, negative_weight = negative_weight, seed = seed, num_replicas = num_replicas)
  core_plan("rare_events", request) # before files are read
  listed = rare_event_files(positives, negatives)
  paths = unlist(listed, use.names = FALSE)
  tables = lapply(names(listed), function(name) line_table(list(paths = listed[name], parameters = name)))
  data = list(lines = unlist(lapply(tables, `[[`, "lines")), n_positive_files = as.double(length(listed$positives)))
  parts = core_plan("rare_events", c(request, data), rare_event_classes)
  new_generator(new_recipe("rare_events", seed, c(parts, data), labels = list(
    names = shown_name(basename(paths)),
    paths = paths_as_bytes(paths),
    versions = unlist(lapply(tables, `[[`, "versions"), use.names = FALSE)
  )))
}

# -> list(positives, negatives = paths of files that are all different)
rare_event_files = function(positives, negatives) {
  given = list(positives = positives, negatives = negatives)
  listed = Map(listed_files, given, names(given), "be a list of files")
  paths = unlist(listed, use.names = FALSE)
  real = normalizePath(paths)
  again = which(duplicated(real))[1L]
  if (!is.na(again)) {
    stop_parameter(rep(names(listed), lengths(listed))[again], "list each file once",
      sprintf("'%s', which is '%s',", paths[again], paths[match(real[again], real)]))
  }
  listed
}

rare_event_classes = c("positive", "negative")

kind_rare_events = function() {
  table_kind("rare_events",
    of_rows = character(),
    n_rows = function(recipe) sum(recipe$parts$lines),
    setup = function(recipe, private) {
      found = core_described(recipe)
      counts = c(found$n_positives, found$n_negatives)
      list(
        paths = unname(bytes_as_paths(recipe$labels$paths)),
        counts = counts,
        n_chosen = found$n_chosen,
        plan = make_plan(counts, rare_event_classes, found$n_batches, "even")
      )
    },
    draw = function(private, epoch) {
      used = c(seq_len(private$.recipe$parts$n_positive_files), chosen_files(private, epoch))
      check_versions(private$.setup$paths[used], private$.recipe$labels$versions[used])
      core_batches(private, epoch)
    },
    methods = list(
      plan = function() if (is.null(private$.in_order)) composition_table(private$.setup$plan),
      dataset = function(transform = NULL) {
        if (is.null(private$.in_order)) {
          labelled_lines(private$.recipe, private$.setup, transform)
        }
      },
      class_weights = function(epoch = NULL, normalize = FALSE) {
        epoch = if (is.null(epoch)) private$.place$epoch else check_epoch(epoch)
        normalize = check_flag(normalize, "normalize")
        if (is.null(private$.in_order)) rare_event_weights(private, epoch, normalize)
      },
      negative_files = function(epoch = NULL) {
        epoch = if (is.null(epoch)) private$.place$epoch else check_epoch(epoch)
        if (is.null(private$.in_order)) private$.setup$paths[chosen_files(private, epoch)]
      }
    )
  )
}

# The negative files of an epoch, by their positions among all files, from 1.
chosen_files = function(private, epoch) {
  recipe = private$.recipe
  n_positive = recipe$parts$n_positive_files
  order = shuffled_rows(length(recipe$parts$lines) - n_positive, epoch_seed(recipe$seed, epoch))
  n_positive + order[seq_len(private$.setup$n_chosen)]
}

rare_event_weights = function(private, epoch, normalize) {
  parts = private$.recipe$parts
  counts = private$.setup$counts
  lines = parts$lines
  weights = mean = c(positive = parts$positive_weight, negative = parts$negative_weight)
  if (is.null(parts$negative_weight)) {
    chosen = chosen_files(private, epoch)
    n_files = length(lines) - parts$n_positive_files
    weights["negative"] = n_files * sum(lines[chosen]) / (length(chosen) * counts[2L])
    mean["negative"] = (sum(lines) - counts[1L]) / counts[2L]
  }
  if (normalize) weights / (sum(mean * counts) / sum(counts)) else weights
}

# The dataset of the lines of all files, positives first, with their labels.
labelled_lines = function(recipe, setup, transform) {
  check_function(transform, "transform")
  check_versions(setup$paths, recipe$labels$versions)
  table = line_table(list(paths = list(setup$paths), parameters = "recipe"))
  n_positives = setup$counts[1L]
  n_lines = sum(recipe$parts$lines)
  generator = torch::dataset(
    name = "labelled_lines",
    initialize = function() NULL,
    .getbatch = function(positions) {
      lines = read_lines(table, check_positions(positions, n_lines))[[1L]]
      list(item = if (is.null(transform)) lines else transform(lines), label = as.double(positions <= n_positives))
    },
    .length = function() n_lines,
    parent_env = environment()
  )
  generator()
}
