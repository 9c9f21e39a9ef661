// SPDX-License-Identifier: Apache-2.0
#include "streams.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <list>
#include <thread>
#include <utility>

#include "emulator.h"

namespace {

struct Piece {
  std::function<void()> work;
  emulator::Marks after;
  emulator::MarkPointer mark;
};

}  // namespace

struct EmulatedStream {
  bool blocks;
  bool is_left = false;
  std::deque<Piece> pieces = {};
  emulator::MarkPointer last = {};  ///< of the piece that was put in last; null where none was
};

namespace emulator {

namespace {

using SteadyClock = std::chrono::steady_clock;

/// How long the host does nothing before work goes on unasked.
constexpr std::chrono::milliseconds kUnasked{200};

bool has_come(const MarkPointer& mark) { return !mark || mark->is_over; }

/// All streams, and who does their work: whoever waits.
class Gpu {
 public:
  Gpu() { streams_.push_back({true}); }

  EmulatedStream* make(bool blocks) {
    const auto lock = enter();
    streams_.push_back({blocks});
    return &streams_.back();
  }
  void leave(EmulatedStream* stream) {
    const auto lock = enter();
    find(stream).is_left = true;
    forget_left();
  }

  MarkPointer put(EmulatedStream* handle, std::function<void()> work, Marks after) {
    const auto lock = enter();
    owner_ = std::this_thread::get_id();
    EmulatedStream& stream = find(handle);
    // Source: CUDA Runtime API, "Stream synchronization behavior", legacy default stream.
    if (&stream == &streams_.front()) {
      for (const auto& other : streams_)
        if (other.blocks) after.push_back(other.last);
    } else if (stream.blocks) {
      after.push_back(streams_.front().last);
    }
    stream.last = std::make_shared<Mark>();
    stream.pieces.push_back({std::move(work), std::move(after), stream.last});
    return stream.last;
  }

  void wait(const MarkPointer& mark) {
    auto lock = enter();
    work_until(mark, lock);
    if (fault_) std::rethrow_exception(std::exchange(fault_, nullptr));
  }
  void drain() {
    Marks lasts;
    {
      const auto lock = enter();
      for (const auto& stream : streams_) lasts.push_back(stream.last);
    }
    for (const auto& last : lasts) {
      auto lock = enter();
      work_until(last, lock);
    }
  }

  bool is_over(const MarkPointer& mark) {
    const std::lock_guard lock(mutex_);
    if (std::this_thread::get_id() == owner_) {
      last_call_ = SteadyClock::now();
      for (auto pieces = draw() % 4; pieces > 0 && do_one(); --pieces) continue;
    }
    return has_come(mark);
  }

  void finish(const MarkPointer& mark) {
    const std::lock_guard lock(mutex_);
    end(mark);
  }

  void go_on_unasked() {
    const auto lock = enter();
    if (!helper_.joinable()) helper_ = std::thread([this] { help(); });
  }
  /// Work that is left is dropped.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
    }
    if (helper_.joinable()) helper_.join();
    if (!fault_) return;
    std::fprintf(stderr, "emulator: nobody waited for work that failed\n");
    std::_Exit(1);
  }

  std::unique_lock<std::mutex> enter() {
    if (is_working_) fail("calls CUDA's functions of the host");
    std::unique_lock lock(mutex_);
    last_call_ = SteadyClock::now();
    return lock;
  }

 private:
  EmulatedStream& find(EmulatedStream* handle) {
    if (!handle) return streams_.front();
    for (auto& stream : streams_)
      if (&stream == handle && !stream.is_left) return stream;
    throw Fault("a stream is used that is destroyed");
  }
  void forget_left() {
    streams_.remove_if([](const auto& stream) { return stream.is_left && stream.pieces.empty(); });
  }

  void end(const MarkPointer& mark) {
    mark->is_over = true;
    mark->when = SteadyClock::now();
    moved_.notify_all();
  }

  /// Others may look in between.
  void work_until(const MarkPointer& mark, std::unique_lock<std::mutex>& lock) {
    ++waiting_;
    while (!has_come(mark) && !fault_) {
      if (!do_one()) {
        moved_.wait(lock);
        continue;
      }
      lock.unlock();
      lock.lock();
    }
    --waiting_;
    last_call_ = SteadyClock::now();
  }

  static bool may_begin(const EmulatedStream& stream) {
    if (stream.pieces.empty()) return false;
    const Marks& after = stream.pieces.front().after;
    return std::all_of(after.begin(), after.end(), has_come);
  }

  /// Whether there was a piece that may begin. A stream goes on for a while, so that others fall
  /// far behind.
  bool do_one() {
    std::vector<EmulatedStream*> ready;
    for (auto& stream : streams_)
      if (may_begin(stream)) ready.push_back(&stream);
    if (ready.empty()) return false;
    if (std::find(ready.begin(), ready.end(), favourite_) == ready.end() || draw() % 8 == 0)
      favourite_ = ready[draw() % ready.size()];
    const Piece piece = std::move(favourite_->pieces.front());
    favourite_->pieces.pop_front();
    run(piece);
    forget_left();
    return true;
  }

  void run(const Piece& piece) {
    is_working_ = true;
    try {
      if (piece.work) piece.work();
    } catch (...) {
      fault_ = std::current_exception();
    }
    is_working_ = false;
    end(piece.mark);
    if (fault_) drop_all();
  }
  void drop_all() {
    for (auto& stream : streams_) {
      for (const auto& piece : stream.pieces) end(piece.mark);
      stream.pieces.clear();
    }
  }

  void help() {
    for (;;) {
      std::this_thread::sleep_for(kUnasked / 4);
      const std::lock_guard lock(mutex_);
      if (is_closed_) return;
      // Not all at once: the host may come back.
      for (int pieces = 100; pieces > 0 && is_forgotten() && do_one(); --pieces) continue;
    }
  }
  bool is_forgotten() const { return waiting_ == 0 && SteadyClock::now() - last_call_ > kUnasked; }

  std::mutex mutex_;
  std::condition_variable moved_;
  std::list<EmulatedStream> streams_;  ///< the null stream first
  EmulatedStream* favourite_ = nullptr;
  std::exception_ptr fault_;
  std::thread::id owner_;  ///< who put in the last piece
  int waiting_ = 0;        ///< threads
  SteadyClock::time_point last_call_;
  bool is_closed_ = false;
  std::thread helper_;
  static thread_local bool is_working_;
};

thread_local bool Gpu::is_working_ = false;

/// Never destroyed: threads of other files may call it until the end.
Gpu& gpu() {
  static Gpu* const only = [] {
    (void)std::atexit([] { gpu().close(); });
    return new Gpu;
  }();
  return *only;
}

}  // namespace

EmulatedStream* make_stream(bool blocks) { return gpu().make(blocks); }
void leave_stream(EmulatedStream* stream) { gpu().leave(stream); }
MarkPointer put(EmulatedStream* stream, std::function<void()> work, Marks after) {
  return gpu().put(stream, std::move(work), std::move(after));
}
void wait(const MarkPointer& mark) { gpu().wait(mark); }
void wait_for_all() {
  gpu().drain();
  gpu().wait(nullptr);
}
void drain() { gpu().drain(); }
bool is_over(const MarkPointer& mark) { return gpu().is_over(mark); }
void finish(const MarkPointer& mark) { gpu().finish(mark); }
void go_on_unasked() { gpu().go_on_unasked(); }
std::unique_lock<std::mutex> hold_work() { return gpu().enter(); }

MarkPointer launch(EmulatedStream* stream, const char* kernel, const Size3& blocks,
                   unsigned threads, std::size_t shared_bytes, std::function<void()> thread) {
  return put(stream, [name = std::string(kernel), blocks, threads, shared_bytes,
                      thread = std::move(thread)] {
    execute(name.c_str(), blocks, threads, shared_bytes, thread);
  });
}

}  // namespace emulator
