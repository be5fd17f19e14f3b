#' @title Dataset of the Lines of Files
#'
#' @description
#' A [torch::dataset()] of the lines of all files, file after file, that reads any lines at once, many at a time.
#' Files may be larger than memory.
#' [batch_sampler_corpus_mixture()] over the same files says which lines a batch has.
#'
#' @param source (`character()` or `list()`)\cr
#'   A folder, whose files (none of folders within it) are taken in the order of the bytes of their names without
#'   suffix; or the paths of files with the first suffix, taken in the given order.
#'   A single file is given as `list(path)`.
#'   With `targets`, the paths of files of any names.
#' @param suffixes (`character()`)\cr
#'   The endings of files that belong together line by line, such as a text and its translation; one for text alone.
#'   With `targets`, two names for the sides.
#' @param transform (`function`)\cr
#'   Is called with the lines of a batch, as `lines()` returns them; its value is the batch.
#'   This is the place for a tokenizer.
#'   `NULL` (default): the batch is the lines.
#' @param positions (`logical(1)`)\cr
#'   `TRUE`: a batch is a list of `positions`, from 1, and `items`, what the batch is otherwise, so that the training
#'   loop can report to a sampler which examples a loss is of.
#'   `FALSE` (default): it is the items alone.
#' @param lengths,max_length,accept
#'   As in [batch_sampler_corpus_mixture()]: lines that they exclude have no position.
#'   A mixture leaves all lines their positions; its `dataset()` has no limits.
#' @param targets (`character()` or `list()`)\cr
#'   The paths of the partners of the files of `source`, in the same order, whatever the names.
#'   `NULL` (default): the partners are found by their suffixes.
#'
#' @return A dataset with the members
#' * `lines(positions)`: the lines at positions, which count from 1 over all files: a list of `character()`, one for
#'   each suffix, whose names are the suffixes without the dot that they begin with;
#' * `.getbatch(positions)`: the lines, or what `transform` makes of them, with the positions if these are asked for;
#' * `.length()`: the number of positions.
#'
#' `dataset[positions]` is the batch of these positions.
#'
#' @section Lines:
#' Only `\n` ends a line; one `\r` before it is dropped; a last line without `\n` counts.
#' Text is UTF-8.
#' Where lines begin is found once and kept beside each file, see [batch_sampler_corpus_mixture()].
#' Each process opens the files for itself and keeps them open as long as the dataset lives: a descriptor for each file,
#' and 8 bytes of memory for each line.
#' Every batch ends with a look at the files that it was read from.
#' If the size, time of modification or inode of one is another than when its lines were found, or if it is gone, the
#' batch ends in an error.
#' A change that keeps all three is not seen.
#'
#' @section Errors:
#' No files, lists of files that make no pairs, a file that is missing, is not a regular file, cannot be read or has
#' another number of lines than its partner.
#' When lines are read: positions that there are not, a line that is not UTF-8, and a file that has changed since its
#' lines were found.
#'
#' @export
#' @examples
#' folder = tempfile()
#' dir.create(folder)
#' writeLines(c("one", "two"), file.path(folder, "numbers.en"))
#' writeLines(c("eins", "zwei"), file.path(folder, "numbers.de"))
#' dataset = corpus_dataset(folder, suffixes = c(".en", ".de"))
#' length(dataset)
#' dataset[2:1]
#' corpus_dataset(folder, ".en", transform = function(lines) nchar(lines$en))[1:2]
corpus_dataset = function(source, suffixes = c(".src", ".tgt"), transform = NULL, targets = NULL, positions = FALSE,
  lengths = NULL, max_length = NULL, accept = NULL) {
  name_errors("corpus_dataset")
  if (!is.null(lengths) && is.null(max_length)) {
    stop_parameter("lengths", "be given together with 'max_length'", show_value(lengths))
  }
  files = open_files(source, suffixes, targets)
  files_dataset(files, transform, positions, limited_positions(files, lengths, max_length, accept))
}

# `files` as open_files() returns them; `remaining` are the numbers of the lines that have positions, NULL if all have.
files_dataset = function(files, transform, positions = FALSE, remaining = NULL) {
  name_errors("corpus_dataset")
  if (!is.null(transform) && !is.function(transform)) {
    stop_parameter("transform", "be a function, or nothing", show_value(transform))
  }
  with_positions = check_flag(positions, "positions")
  ends = cumsum(files$lines)
  n_positions = if (is.null(remaining)) ends[length(ends)] else length(remaining)
  generator = torch::dataset(
    name = "corpus_dataset",
    initialize = function() {
      self$indices = files$indices
      self$shown = lapply(files$paths, shown_name)
      self$handles = lapply(files$paths, function(paths) .Call(C_new_handles))
    },
    indices = NULL,
    shown = NULL,
    handles = NULL,
    lines = function(positions) {
      positions = check_positions(positions, n_positions)
      if (!is.null(remaining)) {
        positions = remaining[positions]
      }
      sides = seq_along(files$suffixes)
      read = lapply(sides, function(side) self$.read(side, positions))
      names(read) = sub("^[.]", "", files$suffixes)
      read
    },
    .read = function(side, positions) {
      read = read_lines(files$paths[[side]], self$shown[[side]], files$versions[[side]], self$indices[[side]], ends,
        self$handles[[side]], positions)
      self$indices[[side]] = read$indices
      read$lines
    },
    .getbatch = function(positions) {
      items = self$lines(positions)
      if (!is.null(transform)) {
        items = transform(items)
      }
      if (with_positions) list(positions = positions, items = items) else items
    },
    .length = function() n_positions,
    parent_env = environment()
  )
  generator()
}

# torch's own method makes integers of what it is asked for, in which positions need not fit.
#' @export
`[.corpus_dataset` = function(x, i) x$.getbatch(i)

check_positions = function(positions, n_lines) {
  required = sprintf("hold positions of lines from 1 to %.0f", n_lines)
  if (!is.numeric(positions) || is.object(positions)) {
    stop_parameter("positions", required, show_value(positions))
  }
  wrong = which(is.na(positions) | positions < 1 | positions > n_lines | positions != floor(positions))
  if (length(wrong) > 0L) {
    stop_parameter("positions", required, show_value(positions[wrong[1L]]))
  }
  positions
}

# -> list(lines, indices): an index that is missing or damaged is made again.
# `handles` keep the files open and the indices in memory.
read_lines = function(paths, shown, versions, indices, ends, handles, positions) {
  repeat {
    lines = .Call(C_read_lines, paths, shown, versions, indices, ends, handles, positions)
    if (is.character(lines)) {
      break
    }
    file = lines
    check_versions(paths[file], versions[file])
    indices[[file]] = line_index(paths[file], versions[file])$index
  }
  wrong = which(!validUTF8(lines))
  if (length(wrong) > 0L) {
    position = positions[wrong[1L]]
    file = findInterval(position - 1, ends) + 1L
    stop(sprintf("%s, line %.0f, is not UTF-8.", shown[file], position - c(0, ends)[file]), call. = FALSE)
  }
  list(lines = lines, indices = indices)
}
