// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cuda_runtime.h>
#include <vector>

#include "probes/common/clock.h"
#include "probes/device/cuda/event.h"

namespace pippin::probes::cuda {

/// Moments of a GPU's streams, by events: half a microsecond exact.
/// Source: CUDA Runtime API, cudaEventElapsedTime.
class CudaClock final : public Clock {
 public:
  /// `stream`: that of moment().
  explicit CudaClock(cudaStream_t stream);

  Moment moment() override { return moment_on(stream_); }
  /// Where the work that was put into another stream so far is done.
  Moment moment_on(cudaStream_t stream);
  std::int64_t nanoseconds(Moment moment) override;
  /// Waits for the stream: events tell only how long after another one they are, the less exactly
  /// the longer.
  void forget() override;

 private:
  cudaStream_t stream_;
  Event base_;
  std::int64_t base_ns_ = 0;
  std::vector<Event> events_;
  std::size_t next_ = 0;  ///< the first of events_ that stands for no moment
};

}  // namespace pippin::probes::cuda
