// SPDX-License-Identifier: Apache-2.0
#include "emulator.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "fiber.h"

namespace emulator {

namespace {

constexpr int kPoison = 0xFF, kGuard = 0xA5;
constexpr std::size_t kGuardBytes = 256, kAlignment = 256;  // cudaMalloc aligns to 256 bytes
constexpr unsigned kLanes = 32, kMostThreads = 1024;
constexpr std::size_t kMostShared = 227 * 1024;  // of a block on compute capability 9.0

struct Copy {
  char* to;
  const char* from;
  int valid;
};

enum class State { kReady, kAtBarrier, kTogether, kEnded };

struct Thread {
  Fiber fiber;
  State state = State::kReady;
  // What it waits for with other lanes.
  unsigned mask = 0;
  const char* collective = "";
  void* own = nullptr;
  std::vector<Copy> uncommitted;
  std::deque<std::vector<Copy>> committed;
};

/// The memory of a block, with a guard behind it.
struct Shared {
  std::vector<char> bytes = std::vector<char>(kMostShared + kGuardBytes + kAlignment);
  std::size_t size = 0;

  char* begin() {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + (kAlignment - address % kAlignment) % kAlignment;
  }
  void poison(std::size_t new_size) {
    size = new_size;
    std::memset(begin(), kPoison, size);
    std::memset(begin() + size, kGuard, kGuardBytes);
  }
};

bool guard_holds(const char* guard) {
  return std::all_of(guard, guard + kGuardBytes,
                     [](char byte) { return static_cast<unsigned char>(byte) == kGuard; });
}

bool has_guards(const Allocation& one) {
  return guard_holds(one.first - kGuardBytes) && guard_holds(one.first + one.bytes);
}

/// Each rank's own order.
std::uint64_t first_seed() {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* word = std::getenv(name);
    return word ? std::strtoull(word, nullptr, 10) : otherwise;
  };
  return number("EMULATOR_SEED", 1) * 1000 + number("RANK", number("OMPI_COMM_WORLD_RANK", 0));
}

std::uint64_t random_state_of(std::uint64_t seed) {
  return seed * 0x9E3779B97F4A7C15U + 0x1234567U;  // never 0 for the seeds of tests
}
std::uint64_t random_state = random_state_of(first_seed());

std::map<const char*, Allocation> allocations;

/// What runs now.
struct Run {
  const char* kernel = "no kernel";
  const std::function<void()>* body = nullptr;
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<unsigned> ready;
  unsigned count = 0, current = 0, at_barrier = 0, ended = 0;
  Shared shared;
  std::string fault;
};
Run run;

std::string place(unsigned thread) {
  return std::string("kernel '") + run.kernel + "', block (" + std::to_string(block_index.x) +
         ", " + std::to_string(block_index.y) + ", " + std::to_string(block_index.z) +
         "), thread " + std::to_string(thread);
}

Thread& current() { return *run.threads[run.current]; }

void make_ready(unsigned thread) {
  run.threads[thread]->state = State::kReady;
  run.ready.push_back(thread);
}

void thread_main() {
  (*run.body)();
  current().state = State::kEnded;
  ++run.ended;
  current().fiber.leave();
}

std::string doing(unsigned thread) {
  const Thread& t = *run.threads[thread];
  switch (t.state) {
    case State::kAtBarrier:
      return "waits in __syncthreads";
    case State::kTogether:
      return std::string("waits in ") + t.collective;
    case State::kEnded:
      return "has ended";
    default:
      return "runs";
  }
}

/// Nobody can go on: two threads that did different things show why.
[[noreturn]] void report_stuck() {
  unsigned waiting = 0;
  while (run.threads[waiting]->state == State::kEnded) ++waiting;
  // The other one is best looked for in the same warp.
  unsigned other = waiting;
  for (unsigned i = 0; i < run.count; ++i) {
    const unsigned thread = (waiting / kLanes * kLanes + i) % run.count;
    if (doing(thread) == doing(waiting)) continue;
    other = thread;
    break;
  }
  std::string text = place(waiting) + " " + doing(waiting) + " for ever";
  if (other != waiting) text += ", thread " + std::to_string(other) + " " + doing(other);
  throw Fault(text);
}

void release_barrier() {
  run.at_barrier = 0;
  for (unsigned i = 0; i < run.count; ++i) make_ready(i);
}

void take_turns() {
  while (run.ended < run.count) {
    if (run.ready.empty()) report_stuck();
    const std::size_t chosen = draw() % run.ready.size();
    run.current = run.ready[chosen];
    run.ready[chosen] = run.ready.back();
    run.ready.pop_back();
    thread_index.x = run.current;
    current().fiber.resume();
    if (!run.fault.empty()) throw Fault(run.fault);
    if (run.at_barrier == run.count) release_barrier();
  }
}

void check_guards() {
  if (!guard_holds(run.shared.begin() + run.shared.size))
    throw Fault(place(0) + " or another wrote behind the block's shared memory");
  for (const auto& [first, one] : allocations)
    if (!has_guards(one))
      throw Fault(place(0) + " or another wrote outside an allocation of " +
                  std::to_string(one.bytes) + " bytes");
}

void run_block(std::size_t shared_bytes) {
  run.shared.poison(shared_bytes);
  run.ready.clear();
  run.at_barrier = run.ended = 0;
  for (unsigned i = 0; i < run.count; ++i) {
    run.threads[i]->fiber.restart(&thread_main);
    run.threads[i]->uncommitted.clear();
    run.threads[i]->committed.clear();
    make_ready(i);
  }
  take_turns();
  check_guards();
}

/// What ends the run, however it ends.
struct Ending {
  ~Ending() {
    run.kernel = "no kernel";
    run.body = nullptr;
    run.fault.clear();
    thread_index = block_index = {};
  }
};

}  // namespace

void set_seed(std::uint64_t seed) {
  random_state = random_state_of(seed);
  for (int i = 0; i < 8; ++i) draw();
}

/// Source: Marsaglia 2003, xorshift64.
std::uint64_t draw() {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

void execute(const char* kernel, const Size3& blocks, unsigned threads, std::size_t shared_bytes,
             const std::function<void()>& thread) {
  const std::string name = std::string("kernel '") + kernel + "'";
  if (threads < 1 || threads > kMostThreads)
    throw Fault(name + " has blocks of " + std::to_string(threads) + " threads");
  if (shared_bytes > kMostShared)
    throw Fault(name + " asks for " + std::to_string(shared_bytes) + " bytes of shared memory");
  const Ending ending;
  run.kernel = kernel;
  run.body = &thread;
  run.count = threads;
  while (run.threads.size() < threads) run.threads.push_back(std::make_unique<Thread>());
  grid_size = blocks;
  block_size = {threads, 1, 1};
  for (unsigned z = 0; z < blocks.z; ++z)
    for (unsigned y = 0; y < blocks.y; ++y)
      for (unsigned x = 0; x < blocks.x; ++x) {
        block_index = {x, y, z};
        run_block(shared_bytes);
      }
}

void fail(std::string what) {
  if (!run.body) throw Fault(what);
  run.fault = place(run.current) + " " + what;
  std::string().swap(what);  // this stack is never unwound
  current().fiber.leave();
  std::abort();  // nobody resumes a thread that failed
}

void barrier() {
  current().state = State::kAtBarrier;
  ++run.at_barrier;
  current().fiber.leave();
}

void together(unsigned mask, const char* name, void* own, Work work) {
  const unsigned lane = run.current % kLanes, first = run.current - lane;
  if (!(mask >> lane & 1U)) fail(std::string("is not in its own mask of ") + name);
  Thread& self = current();
  self.mask = mask;
  self.collective = name;
  self.own = own;
  self.state = State::kTogether;
  void* lanes[kLanes] = {};
  bool all = true;
  for (unsigned i = 0; i < kLanes && all; ++i) {
    if (!(mask >> i & 1U)) continue;
    all = first + i < run.count && run.threads[first + i]->state == State::kTogether;
    if (!all) break;
    const Thread& other = *run.threads[first + i];
    if (other.mask != mask || std::strcmp(other.collective, name) != 0)
      fail(std::string("waits in ") + name + ", but thread " + std::to_string(first + i) + " in " +
           other.collective + (other.mask != mask ? " with another mask" : ""));
    lanes[i] = other.own;
  }
  if (!all) return self.fiber.leave();
  work(lanes);
  for (unsigned i = 0; i < kLanes; ++i)
    if (lanes[i] && i != lane) make_ready(first + i);
  // Who comes last need not go on first.
  make_ready(run.current);
  self.fiber.leave();
}

void* shared_memory() { return run.shared.begin(); }

void require_aligned(const void* address, std::size_t alignment, const char* what) {
  if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0)
    fail(std::string("has a misaligned address for ") + what);
}

void require_shared(const void* first, std::size_t bytes, std::size_t alignment, const char* what) {
  require_aligned(first, alignment, what);
  const auto* address = static_cast<const char*>(first);
  if (address < run.shared.begin() || address + bytes > run.shared.begin() + run.shared.size)
    fail(std::string("is outside the block's dynamic shared memory with ") + what);
}

void copy_async(void* shared, const void* global, int valid) {
  require_shared(shared, 16, 16, "cp.async");
  require_aligned(global, 16, "cp.async");
  std::memset(shared, kPoison, 16);
  current().uncommitted.push_back(
      {static_cast<char*>(shared), static_cast<const char*>(global), valid});
}

void commit_copies() {
  current().committed.push_back(std::move(current().uncommitted));
  current().uncommitted.clear();
}

void wait_copies(int pending) {
  auto& committed = current().committed;
  for (; committed.size() > static_cast<std::size_t>(pending); committed.pop_front())
    for (const Copy& copy : committed.front()) {
      if (copy.valid > 0) std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.valid));
      std::memset(copy.to + copy.valid, 0, static_cast<std::size_t>(16 - copy.valid));
    }
}

void* allocate(std::size_t bytes, bool is_pinned) {
  const std::size_t all = (bytes + 2 * kGuardBytes + kAlignment - 1) / kAlignment * kAlignment;
  auto* memory = static_cast<char*>(std::aligned_alloc(kAlignment, all));
  if (!memory) return nullptr;
  std::memset(memory, kGuard, all);
  char* first = memory + kGuardBytes;
  std::memset(first, kPoison, bytes);
  allocations[first] = {first, bytes, is_pinned};
  return first;
}

const Allocation* find_allocation(const void* address) {
  const auto behind = allocations.upper_bound(static_cast<const char*>(address));
  if (behind == allocations.begin()) return nullptr;
  const Allocation& one = std::prev(behind)->second;
  return one.contains(address, 0) ? &one : nullptr;
}

bool release(void* pointer) {
  const auto found = allocations.find(static_cast<char*>(pointer));
  if (found == allocations.end()) return false;
  const Allocation one = found->second;
  const bool whole = has_guards(one);
  allocations.erase(found);
  std::free(one.first - kGuardBytes);
  return whole;
}

}  // namespace emulator
