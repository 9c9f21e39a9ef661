// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scrape/table_reader.h"

namespace pippin {

/// The all-reduces of all_reduce_bench.py: of each trial every rank prints its label, a duration,
/// an "algo throughput" (twice what others call so) and a bus bandwidth, in 1e9 *bits* a second.
///
/// Lines of several nodes interleave, so that neither rank nor trial of a record is sure: a size
/// has the medians over all records. The first trial warms up; it is left out where lines that
/// announce the trials divide the records evenly.
/// Shape: a duration has four decimals of a second.
/// Source: github.com/bigscience-workshop/bigscience, experiments/bandwidth;
/// github.com/stas00/ml-engineering, network/benchmarks.
class AllReduceBench : public TableReader {
 public:
  bool begins(std::string_view line) const override;
  void read(std::string_view line) override;
  void finish(NetworkTables& found) override;

 private:
  struct Trial {
    std::vector<double> seconds, algo_gbit, busbw_gbit;  ///< of its records
  };
  /// A run of the program.
  struct Run {
    std::optional<std::int64_t> bytes;
    std::set<std::string, std::less<>> sized, labels;  ///< who told the size; and all ranks seen
    bool is_announced = false;                         ///< each trial is
    bool has_mean_table = false;
    std::vector<Trial> trials{1};
    std::string library;
  };

  void read_record(std::string_view line);
  static std::string reason_against(const Run& run, const Trial& counted);
  static bool are_told_apart(const Run& run);
  static Trial counted_records(const Run& run);
  static std::int64_t ranks_of(const Run& run, const Trial& counted);
  static CanaryFigures figures_of(const Run& run, const Trial& counted);

  Run run_;
};

}  // namespace pippin
