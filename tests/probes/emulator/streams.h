// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

struct EmulatedStream;

/// Streams as queues. Nothing is done when it is put in: who must wait does it, one piece after the
/// other, of a stream drawn from the seed among all whose next piece may begin. So what no event
/// orders is done early or late, as it comes.
namespace emulator {

/// A place in a stream: over when all work before it is.
struct Mark {
  bool is_over = false;
  std::chrono::steady_clock::time_point when;
};
using MarkPointer = std::shared_ptr<Mark>;
using Marks = std::vector<MarkPointer>;

/// One that blocks waits for the null stream's work, and that for its.
EmulatedStream* make_stream(bool blocks);
/// What is in it will still be done.
void leave_stream(EmulatedStream* stream);

/// Puts work behind what is in the stream (null: the null stream); it begins when all of `after` is
/// over, too. A Fault that it throws is thrown by who waits next, and ends all work everywhere.
MarkPointer put(EmulatedStream* stream, std::function<void()> work, Marks after = {});
/// Work that a kernel's grid does. The arguments are those of execute().
MarkPointer launch(EmulatedStream* stream, const char* kernel, const struct Size3& blocks,
                   unsigned threads, std::size_t shared_bytes, std::function<void()> thread);

/// The host waits. Throws Fault.
void wait(const MarkPointer& mark);
void wait_for_all();
/// The same where nothing may be thrown: a Fault is kept for who waits next.
void drain();
/// Where the thread is one that puts work into streams this may also do some.
bool is_over(const MarkPointer& mark);

/// Of what is done elsewhere, by any thread.
void finish(const MarkPointer& mark);

/// From now on streams that nobody here waits for go on after a while, too: other processes may.
void go_on_unasked();

/// Held by who changes what kernels see.
std::unique_lock<std::mutex> hold_work();

}  // namespace emulator
