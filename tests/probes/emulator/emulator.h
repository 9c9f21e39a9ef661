// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

/// CUDA's execution model on one CPU thread, to prove kernels where there is no GPU: blocks one
/// after the other, a block's threads in turns, each until it must wait for others. What hardware
/// leaves undefined is made to show: threads take turns in an order drawn from a seed, memory that
/// nobody wrote holds 0xFF bytes (not a number), copies land as late as they may.
namespace emulator {

struct Size3 {
  unsigned x = 1, y = 1, z = 1;
};
struct Index3 {
  unsigned x = 0, y = 0, z = 0;
};
// Where the thread that runs now stands; cuda_runtime.h gives them CUDA's names.
inline Index3 thread_index, block_index;
inline Size3 block_size, grid_size;

/// What a kernel did that CUDA does not allow, with kernel, block and thread.
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// From now on threads and streams take turns in another order. Before it is called the order is
/// that of $EMULATOR_SEED, or of 1, and of the process's rank.
void set_seed(std::uint64_t seed);
/// The next number of that order.
std::uint64_t draw();

/// Runs `thread` as every thread of every block, now. Throws Fault.
void execute(const char* kernel, const Size3& blocks, unsigned threads, std::size_t shared_bytes,
             const std::function<void()>& thread);

// What follows is called by a kernel's threads.

/// __syncthreads(): a Fault where a thread of the block ends without it.
void barrier();

/// All lanes of `mask` wait for each other, then `work` runs once with each lane's `own`, null for
/// lanes that take no part. A Fault where one of them never comes, or comes for something else.
using Work = void (*)(void* const* lanes);
void together(unsigned mask, const char* name, void* own, Work work);

/// The block's dynamic shared memory.
void* shared_memory();
/// A Fault unless the bytes lie in it, aligned; `what` asks.
void require_shared(const void* first, std::size_t bytes, std::size_t alignment, const char* what);
/// A Fault unless aligned.
void require_aligned(const void* address, std::size_t alignment, const char* what);

/// Copies `valid` of 16 bytes to shared memory, zeros for the rest. Until the wait that it lands in
/// the 16 bytes are poison.
void copy_async(void* shared, const void* global, int valid);
void commit_copies();
/// Lands all but the last `pending` commits of this thread.
void wait_copies(int pending);

/// Ends the launch by a Fault.
[[noreturn]] void fail(std::string what);

// The device's memory: between guards, poison until it is written. The host's, where it is pinned.

struct Allocation {
  char* first;
  std::size_t bytes;
  bool is_pinned;

  bool contains(const void* address, std::size_t count) const {
    const auto* begin = static_cast<const char*>(address);
    return begin >= first && count <= bytes && begin - first <= std::ptrdiff_t(bytes - count);
  }
};
void* allocate(std::size_t bytes, bool is_pinned = false);
/// That in which the address lies, or null.
const Allocation* find_allocation(const void* address);
/// False where the pointer is unknown or its guards were written to.
bool release(void* pointer);

}  // namespace emulator
