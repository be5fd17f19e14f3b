/* The lines of text files by number: the index that says where they begin, and what is read from there.
 *
 * The index is read where it is needed, so it takes no memory. A file and its index stay open once they were read, for
 * as long as the dataset lives; a dataset that was saved, or sent to another process, opens them again there.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "core/grouping.h"
#include "core/hashing.h"
#include "core/line_index.h"
#include "files.h"
#include "routines.h"

enum {
  VERSION_SIZE = 64,      /* bytes of a version as text, the last one 0 */
  LINES_AT_A_TIME = 4096  /* between two looks for an interrupt */
};

static const char *text_of(SEXP texts, R_xlen_t place) { return Rf_translateChar(STRING_ELT(texts, place)); }

/* Versions ------------------------------------------------------------------------------------------------------- */

/* Write a version as text, which R can compare, and which loses no digit. */
static void write_version(const FileVersion *version, char *text) {
  const char *form = "%" PRId64 " %" PRId64 " %" PRIu64;
  snprintf(text, VERSION_SIZE, form, version->size, version->modified, version->inode);
}

SEXP C_file_versions(SEXP paths) {
  if (TYPEOF(paths) != STRSXP) refuse_kind(paths, "paths", "file_versions", "be text");
  SEXP result = PROTECT(Rf_allocVector(STRSXP, Rf_xlength(paths)));
  for (R_xlen_t i = 0; i < Rf_xlength(paths); i++) {
    FileVersion version;
    char text[VERSION_SIZE];
    if (version_of_path(text_of(paths, i), &version)) {
      write_version(&version, text);
      SET_STRING_ELT(result, i, Rf_mkChar(text));
    } else {
      SET_STRING_ELT(result, i, NA_STRING);
    }
  }
  UNPROTECT(1);
  return result;
}

/* Read a version that write_version() wrote. */
static FileVersion read_version(SEXP text, const char *of) {
  FileVersion version;
  const char *form = "%" SCNd64 " %" SCNd64 " %" SCNu64;
  if (sscanf(CHAR(text), form, &version.size, &version.modified, &version.inode) != 3) {
    refuse("version", of, "be the version of a file", "other text");
  }
  return version;
}

static bool is_version(const FileVersion *version, const FileVersion *other) {
  return version->size == other->size && version->modified == other->modified && version->inode == other->inode;
}

/* The index ------------------------------------------------------------------------------------------------------ */

SEXP C_hash_of_text(SEXP text) {
  if (TYPEOF(text) != STRSXP || Rf_xlength(text) != 1) refuse_kind(text, "text", "hash_of_text", "be text");
  const char *bytes = text_of(text, 0);
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, hash_of_bytes((const uint8_t *)bytes, (int64_t)strlen(bytes)));
  return Rf_mkString(hash);
}

/* Return numbers of an index as bytes; the numbers are changed in place. */
static void order_bytes(int64_t *numbers, int64_t count) {
  for (int64_t i = 0; i < count; i++) write_index_number((uint64_t)numbers[i], (uint8_t *)(numbers + i));
}

SEXP C_line_begins(SEXP block, SEXP read) {
  const char *of = "line_begins";
  if (TYPEOF(block) != RAWSXP) refuse_kind(block, "block", of, "be bytes");
  if (TYPEOF(read) != REALSXP || Rf_xlength(read) != 1 || !(REAL(read)[0] >= 0 && REAL(read)[0] < 9e15)) {
    refuse_kind(read, "read", of, "be a number of bytes");
  }
  int64_t size = Rf_xlength(block);
  int64_t count = count_line_ends(RAW(block), size);
  SEXP result = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)(count * INDEX_NUMBER_SIZE)));
  int64_t *begins = (int64_t *)(void *)RAW(result);
  find_line_begins(RAW(block), size, (int64_t)REAL(read)[0], begins);
  order_bytes(begins, count);
  UNPROTECT(1);
  return result;
}

SEXP C_index_number(SEXP number) {
  if (TYPEOF(number) != REALSXP || Rf_xlength(number) != 1 || !(REAL(number)[0] >= 0 && REAL(number)[0] < 9e15)) {
    refuse_kind(number, "number", "index_number", "be a number of bytes");
  }
  SEXP result = PROTECT(Rf_allocVector(RAWSXP, INDEX_NUMBER_SIZE));
  write_index_number((uint64_t)REAL(number)[0], RAW(result));
  UNPROTECT(1);
  return result;
}

SEXP C_index_head(SEXP version, SEXP n_lines) {
  const char *of = "index_head";
  if (TYPEOF(version) != STRSXP || Rf_xlength(version) != 1) refuse_kind(version, "version", of, "be text");
  if (TYPEOF(n_lines) != REALSXP || Rf_xlength(n_lines) != 1) refuse_kind(n_lines, "n_lines", of, "be a number");
  FileVersion text = read_version(STRING_ELT(version, 0), of);
  IndexHead head = {text.size, text.modified, text.inode, (int64_t)REAL(n_lines)[0]};
  SEXP result = PROTECT(Rf_allocVector(RAWSXP, INDEX_HEAD_SIZE));
  write_index_head(&head, RAW(result));
  UNPROTECT(1);
  return result;
}

/* Return how many lines an index has that is of a version of a text; -1 if it is not. */
static int64_t lines_of_index(const uint8_t *bytes, int64_t size, const FileVersion *version) {
  IndexHead head;
  if (!read_index_head(bytes, size, &head)) return -1;
  FileVersion of_head = {head.size, head.modified, head.inode};
  return is_version(&of_head, version) ? head.n_lines : -1;
}

/* The same of the index in an open file. */
static int64_t lines_of_index_file(int descriptor, const FileVersion *version) {
  uint8_t bytes[INDEX_HEAD_SIZE];
  FileVersion of_index;
  if (!version_of_descriptor(descriptor, &of_index)) return -1;
  if (read_at(descriptor, bytes, INDEX_HEAD_SIZE, 0) != INDEX_HEAD_SIZE) return -1;
  return lines_of_index(bytes, of_index.size, version);
}

SEXP C_lines_of_index(SEXP path, SEXP version) {
  const char *of = "lines_of_index";
  if (TYPEOF(path) != STRSXP || Rf_xlength(path) != 1) refuse_kind(path, "path", of, "be a path");
  if (TYPEOF(version) != STRSXP || Rf_xlength(version) != 1) refuse_kind(version, "version", of, "be text");
  FileVersion wanted = read_version(STRING_ELT(version, 0), of);
  int descriptor = open_to_read(text_of(path, 0));
  if (descriptor < 0) return Rf_ScalarReal(NA_REAL);
  int64_t n_lines = lines_of_index_file(descriptor, &wanted);
  close_file(descriptor);
  return Rf_ScalarReal(n_lines < 0 ? NA_REAL : (double)n_lines);
}

/* Open files ----------------------------------------------------------------------------------------------------- */

/* The descriptors of a dataset's files and of their indices, in turn, -1 if one is not open: integers that an external
 * pointer protects. Its address is that of `open_here` in the process that opened them, and NULL after it was saved.
 */
static char open_here;

static void close_one(int *descriptor) {
  if (*descriptor >= 0) close_file(*descriptor);
  *descriptor = -1;
}

static void close_all(SEXP descriptors) {
  int *numbers = INTEGER(descriptors);
  for (R_xlen_t i = 0; i < Rf_xlength(descriptors); i++) close_one(numbers + i);
}

static void finalize_descriptors(SEXP pointer) {
  if (R_ExternalPtrAddr(pointer) != NULL) close_all(R_ExternalPtrProtected(pointer));
  R_ClearExternalPtr(pointer);
}

static void begin_here(SEXP pointer) {
  SEXP descriptors = R_ExternalPtrProtected(pointer);
  for (R_xlen_t i = 0; i < Rf_xlength(descriptors); i++) INTEGER(descriptors)[i] = -1;
  R_SetExternalPtrAddr(pointer, &open_here);
  R_RegisterCFinalizerEx(pointer, finalize_descriptors, TRUE);
}

SEXP C_new_descriptors(SEXP n_files) {
  int32_t count = whole_number(n_files, 1, MOST_ROWS / 2, "n_files", "new_descriptors");
  SEXP descriptors = PROTECT(Rf_allocVector(INTSXP, 2 * (R_xlen_t)count));
  SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, descriptors));
  begin_here(pointer);
  UNPROTECT(2);
  return pointer;
}

/* Return the descriptors of so many files. */
static SEXP read_descriptors(SEXP pointer, R_xlen_t n_files, const char *of) {
  if (TYPEOF(pointer) != EXTPTRSXP) refuse_kind(pointer, "descriptors", of, "be what new_descriptors() returns");
  SEXP descriptors = R_ExternalPtrProtected(pointer);
  if (TYPEOF(descriptors) != INTSXP || Rf_xlength(descriptors) != 2 * n_files) {
    refuse_kind(descriptors, "descriptors", of, "be two for each file");
  }
  if (R_ExternalPtrAddr(pointer) != &open_here) begin_here(pointer);
  return descriptors;
}

/* Reading -------------------------------------------------------------------------------------------------------- */

/* What is read. */
typedef struct {
  SEXP paths;           /* of the files */
  SEXP shown;           /* the paths as messages show them */
  SEXP versions;        /* of the files, as they were indexed */
  SEXP indices;         /* for each file the path of its index, or the bytes of the index */
  SEXP descriptors;     /* of read_descriptors() */
  SEXP result;          /* the lines, in the order of the positions */
  const double *ends;   /* where the lines of each file end, counted over all files */
  const int64_t *lines; /* the line of each position, from 0 in its file */
  int text;             /* the descriptors of the file that is read */
  int index;
  const uint8_t *index_bytes; /* if the index is in memory */
  char *buffer;
  size_t buffer_size;
} Reading;

static int64_t lines_of_file(const double *ends, int64_t file) {
  return (int64_t)(ends[file] - (file > 0 ? ends[file - 1] : 0));
}

/* Open a file unless it is open, and refuse one that has changed. */
static bool open_text(Reading *reading, int64_t file, const FileVersion *wanted) {
  int *descriptor = INTEGER(reading->descriptors) + 2 * file;
  FileVersion found;
  if (*descriptor < 0) *descriptor = open_to_read(text_of(reading->paths, (R_xlen_t)file));
  reading->text = *descriptor;
  if (*descriptor < 0) return false;
  if (version_of_descriptor(*descriptor, &found) && is_version(&found, wanted)) return true;
  close_one(descriptor);
  close_one(descriptor + 1);
  Rf_errorcall(
      R_NilValue,
      "%s has changed since its lines were found (size, time of modification or inode). "
      "Make the sampler and the dataset anew.",
      text_of(reading->shown, (R_xlen_t)file)
  );
}

/* Open the index of a file unless it is open or in memory; return whether it is there, and is the one of the file. */
static bool open_index(Reading *reading, int64_t file, const FileVersion *wanted) {
  SEXP index = VECTOR_ELT(reading->indices, (R_xlen_t)file);
  int *descriptor = INTEGER(reading->descriptors) + 2 * file + 1;
  int64_t n_lines = lines_of_file(reading->ends, file);
  reading->index_bytes = NULL;
  if (TYPEOF(index) == RAWSXP) {
    reading->index_bytes = RAW(index);
    return Rf_xlength(index) >= INDEX_HEAD_SIZE && lines_of_index(RAW(index), Rf_xlength(index), wanted) == n_lines;
  }
  if (TYPEOF(index) != STRSXP || Rf_xlength(index) != 1) refuse_kind(index, "index", "read_lines", "be a path");
  if (*descriptor < 0) {
    *descriptor = open_to_read(text_of(index, 0));
    if (*descriptor >= 0 && lines_of_index_file(*descriptor, wanted) != n_lines) close_one(descriptor);
  }
  reading->index = *descriptor;
  return *descriptor >= 0;
}

/* Open a file and its index. If that fails, there may be too many open files: then it is tried without the others. */
static bool open_both(Reading *reading, int64_t file) {
  FileVersion wanted = read_version(STRING_ELT(reading->versions, (R_xlen_t)file), "read_lines");
  if (open_text(reading, file, &wanted) && open_index(reading, file, &wanted)) return true;
  close_all(reading->descriptors);
  if (!open_text(reading, file, &wanted)) {
    Rf_errorcall(R_NilValue, "%s cannot be read.", text_of(reading->shown, (R_xlen_t)file));
  }
  return open_index(reading, file, &wanted);
}

/* Read where a line begins and ends. */
static void read_bounds(const Reading *reading, int64_t line, int64_t bounds[2]) {
  uint8_t bytes[2 * INDEX_NUMBER_SIZE];
  const uint8_t *found = bytes;
  int64_t place = INDEX_HEAD_SIZE + line * INDEX_NUMBER_SIZE;
  memset(bytes, 0, sizeof bytes);
  if (reading->index_bytes != NULL) {
    found = reading->index_bytes + place;
  } else {
    read_at(reading->index, bytes, sizeof bytes, place);
  }
  bounds[0] = (int64_t)read_index_number(found);
  bounds[1] = (int64_t)read_index_number(found + INDEX_NUMBER_SIZE);
}

/* Read the line of a position into the result. */
static void read_line(Reading *reading, int64_t file, int64_t place) {
  const char *shown = text_of(reading->shown, (R_xlen_t)file);
  int64_t line = reading->lines[place];
  int64_t bounds[2];
  double number = (double)line + 1;
  read_bounds(reading, line, bounds);
  int64_t size = bounds[1] - bounds[0];
  if (bounds[0] < 0 || size < 0 || size > MOST_ROWS) {
    Rf_errorcall(R_NilValue, "%s, line %.0f, has no size that text in R can have.", shown, number);
  }
  if ((size_t)size > reading->buffer_size) {
    reading->buffer_size = 2 * (size_t)size;
    reading->buffer = R_alloc(reading->buffer_size, 1);
  }
  if (read_at(reading->text, reading->buffer, (size_t)size, bounds[0]) != size) {
    const char *form = "%s became shorter while it was read: line %.0f is not there any more.";
    Rf_errorcall(R_NilValue, form, shown, number);
  }
  int64_t length = line_length((const uint8_t *)reading->buffer, size);
  if (length > 0 && memchr(reading->buffer, 0, (size_t)length) != NULL) {
    Rf_errorcall(R_NilValue, "%s, line %.0f, has a zero byte, which text in R cannot have.", shown, number);
  }
  SET_STRING_ELT(reading->result, (R_xlen_t)place, Rf_mkCharLenCE(reading->buffer, (int)length, CE_UTF8));
}

/* Find the file of each position, from 1 over all files, and the line in it; refuse positions that there are not. */
static void find_files(SEXP ends, SEXP positions, const char *of, int64_t *files, int64_t *lines) {
  const double *last = REAL(ends);
  int64_t n_files = Rf_xlength(ends);
  for (R_xlen_t i = 0; i < Rf_xlength(positions); i++) {
    double position = TYPEOF(positions) == INTSXP ? INTEGER(positions)[i] : REAL(positions)[i];
    if (!(position >= 1 && position <= last[n_files - 1] && position == (double)(int64_t)position)) {
      refuse("positions", of, "be positions of lines, from 1", "others");
    }
    int64_t file = 0;
    for (int64_t above = n_files - 1; file < above;) { /* the first file that ends there or later */
      int64_t middle = file + (above - file) / 2;
      if (last[middle] < position) {
        file = middle + 1;
      } else {
        above = middle;
      }
    }
    files[i] = file;
    lines[i] = (int64_t)position - 1 - (file > 0 ? (int64_t)last[file - 1] : 0);
  }
}

/* Sort the places of the positions by file: return them, and where those of each file begin. */
static const int64_t *sort_by_file(const int64_t *files, int64_t count, int64_t n_files, const int64_t **offsets) {
  size_t n_numbers = (size_t)count + 2 * (size_t)n_files + 1;
  int64_t *order = (int64_t *)(void *)R_alloc(n_numbers, sizeof(int64_t));
  int64_t *begins = order + count;
  int64_t *cursors = begins + n_files + 1;
  memset(begins, 0, ((size_t)n_files + 1) * sizeof(int64_t));
  count_members(files, 0, count, begins);
  begin_groups(n_files, begins, cursors);
  place_members(files, 0, count, cursors, order);
  *offsets = begins;
  return order;
}

static void check_files(SEXP paths, SEXP shown, SEXP versions, SEXP indices, SEXP ends, const char *of) {
  R_xlen_t n_files = Rf_xlength(paths);
  if (TYPEOF(paths) != STRSXP || n_files < 1) refuse_kind(paths, "paths", of, "be paths");
  if (TYPEOF(shown) != STRSXP || Rf_xlength(shown) != n_files) {
    refuse_kind(shown, "shown", of, "be text, one for each file");
  }
  if (TYPEOF(versions) != STRSXP || Rf_xlength(versions) != n_files) {
    refuse_kind(versions, "versions", of, "be text, one for each file");
  }
  if (TYPEOF(indices) != VECSXP || Rf_xlength(indices) != n_files) {
    refuse_kind(indices, "indices", of, "be a list, with one for each file");
  }
  if (TYPEOF(ends) != REALSXP || Rf_xlength(ends) != n_files) {
    refuse_kind(ends, "ends", of, "be doubles, one for each file");
  }
}

SEXP C_read_lines(
    SEXP paths, SEXP shown, SEXP versions, SEXP indices, SEXP ends, SEXP pointer, SEXP positions
) {
  const char *of = "read_lines";
  check_files(paths, shown, versions, indices, ends, of);
  if (TYPEOF(positions) != INTSXP && TYPEOF(positions) != REALSXP) {
    refuse_kind(positions, "positions", of, "be numbers");
  }
  R_xlen_t n_files = Rf_xlength(paths);
  R_xlen_t count = Rf_xlength(positions);
  int64_t *files = (int64_t *)(void *)R_alloc(2 * (size_t)count, sizeof(int64_t));
  int64_t *lines = files + count;
  const int64_t *offsets;
  find_files(ends, positions, of, files, lines);
  const int64_t *order = sort_by_file(files, count, n_files, &offsets);
  Reading reading = {
      .paths = paths, .shown = shown, .versions = versions, .indices = indices, .ends = REAL(ends), .lines = lines
  };
  reading.descriptors = read_descriptors(pointer, n_files, of);
  reading.result = PROTECT(Rf_allocVector(STRSXP, count));
  for (int64_t file = 0; file < n_files; file++) {
    if (offsets[file] == offsets[file + 1]) continue;
    if (!open_both(&reading, file)) {
      UNPROTECT(1);
      return Rf_ScalarInteger((int)file + 1); /* whose index has to be made */
    }
    for (int64_t i = offsets[file]; i < offsets[file + 1]; i++) {
      read_line(&reading, file, order[i]);
      if (i % LINES_AT_A_TIME == LINES_AT_A_TIME - 1) R_CheckUserInterrupt();
    }
  }
  UNPROTECT(1);
  return reading.result;
}
