// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sweeps/cluster_rates.h"
#include "sweeps/estimate/learn_rates.h"
#include "sweeps/estimate/point_rows.h"

namespace pippin {

/// What is said of a row; what is not known is empty, and `why` says why.
struct PointJudgement {
  std::string id;
  std::optional<double> step_s, step_s_low, step_s_high;
  std::optional<double> allocated_gib, peak_gib;
  std::optional<bool> fits;
  std::string why;  ///< why not, or which stage needs how much of what is there
};

/// What was learned of a cluster, for a person.
struct ClusterFit {
  std::string name;  ///< group, GPU and its memory
  LearnedRates learned;
};

/// Judges tables of layouts. Rows of a group on one kind of GPU are a cluster; where none of a
/// row's cluster was learned from, its `why` says so.
class PointJudge {
 public:
  /// Learns each cluster's rates from the rows that say step_s. Rows of one layout count once, by
  /// the mean of their times' logarithms. How many of them it can learn from.
  std::size_t calibrate_on(const std::vector<PointRow>& rows);
  const std::vector<ClusterFit>& fits() const { return fits_; }

  /// The memory is what the column `mem_kind` says was measured: PyTorch's allocator, of the last
  /// rank where it says so, else of the stage that needs most; what it has reserved; or nvidia-smi.
  /// The time's bounds hold 19 of 20 rows of a calibrated cluster, as far as its own rows tell.
  PointJudgement judge(const PointRow& row) const;

 private:
  const ClusterFit* fit_of(const PointRow& row) const;
  void judge_time(const PointRow& row, const RowSetup& read, PointJudgement& said) const;

  std::vector<ClusterFit> fits_;
};

/// Why no time of such a layout is known; empty where one is.
std::string why_no_time(const Setup& setup);

/// Judges one layout: its time where that and the machine are known, whether it
/// fits where the GPU's memory is.
PointJudgement judge_setup(const Setup& setup, const std::optional<Machine>& machine,
                           std::optional<double> memory_gb,
                           const KnownRates& known = usual_rates());

/// Of the logarithm of measured by predicted: without calibration 19 of 20 rows of twenty published
/// groups lie within it. Source: RESULTS.md.
inline constexpr double kUncalibratedHalfWidth = 0.86;

/// Of a card that is sold with so many GB, what a program can have. Unit: bytes.
double usable_bytes(Generation generation, double memory_gb);

/// Whether what fits is so near to what there is that PyTorch's allocator, which reserves up to 5 %
/// more than is in use, may run out of it; and what that is called.
bool leaves_little(double needed_bytes, double usable_bytes);
inline constexpr std::string_view kLittleLeft =
    "less than 5 % of the memory free, which the allocator may need";

}  // namespace pippin
