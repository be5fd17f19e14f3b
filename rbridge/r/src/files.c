/* What R does not know of files: their kind. */

#if !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* strict C has no sockets */
#endif

#include <sys/stat.h>
#include <sys/types.h>

#include "routines.h"

#ifdef _WIN32
typedef struct _stat64 Status;

static int find_status(const char *path, Status *status) { return _stat64(path, status); }

static const char *kind_of_mode(int mode) {
  if ((mode & _S_IFMT) == _S_IFREG) return "regular file";
  return (mode & _S_IFMT) == _S_IFDIR ? "folder" : "device";
}
#else
typedef struct stat Status;

static int find_status(const char *path, Status *status) { return stat(path, status); }

static const char *kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return "regular file";
  if (S_ISDIR(mode)) return "folder";
  if (S_ISFIFO(mode)) return "FIFO";
  return S_ISSOCK(mode) ? "socket" : "device";
}
#endif

SEXP C_file_kinds(SEXP paths) {
  SEXP result = PROTECT(Rf_allocVector(STRSXP, Rf_xlength(paths)));
  for (R_xlen_t i = 0; i < Rf_xlength(paths); i++) {
    Status status;
    int is_there = find_status(Rf_translateChar(STRING_ELT(paths, i)), &status) == 0;
    SET_STRING_ELT(result, i, is_there ? Rf_mkChar(kind_of_mode(status.st_mode)) : NA_STRING);
  }
  UNPROTECT(1);
  return result;
}
