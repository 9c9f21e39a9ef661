// SPDX-License-Identifier: Apache-2.0
// The emulator's streams: what CUDA orders is in order, what it does not is not.
#include <cuda_runtime.h>
#include <functional>
#include <thread>

#include "probes/device/cuda/event.h"
#include "probes/device/cuda/launch.h"
#include "probes/device/cuda/stream.h"
#include "tests/support/catch.h"

using namespace pippin::probes;
using namespace pippin::probes::cuda;
using Catch::Contains;

namespace {

/// A number in memory of the device, or in pinned memory of the host; a test looks at both.
class Number {
 public:
  explicit Number(bool is_pinned = false) : is_pinned_(is_pinned) {
    if (is_pinned)
      cudaMallocHost(&number_, sizeof(int));
    else
      cudaMalloc(&number_, sizeof(int));
  }
  ~Number() { is_pinned_ ? cudaFreeHost(number_) : cudaFree(number_); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  int* get() { return number_; }
  int& operator*() { return *number_; }

 private:
  bool is_pinned_;
  int* number_ = nullptr;
};

constexpr int kPoison = -1;

void store(int* to, int value) { *to = value; }
void copy(const int* from, int* to) { *to = *from; }

void put_store(cudaStream_t stream, Number& to, int value) {
  launch(stream, {1, 1}, store, to.get(), value);
}
void put_copy(cudaStream_t stream, Number& from, Number& to) {
  launch(stream, {1, 1}, copy, static_cast<const int*>(from.get()), to.get());
}
void copy_bytes(int* to, const int* from, cudaMemcpyKind kind, cudaStream_t stream) {
  CHECK(cudaMemcpyAsync(to, from, sizeof(int), kind, stream) == cudaSuccess);
}

/// With how many of so many seeds the test says yes.
int count_seeds(const std::function<bool()>& test) {
  int count = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    emulator::set_seed(seed);
    count += test() ? 1 : 0;
  }
  return count;
}

/// One stream writes 7, the other reads it.
bool second_sees_first(bool with_event) {
  Number number, seen;
  const Stream first, second;
  Event written(Event::Kind::kUntimed);
  put_store(first.get(), number, 7);
  written.record(first.get());
  if (with_event) written.hold(second.get());
  put_copy(second.get(), number, seen);
  cudaDeviceSynchronize();
  return *seen == 7;
}

TEST_CASE("a stream sees what another does as it comes, behind an event always", "[streams]") {
  CHECK(count_seeds([] { return second_sees_first(true); }) == 20);
  const int by_chance = count_seeds([] { return second_sees_first(false); });
  CHECK(by_chance > 0);
  CHECK(by_chance < 20);
}

TEST_CASE("nothing is done before somebody waits, and then in the stream's order", "[streams]") {
  Number number, seen;
  const Stream stream;
  put_store(stream.get(), number, 1);
  put_copy(stream.get(), number, seen);
  put_store(stream.get(), number, 2);
  CHECK(*number == kPoison);
  CHECK(cudaStreamSynchronize(stream.get()) == cudaSuccess);
  CHECK(*seen == 1);
  CHECK(*number == 2);
}

/// Whether work of another stream is done where one is waited for.
bool is_done_early() {
  Number own, others;
  const Stream stream, other;
  put_store(other.get(), others, 1);
  put_store(stream.get(), own, 1);
  cudaStreamSynchronize(stream.get());
  CHECK(*own == 1);
  return *others == 1;
}

TEST_CASE("waiting for one stream may do the work of others, or may not", "[streams]") {
  const int early = count_seeds(is_done_early);
  CHECK(early > 0);
  CHECK(early < 20);
}

TEST_CASE("a copy into pinned memory is poison until it is waited for", "[streams]") {
  Number number, pinned(true);
  const Stream stream;
  *pinned = 5;
  put_store(stream.get(), number, 7);
  copy_bytes(pinned.get(), number.get(), cudaMemcpyDeviceToHost, stream.get());
  CHECK(*pinned == kPoison);
  cudaStreamSynchronize(stream.get());
  CHECK(*pinned == 7);
}

TEST_CASE("a copy into pinned memory spares what an earlier copy still reads", "[streams]") {
  Number number, other, pinned(true);
  const Stream stream;
  *pinned = 5;
  copy_bytes(number.get(), pinned.get(), cudaMemcpyHostToDevice, stream.get());
  put_store(stream.get(), other, 6);
  copy_bytes(pinned.get(), other.get(), cudaMemcpyDeviceToHost, stream.get());
  cudaStreamSynchronize(stream.get());
  CHECK(*number == 5);
  CHECK(*pinned == 6);
}

TEST_CASE("a copy into pageable memory waits for its stream", "[streams]") {
  Number number;
  const Stream stream;
  put_store(stream.get(), number, 7);
  int host = 0;
  copy_bytes(&host, number.get(), cudaMemcpyDeviceToHost, stream.get());
  CHECK(host == 7);
}

TEST_CASE("a copy takes pageable bytes at the call, pinned ones when it is made", "[streams]") {
  Number from_pageable, from_pinned, pinned(true);
  const Stream stream;
  int host = 1;
  *pinned = 1;
  copy_bytes(from_pageable.get(), &host, cudaMemcpyHostToDevice, stream.get());
  copy_bytes(from_pinned.get(), pinned.get(), cudaMemcpyHostToDevice, stream.get());
  host = *pinned = 2;
  cudaStreamSynchronize(stream.get());
  CHECK(*from_pageable == 1);
  CHECK(*from_pinned == 2);
}

TEST_CASE("a copy from pageable memory by the null stream may be under way at its return",
          "[streams]") {
  Number number;
  const int host = 3;
  CHECK(cudaMemcpy(number.get(), &host, sizeof host, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(*number == kPoison);
  int back = 0;
  CHECK(cudaMemcpy(&back, number.get(), sizeof back, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(back == 3);
}

TEST_CASE("a copy outside what was allocated, or the wrong way, is refused", "[streams]") {
  Number number;
  int host[2] = {};
  CHECK(cudaMemcpy(host, number.get(), 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host, number.get(), 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemsetAsync(number.get(), 0, 8) == cudaErrorInvalidValue);
  CHECK(cudaMemsetAsync(host, 0, 4) == cudaErrorInvalidValue);
}

/// Whether an event must be asked more than once.
bool is_asked_again() {
  Number number;
  const Stream stream;
  Event event(Event::Kind::kUntimed);
  CHECK(event.is_over());  // never recorded
  put_store(stream.get(), number, 7);
  event.record(stream.get());
  int asked = 1;
  for (; !event.is_over(); ++asked) REQUIRE(asked < 100);
  CHECK(*number == 7);
  return asked > 1;
}

TEST_CASE("an event says the truth when it is asked, and asking moves work on", "[streams]") {
  CHECK(count_seeds(is_asked_again) > 0);
}

TEST_CASE("a thread that only asks does no work", "[streams]") {
  Number number;
  const Stream stream;
  Event event(Event::Kind::kUntimed);
  put_store(stream.get(), number, 7);
  event.record(stream.get());
  std::thread([&] {
    for (int i = 0; i < 100; ++i) CHECK_FALSE(event.is_over());
  }).join();
  CHECK(*number == kPoison);
  event.wait();
  CHECK(*number == 7);
}

bool waits_for_the_first_record() {
  Number number, seen;
  const Stream first, second;
  Event event(Event::Kind::kUntimed);
  put_store(first.get(), number, 1);
  event.record(first.get());
  event.hold(second.get());
  put_copy(second.get(), number, seen);
  put_store(first.get(), number, 2);
  event.record(first.get());  // what the second waits for stays the first
  cudaStreamSynchronize(second.get());
  CHECK(*seen != kPoison);
  const bool was_first = *seen == 1;
  event.wait();
  CHECK(*number == 2);
  return was_first;
}

TEST_CASE("a stream waits for the record that an event had at the call", "[streams]") {
  CHECK(count_seeds(waits_for_the_first_record) > 0);
}

TEST_CASE("events and streams may go before their work is done", "[streams]") {
  Number number, seen;
  const Stream last;
  {
    const Stream first;
    Event event(Event::Kind::kUntimed);
    put_store(first.get(), number, 7);
    event.record(first.get());
    event.hold(last.get());
  }
  put_copy(last.get(), number, seen);
  cudaStreamSynchronize(last.get());
  CHECK(*seen == 7);
  cudaStream_t gone = nullptr;
  cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking);
  cudaStreamDestroy(gone);
  CHECK_THROWS_WITH(put_store(gone, number, 1), Contains("a stream is used that is destroyed"));
}

/// The null stream's work before, a stream's, the null stream's behind: whether they are in order.
bool null_stream_orders(unsigned flags) {
  Number number, seen, last;
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, flags);
  put_store(nullptr, number, 1);
  put_copy(stream, number, seen);
  put_copy(nullptr, seen, last);
  cudaDeviceSynchronize();
  cudaStreamDestroy(stream);
  return *last == 1;
}

TEST_CASE("the null stream waits for streams that block, and they for it", "[streams]") {
  CHECK(count_seeds([] { return null_stream_orders(cudaStreamDefault); }) == 20);
  const int by_chance = count_seeds([] { return null_stream_orders(cudaStreamNonBlocking); });
  CHECK(by_chance < 20);
}

TEST_CASE("a kernel's fault shows where it is waited for, and ends all work", "[streams]") {
  Number number, other;
  const Stream stream, second;
  launch(stream.get(), {1, 1, 0, "writer"}, store, number.get() + 1, 1);
  put_store(stream.get(), other, 1);
  CHECK_THROWS_WITH(cudaStreamSynchronize(stream.get()), Contains("'writer'"));
  *(number.get() + 1) = static_cast<int>(0xA5A5A5A5U);  // the guard
  cudaDeviceSynchronize();
  CHECK(*other == kPoison);
  put_store(stream.get(), other, 2);
  cudaDeviceSynchronize();
  CHECK(*other == 2);
}

TEST_CASE("a fault that freeing memory meets shows at the next wait", "[streams]") {
  const Stream stream;
  Number number;
  int* freed = nullptr;
  cudaMalloc(&freed, sizeof(int));
  launch(stream.get(), {1, 1, 0, "writer"}, store, number.get() + 1, 1);
  CHECK(cudaFree(freed) == cudaSuccess);
  CHECK_THROWS_WITH(cudaDeviceSynchronize(), Contains("'writer'"));
  *(number.get() + 1) = static_cast<int>(0xA5A5A5A5U);
}

TEST_CASE("memory is freed when all work is done", "[streams]") {
  Number seen;
  const Stream stream;
  {
    Number number;
    put_store(stream.get(), number, 7);
    put_copy(stream.get(), number, seen);
  }
  CHECK(*seen == 7);
}

TEST_CASE("events tell the time at which their work was done", "[streams]") {
  const Stream stream;
  Event begin(Event::Kind::kTimed), end(Event::Kind::kTimed), untimed(Event::Kind::kUntimed);
  begin.record(stream.get());
  begin.wait();
  end.record(stream.get());
  CHECK_THROWS_WITH(end.milliseconds_after(begin), Contains("the time of an event"));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  end.wait();
  CHECK(end.milliseconds_after(begin) >= 5);
  untimed.record(stream.get());
  untimed.wait();
  CHECK_THROWS_WITH(untimed.milliseconds_after(begin), Contains("the time of an event"));
}

void wait_inside() { cudaDeviceSynchronize(); }

TEST_CASE("a kernel that calls the host's side is a fault", "[streams]") {
  launch(nullptr, {1, 1, 0, "nested"}, wait_inside);
  CHECK_THROWS_WITH(cudaDeviceSynchronize(), Contains("'nested'") && Contains("of the host"));
}

}  // namespace
