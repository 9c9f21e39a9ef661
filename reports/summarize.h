// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/records/summary.h"
#include "reports/rates.h"
#include "reports/statistics/nested.h"

namespace pippin {

/// Which lines of a log count in a mean.
enum class Samples {
  kClean,  ///< those without a flag, after the warm-up; every line where a point has none
  kAll,    ///< every line
};

/// Of sum_up() and what it calls: rows that another version summed up are summed up anew.
inline constexpr std::int64_t kSummaryVersion = 8;

/// What of a point has a row of its own.
enum class Rows { kPoint, kDay, kAllocation, kRun };

/// Which rows there are, and of which lines.
struct Summing {
  Samples samples = Samples::kClean;
  Rows by = Rows::kPoint;
};

/// One row per point, or per part of one, in the given order, without rates.
/// Shape: the state is ok where one run is, else the worst that is present, out of memory first.
/// Runs that went well count, and beside them those that were cut; where none went well, all with
/// lines, however they ended. A run counts by
/// its digest; one without is digested from its iterations. Where the batch size differs between a
/// point's runs, only runs of the largest one count. A row of figures written down by hand has no
/// interval, and is where it was noted.
std::vector<Summary> sum_up(const std::vector<PointSamples>& points, const Summing& summing);

/// The rows of sum_up() with one run each, and of points without any, which are made when they are
/// asked for: there may be very many.
class RunRows {
 public:
  RunRows(std::vector<PointSamples> points, Samples samples);

  std::size_t size() const { return places_.size(); }
  Summary row(std::size_t i) const;
  const std::vector<PointSamples>& points() const { return points_; }

 private:
  static constexpr std::uint32_t kNoRun = UINT32_MAX;
  struct Place {
    std::uint32_t point, run;
  };

  std::vector<PointSamples> points_;
  Summing summing_;
  std::vector<Place> places_;
};

/// What the mean of a point's row is made of: the moments of its runs, in seconds. Empty where no
/// run has a line.
std::vector<RunMoments> counted_runs(const PointSamples& point, Samples samples);

}  // namespace pippin
