// SPDX-License-Identifier: Apache-2.0
#include "probes/device/cuda/cuda_clock.h"

#include <cmath>

namespace pippin::probes::cuda {

CudaClock::CudaClock(cudaStream_t stream) : stream_(stream), base_(Event::Kind::kTimed) {
  forget();
}

Clock::Moment CudaClock::moment_on(cudaStream_t stream) {
  if (next_ == events_.size()) events_.emplace_back(Event::Kind::kTimed);
  events_[next_].record(stream);
  return static_cast<Moment>(next_++);
}

std::int64_t CudaClock::nanoseconds(Moment moment) {
  const Event& event = events_.at(static_cast<std::size_t>(moment));
  event.wait();
  return base_ns_ + static_cast<std::int64_t>(std::llround(1e6 * event.milliseconds_after(base_)));
}

void CudaClock::forget() {
  next_ = 0;
  base_.record(stream_);
  base_.wait();
  base_ns_ = now_ns();
}

}  // namespace pippin::probes::cuda
