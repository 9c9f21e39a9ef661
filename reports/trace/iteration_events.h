// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/records/iterations.h"
#include "reports/trace/events.h"
#include "reports/trace/timer_tree.h"
#include "reports/trace/tracks.h"

namespace pippin {

/// Draws the lines of a log end to end from the run's start, one process of them: its iterations,
/// and below them the timers of each. A timer says how long, not when: where it stands within its
/// iteration is no finding, and its track says so. Lines that are missing leave no gap.
class IterationEvents {
 public:
  explicit IterationEvents(TraceEvents& out);

  /// False, and nothing drawn, where its time is negative or no number, or where it would end later
  /// than kLongest_ns.
  bool take(const Iteration& line);

  std::int64_t lines() const { return lines_; }
  /// Those that had timers.
  std::int64_t timed_lines() const { return timed_lines_; }
  /// Timers that are no numbers, or negative: they are not drawn.
  std::int64_t bad_timers() const { return bad_timers_; }

  static constexpr std::int64_t kLongest_ns = 1'000'000'000'000'000'000;  // 32 years

 private:
  bool draw_timers(const Iteration& line, std::int64_t begin_ns, std::int64_t end_ns);
  TraceTrack track_of(const DrawnTimer& timer, const std::string& whose);

  TraceEvents& out_;
  TraceTracks tracks_;
  std::int64_t now_ns_ = 0, lines_ = 0, timed_lines_ = 0, bad_timers_ = 0;
};

}  // namespace pippin
