#' @title Read Strata From an Exported File
#'
#' @description
#' Reads the numbers of the strata from the file that the Python function `rbridge.export_r()` writes beside its script.
#' The script calls this function; there is rarely a reason to call it otherwise.
#'
#' @param file (`character(1)`)\cr
#'   Path of the file: 32-bit integers, the lowest byte first, compressed by gzip.
#'   -1 stands for a row that is never sampled.
#' @param n_rows (`integer(1)`)\cr
#'   Number of rows of the dataset.
#' @param names (`character()`)\cr
#'   The names of strata 0, 1, ...
#' @param md5 (`character(1)`)\cr
#'   The MD5 checksum of the file, so that a file of another export is noticed.
#'   `NULL` (default): not checked.
#'
#' @return An object of class [stratum_codes()].
#'
#' @section Errors:
#' A file that does not exist, has another checksum, or does not hold exactly `n_rows` numbers, and whatever
#' [stratum_codes()] refuses.
#'
#' @export
#' @examples
#' file = tempfile(fileext = ".codes.gz")
#' connection = gzfile(file, "wb")
#' writeBin(c(0L, 0L, 1L, -1L), connection, size = 4L, endian = "little")
#' close(connection)
#' read_stratum_codes(file, n_rows = 4, names = c("no", "yes"))
read_stratum_codes = function(file, n_rows, names, md5 = NULL) {
  if (!is.character(file) || length(file) != 1L || !file.exists(file)) {
    stop_parameter("file", "be the path of a file that exists", show_value(file), of = "read_stratum_codes")
  }
  n_rows = check_count(n_rows, "n_rows", of = "read_stratum_codes")
  found = unname(tools::md5sum(file))
  if (!is.null(md5) && found != md5) {
    stop_parameter("file", sprintf("have the MD5 checksum %s", md5), found, of = "read_stratum_codes",
      advice = "Export the script and its file again.")
  }
  connection = gzfile(file, "rb")
  on.exit(close(connection))
  # One more than there should be, so that a file that is too long is noticed as well.
  codes = readBin(connection, "integer", n = n_rows + 1, size = 4L, endian = "little")
  if (length(codes) != n_rows) {
    got = if (length(codes) > n_rows) "more" else show_count(length(codes), "number")
    stop_parameter("file", sprintf("hold %s", show_count(n_rows, "number")), got, of = "read_stratum_codes")
  }
  stratum_codes_from_python(codes, names)
}
