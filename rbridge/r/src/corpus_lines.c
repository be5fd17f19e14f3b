/* Random access to the lines of text files: the index of their beginnings, and reading.
 *
 * A file stays open once it was read, and its index stays in memory, as long as the dataset exists; a dataset that was
 * saved, or sent to another process, opens its files again there.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "core/grouping.h"
#include "core/hashing.h"
#include "core/line_index.h"
#include "core/words.h"
#include "files.h"
#include "routines.h"

enum {
  VERSION_SIZE = 64,      /* bytes of a version as text, the last one 0 */
  LINES_AT_A_TIME = 4096  /* between two checks for an interrupt */
};

static const char *text_of(SEXP texts, R_xlen_t place) { return Rf_translateChar(STRING_ELT(texts, place)); }

/* Versions ------------------------------------------------------------------------------------------------------- */

/* Write a version as text, which R can compare, without losing digits. */
static void write_version(const FileVersion *version, char *text) {
  const char *form = "%" PRId64 " %" PRId64 " %" PRIu64;
  snprintf(text, VERSION_SIZE, form, version->size, version->modified, version->inode);
}

SEXP C_file_versions(SEXP paths) {
  if (TYPEOF(paths) != STRSXP) refuse_kind(paths, "paths", "be text");
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
static FileVersion read_version(SEXP text) {
  FileVersion version;
  const char *form = "%" SCNd64 " %" SCNd64 " %" SCNu64;
  if (sscanf(CHAR(text), form, &version.size, &version.modified, &version.inode) != 3) {
    refuse("version", "be the version of a file", "other text");
  }
  return version;
}

static bool is_version(const FileVersion *version, const FileVersion *other) {
  return version->size == other->size && version->modified == other->modified && version->inode == other->inode;
}

SEXP C_file_kinds(SEXP paths) {
  if (TYPEOF(paths) != STRSXP) refuse_kind(paths, "paths", "be text");
  SEXP result = PROTECT(Rf_allocVector(STRSXP, Rf_xlength(paths)));
  for (R_xlen_t i = 0; i < Rf_xlength(paths); i++) {
    const char *kind = kind_of_path(text_of(paths, i));
    SET_STRING_ELT(result, i, kind == NULL ? NA_STRING : Rf_mkChar(kind));
  }
  UNPROTECT(1);
  return result;
}

/* Locks ---------------------------------------------------------------------------------------------------------- */

SEXP C_lock_file(SEXP path) {
  if (TYPEOF(path) != STRSXP || Rf_xlength(path) != 1) refuse_kind(path, "path", "be a path");
  int descriptor = open_to_read(text_of(path, 0));
  if (descriptor >= 0 && !lock_file(descriptor)) {
    close_file(descriptor);
    descriptor = -1;
  }
  return Rf_ScalarInteger(descriptor);
}

SEXP C_sync_file(SEXP path) {
  if (TYPEOF(path) != STRSXP || Rf_xlength(path) != 1) refuse_kind(path, "path", "be a path");
  int descriptor = open_to_read(text_of(path, 0));
  bool is_synced = descriptor >= 0 && sync_file(descriptor);
  if (descriptor >= 0) close_file(descriptor);
  return Rf_ScalarLogical(is_synced);
}

SEXP C_unlock_file(SEXP descriptor) {
  if (TYPEOF(descriptor) != INTSXP || Rf_xlength(descriptor) != 1) {
    refuse_kind(descriptor, "descriptor", "be what lock_file() returns");
  }
  if (INTEGER(descriptor)[0] >= 0) close_file(INTEGER(descriptor)[0]);
  return R_NilValue;
}

/* The index ------------------------------------------------------------------------------------------------------ */

SEXP C_hash_of_text(SEXP text) {
  if (TYPEOF(text) != STRSXP || Rf_xlength(text) != 1) refuse_kind(text, "text", "be text");
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
  if (TYPEOF(block) != RAWSXP) refuse_kind(block, "block", "be bytes");
  if (TYPEOF(read) != REALSXP || Rf_xlength(read) != 1 || !(REAL(read)[0] >= 0 && REAL(read)[0] < 9e15)) {
    refuse_kind(read, "read", "be a number of bytes");
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
    refuse_kind(number, "number", "be a number of bytes");
  }
  SEXP result = PROTECT(Rf_allocVector(RAWSXP, INDEX_NUMBER_SIZE));
  write_index_number((uint64_t)REAL(number)[0], RAW(result));
  UNPROTECT(1);
  return result;
}

/* Read the result of C_check_numbers(); for NULL, the state before any number. */
static IndexCheck read_check(SEXP check) {
  IndexCheck so_far = new_index_check();
  if (check == R_NilValue) return so_far;
  if (TYPEOF(check) != RAWSXP || Rf_xlength(check) != sizeof so_far) {
    refuse_kind(check, "check", "be what check_numbers() returns, or nothing");
  }
  memcpy(&so_far, RAW(check), sizeof so_far);
  if (so_far.count < 0 || so_far.count > INT64_MAX / 2) refuse_kind(check, "check", "count numbers");
  return so_far;
}

SEXP C_check_numbers(SEXP check, SEXP numbers) {
  IndexCheck so_far = read_check(check);
  if (TYPEOF(numbers) != RAWSXP || Rf_xlength(numbers) % INDEX_NUMBER_SIZE != 0) {
    refuse_kind(numbers, "numbers", "be bytes of whole numbers");
  }
  check_index_numbers(RAW(numbers), Rf_xlength(numbers) / INDEX_NUMBER_SIZE, &so_far);
  SEXP result = PROTECT(Rf_allocVector(RAWSXP, sizeof so_far));
  memcpy(RAW(result), &so_far, sizeof so_far);
  UNPROTECT(1);
  return result;
}

/* Return a hash of the first and the last bytes of an open text, which detects most changes that preserve its
 * version. */
static uint64_t hash_of_ends(int descriptor, int64_t size) {
  uint8_t bytes[2 * TEXT_END_SIZE];
  int64_t first = read_at(descriptor, bytes, TEXT_END_SIZE, 0);
  int64_t last = read_at(descriptor, bytes + first, TEXT_END_SIZE, size > TEXT_END_SIZE ? size - TEXT_END_SIZE : 0);
  return hash_of_bytes(bytes, first + last);
}

SEXP C_hash_of_ends(SEXP path, SEXP version) {
  if (TYPEOF(path) != STRSXP || Rf_xlength(path) != 1) refuse_kind(path, "path", "be a path");
  if (TYPEOF(version) != STRSXP || Rf_xlength(version) != 1) refuse_kind(version, "version", "be text");
  FileVersion text = read_version(STRING_ELT(version, 0));
  int descriptor = open_to_read(text_of(path, 0));
  if (descriptor < 0) return R_NilValue;
  uint64_t hash = hash_of_ends(descriptor, text.size);
  close_file(descriptor);
  SEXP result = PROTECT(Rf_allocVector(RAWSXP, INDEX_NUMBER_SIZE));
  write_index_number(hash, RAW(result));
  UNPROTECT(1);
  return result;
}

/* The text of an index: a version, and the hash of its ends. */
typedef struct {
  FileVersion version;
  uint64_t hash;
} IndexedText;

static IndexedText read_text(SEXP version, SEXP hash) {
  if (TYPEOF(version) != STRSXP || Rf_xlength(version) != 1) refuse_kind(version, "version", "be text");
  if (TYPEOF(hash) != RAWSXP || Rf_xlength(hash) != INDEX_NUMBER_SIZE) {
    refuse_kind(hash, "hash", "be what hash_of_ends() returns");
  }
  IndexedText text = {read_version(STRING_ELT(version, 0)), read_index_number(RAW(hash))};
  return text;
}

SEXP C_index_head(SEXP version, SEXP hash, SEXP check) {
  IndexedText text = read_text(version, hash);
  IndexCheck numbers = read_check(check);
  IndexHead head = {
      .size = text.version.size,
      .modified = text.version.modified,
      .inode = text.version.inode,
      .n_lines = numbers.count - 1,
      .text_hash = text.hash,
      .number_hash = numbers.hash,
  };
  SEXP result = PROTECT(Rf_allocVector(RAWSXP, INDEX_HEAD_SIZE));
  write_index_head(&head, RAW(result));
  UNPROTECT(1);
  return result;
}

/* Return whether INDEX_HEAD_SIZE bytes are the head of an index of a text of `size` bytes. */
static bool is_head_of(const uint8_t *bytes, int64_t size, const IndexedText *text, IndexHead *head) {
  if (!read_index_head(bytes, size, head)) return false;
  FileVersion version = {head->size, head->modified, head->inode};
  return is_version(&version, &text->version) && head->text_hash == text->hash && head->n_lines <= head->size;
}

/* Return whether `size` bytes are an index of a text, whole and not altered. */
static bool is_index_of(const uint8_t *bytes, int64_t size, const IndexedText *text) {
  IndexHead head;
  IndexCheck check = new_index_check();
  if (size < INDEX_HEAD_SIZE || !is_head_of(bytes, size, text, &head)) return false;
  for (int64_t begin = 0; begin <= head.n_lines; begin += STEP) {
    int64_t count = head.n_lines + 1 - begin < STEP ? head.n_lines + 1 - begin : STEP;
    check_index_numbers(bytes + INDEX_HEAD_SIZE + begin * INDEX_NUMBER_SIZE, count, &check);
    R_CheckUserInterrupt();
  }
  return index_is_whole(&head, &check);
}

typedef struct {
  int descriptor;
  const IndexedText *text;
} IndexFile;

/* Return the bytes of an open index; NULL if it is damaged, or of another text. */
static SEXP read_index_file(void *data) {
  const IndexFile *file = data;
  uint8_t bytes[INDEX_HEAD_SIZE];
  IndexHead head;
  FileVersion of_index;
  if (!version_of_descriptor(file->descriptor, &of_index)) return R_NilValue;
  if (read_at(file->descriptor, bytes, INDEX_HEAD_SIZE, 0) != INDEX_HEAD_SIZE) return R_NilValue;
  if (!is_head_of(bytes, of_index.size, file->text, &head)) return R_NilValue;
  SEXP index = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)of_index.size));
  int64_t done = 0;
  for (int64_t count = 1; count > 0 && done < of_index.size; done += count) {
    int64_t size = of_index.size - done < STEP ? of_index.size - done : STEP;
    count = read_at(file->descriptor, RAW(index) + done, (size_t)size, done);
    R_CheckUserInterrupt();
  }
  bool is_whole = done == of_index.size && is_index_of(RAW(index), done, file->text);
  UNPROTECT(1);
  return is_whole ? index : R_NilValue;
}

static void close_index_file(void *data) { close_file(((IndexFile *)data)->descriptor); }

/* Return the bytes of the index at a path; NULL if it is missing, damaged or of another text. */
static SEXP read_index_at(const char *path, const IndexedText *text) {
  IndexFile file = {open_to_read(path), text};
  if (file.descriptor < 0) return R_NilValue;
  return R_ExecWithCleanup(read_index_file, &file, close_index_file, &file);
}

static int64_t lines_of_index(SEXP index) {
  return ((int64_t)Rf_xlength(index) - INDEX_HEAD_SIZE) / INDEX_NUMBER_SIZE - 1;
}

SEXP C_lines_of_index(SEXP path, SEXP version, SEXP hash) {
  if (TYPEOF(path) != STRSXP || Rf_xlength(path) != 1) refuse_kind(path, "path", "be a path");
  IndexedText text = read_text(version, hash);
  SEXP index = read_index_at(text_of(path, 0), &text);
  return Rf_ScalarReal(index == R_NilValue ? NA_REAL : (double)lines_of_index(index));
}

/* Open files ----------------------------------------------------------------------------------------------------- */

/* The open files of a dataset: their descriptors, -1 if one is not open, and their indices, NULL if one was not read.
 * An external pointer has the address of the list of both, so that neither is saved with the dataset; in another
 * process, it has none.
 */
typedef struct {
  int *descriptors;
  SEXP indices;
} OpenFiles;

static SEXP tag_of_handles(void) { return Rf_install("rbridge_handles"); }

static OpenFiles files_of(SEXP list) {
  OpenFiles files = {INTEGER(VECTOR_ELT(list, 0)), VECTOR_ELT(list, 1)};
  return files;
}

static void close_one(int *descriptor) {
  if (*descriptor >= 0) close_file(*descriptor);
  *descriptor = -1;
}

static void close_all(OpenFiles files) {
  for (R_xlen_t i = 0; i < Rf_xlength(files.indices); i++) close_one(files.descriptors + i);
}

static void finalize_handles(SEXP pointer) {
  SEXP list = R_ExternalPtrAddr(pointer);
  if (list == NULL) return;
  close_all(files_of(list));
  R_ReleaseObject(list);
  R_ClearExternalPtr(pointer);
}

static void begin_here(SEXP pointer, R_xlen_t n_files) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(list, 0, Rf_allocVector(INTSXP, n_files));
  SET_VECTOR_ELT(list, 1, Rf_allocVector(VECSXP, n_files));
  for (R_xlen_t i = 0; i < n_files; i++) INTEGER(VECTOR_ELT(list, 0))[i] = -1;
  R_PreserveObject(list);
  R_SetExternalPtrAddr(pointer, list);
  R_RegisterCFinalizerEx(pointer, finalize_handles, TRUE);
  UNPROTECT(1);
}

SEXP C_new_handles(void) { return R_MakeExternalPtr(NULL, tag_of_handles(), R_NilValue); }

/* Return the open files among n_files. */
static OpenFiles read_handles(SEXP pointer, R_xlen_t n_files) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrTag(pointer) != tag_of_handles()) {
    refuse_kind(pointer, "handles", "be what new_handles() returns");
  }
  if (R_ExternalPtrAddr(pointer) == NULL) begin_here(pointer, n_files);
  OpenFiles files = files_of(R_ExternalPtrAddr(pointer));
  if (Rf_xlength(files.indices) != n_files) refuse_kind(files.indices, "handles", "be of as many files");
  return files;
}

/* Reading -------------------------------------------------------------------------------------------------------- */

/* The arguments of reading. */
typedef struct {
  SEXP paths;           /* of the files */
  SEXP shown;           /* the paths, as shown in messages */
  SEXP versions;        /* of the files, as they were indexed */
  SEXP indices;         /* for each file the path of its index, or the bytes of the index */
  OpenFiles files;
  SEXP result;          /* the lines, in the order of the positions */
  const double *ends;   /* the end of the lines of each file, counted over all files */
  const int64_t *lines; /* the line of each position, from 0 in its file */
  char *buffer;
  size_t buffer_size;
} Reading;

static int64_t lines_of_file(const double *ends, int64_t file) {
  return (int64_t)(ends[file] - (file > 0 ? ends[file - 1] : 0));
}

static FileVersion version_of_file(const Reading *reading, int64_t file) {
  return read_version(STRING_ELT(reading->versions, (R_xlen_t)file));
}

/* Close a file that is not the one that was indexed. */
static void forget(const Reading *reading, int64_t file) {
  close_one(reading->files.descriptors + file);
  SET_VECTOR_ELT(reading->files.indices, (R_xlen_t)file, R_NilValue);
}

NORET static void refuse_changed(const Reading *reading, int64_t file) {
  forget(reading, file);
  Rf_errorcall(
      R_NilValue,
      "%s has changed since its lines were found (size, time of modification or inode). "
      "Make the sampler and the dataset anew.",
      text_of(reading->shown, (R_xlen_t)file)
  );
}

/* Refuse a path whose file is missing or has another version than the one that was indexed. */
static void check_path(const Reading *reading, int64_t file) {
  FileVersion wanted = version_of_file(reading, file), found;
  const char *path = text_of(reading->paths, (R_xlen_t)file);
  if (!version_of_path(path, &found) || !is_version(&found, &wanted)) refuse_changed(reading, file);
}

/* Open a file unless it is open; return whether it is open. */
static bool open_text(Reading *reading, int64_t file) {
  int *descriptor = reading->files.descriptors + file;
  if (*descriptor >= 0) return true;
  *descriptor = open_to_read(text_of(reading->paths, (R_xlen_t)file));
  if (*descriptor < 0) return false;
  FileVersion wanted = version_of_file(reading, file), found;
  if (!version_of_descriptor(*descriptor, &found) || !is_version(&found, &wanted)) refuse_changed(reading, file);
  return true;
}

/* Read the index of an open file unless it was read; return whether it is whole. */
static bool open_index(Reading *reading, int64_t file) {
  if (VECTOR_ELT(reading->files.indices, (R_xlen_t)file) != R_NilValue) return true;
  SEXP index = VECTOR_ELT(reading->indices, (R_xlen_t)file);
  IndexedText text = {.version = version_of_file(reading, file)};
  text.hash = hash_of_ends(reading->files.descriptors[file], text.version.size);
  if (TYPEOF(index) == STRSXP && Rf_xlength(index) == 1) {
    index = read_index_at(text_of(index, 0), &text);
  } else if (TYPEOF(index) != RAWSXP) {
    refuse_kind(index, "index", "be a path or bytes");
  } else if (!is_index_of(RAW(index), Rf_xlength(index), &text)) {
    index = R_NilValue;
  }
  if (index == R_NilValue) return false;
  if (lines_of_index(index) != lines_of_file(reading->ends, file)) {
    refuse("ends", "be those of the lines of each file", "others");
  }
  SET_VECTOR_ELT(reading->files.indices, (R_xlen_t)file, index);
  return true;
}

/* Open a file and its index. If that fails, too many files may be open: then close the others and try again. */
static bool open_both(Reading *reading, int64_t file) {
  if (open_text(reading, file) && open_index(reading, file)) return true;
  close_all(reading->files);
  if (!open_text(reading, file)) {
    check_path(reading, file);
    Rf_errorcall(R_NilValue, "%s cannot be read.", text_of(reading->shown, (R_xlen_t)file));
  }
  return open_index(reading, file);
}

/* Read the line of a position into the result. */
static void read_line(Reading *reading, int64_t file, int64_t place) {
  const char *shown = text_of(reading->shown, (R_xlen_t)file);
  int64_t line = reading->lines[place];
  const uint8_t *bounds = RAW(VECTOR_ELT(reading->files.indices, (R_xlen_t)file)) + INDEX_HEAD_SIZE;
  int64_t begin = (int64_t)read_index_number(bounds + line * INDEX_NUMBER_SIZE);
  int64_t size = (int64_t)read_index_number(bounds + (line + 1) * INDEX_NUMBER_SIZE) - begin;
  double number = (double)line + 1;
  if (size > LARGEST_COUNT) {
    Rf_errorcall(R_NilValue, "%s, line %.0f, has no size that text in R can have.", shown, number);
  }
  if ((size_t)size > reading->buffer_size) {
    reading->buffer_size = 2 * (size_t)size;
    reading->buffer = R_alloc(reading->buffer_size, 1);
  }
  if (read_at(reading->files.descriptors[file], reading->buffer, (size_t)size, begin) != size) {
    forget(reading, file);
    const char *form = "%s became shorter while it was read: line %.0f is not there any more.";
    Rf_errorcall(R_NilValue, form, shown, number);
  }
  int64_t length = line_length((const uint8_t *)reading->buffer, size);
  if (length > 0 && memchr(reading->buffer, 0, (size_t)length) != NULL) {
    check_path(reading, file);
    Rf_errorcall(R_NilValue, "%s, line %.0f, has a zero byte, which text in R cannot have.", shown, number);
  }
  SET_STRING_ELT(reading->result, (R_xlen_t)place, Rf_mkCharLenCE(reading->buffer, (int)length, CE_UTF8));
}

/* Find the file of each position, from 1 over all files, and the line in it; refuse positions that do not exist. */
static void find_files(SEXP ends, SEXP positions, int64_t *files, int64_t *lines) {
  const double *last = REAL(ends);
  int64_t n_files = Rf_xlength(ends);
  for (R_xlen_t i = 0; i < Rf_xlength(positions); i++) {
    double position = TYPEOF(positions) == INTSXP ? INTEGER(positions)[i] : REAL(positions)[i];
    if (!(position >= 1 && position <= last[n_files - 1] && position == (double)(int64_t)position)) {
      refuse("positions", "be positions of lines, from 1", "others");
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

/* Sort the places of the positions by file: return them, and the beginning of those of each file. */
static const int64_t *sort_by_file(const int64_t *files, int64_t count, int64_t n_files, const int64_t **offsets) {
  size_t n_numbers = (size_t)count + 2 * (size_t)n_files + 1;
  int64_t *order = (int64_t *)(void *)R_alloc(n_numbers, sizeof(int64_t));
  int64_t *begins = order + count;
  int64_t *cursors = begins + n_files + 1;
  memset(begins, 0, ((size_t)n_files + 1) * sizeof(int64_t));
  count_members(files, count, begins);
  begin_groups(n_files, begins, cursors);
  place_members(files, count, cursors, order);
  *offsets = begins;
  return order;
}

static void check_files(SEXP paths, SEXP shown, SEXP versions, SEXP indices, SEXP ends) {
  R_xlen_t n_files = Rf_xlength(paths);
  if (TYPEOF(paths) != STRSXP || n_files < 1) refuse_kind(paths, "paths", "be paths");
  if (TYPEOF(shown) != STRSXP || Rf_xlength(shown) != n_files) {
    refuse_kind(shown, "shown", "be text, one for each file");
  }
  if (TYPEOF(versions) != STRSXP || Rf_xlength(versions) != n_files) {
    refuse_kind(versions, "versions", "be text, one for each file");
  }
  if (TYPEOF(indices) != VECSXP || Rf_xlength(indices) != n_files) {
    refuse_kind(indices, "indices", "be a list, with one for each file");
  }
  if (TYPEOF(ends) != REALSXP || Rf_xlength(ends) != n_files) {
    refuse_kind(ends, "ends", "be doubles, one for each file");
  }
}

SEXP C_read_lines(
    SEXP paths, SEXP shown, SEXP versions, SEXP indices, SEXP ends, SEXP pointer, SEXP positions
) {
  check_files(paths, shown, versions, indices, ends);
  if (TYPEOF(positions) != INTSXP && TYPEOF(positions) != REALSXP) {
    refuse_kind(positions, "positions", "be numbers");
  }
  R_xlen_t n_files = Rf_xlength(paths);
  R_xlen_t count = Rf_xlength(positions);
  int64_t *files = (int64_t *)(void *)R_alloc(2 * (size_t)count, sizeof(int64_t));
  int64_t *lines = files + count;
  const int64_t *offsets;
  find_files(ends, positions, files, lines);
  const int64_t *order = sort_by_file(files, count, n_files, &offsets);
  Reading reading = {
      .paths = paths, .shown = shown, .versions = versions, .indices = indices, .ends = REAL(ends), .lines = lines
  };
  reading.files = read_handles(pointer, n_files);
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
    check_path(&reading, file); /* afterwards: what was read before a change is valid */
  }
  UNPROTECT(1);
  return reading.result;
}

/* Words --------------------------------------------------------------------------------------------------------- */

/* Return list(counts, line): the words of the lines that end in a block of a text, and the line in which it ends, three
 * integers, for the next call. For the first block, `line` is NULL.
 */
SEXP C_count_words(SEXP block, SEXP line) {
  if (TYPEOF(block) != RAWSXP) refuse_kind(block, "block", "be bytes");
  LineWords words = {0};
  if (line != R_NilValue) {
    if (TYPEOF(line) != INTSXP || Rf_xlength(line) != 3) refuse_kind(line, "line", "be three integers");
    words = (LineWords){INTEGER(line)[0], INTEGER(line)[1] != 0, INTEGER(line)[2] != 0};
  }
  int64_t size = Rf_xlength(block);
  const char *names[] = {"counts", "line", ""};
  SEXP result = PROTECT(Rf_mkNamed(VECSXP, names));
  SEXP counts = Rf_allocVector(INTSXP, (R_xlen_t)count_line_ends(RAW(block), size));
  SET_VECTOR_ELT(result, 0, counts);
  count_words(RAW(block), size, &words, INTEGER(counts));
  SEXP after = Rf_allocVector(INTSXP, 3);
  SET_VECTOR_ELT(result, 1, after);
  INTEGER(after)[0] = words.words;
  INTEGER(after)[1] = words.is_in_word;
  INTEGER(after)[2] = words.has_begun;
  UNPROTECT(1);
  return result;
}
