// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reports/plot/measures.h"
#include "reports/row_range.h"

namespace pippin {

/// A run that began at a known time.
struct TimedRun {
  std::int64_t started = 0;  ///< seconds since 1970, UTC
  std::size_t campaign = 0;
  std::optional<std::pair<std::size_t, double>> value = {};  ///< series, and what was measured
  RunState state = RunState::kOk;
  bool is_lost() const { return !value || state != RunState::kOk; }
};

/// The runs of rows that are runs, by the time they began; a series is a configuration that has a
/// value, in the order of the rows.
class TimedRuns {
 public:
  TimedRuns(const RowRange& rows, const PlotMeasure& measure);

  const std::vector<TimedRun>& runs() const { return runs_; }
  const std::vector<std::string>& campaigns() const { return campaigns_; }
  /// Of the series, without what all have.
  std::vector<std::string> names() const;
  /// Those without a value or that did not end well, by whether it is known when they began.
  const std::map<RunState, std::int64_t>& lost() const { return lost_; }
  const std::map<RunState, std::int64_t>& never_began() const { return never_began_; }
  std::int64_t count() const { return count_; }        ///< all runs
  std::int64_t measured() const { return measured_; }  ///< … with a value
  std::int64_t unplaced() const { return unplaced_; }  ///< … of which nobody knows when they began

 private:
  using Numbers = std::unordered_map<std::string, std::size_t>;

  void add(const Summary& row, const PlotMeasure& measure);
  std::size_t campaign_of(const Summary& row);
  std::size_t series_of(const Summary& row);

  std::vector<TimedRun> runs_;
  std::vector<std::string> campaigns_, names_;
  Numbers campaign_numbers_, series_numbers_;
  std::map<RunState, std::int64_t> lost_, never_began_;
  std::int64_t count_ = 0, measured_ = 0, unplaced_ = 0;
};

}  // namespace pippin
