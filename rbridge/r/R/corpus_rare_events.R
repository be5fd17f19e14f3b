#' @title Batch Sampler for Rare Events in Files
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] over the lines of files: all lines of the positive files, and a new
#' part of the lines of some negative files.
#' \twin{corpus.RareEventBatchSampler}{downsampling}
#'
#' @inheritParams batch_sampler_stratified
#' @eval described("RareEventBatchSampler", "positives,negatives" = "`character()` or `list()`", "multiplier",
#'   "batch_size", "negative_files_per_epoch", "positive_weight", "negative_weight")
#'
#' @eval members("RareEventBatchSampler", "plan(): returns the positives and negatives in each batch (`data.frame()`).",
#'   "dataset(transform = NULL): returns the [corpus_dataset()] of the lines of all files, positives first. Its batches
#'   are lists of `item`, the lines or the result of `transform` of them, and `label`, 1 for positives, else 0.",
#'   "class_weights(epoch, normalize = FALSE)", "negative_files(epoch)")
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
  request = mget(setdiff(names(formals()), c("positives", "negatives")))
  listed = Map(listed_files, list(positives, negatives), c("positives", "negatives"), "be a list of files")
  paths = unlist(listed)
  parameters = rep(c("positives", "negatives"), lengths(listed))
  real = normalizePath(paths, mustWork = FALSE)
  again = which(duplicated(real))[1L]
  refuse_if(!is.na(again), parameters[again], "list each file once",
    sprintf("'%s', which is '%s',", paths[again], paths[match(real[again], real)]))
  files = line_table(list(paths = list(paths), parameters = list(parameters)))
  data = list(lines = files$lines, n_positive_files = as.double(length(listed[[1L]])))
  parts = core_plan("rare_events", c(request, data), rare_event_classes)
  labels = c(list(names = shown_name(basename(paths))), labels_of_files(files))
  new_generator(new_recipe("rare_events", seed, c(parts, data), labels = labels))
}

rare_event_classes = c("positive", "negative")

kind_rare_events = function() {
  table_kind("rare_events",
    of_rows = character(),
    n_rows = function(recipe) sum(recipe$parts$lines),
    setup = function(recipe, private) core_described(recipe),
    draw = function(private, epoch) {
      drawn = core_batches(private, epoch)
      check_recipe_files(private$.recipe, c(seq_len(private$.recipe$parts$n_positive_files), drawn$files))
      drawn
    },
    methods = list(
      plan = function() {
        found = private$.setup
        counts = c(found$n_positives, found$n_negatives)
        composition_table(make_plan(counts, rare_event_classes, found$n_batches, "even"))
      },
      dataset = function(transform = NULL) {
        check_function(transform, "transform")
        n_positives = private$.setup$n_positives
        lines_dataset(table_of_recipe(private$.recipe), function(positions, lines) {
          item = if (is.null(transform)) lines$line else transform(lines$line)
          list(item = item, label = as.double(positions <= n_positives))
        })
      },
      class_weights = function(epoch = self$epoch, normalize = FALSE) {
        scale = if (check_flag(normalize, "normalize")) private$.setup$mean_weight else 1
        stats::setNames(core_batches(private, check_epoch(epoch))$weights / scale, rare_event_classes)
      },
      negative_files = function(epoch = self$epoch) {
        bytes_as_paths(private$.recipe$labels$paths)[core_batches(private, check_epoch(epoch))$files]
      }
    )
  )
}
