#ifndef CMEMORYFILE_H
#define CMEMORYFILE_H

// An anonymous file that is closed in child processes: in memory on Linux, an unlinked temporary file elsewhere. Returns
// the descriptor, or -1 with errno set. Swift cannot see memfd_create, which needs _GNU_SOURCE.
int memory_file(const char *name);

#endif
