// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>
#include <utility>

#include "probes/device/cuda/cuda_error.h"

namespace pippin::probes::cuda {

/// A mark in a stream's work.
class Event {
 public:
  enum class Kind { kTimed, kUntimed };

  explicit Event(Kind kind) {
    const unsigned flags = kind == Kind::kTimed ? cudaEventDefault : cudaEventDisableTiming;
    require_cuda(cudaEventCreateWithFlags(&event_, flags), "making an event");
  }
  ~Event() {
    if (event_) (void)cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  void record(cudaStream_t stream) { require_cuda(cudaEventRecord(event_, stream), "an event"); }
  /// The host waits.
  void wait() const { require_cuda(cudaEventSynchronize(event_), "waiting for the GPU"); }
  /// The stream waits, the host does not.
  void hold(cudaStream_t stream) const {
    require_cuda(cudaStreamWaitEvent(stream, event_, 0), "waiting for another stream");
  }
  bool is_over() const {
    const cudaError_t answer = cudaEventQuery(event_);
    if (answer != cudaErrorNotReady) require_cuda(answer, "asking for an event");
    return answer == cudaSuccess;
  }
  /// Requires: both are timed and over.
  double milliseconds_after(const Event& other) const {
    float milliseconds = 0;
    require_cuda(cudaEventElapsedTime(&milliseconds, other.event_, event_), "the time of an event");
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace pippin::probes::cuda
