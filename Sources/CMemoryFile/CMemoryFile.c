#define _GNU_SOURCE
#include "CMemoryFile.h"

#ifdef __linux__
#include <sys/mman.h>

int memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }
#else
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int memory_file(const char *name) {
    char path[] = "/tmp/afterword-XXXXXX";
    (void)name;
    int descriptor = mkstemp(path);
    if (descriptor < 0) return descriptor;
    unlink(path);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
}
#endif
