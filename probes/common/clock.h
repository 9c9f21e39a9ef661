#pragma once

#include <chrono>

namespace pippin::probes {

/// Seconds since some moment, the same for one process; never goes back.
inline double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace pippin::probes
