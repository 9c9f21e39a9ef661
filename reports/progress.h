// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace pippin {

/// How far a campaign is. Counts are of runs.
struct Progress {
  std::size_t total = 0;
  std::size_t done = 0;    ///< ended by themselves, whatever the state
  std::size_t failed = 0;  ///< of those, not ok
  std::size_t running = 0;
  std::size_t earlier = 0;    ///< of those done, before this start of pippin
  double elapsed_s = 0;       ///< since this start of pippin
  std::size_t cancelled = 0;  ///< not among those done
  std::size_t let_be = 0;     ///< the same, as jobs gave up
  std::size_t lost = 0;       ///< the same: their jobs ended without a result of theirs
  std::size_t left() const { return total - std::min(done + cancelled + let_be + lost, total); }
  friend bool operator==(const Progress&, const Progress&) = default;
};

/// Seconds until the last run ends, at the pace of the runs that ended since this start; nothing
/// before the first of them has.
std::optional<double> time_left_s(const Progress& progress);

/// "12 of 60 runs done, 2 running, 1 failed, about 3 min left".
std::string progress_text(const Progress& progress);

/// A bar and the text in at most `width` columns: "[#####...............] 12 of 60 runs done, …".
std::string progress_bar(const Progress& progress, std::size_t width);

/// How much of some files was read.
struct Reading {
  std::size_t files = 0, files_read = 0;
  std::int64_t bytes = 0, bytes_read = 0;
  double elapsed_s = 0;
};

/// A bar and a text in at most `width` columns: "[####................] 12 of 60 files, 0.4 of
/// 2.1 GB, 1.9 GB/s, about 1 s left".
std::string reading_bar(const Reading& reading, std::size_t width);

/// What `run` writes to standard error, from one look at the campaign to the next.
/// Shape: on a terminal a bar that each text draws over the last one, from \r on; elsewhere a line
/// of its own whenever a count changed.
class ProgressDisplay {
 public:
  ProgressDisplay(bool terminal, std::size_t width) : terminal_(terminal), width_(width) {}

  /// The text to write now; empty where nothing is to be.
  std::string update(const Progress& progress);
  /// The text to write before anything else is: ends a bar's line.
  std::string finish();

 private:
  bool terminal_;
  std::size_t width_;
  std::size_t drawn_ = 0;  ///< columns of the bar that stands there
  std::optional<Progress> last_;
};

}  // namespace pippin
