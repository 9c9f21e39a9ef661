// SPDX-License-Identifier: Apache-2.0
#include "fiber.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulator {

namespace {

constexpr std::size_t kStackBytes = 256 * 1024;  // taken from the machine only as far as it is used

std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// A stack below which lies a page that nobody may touch.
char* new_stack() {
  void* memory =
      mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, page(), PROT_NONE);
  return static_cast<char*>(memory);
}

// AddressSanitizer must be told of every change of stacks, and of flows that were given up.
#ifdef __SANITIZE_ADDRESS__
void forget(const char* stack) {
  __asan_unpoison_memory_region(stack + page(), kStackBytes - page());
}
const void* home_bottom = nullptr;
std::size_t home_bytes = 0;
void before_resume(void** fake, const char* stack) {
  __sanitizer_start_switch_fiber(fake, stack, kStackBytes);
}
void after_resume(void* fake) { __sanitizer_finish_switch_fiber(fake, nullptr, nullptr); }
void before_leave(void** fake) { __sanitizer_start_switch_fiber(fake, home_bottom, home_bytes); }
void after_leave(void* fake) { __sanitizer_finish_switch_fiber(fake, &home_bottom, &home_bytes); }
#else
void forget(const char*) {}
void before_resume(void**, const char*) {}
void after_resume(void*) {}
void before_leave(void**) {}
void after_leave(void*) {}
#endif

void (*first_entry)() = nullptr;

void begin() {
  after_leave(nullptr);
  first_entry();
}

}  // namespace

#if defined(__x86_64__)

// Saves what a callee must keep, by the System V ABI, and goes on with another stack: glibc's
// swapcontext() would call the kernel every time.
extern "C" void emulator_switch_stack(void** saved, void* next);
asm(R"(
.text
.globl emulator_switch_stack
.type emulator_switch_stack, @function
emulator_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulator_switch_stack, . - emulator_switch_stack
)");

namespace {
void* home = nullptr;
}

Fiber::~Fiber() {
  if (stack_) munmap(stack_, kStackBytes);
}

void Fiber::restart(void (*entry)()) {
  if (!stack_) stack_ = new_stack();
  forget(stack_);
  first_entry = entry;
  // Six registers, where to return to, and one word more, as if begin() had been called.
  auto* top = reinterpret_cast<std::uintptr_t*>(stack_ + kStackBytes) - 8;
  for (int i = 0; i < 8; ++i) top[i] = 0;
  top[6] = reinterpret_cast<std::uintptr_t>(&begin);
  context_ = top;
}

void Fiber::resume() {
  void* fake = nullptr;
  before_resume(&fake, stack_);
  emulator_switch_stack(&home, context_);
  after_resume(fake);
}

void Fiber::leave() {
  void* fake = nullptr;
  before_leave(&fake);
  emulator_switch_stack(&context_, home);
  after_leave(fake);
}

#else

namespace {
ucontext_t home;
}

Fiber::~Fiber() {
  if (stack_) munmap(stack_, kStackBytes);
  delete static_cast<ucontext_t*>(context_);
}

void Fiber::restart(void (*entry)()) {
  if (!stack_) {
    stack_ = new_stack();
    context_ = new ucontext_t;
  }
  forget(stack_);
  first_entry = entry;
  auto* context = static_cast<ucontext_t*>(context_);
  getcontext(context);
  context->uc_stack.ss_sp = stack_;
  context->uc_stack.ss_size = kStackBytes;
  context->uc_link = nullptr;
  makecontext(context, &begin, 0);
}

void Fiber::resume() {
  void* fake = nullptr;
  before_resume(&fake, stack_);
  swapcontext(&home, static_cast<ucontext_t*>(context_));
  after_resume(fake);
}

void Fiber::leave() {
  void* fake = nullptr;
  before_leave(&fake);
  swapcontext(static_cast<ucontext_t*>(context_), &home);
  after_leave(fake);
}

#endif

}  // namespace emulator
