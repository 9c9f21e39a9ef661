// SPDX-License-Identifier: Apache-2.0
// Preloaded, it makes every file system one that locks no files: as Lustre without -o flock
// (ENOSYS), or with $NO_LOCKS_ERRNO as NFS without its daemon (ENOLCK).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>

static int refuse(void) {
  const char* error = getenv("NO_LOCKS_ERRNO");
  errno = error != NULL ? atoi(error) : ENOSYS;
  return -1;
}

int flock(int file, int operation) {
  (void)file;
  (void)operation;
  return refuse();
}

static int control(const char* name, int file, int command, void* argument) {
  int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
  switch (command) {
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
      return refuse();
    default:
      return real(file, command, argument);
  }
}

#define CONTROL(NAME)                               \
  int NAME(int file, int command, ...) {            \
    va_list all;                                    \
    va_start(all, command);                         \
    void* argument = va_arg(all, void*);            \
    va_end(all);                                    \
    return control(#NAME, file, command, argument); \
  }
CONTROL(fcntl)
CONTROL(fcntl64)
