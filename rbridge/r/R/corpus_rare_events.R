#' @title Batch Sampler for Rare Events in Files
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] over the lines of files: all lines of the positive files, and a new
#' part of the lines of some negative files.
#' Each epoch shuffles the list of the negative files, takes the first ones, and draws from their lines as many
#' negatives as the multiplier says.
#' The other files are not read.
#' The Python class `pystrat.corpus.RareEventBatchSampler` returns the same batches from the same seed.
#'
#' @param positives,negatives (`character()` or `list()`)\cr
#'   The paths of the files whose lines are positives, and of those whose lines are negatives; each file once.
#' @param multiplier (`numeric(1)`)\cr
#'   The number of negatives of an epoch, as a multiple of the positives: `k = floor(multiplier * positives + 1/2)`, at
#'   least 1.
#'   It is rounded to 15 significant digits, as R shows it, and is exact as such a decimal number.
#' @param batch_size (`integer(1)`)\cr
#'   The largest number of lines in a batch.
#' @param negative_files_per_epoch (`integer(1)`)\cr
#'   The number of negative files that an epoch draws from.
#'   `NULL` (default): all of them.
#' @param positive_weight (`numeric(1)`)\cr
#'   The training weight of a positive, above 0.
#' @param negative_weight (`numeric(1)`)\cr
#'   The training weight of a negative, above 0.
#'   `NULL` (default): it is derived, so that in expectation the weighted negatives of an epoch represent all negatives
#'   of all files.
#' @param seed (`integer(1)`)\cr
#'   As in [batch_sampler_stratified()].
#' @param num_replicas (`integer(1)`)\cr
#'   The number of processes that share an epoch: the number of batches is rounded up to a multiple of it.
#'   `NULL` (default): 1.
#'
#' @return A generator of class `"batch_sampler_rare_events"` and `"torch_sampler"`.
#' Its instances have the members of every [batch_sampler_instance], and
#' * `plan()`: returns the positives and negatives in each batch, a `data.frame()` with one row for each batch.
#' * `dataset(transform = NULL)`: returns the dataset of the lines of all files, positives first.
#'   Its batches are lists of `item`, the lines (`character()`) or the result of the function `transform`, and `label`,
#'   1 for positives and 0 for negatives.
#'   See [corpus_dataset()] for how lines are read.
#' * `class_weights(epoch = NULL, normalize = FALSE)`: returns the training weights of a positive and of a negative in
#'   an epoch, by default the next one: `c(positive = , negative = )`.
#'   With `normalize = TRUE`, they are divided by their mean over the rows of all epochs.
#' * `negative_files(epoch = NULL)`: returns the negative files that an epoch draws from (`character()`).
#'
#' @section Guarantees:
#' * An epoch has every positive once, and exactly k negatives, no line twice, from `negative_files_per_epoch` files.
#' * Every subset of this number of files is equally likely, and so is every subset of k of their lines.
#' * With F negative files, of which an epoch draws from m, a negative has the derived weight
#'   `F / m * (lines of the m files) / k`.
#'   The expectation of a weighted sum over the negatives of an epoch is the sum over all negatives, whatever the sizes
#'   of the files: given the files, it is F / m times their sum, and each file is among them with the probability m / F.
#'   If all files have the same number of lines, the weight is the number of all negatives divided by those of an epoch.
#' * An epoch of T lines has `ceiling(T / batch_size)` batches, rounded up to a multiple of `num_replicas`.
#'   Their sizes differ by at most 1, and each has its share of positives and of negatives, rounded down or up,
#'   positives first.
#' * The same files, settings, seed and epoch give the same batches in every R session and in Python.
#'
#' @section Errors:
#' An argument has the wrong type or is out of range; a file is missing, is listed twice, is not a regular file or
#' cannot be read; the smallest negative files have fewer lines than an epoch draws (every subset must suffice); or
#' there are more batches than positives or negatives of an epoch.
#' When an epoch is drawn: one of its files has changed.
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
  listed = rare_event_files(positives, negatives)
  request = list(multiplier = multiplier, batch_size = batch_size, negative_files_per_epoch = negative_files_per_epoch,
    positive_weight = positive_weight, negative_weight = negative_weight, seed = seed, num_replicas = num_replicas,
    n_negative_files = length(listed$negatives))
  settings = core_plan("rare_events", request)
  paths = unlist(listed, use.names = FALSE)
  tables = lapply(names(listed), function(name) line_table(list(paths = listed[name], parameters = name)))
  parts = core_plan("rare_events", c(request, list(lines = unlist(lapply(tables, `[[`, "lines")))))
  new_generator(new_recipe(
    "rare_events", seed, c(list(files = shown_name(basename(paths))), parts),
    labels = c(lapply(c(list(multiplier = multiplier), settings), show_value), list(
      paths = paths_as_bytes(paths),
      versions = unlist(lapply(tables, `[[`, "versions"), use.names = FALSE)
    ))
  ))
}

# -> list(positives, negatives = paths of files that are all different)
rare_event_files = function(positives, negatives) {
  required = "be a list of files"
  listed = list(positives = listed_files(positives, "positives", required),
    negatives = listed_files(negatives, "negatives", required))
  paths = unlist(listed, use.names = FALSE)
  real = normalizePath(paths)
  again = which(duplicated(real))[1L]
  if (!is.na(again)) {
    stop_parameter(rep(names(listed), lengths(listed))[again], "list each file once",
      sprintf("'%s', which is '%s',", paths[again], paths[match(real[again], real)]))
  }
  listed
}

positive_lines = function(parts) sum(parts$lines[seq_len(parts$n_positive_files)])

negative_lines = function(parts) parts$lines[-seq_len(parts$n_positive_files)]

rare_event_counts = function(parts) c(positive_lines(parts), parts$n_negatives)

rare_event_classes = c("positive", "negative")

kind_rare_events = function() {
  core_kind(
    class = "batch_sampler_rare_events",
    vectors = list(
      parts = c("files", "lines", "n_positive_files", "files_per_epoch", "n_negatives", "n_batches",
        "positive_weight", "negative_weight"),
      labels = c("multiplier", "batch_size", "num_replicas", "paths", "versions")
    ),
    bytes = function(recipe) 160 * (positive_lines(recipe$parts) + recipe$parts$n_negatives),
    check = check_rare_events,
    n_rows = function(recipe) sum(recipe$parts$lines),
    setup = function(recipe, private) {
      parts = recipe$parts
      list(
        paths = unname(bytes_as_paths(recipe$labels$paths)),
        plan = make_plan(rare_event_counts(parts), rare_event_classes, parts$n_batches, "even")
      )
    },
    draw = draw_rare_events,
    describe = function(private) {
      c(format_rare_events(private$.recipe), format_shuffled(private$.recipe, private$.place$epoch))
    },
    settings = function(recipe) {
      shown = recipe$labels[setdiff(names(recipe$labels), c("paths", "versions"))]
      c(format_labels(shown), format_seed(recipe), format_rare_events(recipe))
    },
    methods = list(
      plan = function() if (is.null(private$.in_order)) composition_table(private$.setup$plan),
      dataset = function(transform = NULL) {
        if (is.null(private$.in_order)) {
          labelled_lines(private$.recipe, private$.setup$paths, transform)
        }
      },
      class_weights = function(epoch = NULL, normalize = FALSE) {
        epoch = if (is.null(epoch)) private$.place$epoch else check_epoch(epoch)
        normalize = check_flag(normalize, "normalize")
        if (is.null(private$.in_order)) rare_event_weights(private$.recipe, epoch, normalize)
      },
      negative_files = function(epoch = NULL) {
        epoch = if (is.null(epoch)) private$.place$epoch else check_epoch(epoch)
        if (is.null(private$.in_order)) {
          parts = private$.recipe$parts
          private$.setup$paths[parts$n_positive_files + chosen_files(private$.recipe, epoch)]
        }
      }
    )
  )
}

check_rare_events = function(recipe) {
  parts = recipe$parts
  labels = recipe$labels
  n_files = length(parts$lines)
  if (!is.character(parts$files) || length(parts$files) != n_files) {
    stop_parameter("recipe", "have names of files as 'files'", show_value(parts$files))
  }
  are_kinds = is.raw(labels$paths) && is.character(labels$versions)
  if (!are_kinds || length(labels$versions) != n_files || sum(labels$paths == as.raw(0L)) != n_files - 1L) {
    stop_parameter("recipe", "have a path and a version of each file", "others")
  }
}

draw_rare_events = function(private, epoch) {
  recipe = private$.recipe
  used = c(seq_len(recipe$parts$n_positive_files), recipe$parts$n_positive_files + chosen_files(recipe, epoch))
  check_versions(private$.setup$paths[used], recipe$labels$versions[used])
  core_batches(private, epoch)
}

# The negative files of an epoch, by their positions in the list, from 1.
chosen_files = function(recipe, epoch) {
  n_files = length(recipe$parts$lines) - recipe$parts$n_positive_files
  shuffled_rows(n_files, epoch_seed(recipe$seed, epoch))[seq_len(recipe$parts$files_per_epoch)]
}

rare_event_weights = function(recipe, epoch, normalize) {
  parts = recipe$parts
  lines = negative_lines(parts)
  negative = parts$negative_weight
  if (is.null(negative)) {
    negative = length(lines) * sum(lines[chosen_files(recipe, epoch)]) / (parts$files_per_epoch * parts$n_negatives)
  }
  weights = c(positive = parts$positive_weight, negative = negative)
  if (!normalize) {
    return(weights)
  }
  unit = max(weights)
  counts = rare_event_counts(parts)
  expected = if (is.null(parts$negative_weight)) sum(lines) / parts$n_negatives else negative
  mean_weight = sum(counts / sum(counts) * (c(parts$positive_weight, expected) / unit))
  weights / unit / mean_weight
}

format_rare_events = function(recipe) {
  parts = recipe$parts
  counts = rare_event_counts(parts)
  n_files = length(parts$lines) - parts$n_positive_files
  c(
    sprintf("* Lines: %s and %s in an epoch", show_count(counts[1L], "positive"), show_count(counts[2L], "negative")),
    sprintf("* Files of negatives: %.0f of %.0f in an epoch", parts$files_per_epoch, n_files),
    sprintf("* Batches: %.0f", parts$n_batches)
  )
}

# The dataset of the lines of all files, positives first, with their labels.
labelled_lines = function(recipe, paths, transform) {
  check_function(transform, "transform")
  parts = recipe$parts
  check_versions(paths, recipe$labels$versions)
  table = line_table(list(paths = list(paths), parameters = "recipe"))
  n_positives = positive_lines(parts)
  n_lines = sum(parts$lines)
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
