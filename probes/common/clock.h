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

}  // namespace pippin::probes
