// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace pippin::probes {

/// Nanoseconds since some moment, the same for one machine; never goes back.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Seconds since some moment, the same for one process; never goes back.
inline double now_seconds() { return 1e-9 * static_cast<double>(now_ns()); }

/// What tells when things happen: a processor at once, a GPU when its work has come there.
class Clock {
 public:
  using Moment = std::int64_t;

  virtual ~Clock() = default;
  /// Now, or where the device's work that was asked for so far is done.
  virtual Moment moment() = 0;
  /// now_ns() of a moment since the last forget(); waits for it.
  virtual std::int64_t nanoseconds(Moment moment) = 0;
  /// No moment so far is asked for again.
  virtual void forget() = 0;
};

/// This machine's own.
class HostClock final : public Clock {
 public:
  Moment moment() override { return now_ns(); }
  std::int64_t nanoseconds(Moment moment) override { return moment; }
  void forget() override {}
};

}  // namespace pippin::probes
