// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstring>
#include <cuda_runtime.h>
#include <functional>
#include <map>
#include <memory>
#include <vector>

// CUDA's functions of the host over streams.h. Source: CUDA Runtime API 13, "API synchronization
// behavior" and "Stream synchronization behavior".

struct EmulatedEvent {
  emulator::MarkPointer mark;  ///< the latest record's; null where there was none
  bool is_timed;
};

namespace {

using emulator::Allocation;

constexpr int kPoison = 0xFF;

/// One side of a copy.
struct Side {
  bool is_device, is_pinned, fits;
  const void* allocation;
};
Side side_of(const void* address, std::size_t bytes) {
  const Allocation* one = emulator::find_allocation(address);
  if (!one) return {false, false, true, nullptr};
  return {!one->is_pinned, one->is_pinned, one->contains(address, bytes), one->first};
}

bool is_valid(const Side& to, const Side& from, cudaMemcpyKind kind) {
  if (!to.fits || !from.fits) return false;
  if (kind == cudaMemcpyDefault) return true;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice,
             from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return to.is_device == to_device && from.is_device == from_device;
}

/// The copies that use each pinned memory, of which some may be over.
std::map<const void*, emulator::Marks> uses;

/// Who reads pinned memory before the copy into it is made finds no number, but for what older
/// copies still use.
void poison(const Side& side, void* to, std::size_t bytes) {
  const auto lock = emulator::hold_work();
  for (const auto& use : uses[side.allocation])
    if (!use->is_over) return;
  uses[side.allocation].clear();
  std::memset(to, kPoison, bytes);
}

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
  Side to_side, from_side;
};

emulator::MarkPointer put(const Copy& copy, cudaStream_t stream) {
  const auto [to, from, bytes, to_side, from_side] = copy;
  std::function<void()> work = [to = to, from = from, bytes = bytes] {
    std::memmove(to, from, bytes);
  };
  if (!from_side.is_device && !from_side.is_pinned) {
    const auto* begin = static_cast<const char*>(from);
    const auto bytes_now = std::make_shared<const std::vector<char>>(begin, begin + bytes);
    work = [to = to, bytes_now] { std::memmove(to, bytes_now->data(), bytes_now->size()); };
  }
  if (to_side.is_pinned) poison(to_side, to, bytes);
  const auto mark = emulator::put(stream, work);
  for (const Side& side : {to_side, from_side})
    if (side.is_pinned) uses[side.allocation].push_back(mark);
  return mark;
}

bool is_pageable(const Side& side) { return !side.is_device && !side.is_pinned; }

cudaError_t release(void* pointer) {
  if (!pointer) return cudaSuccess;
  emulator::drain();
  const auto lock = emulator::hold_work();
  uses.erase(pointer);
  return emulator::release(pointer) ? cudaSuccess : cudaErrorIllegalAddress;
}

}  // namespace

cudaError_t cudaDeviceSynchronize() {
  emulator::wait_for_all();
  return cudaSuccess;
}

cudaError_t emulated_malloc(void** pointer, std::size_t bytes, bool is_pinned) {
  if (bytes > kEmulatedMemory) return cudaErrorMemoryAllocation;
  const auto lock = emulator::hold_work();
  *pointer = emulator::allocate(bytes, is_pinned);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void* pointer) { return release(pointer); }
cudaError_t cudaFreeHost(void* pointer) { return release(pointer); }

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  const Copy copy{to, from, bytes, side_of(to, bytes), side_of(from, bytes)};
  if (!is_valid(copy.to_side, copy.from_side, kind)) return cudaErrorInvalidValue;
  const auto mark = put(copy, stream);
  if (is_pageable(copy.to_side)) emulator::wait(mark);
  return cudaSuccess;
}

/// From pageable memory the bytes have been taken, but need not be there yet.
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes == 0) return cudaSuccess;
  const Copy copy{to, from, bytes, side_of(to, bytes), side_of(from, bytes)};
  if (!is_valid(copy.to_side, copy.from_side, kind)) return cudaErrorInvalidValue;
  if (is_pageable(copy.from_side)) emulator::wait(emulator::put(nullptr, nullptr));
  const auto mark = put(copy, nullptr);
  const bool is_on_device = copy.to_side.is_device && copy.from_side.is_device;
  if (!is_on_device && !is_pageable(copy.from_side)) emulator::wait(mark);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  const Side side = side_of(to, bytes);
  if (is_pageable(side) || !side.fits) return cudaErrorInvalidValue;
  const auto mark = emulator::put(stream, [=] { std::memset(to, byte, bytes); });
  if (side.is_pinned) uses[side.allocation].push_back(mark);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = emulator::make_stream((flags & cudaStreamNonBlocking) == 0);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  emulator::leave_stream(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  emulator::wait(emulator::put(stream, nullptr));
  return cudaSuccess;
}
/// What is recorded later does not count.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  emulator::put(stream, nullptr, {event->mark});
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = new EmulatedEvent{nullptr, (flags & cudaEventDisableTiming) == 0};
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->mark = emulator::put(stream, nullptr);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return emulator::is_over(event->mark) ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  emulator::wait(event->mark);
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  for (const cudaEvent_t event : {begin, end}) {
    if (!event->is_timed || !event->mark) return cudaErrorInvalidResourceHandle;
    const auto lock = emulator::hold_work();
    if (!event->mark->is_over) return cudaErrorNotReady;
  }
  const auto time = end->mark->when - begin->mark->when;
  *milliseconds = std::chrono::duration<float, std::milli>(time).count();
  return cudaSuccess;
}
