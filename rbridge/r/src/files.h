/* Files that are read at places of 64 bits, and which version of a file is there. The only code that asks the system.
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

int open_to_read(const char *path);
void close_file(int descriptor);

/* Read bytes from a place on; return how many were there. */
int64_t read_at(int descriptor, void *bytes, size_t size, int64_t place);

/* Return whether the version of an open file could be told. */
bool version_of_descriptor(int descriptor, FileVersion *version);

/* Return whether there is a file, and its version. */
bool version_of_path(const char *path, FileVersion *version);

#endif
