/* What R does not know of files: their kind, and whether what was written has reached the disk. */

#if !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* strict C has no fsync() and no sockets */
#endif

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "arguments.h"
#include "routines.h"

#ifdef _WIN32
#include <io.h>

typedef struct _stat64 Status;

static bool find_status(const char *path, Status *status) { return _stat64(path, status) == 0; }

static const char *kind_of_mode(int mode) {
  if ((mode & _S_IFMT) == _S_IFREG) return "regular file";
  return (mode & _S_IFMT) == _S_IFDIR ? "folder" : "device";
}

static bool sync_file(const char *path) {
  (void)path;
  return true;
}

#else
#include <unistd.h>

typedef struct stat Status;

static bool find_status(const char *path, Status *status) { return stat(path, status) == 0; }

static const char *kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return "regular file";
  if (S_ISDIR(mode)) return "folder";
  if (S_ISFIFO(mode)) return "FIFO";
  return S_ISSOCK(mode) ? "socket" : "device";
}

static bool sync_file(const char *path) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  bool is_synced = fsync(descriptor) == 0;
  close(descriptor);
  return is_synced;
}

#endif

SEXP C_file_kinds(SEXP paths) {
  if (TYPEOF(paths) != STRSXP) refuse_kind(paths, "paths", "be text");
  SEXP result = PROTECT(Rf_allocVector(STRSXP, Rf_xlength(paths)));
  for (R_xlen_t i = 0; i < Rf_xlength(paths); i++) {
    Status status;
    bool is_there = find_status(Rf_translateChar(STRING_ELT(paths, i)), &status);
    SET_STRING_ELT(result, i, is_there ? Rf_mkChar(kind_of_mode(status.st_mode)) : NA_STRING);
  }
  UNPROTECT(1);
  return result;
}

SEXP C_sync_file(SEXP path) {
  if (TYPEOF(path) != STRSXP || Rf_xlength(path) != 1) refuse_kind(path, "path", "be a path");
  return Rf_ScalarLogical(sync_file(Rf_translateChar(STRING_ELT(path, 0))));
}
