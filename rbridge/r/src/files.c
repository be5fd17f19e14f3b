/* Files, with the functions of POSIX or those of Windows; the header has their contracts. */

#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#if !defined(_WIN32) && !defined(__APPLE__) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* strict C has no pread(), no flock() and no file times below a second */
#endif

#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

static const char regular[] = "regular file";

#ifdef _WIN32

#include <io.h>
#include <stdio.h>

typedef struct _stat64 Status;

static int status_of_descriptor(int descriptor, Status *status) { return _fstat64(descriptor, status); }
static int status_of_path(const char *path, Status *status) { return _stat64(path, status); }
static int64_t nanoseconds_of(const Status *status) { return (int64_t)status->st_mtime * 1000000000; }

static const char *kind_of_mode(int mode) {
  switch (mode & _S_IFMT) {
    case _S_IFREG: return regular;
    case _S_IFDIR: return "folder";
    case _S_IFIFO: return "FIFO";
    default: return "device";
  }
}

static int open_at_once(const char *path) { return _open(path, _O_RDONLY | _O_BINARY); }

bool lock_file(int descriptor) { return descriptor >= 0; }

bool sync_file(int descriptor) { return descriptor >= 0; }

void close_file(int descriptor) { _close(descriptor); }

static int64_t read_some(int descriptor, char *bytes, size_t size, int64_t place) {
  if (_lseeki64(descriptor, place, SEEK_SET) < 0) return -1;
  return _read(descriptor, bytes, size < (1u << 30) ? (unsigned int)size : 1u << 30);
}

#else

#include <errno.h>
#include <sys/file.h>
#include <unistd.h>

typedef struct stat Status;

static int status_of_descriptor(int descriptor, Status *status) { return fstat(descriptor, status); }
static int status_of_path(const char *path, Status *status) { return stat(path, status); }

static int64_t nanoseconds_of(const Status *status) {
#ifdef __APPLE__
  const struct timespec *modified = &status->st_mtimespec;
#else
  const struct timespec *modified = &status->st_mtim;
#endif
  return (int64_t)modified->tv_sec * 1000000000 + modified->tv_nsec;
}

static const char *kind_of_mode(mode_t mode) {
  if (S_ISREG(mode)) return regular;
  if (S_ISDIR(mode)) return "folder";
  if (S_ISFIFO(mode)) return "FIFO";
  return S_ISSOCK(mode) ? "socket" : "device";
}

static int open_at_once(const char *path) { return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); }

bool lock_file(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

bool sync_file(int descriptor) { return fsync(descriptor) == 0; }

void close_file(int descriptor) { close(descriptor); }

/* No position is stored with the descriptor, so that processes that share it do not disturb each other. */
static int64_t read_some(int descriptor, char *bytes, size_t size, int64_t place) {
  ssize_t count;
  do {
    count = pread(descriptor, bytes, size, (off_t)place);
  } while (count < 0 && errno == EINTR);
  return count;
}

#endif

int open_to_read(const char *path) {
  Status status;
  int descriptor = open_at_once(path);
  if (descriptor < 0) return descriptor;
  if (status_of_descriptor(descriptor, &status) == 0 && kind_of_mode(status.st_mode) == regular) return descriptor;
  close_file(descriptor);
  return -1;
}

int64_t read_at(int descriptor, void *bytes, size_t size, int64_t place) {
  size_t done = 0;
  while (done < size) {
    int64_t count = read_some(descriptor, (char *)bytes + done, size - done, place + (int64_t)done);
    if (count <= 0) break;
    done += (size_t)count;
  }
  return (int64_t)done;
}

static void read_status(const Status *status, FileVersion *version) {
  version->size = (int64_t)status->st_size;
  version->modified = nanoseconds_of(status);
  version->inode = (uint64_t)status->st_ino;
}

bool version_of_descriptor(int descriptor, FileVersion *version) {
  Status status;
  if (status_of_descriptor(descriptor, &status) != 0) return false;
  read_status(&status, version);
  return true;
}

bool version_of_path(const char *path, FileVersion *version) {
  Status status;
  if (status_of_path(path, &status) != 0) return false;
  read_status(&status, version);
  return true;
}

const char *kind_of_path(const char *path) {
  Status status;
  return status_of_path(path, &status) == 0 ? kind_of_mode(status.st_mode) : NULL;
}
