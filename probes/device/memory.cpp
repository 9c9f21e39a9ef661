// SPDX-License-Identifier: Apache-2.0
#include "probes/device/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "probes/common/error.h"
#include "probes/common/text.h"
#include "probes/device/job_memory.h"

namespace pippin::probes {

namespace {

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0); }

[[noreturn]] void out_of_memory(std::uint64_t bytes, std::uint64_t allocated, std::uint64_t limit) {
  throw Error(
      ExitCode::kOutOfMemory,
      text("out of memory (std::bad_alloc): tried to allocate %.2f MiB, %.2f MiB allocated, "
           "limit %.2f MiB; try a smaller --mbs or --recompute full",
           mib(bytes), mib(allocated), mib(limit)));
}

}  // namespace

void Memory::require_room(std::uint64_t bytes) const {
  const std::uint64_t top = std::min<std::uint64_t>(limit_, PTRDIFF_MAX);
  if (bytes > top - std::min(top, allocated_)) out_of_memory(bytes, allocated_, limit_);
}

void* Memory::allocate(std::uint64_t bytes) {
  require_room(bytes);  // so that what follows cannot overflow
  const std::uint64_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  require_room(whole);
  void* block = std::aligned_alloc(kAlignment, whole);
  if (!block) out_of_memory(bytes, allocated_, limit_);
  std::memset(block, 0, whole);
  count(whole);
  return block;
}

void Memory::release(void* block, std::uint64_t bytes) {
  std::free(block);
  discount((bytes + kAlignment - 1) / kAlignment * kAlignment);
}

void Memory::count(std::uint64_t bytes) {
  allocated_ += bytes;
  max_allocated_ = std::max(max_allocated_, allocated_);
}

std::uint64_t bytes_of(std::initializer_list<std::int64_t> sizes, std::size_t element) {
  std::uint64_t bytes = element;
  for (const std::int64_t size : sizes) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes))
      throw Error(ExitCode::kOutOfMemory,
                  "out of memory (std::bad_alloc): a tensor of this model exceeds 2^64 bytes");
  }
  return bytes;
}

std::uint64_t free_bytes() {
  // "MemAvailable:   12345678 kB", Linux's own estimate without swapping: proc(5).
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("MemAvailable:"))
      return std::min<std::uint64_t>(std::stoull(line.substr(13)) * 1024, job_bytes());
  }
  return job_bytes();
}

}  // namespace pippin::probes
