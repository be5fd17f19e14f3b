#' @title Folder of the Running Script
#'
#' @description
#' Returns the folder of the script that [source()] or `Rscript` is running, to find files beside it.
#'
#' @return (`character(1)`)\cr
#' The folder of the innermost script under [source()], otherwise of the script that `Rscript` runs, otherwise the
#' working directory.
#'
#' @export
#' @examples
#' script_folder()
script_folder = function() {
  for (place in rev(seq_len(sys.nframe()))) {
    # source() keeps the path of its file in a variable of this name.
    frame = if (identical(sys.function(place), source)) sys.frame(place)
    script = if (!is.null(frame)) get0("ofile", envir = frame, mode = "character", inherits = FALSE)
    if (!is.null(script)) {
      # With chdir = TRUE, the working directory is already the folder, and the path may no longer lead there.
      changed = isTRUE(get0("chdir", envir = frame, inherits = FALSE))
      return(if (changed) getwd() else dirname(normalizePath(script)))
    }
  }
  given = grep("^--file=", commandArgs(trailingOnly = FALSE), value = TRUE)
  if (length(given) > 0L) dirname(normalizePath(sub("^--file=", "", given[1L]))) else getwd()
}
