/* Files that are read at 64-bit positions, the kind of file at a path, and locks. The only code that calls the system.
 *
 * A descriptor is below 0 if the file cannot be opened.
 */

#ifndef RBRIDGE_FILES_H
#define RBRIDGE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What changes if a file is replaced or written to. */
typedef struct {
  int64_t size;
  int64_t modified; /* modification time in nanoseconds */
  uint64_t inode;   /* 0 on Windows */
} FileVersion;

/* Open a regular file; anything else cannot be opened. It never blocks, as opening a FIFO by default does. */
int open_to_read(const char *path);
void close_file(int descriptor);

/* Read bytes from a position on; return the number of bytes read. */
int64_t read_at(int descriptor, void *bytes, size_t size, int64_t place);

/* Return whether the version of an open file could be determined. */
bool version_of_descriptor(int descriptor, FileVersion *version);

/* Return whether a file exists, and its version. */
bool version_of_path(const char *path, FileVersion *version);

/* Return the kind of file at a path, for messages; NULL if there is nothing. */
const char *kind_of_path(const char *path);

/* Lock an open file against other processes until it is closed, which also happens if the process is killed; return
 * whether that was possible. On Windows it always succeeds and does nothing: no open file can be deleted there.
 */
bool lock_file(int descriptor);

/* Wait until the content of an open file is on its disk; return whether it is. On Windows it does nothing, since a file
 * must be open for writing there.
 */
bool sync_file(int descriptor);

#endif
