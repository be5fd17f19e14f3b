#' @title Dataset of the Lines of Files
#'
#' @description
#' Creates a [torch::dataset()] of the lines of all files, file after file, with random access to any number of lines.
#' Files may be larger than memory.
#' The batches of [batch_sampler_corpus_mixture()] over the same files contain its positions.
#'
#' @param source (`character()` or `list()`)\cr
#'   A folder, whose files (not those in subfolders) are taken in the byte order of their names without suffix; or the
#'   paths of files with the first suffix, taken in the given order.
#'   Give a single file as `list(path)`.
#'   With `targets`, the paths of files of any names.
#' @param suffixes (`character()`)\cr
#'   The suffixes of files that belong together line by line, such as a text and its translation, or one for text alone.
#'   An empty one, `""`, takes a list of files as they are.
#'   With `targets`, two names for the sides.
#' @param transform (`function`)\cr
#'   A function, for example a tokenizer, of the lines of a batch, in the form that `lines()` returns; its value is the
#'   batch.
#'   `NULL` (default): the batch is the lines.
#' @param positions (`logical(1)`)\cr
#'   `TRUE`: a batch is a list of `positions`, from 1, and `items`, the batch itself, so that the training loop can
#'   report losses by example to a sampler.
#'   `FALSE` (default): it is only the items.
#' @param lengths,max_length,accept As in [batch_sampler_corpus_mixture()], except that excluded lines have no position.
#'   In a mixture, all lines keep their positions; its `dataset()` has no limits.
#' @param targets (`character()` or `list()`)\cr
#'   The paths of the partners of the files of `source`, in the same order, with any names.
#'   `NULL` (default): the partners are found by their suffixes.
#'
#' @return A dataset with the members
#' * `lines(positions)`: returns the lines at positions, which count from 1 over all files: a list of `character()`, one
#'   for each suffix, named by the suffixes without their leading dot, or `line` if the suffix is empty;
#' * `.getbatch(positions)`: returns the lines, or the result of `transform`, with the positions if requested;
#' * `.length()`: the number of positions.
#'
#' `dataset[positions]` is the batch of these positions.
#'
#' @section Lines:
#' Only `\n` ends a line; one `\r` before it is dropped; a last line without `\n` counts.
#' Text is UTF-8.
#' The beginnings of lines are found once and stored in an index beside each file (`.NAME.pystrat-lines`, 8 bytes per
#' line), or in the user's cache folder if the folder is not writable.
#' An index that is damaged, or of another version of the file, is made again.
#' Python uses the same index files.
#' Each process opens the files itself and keeps them open as long as the dataset exists: one file descriptor per file,
#' and 8 bytes of memory for each line.
#' Its files are checked after each batch.
#' If a file is gone, or its size, modification time or inode is no longer that of its index, an error is raised.
#' A change that preserves all three is not detected.
#'
#' @section Errors:
#' There are no files, lists of files do not form pairs, or a file is missing, is not a regular file, cannot be read or
#' has another number of lines than its partner.
#' When lines are read: a position does not exist, a line is not UTF-8, or a file has changed since it was indexed.
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
  if (!is.null(lengths) && is.null(max_length)) {
    stop_parameter("lengths", "be given together with 'max_length'", show_value(lengths))
  }
  files = open_files(source, suffixes, targets)
  files_dataset(files, transform, positions, limited_positions(files, lengths, max_length, accept))
}

# `files` as open_files() returns them; `remaining` are the numbers of the lines that have positions, NULL for all.
files_dataset = function(files, transform, positions = FALSE, remaining = NULL) {
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
      names(read) = if (identical(files$suffixes, "")) "line" else sub("^[.]", "", files$suffixes)
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

# torch's own method converts indices to integers, which may not hold positions.
#' @export
`[.corpus_dataset` = function(x, i) x$.getbatch(i)

check_positions = function(positions, n_lines) {
  required = sprintf("hold positions of lines from 1 to %.0f", n_lines)
  positions = plain_value(positions)
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
