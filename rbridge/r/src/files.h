/* Files that are read at places of 64 bits, what a path leads to, and locks. The only code that asks the system.
 *
 * A descriptor is below 0 if the file cannot be opened.
 */

#ifndef RBRIDGE_FILES_H
#define RBRIDGE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What changes if a file is replaced, or something is written to it. */
typedef struct {
  int64_t size;
  int64_t modified; /* when, in nanoseconds */
  uint64_t inode;   /* 0 on Windows */
} FileVersion;

/* Open a regular file; anything else cannot be opened. It never waits, as opening a FIFO by default does. */
int open_to_read(const char *path);
void close_file(int descriptor);

/* Read bytes from a place on; return how many were there. */
int64_t read_at(int descriptor, void *bytes, size_t size, int64_t place);

/* Return whether the version of an open file could be told. */
bool version_of_descriptor(int descriptor, FileVersion *version);

/* Return whether there is a file, and its version. */
bool version_of_path(const char *path, FileVersion *version);

/* Return what a path leads to, as messages call it; NULL if there is nothing. */
const char *kind_of_path(const char *path);

/* Lock an open file against other processes until it is closed, which a process that is killed does too; return whether
 * that was possible. On Windows it is always possible and does nothing: no open file can be deleted there.
 */
bool lock_file(int descriptor);

#endif
