// SPDX-License-Identifier: Apache-2.0
// Preloaded before a program it fails one of the calls by which that changes or reads files below
// its working directory, or asks SQLite: the n-th.
//
//   FAIL_PROGRAM  the name of the program, as others of a shell are left alone
//   FAIL_CALL     n, from 1; 0 fails none
//   FAIL_HOW      error: as a broken disk, a full one, or too little memory would
//                 less: reads and writes half of it, as calls may
//                 kill: the process, just before the call
//   FAIL_LIST     a file for the name of each call, a line each
//
// Programs that it starts are left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum How { kError, kLess, kKill };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool active = false;
static long call_to_fail = 0, calls = 0;
static enum How how = kError;
static int list = -1;
static char folder[PATH_MAX];

#define REAL(name)                      \
  static __typeof__(name)* real = NULL; \
  if (!real) real = (__typeof__(name)*)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char* program = getenv("FAIL_PROGRAM");
  char self[PATH_MAX] = "";
  if (!program || readlink("/proc/self/exe", self, sizeof self - 1) < 0) return;
  if (strcmp(self, program) != 0 || !getcwd(folder, sizeof folder)) return;
  const char *number = getenv("FAIL_CALL"), *kind = getenv("FAIL_HOW"), *file = getenv("FAIL_LIST");
  call_to_fail = number ? atol(number) : 0;
  how = kind && strcmp(kind, "kill") == 0   ? kKill
        : kind && strcmp(kind, "less") == 0 ? kLess
                                            : kError;
  if (file) list = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  unsetenv("LD_PRELOAD");
  unsetenv("FAIL_PROGRAM");
  active = true;
}

static bool is_below(const char* path) {
  const size_t length = strlen(folder);
  return path[0] != '/' || (strncmp(path, folder, length) == 0 && path[length] == '/');
}

static bool is_ours(int descriptor) {
  char link[64], path[PATH_MAX];
  if (!active || descriptor <= STDERR_FILENO || descriptor == list) return false;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  return path[0] == '/' && is_below(path);
}

// Whether this is the call to fail; `can_be_less` says that it can do half of what it is asked.
static bool is_to_fail(const char* name, bool can_be_less) {
  const int kept = errno;
  pthread_mutex_lock(&lock);
  const bool chosen = ++calls == call_to_fail;
  if (list >= 0) {
    char line[64];
    const int length = snprintf(line, sizeof line, "%s\n", name);
    ssize_t (*real)(int, const void*, size_t) = (__typeof__(real))dlsym(RTLD_NEXT, "write");
    if (real(list, line, (size_t)length) != length) abort();
  }
  pthread_mutex_unlock(&lock);
  errno = kept;
  if (chosen && how == kKill) kill(getpid(), SIGKILL);
  return chosen && (how == kError || can_be_less);
}

#define PATH_CALL(result, name, parameters, arguments, path, error) \
  result name parameters {                                          \
    REAL(name);                                                     \
    if (active && is_below(path) && is_to_fail(#name, false)) {     \
      errno = error;                                                \
      return -1;                                                    \
    }                                                               \
    return real arguments;                                          \
  }

#define FILE_CALL(result, name, parameters, arguments, descriptor, error) \
  result name parameters {                                                \
    REAL(name);                                                           \
    if (is_ours(descriptor) && is_to_fail(#name, false)) {                \
      errno = error;                                                      \
      return -1;                                                          \
    }                                                                     \
    return real arguments;                                                \
  }

#define BYTES_CALL(name, parameters, bytes, whole, half, error)               \
  ssize_t name parameters {                                                   \
    REAL(name);                                                               \
    if (!is_ours(file) || !is_to_fail(#name, (bytes) > 1)) return real whole; \
    if (how == kLess) return real half;                                       \
    errno = error;                                                            \
    return -1;                                                                \
  }

PATH_CALL(int, rename, (const char* from, const char* to), (from, to), to, EIO)
PATH_CALL(int, renameat2,
          (int from_folder, const char* from, int to_folder, const char* to, unsigned flags),
          (from_folder, from, to_folder, to, flags), to, EIO)
PATH_CALL(int, link, (const char* from, const char* to), (from, to), to, ENOSPC)
PATH_CALL(int, symlink, (const char* from, const char* to), (from, to), to, ENOSPC)
PATH_CALL(int, unlink, (const char* path), (path), path, EIO)
PATH_CALL(int, unlinkat, (int at, const char* path, int flags), (at, path, flags), path, EIO)
PATH_CALL(int, rmdir, (const char* path), (path), path, EIO)
PATH_CALL(int, mkdir, (const char* path, mode_t mode), (path, mode), path, ENOSPC)
PATH_CALL(int, chmod, (const char* path, mode_t mode), (path, mode), path, EIO)

// No power is cut here: what waits for a disk only takes time.
#define SYNC_CALL(name)                      \
  int name(int file) {                       \
    REAL(name);                              \
    if (!is_ours(file)) return real(file);   \
    if (!is_to_fail(#name, false)) return 0; \
    errno = EIO;                             \
    return -1;                               \
  }

SYNC_CALL(fsync)
SYNC_CALL(fdatasync)
FILE_CALL(int, ftruncate, (int file, off_t size), (file, size), file, EIO)
FILE_CALL(int, ftruncate64, (int file, off64_t size), (file, size), file, EIO)
FILE_CALL(int, fchmod, (int file, mode_t mode), (file, mode), file, EPERM)
FILE_CALL(int, fchown, (int file, uid_t user, gid_t group), (file, user, group), file, EPERM)
FILE_CALL(int, flock, (int file, int operation), (file, operation), file, ENOLCK)

BYTES_CALL(write, (int file, const void* from, size_t bytes), bytes, (file, from, bytes),
           (file, from, bytes / 2), ENOSPC)
BYTES_CALL(pwrite, (int file, const void* from, size_t bytes, off_t at), bytes,
           (file, from, bytes, at), (file, from, bytes / 2, at), ENOSPC)
BYTES_CALL(pwrite64, (int file, const void* from, size_t bytes, off64_t at), bytes,
           (file, from, bytes, at), (file, from, bytes / 2, at), ENOSPC)
BYTES_CALL(read, (int file, void* to, size_t bytes), bytes, (file, to, bytes),
           (file, to, bytes / 2), EIO)
BYTES_CALL(pread, (int file, void* to, size_t bytes, off_t at), bytes, (file, to, bytes, at),
           (file, to, bytes / 2, at), EIO)
BYTES_CALL(pread64, (int file, void* to, size_t bytes, off64_t at), bytes, (file, to, bytes, at),
           (file, to, bytes / 2, at), EIO)
BYTES_CALL(writev, (int file, const struct iovec* parts, int count), count, (file, parts, count),
           (file, parts, count / 2), ENOSPC)

// Closing what was written may be the first to say that it could not be.
int close(int file) {
  REAL(close);
  const bool written = is_ours(file) && (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY;
  if (!written || !is_to_fail("close", false)) return real(file);
  real(file);
  errno = EIO;
  return -1;
}

static bool open_is_to_fail(const char* path, int flags) {
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
  if (!active || !is_below(path) || !is_to_fail(writes ? "open to write" : "open", false))
    return false;
  errno = writes ? ENOSPC : EMFILE;
  return true;
}

#define OPEN_CALL(name, parameters, arguments)   \
  int name parameters {                          \
    REAL(name);                                  \
    mode_t mode = 0;                             \
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) {  \
      va_list more;                              \
      va_start(more, flags);                     \
      mode = va_arg(more, mode_t);               \
      va_end(more);                              \
    }                                            \
    if (open_is_to_fail(path, flags)) return -1; \
    return real arguments;                       \
  }

OPEN_CALL(open, (const char* path, int flags, ...), (path, flags, mode))
OPEN_CALL(open64, (const char* path, int flags, ...), (path, flags, mode))
OPEN_CALL(openat, (int at, const char* path, int flags, ...), (at, path, flags, mode))
OPEN_CALL(openat64, (int at, const char* path, int flags, ...), (at, path, flags, mode))

// Calls of SQLite that may fail before they come to a file. Source: sqlite.org/rescode.html
enum { kNoMemory = 7, kInOutError = 10 };

// Its calls of itself do not fail so: it would know the reason.
static bool is_from_sqlite(void* caller) {
  Dl_info who;
  return dladdr(caller, &who) && who.dli_fname && strstr(who.dli_fname, "libsqlite3");
}

#define SQLITE_CALL(name, parameters, arguments, error)                                     \
  int name parameters {                                                                     \
    static int(*real) parameters = NULL;                                                    \
    if (!real) real = (int(*) parameters)dlsym(RTLD_NEXT, #name);                           \
    if (active && !is_from_sqlite(__builtin_return_address(0)) && is_to_fail(#name, false)) \
      return error;                                                                         \
    return real arguments;                                                                  \
  }

SQLITE_CALL(sqlite3_step, (void* statement), (statement), kInOutError)
SQLITE_CALL(sqlite3_exec, (void* base, const char* sql, void* call, void* with, char** text),
            (base, sql, call, with, text), kInOutError)
SQLITE_CALL(sqlite3_prepare_v3,
            (void* base, const char* sql, int bytes, unsigned flags, void** to, const char** tail),
            (base, sql, bytes, flags, to, tail), kNoMemory)
SQLITE_CALL(sqlite3_bind_int64, (void* statement, int at, long long value), (statement, at, value),
            kNoMemory)
SQLITE_CALL(sqlite3_bind_double, (void* statement, int at, double value), (statement, at, value),
            kNoMemory)
SQLITE_CALL(sqlite3_bind_text64,
            (void* statement, int at, const char* text, unsigned long long bytes,
             void (*done)(void*), unsigned char code),
            (statement, at, text, bytes, done, code), kNoMemory)
SQLITE_CALL(sqlite3_bind_blob64,
            (void* statement, int at, const void* from, unsigned long long bytes,
             void (*done)(void*)),
            (statement, at, from, bytes, done), kNoMemory)
SQLITE_CALL(sqlite3_bind_null, (void* statement, int at), (statement, at), kNoMemory)
