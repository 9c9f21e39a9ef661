// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "probes/comm/nodes.h"
#include "probes/training/groups.h"
#include "probes/training/trace.h"

namespace pippin::probes {

/// Where the time went, over the ranks.
class Timers {
 public:
  /// `world`, `groups` and `trace` (which may be null) must outlive it. Every rank makes its own.
  Timers(Communicator& world, Groups& groups, const Nodes& nodes, Trace* trace);

  /// After an iteration: its times join the interval's. With a trace, or where an interval has very
  /// many calls, the ranks talk here.
  void add(std::int64_t iteration);

  /// The interval's lines, per iteration: Megatron-LM's "(min, max) time across ranks (ms):" and
  /// the slowest rank. Empty but for the first rank; every rank must call it. Begins the next.
  std::vector<std::string> lines();

  /// Everything that was sent since the start: "communication per iteration …".
  /// Every rank must call it.
  std::string traffic_line(std::int64_t iterations);

 private:
  /// Nanoseconds of one class of traffic on this rank.
  struct ClassTimes {
    std::int64_t busy = 0, waiting = 0;
  };

  /// What has happened since the last call; the channels' calls have their times then.
  std::vector<Mark> take_marks();
  void choose_settling();
  void settle_calls(std::int64_t iteration);
  std::vector<double> mine() const;
  std::string slowest_line(const std::vector<double>& all) const;

  Communicator& world_;
  Groups& groups_;
  Nodes nodes_;
  Trace* trace_;
  std::int64_t clock_offset_ns_;
  std::int64_t settle_every_ = 0;  ///< iterations; 0: not chosen yet
  std::int64_t iterations_ = 0, last_iteration_ = 0;
  std::array<std::int64_t, kActivities> activities_{};
  std::array<ClassTimes, kClasses> classes_{};
};

}  // namespace pippin::probes
