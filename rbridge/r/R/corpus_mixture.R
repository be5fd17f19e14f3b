#' @title Batch Sampler of a Mixture of Files
#'
#' @description
#' Creates a batch sampler for [torch::dataloader()] over the lines of text files, mixed by rules, weights or a
#' temperature, and drawn anew in each epoch.
#' [corpus_dataset()] over the same files reads the lines.
#'
#' @param source (`character()` or `list()`)\cr
#'   A folder, whose files (not those in subfolders) are taken in the byte order of their names without suffix; or the
#'   paths of files with the first suffix, taken in the given order.
#'   Give a single file as `list(path)`.
#'   With `targets`, the paths of files of any names.
#' @param batch_size (`integer(1)`)\cr
#'   The number of lines per batch, at least 1; optional with `max_tokens`.
#'   The last batch may be smaller.
#' @param sample (`double(1)` or `integer(1)`)\cr
#'   The size of an epoch: a share between 0 and 1 of all lines that are not kept, or an integer such as `1000L`, the
#'   number of lines including those that are kept.
#'   Other doubles are refused, because `1` could mean either.
#'   Not allowed unless `epoch_end` is `"sample"`.
#' @param rules (`character()` or `list()`)\cr
#'   The path of a file of rules; or two or more rules, or a list of any number of rules, see section *Rules*.
#'   `NULL` (default): without `weights` and `temperature`, files contribute in proportion to their lines.
#'   At most one of the three is given.
#' @param suffixes (`character()`)\cr
#'   The suffixes of files that belong together line by line, such as a text and its translation, or one for text alone.
#'   With `targets`, two names for the sides.
#' @param targets (`character()` or `list()`)\cr
#'   The paths of the partners of the files of `source`, in the same order, with any names.
#'   `NULL` (default): the partners are found by their suffixes.
#' @param weights (`numeric()`, `list()` or `function`)\cr
#'   The weight of each file, in the order of the files: its share is its part of all weights, whatever its number of
#'   lines.
#'   0 leaves the file out; `"*"`, in a list such as `list(3, 1, "*")`, keeps all its lines, once per epoch each.
#'   Files without lines do not count.
#'   Numbers are read as the shortest decimal numbers that represent them.
#'   For weights that change by epoch, give a list named by the first epochs, counted from 0, such as
#'   `list("0" = c(1, 1), "5" = c(3, 1))`, or a function that returns the weights of an epoch.
#'   The function must be pure: it may be called with the same epoch again, in any order and in other processes.
#' @param temperature (`numeric(1)`)\cr
#'   At least 1: a file with n lines has the weight `n^(1 / temperature)`, rounded to 12 significant digits.
#'   With 1, files contribute in proportion to their lines; the higher the temperature, the more equal the shares.
#' @param epoch_end (`character(1)`)\cr
#'   What ends an epoch.
#'   `"sample"` (default): the number of lines given by `sample`, drawn with replacement.
#'   `"first_exhausted"`: the epoch ends when every line of some file has been drawn; no line is drawn twice.
#'   `"all_exhausted"`: it ends when every line of every file has been drawn; lines of other files are drawn again.
#' @param shuffle (`logical(1)`)\cr
#'   `TRUE` (default): the drawn lines are shuffled.
#'   `FALSE`: they come in the order of the files, and batches by length in the order in which they were cut.
#' @param lengths (`"words"`, `function` or `integer()`)\cr
#'   The length of the lines of each position in tokens, for batches of lines of similar length.
#'   `"words"`, like `NULL` (default): the number of words separated by whitespace, on the longest side of a pair.
#'   A function receives the lines of many positions, in the form that `lines()` of [corpus_dataset()] returns, and
#'   returns a length for each position.
#'   Numbers: one for each line, file after file.
#'   Requires `max_tokens`, `window` or `max_length`.
#' @param max_tokens (`integer(1)`)\cr
#'   The largest number of tokens in a batch, including padding: its rows times its longest row, where an empty one
#'   counts as 1.
#'   At least the longest of the lines.
#'   `NULL` (default): no limit.
#' @param window (`integer(1)`)\cr
#'   The number of consecutive drawn lines that are sorted by length together.
#'   With smaller windows, the lines in a batch vary more from epoch to epoch.
#'   `NULL` (default): all of an epoch, which gives the least padding.
#' @param max_length (`integer(1)`)\cr
#'   The largest of the `lengths` that is allowed: longer lines are excluded.
#'   They are never drawn, shares are computed from the remaining lines, and [corpus_plan()] shows how many are
#'   excluded.
#'   All lines keep their row numbers.
#'   `NULL` (default): no limit.
#' @param accept (`function`)\cr
#'   A function that is called when the sampler is made, with the lines of many positions that are not too long, in the
#'   form that `lines()` of [corpus_dataset()] returns. It returns for each position whether it is accepted; the others
#'   are excluded.
#'   `NULL` (default): all are accepted.
#' @param seed (`integer(1)`)\cr
#'   The seed of all epochs, an integer from 0 to 2147483646.
#'   `NULL` (default): a seed is drawn each time the generator is called, as by [batch_sampler_stratified()].
#' @param num_replicas (`integer(1)`)\cr
#'   The number of processes that share an epoch.
#'   The number of batches is rounded up to a multiple of it, and their sizes differ by at most 1.
#'   The instance returns the batches of all processes, in global order.
#'   `NULL` (default): batches are not adapted to processes.
#'
#' @return A generator of class `"batch_sampler_corpus_mixture"` and `"torch_sampler"`: a function of one argument
#' `data_source` that returns an instance of the sampler, see [batch_sampler_stratified()].
#' If the data source has a number of rows, it must be the number of lines in all files.
#'
#' Its instances have the members `batches(epoch)`, `set_epoch(epoch)`, `epoch`, `seed`, `print()`, `.iter()`,
#' `.length()` and `.iter_batch(batch_size)` that are described there, and
#' * `plan(epoch = NULL)`: returns the table of [corpus_plan()], by default that of the next epoch;
#' * `dataset(transform = NULL, positions = FALSE)`: returns the [corpus_dataset()] of the files.
#'
#' Rows are lines, numbered over all files; with more than 2147483647 lines, they are doubles.
#'
#' @section Rules:
#' A rule is a line `PATTERN WEIGHT`; a line that starts with `#` is a comment.
#' The pattern is `*`, for all files, or Lua patterns separated by commas, one of which must be found anywhere in the
#' name of the file without suffix: `^IT%d+$`, `news%-20[12]%d`.
#' With `targets`, it must be found in the whole name of the file of `source`.
#' The syntax is that of Lua 5.1, except `%b`.
#' The weight is a positive decimal number, or `*` to keep all lines of the file, once per epoch each.
#' Rules that keep are tried first; then the first rule that covers a file counts.
#' A file that no rule covers is left out, with a warning.
#'
#' A rule counts if a file with lines matches it.
#' A file that rule r covers has the share `weight of r / weights of all rules that count * lines of the file / lines of
#' all files of r`, and an epoch draws that share of the sample, rounded up.
#' Shares are exact fractions of the numbers as they are written.
#' With `weights` or `temperature`, each file is treated as if it had its own rule.
#'
#' @section Batches by length:
#' With `max_tokens` or `window`, the drawn lines are sorted by length within each window, ties in drawn order, and cut
#' into batches that are as large as the limits allow.
#' No batch has lines of two windows.
#' If `num_replicas` requires more batches, the batches with the most rows are split.
#' Finally, the batches are shuffled by `sample.int(number of batches)`, which continues the draws of the epoch.
#' With `max_tokens`, the number of batches depends on the draw and differs between epochs: `.length()` is that of the
#' next epoch.
#'
#' @section Guarantees:
#' * An epoch holds as many drawn lines of each file as [corpus_plan()] shows, and each kept line once.
#' * After `set.seed(s)` with `RNGkind("Mersenne-Twister", "Inversion", "Rejection")`, each file is drawn by
#'   `sample.int(lines, drawn, replace = TRUE)` of the lines that are not excluded, file after file; finally, with
#'   `shuffle`, the order of all is `sample.int(total)`.
#'   `s` is `(seed + 1327217885 * epoch) %% 2147483647`.
#'   R's own generator is not used, except for one draw if `seed` is `NULL`.
#' * With `epoch_end` `"first_exhausted"` or `"all_exhausted"`, the former is the largest epoch in which no line occurs
#'   twice, the latter the smallest in which each file with a share is exhausted.
#'   A file contributes its share of `requested` lines, rounded down or up, where `requested` is the least or the
#'   greatest `lines / share` of all files.
#'   Each of its lines occurs `drawn %/% lines` times, or once more: whole passes are drawn, and the rest without
#'   replacement, `sample.int(lines, drawn %% lines)`.
#' * The same call returns the same batches in Python with `pystrat.corpus.CorpusMixtureBatchSampler`, where rows are
#'   counted from 0.
#' * If weights change by epoch, so does the number of batches: `.length()` is that of the next epoch.
#' * A generator can be saved with [saveRDS()] or sent to another process, where it needs only the files.
#' * The beginnings of lines are found once and stored beside each file (`.NAME.pystrat-lines`, 8 bytes per line), or in
#'   the user's cache folder if the folder is not writable.
#'   An index that is damaged, or of another version of the file, is made again.
#'   Python uses the same index files.
#'
#' @section Errors:
#' An argument has the wrong type or is out of range, a line is not a rule, or a file is missing, is not a regular file,
#' cannot be read or has another number of lines than its partner.
#' When an epoch is drawn: a file has changed since it was indexed.
#'
#' @source
#' OpenNMT's file sampling, options `-gsample` and `-gsample_dist`.
#'
#' @seealso [corpus_plan()] to preview the effect of the rules, [batch_sampler_epoch_subset()] for part of one dataset.
#'
#' @export
#' @examples
#' folder = tempfile()
#' dir.create(folder)
#' writeLines(sprintf("generic %d", 1:600), file.path(folder, "generic.txt"))
#' writeLines(sprintf("news %d", 1:40), file.path(folder, "news.txt"))
#' mixture = batch_sampler_corpus_mixture(
#'   folder,
#'   batch_size = 32,
#'   sample = 100L,
#'   rules = c("news 30", "* 70"),
#'   suffixes = ".txt",
#'   seed = 1
#' )
#' corpus_plan(mixture)
#' dataset = corpus_dataset(folder, suffixes = ".txt")
#' sampler = mixture(dataset)
#' rows = sampler$.iter()()
#' dataset[rows[1:3]]
batch_sampler_corpus_mixture = function(source, batch_size = NULL, sample = NULL, rules = NULL,
  suffixes = c(".src", ".tgt"), targets = NULL, weights = NULL, temperature = NULL, epoch_end = "sample",
  shuffle = TRUE, lengths = NULL, max_tokens = NULL, window = NULL, max_length = NULL, accept = NULL, seed = NULL,
  num_replicas = NULL) {
  name_errors("batch_sampler_corpus_mixture")
  seed = if (!is.null(seed)) check_range(seed, "seed", largest_seed)
  num_replicas = check_positive(num_replicas, "num_replicas")
  shuffle = check_flag(shuffle, "shuffle")
  rules = if (!is.null(rules)) read_rules(rules)
  files = open_files(source, suffixes, targets)
  used = check_lengths_used(lengths, max_tokens, window, needed = FALSE, max_length = max_length)
  max_length = check_max_length(max_length)
  accept = check_accept(accept)
  of_lines = if (used || !is.null(max_length)) line_lengths(lengths, files)
  population = find_population(files, of_lines, max_length, accept)
  remaining = if (is.null(population)) files$lines else population$counts
  stages = make_stages(files$names, remaining, sample, rules, weights, temperature, epoch_end)
  plans = stages$plans
  if (!is.null(population) && used) {
    of_lines[!population$remains] = 0L # lines that are never drawn may have any length
  }
  cut = cut_settings(lapply(plans, lines_of_stage), batch_size, num_replicas, if (used) of_lines, max_tokens, window,
    "Exclude them by 'max_length'.")
  of_stages = function(field) unlist(lapply(plans, `[[`, field))
  shown = shown_name(files$labels)
  left_out = if (!is.null(rules)) shown[is.nan(plans[[1L]]$rule)]
  if (length(left_out) > 0L) {
    warning(sprintf("No rule covers these files, which are left out: %s.", show_names(left_out, Inf)), call. = FALSE)
  }
  parts = c(
    list(files = shown, lines = files$lines, drawn = of_stages("drawn"), kept = of_stages("kept")),
    list(begins = if (length(plans) > 1L) stages$begins),
    list(remaining = if (!is.null(population)) population_bits(population$remains)),
    cut, list(shuffle = as.integer(shuffle), replace = if (epoch_end != "sample") 0L),
    list(weights = if (is.function(weights)) paste(deparse(weights), collapse = "\n"))
  )
  recipe = new_recipe("mixture", seed, parts, labels = list(
    rule = plans[[1L]]$rule,
    uniform_share = of_stages("uniform_share"),
    share = of_stages("share"),
    suffixes = files$suffixes,
    paths = paths_as_bytes(unlist(files$paths)),
    versions = unlist(files$versions)
  ))
  new_generator(recipe, functions = if (is.function(weights)) list(plan_of = stages$plan_of))
}

kind_mixture = function() {
  list(
    class = "batch_sampler_corpus_mixture",
    check = check_mixture,
    n_rows = function(recipe) sum(recipe$parts$lines),
    count_batches = function(private, epoch) {
      stage = stage_of_instance(private, epoch)
      count_batches_of(lines_of_stage(stage), private$.recipe$parts, function() mixture_batches(private, stage, epoch))
    },
    setup = function(recipe, private) {
      list(
        offsets = lapply(lines_of_stages(recipe), cut_offsets, recipe$parts),
        paths = bytes_as_paths(recipe$labels$paths),
        population = population_of(recipe$parts)
      )
    },
    draw = function(private, epoch) {
      check_versions(private$.setup$paths, private$.recipe$labels$versions)
      mixture_batches(private, stage_of_instance(private, epoch), epoch)
    },
    describe = function(private) {
      recipe = private$.recipe
      stage = stage_of_instance(private, private$.next_epoch)
      order = if (recipe$parts$shuffle == 1) "shuffled" else "of the files, drawn"
      c(
        format_mixture(recipe, stage, private$.next_epoch),
        sprintf("* Order: %s by seed %.0f, next epoch %.0f", order, recipe$seed, private$.next_epoch)
      )
    },
    settings = function(recipe) {
      c(
        format_mixture(recipe, stage_of(recipe, NULL, 0), 0),
        sprintf("* shuffle: %s", recipe$parts$shuffle == 1),
        format_seed(recipe)
      )
    },
    methods = list(
      plan = function(epoch = NULL) {
        epoch = if (is.null(epoch)) private$.next_epoch else check_epoch(epoch)
        if (is.null(private$.in_order)) plan_table(private$.recipe, stage_of_instance(private, epoch))
      },
      dataset = function(transform = NULL, positions = FALSE) {
        if (is.null(private$.in_order)) {
          files_dataset(files_of_recipe(private$.recipe, private$.setup$paths), transform, positions)
        }
      }
    ),
    private = list(.latest = NULL)
  )
}

stage_of_instance = function(private, epoch) {
  plan_of = private$.settings$functions$plan_of
  stage = stage_of(private$.recipe, plan_of, epoch)
  if (!is.null(plan_of)) { # else checked with the recipe
    check_cut_fits(lines_of_stage(stage), private$.recipe$parts)
  }
  stage
}

check_mixture = function(recipe) {
  parts = recipe$parts
  n_files = length(parts$files)
  if (!is.character(parts$files) || n_files == 0L) {
    stop_parameter("recipe", "have names of files as 'files'", show_value(parts$files))
  }
  check_begins(parts$begins)
  check_planned_numbers(recipe, n_files)
  for (total in lines_of_stages(recipe)) {
    if (total < 1 || total > largest_count) {
      stop_parameter("recipe", sprintf("give an epoch from 1 to %.0f lines", largest_count), sprintf("%.0f", total))
    }
    check_cut(recipe, total, sum(parts$lines))
  }
  part_flag(recipe, "shuffle")
  if (!is.null(parts$remaining)) {
    check_remaining(recipe)
  }
  if (!is.null(parts$replace)) {
    part_flag(recipe, "replace")
  }
  check_file_labels(recipe$labels, n_files)
}

# The numbers of each file, in each stage if they depend on the plan.
check_planned_numbers = function(recipe, n_files) {
  n_planned = n_files * length(begins_of(recipe))
  check_numbers = function(numbers, name) {
    n_numbers = if (name %in% c("lines", "rule")) n_files else n_planned
    if (!is.double(numbers) || length(numbers) != n_numbers) {
      required = sprintf("have %s as '%s'", show_count(n_numbers, "number"), name)
      stop_parameter("recipe", required, show_value(numbers))
    }
  }
  for (name in c("lines", "drawn", "kept")) {
    numbers = recipe$parts[[name]]
    check_numbers(numbers, name)
    wrong = numbers[!(numbers >= 0 & numbers == floor(numbers) & numbers <= 2^53)]
    if (length(wrong) > 0L) {
      stop_parameter("recipe", sprintf("have whole numbers from 0 as '%s'", name), show_value(wrong[1L]))
    }
  }
  for (name in c("rule", "uniform_share", "share")) {
    check_numbers(recipe$labels[[name]], name)
  }
}

# The first epochs of the stages of weights, if there are several.
check_begins = function(begins) {
  if (is.null(begins)) {
    return(invisible())
  }
  are_epochs = is.double(begins) && length(begins) > 1L && all(vapply(begins, is_whole_between, NA, 0, largest_epoch))
  if (!are_epochs || begins[1L] != 0 || any(diff(begins) <= 0)) {
    stop_parameter("recipe", "have epochs from 0 on, in order, as 'begins'", "others")
  }
}

# Each name has a file for each suffix.
check_file_labels = function(labels, n_files) {
  are_kinds = is.character(labels$suffixes) && is.raw(labels$paths) && is.character(labels$versions)
  n_all = n_files * length(labels$suffixes)
  if (!are_kinds || n_all == 0L || length(labels$versions) != n_all || sum(labels$paths == as.raw(0L)) != n_all - 1L) {
    stop_parameter("recipe", "have a path and a version of each file", "others")
  }
}

draws_with_replacement = function(parts) is.null(parts$replace) || parts$replace == 1L

mixture_batches = function(private, stage, epoch) {
  parts = private$.recipe$parts
  if (!by_length(parts)) {
    return(list(rows = draw_mixture(private, stage, epoch)$rows, offsets = offsets_of_stage(private, stage, epoch)))
  }
  latest_batches(private, epoch, function() {
    cut_drawn(draw_mixture(private, stage, epoch), parts, shuffle = parts$shuffle == 1)
  })
}

# Those of a function are not known in advance.
offsets_of_stage = function(private, stage, epoch) {
  if (!is.null(private$.settings$functions$plan_of)) {
    return(cut_offsets(lines_of_stage(stage), private$.recipe$parts))
  }
  private$.setup$offsets[[stage_number(private$.recipe, epoch)]]
}

# -> list(rows, stream)
draw_mixture = function(private, stage, epoch) {
  parts = private$.recipe$parts
  population = private$.setup$population
  is_shuffled = parts$shuffle == 1
  seed = epoch_seed(private$.recipe$seed, epoch)
  lines = if (is.null(population)) parts$lines else population$counts
  drawn = .Call(C_draw_lines, lines, stage$drawn, stage$kept, is_shuffled, draws_with_replacement(parts), seed)
  if (!is.null(population)) {
    drawn$rows = population$positions[drawn$rows]
  }
  if (!is_shuffled) {
    drawn$rows = sort(drawn$rows, method = "radix")
  }
  drawn
}

# `stage` is that of an epoch.
format_mixture = function(recipe, stage, epoch) {
  parts = recipe$parts
  changes = length(parts$begins) > 0L || length(parts$weights) > 0L
  c(
    sprintf("* Files: %d, of %s", length(parts$files), show_count(sum(parts$lines), "line")),
    sprintf("* Lines: %.0f drawn%s and %.0f kept in %s", sum(stage$drawn),
      if (draws_with_replacement(parts)) "" else " without replacement", sum(stage$kept),
      if (changes) sprintf("epoch %.0f", epoch) else "an epoch"),
    format_cut(lines_of_stage(stage), parts, "line")
  )
}

# The result of open_files() when the recipe was made; the indices are made again if they are missing.
files_of_recipe = function(recipe, paths) {
  labels = recipe$labels
  check_versions(paths, labels$versions)
  sides = rep(seq_along(labels$suffixes), each = length(recipe$parts$files))
  indexed = Map(line_index, paths, labels$versions)
  n_lines = vapply(indexed, function(found) found$n_lines, 0)
  if (any(n_lines != recipe$parts$lines)) {
    stop_parameter("recipe", "have the lines of the files as 'lines'", "others")
  }
  list(
    suffixes = labels$suffixes,
    names = recipe$parts$files,
    paths = unname(split(paths, sides)),
    versions = unname(split(labels$versions, sides)),
    indices = unname(split(lapply(unname(indexed), function(found) found$index), sides)),
    lines = recipe$parts$lines
  )
}
