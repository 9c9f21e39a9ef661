// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pippin {

/// A timer of an iteration: how long, not when. Unit: milliseconds per iteration.
struct IterationTimer {
  std::string name;  ///< "forward-compute"
  double ms = 0;
};

/// A timer as it is drawn. Unit: nanoseconds.
struct DrawnTimer {
  std::string name;
  double ms = 0;
  std::int64_t begin_ns = 0, duration_ns = 0;
  std::string apart = {};  ///< empty: with the others; else on the track of this timer
  bool is_cut = false;     ///< it is longer than it is drawn
};

/// Lays the timers of one line out within its iterations, from `begin_ns` to `end_ns`; each counts
/// `iterations` times. Those that are known to lie in another stand within that, those that are
/// known to follow each other stand in sequence. They do not where they are longer together than
/// the iteration, as the slowest of all ranks may be another one for each: then, like those that
/// are not known, each begins with the iteration on a track of its own. Timers of 0 are left out.
/// Shape: who holds another comes before it.
/// Source: Megatron-LM, megatron/training.py and optimizer/ of 2019 to 2023, megatron/core since;
/// probes/LOG_FORMAT.md.
std::vector<DrawnTimer> drawn_timers(const std::vector<IterationTimer>& timers,
                                     std::int64_t iterations, std::int64_t begin_ns,
                                     std::int64_t end_ns);

/// Whether a timer of that name is known.
bool is_known_timer(const std::string& name);

}  // namespace pippin
