// What a job's script asks of mkdir and sync for each run, at a third of their price: an array has
// thousands of tasks. The start of a C library would cost more than what is done here, so there is
// none.
//
//   job-files make FOLDER    whose parent's parent is there; its own parent may be missing
//   job-files sync FILE...
//
// Exit 0: done; 1: not done, or it was there: ask mkdir or sync, which say why.

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>

namespace {

long call(long number, long first, long second = 0, long third = 0) {
#if defined(__x86_64__)
  long result = number;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(first), "S"(second), "d"(third)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = first;
  register long x1 asm("x1") = second;
  register long x2 asm("x2") = third;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#else
#error "the calls of this processor are not known here"
#endif
}

long make(const char* folder) {
  return call(__NR_mkdirat, AT_FDCWD, reinterpret_cast<long>(folder), 0777);
}

long make_with_parent(char* folder) {
  const long code = make(folder);
  if (code != -ENOENT) return code;
  char* slash = nullptr;
  for (char* at = folder + 1; *folder && *at; ++at)
    if (*at == '/') slash = at;
  if (!slash) return code;
  *slash = 0;
  make(folder);
  *slash = '/';
  return make(folder);
}

long sync(const char* file) {
  const long descriptor =
      call(__NR_openat, AT_FDCWD, reinterpret_cast<long>(file), O_RDONLY | O_NONBLOCK);
  if (descriptor < 0) return descriptor;
  const long code = call(__NR_fsync, descriptor);
  call(__NR_close, descriptor);
  return code;
}

bool is_word(const char* a, const char* b) {
  while (*a && *a == *b) ++a, ++b;
  return *a == *b;
}

bool done(long count, char** words) {
  if (count == 3 && is_word(words[1], "make")) return make_with_parent(words[2]) == 0;
  if (count < 3 || !is_word(words[1], "sync")) return false;
  long i = 2;
  while (i < count && sync(words[i]) == 0) ++i;
  return i == count;
}

}  // namespace

extern "C" [[gnu::used]] void start(long* stack) {
  call(__NR_exit_group, done(*stack, reinterpret_cast<char**>(stack + 1)) ? 0 : 1);
}

#if defined(__x86_64__)
asm(".text\n.globl _start\n_start: mov %rsp, %rdi\nand $-16, %rsp\ncall start\n");
#elif defined(__aarch64__)
asm(".text\n.globl _start\n_start: mov x0, sp\nbl start\n");
#endif
