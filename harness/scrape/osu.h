// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/scrape/table_reader.h"

namespace pippin {

/// The all-reduces of the OSU Micro-Benchmarks: the mean over calls and ranks.
///
/// Their least and greatest latency are means of a rank each, no spread of calls, and are left out.
/// A bus bandwidth follows from the number of ranks, which only a command in the log tells
/// ("mpirun -np 8 … osu_allreduce"): without one there is a problem and no table.
/// Source: mvapich.cse.ohio-state.edu/benchmarks, osu_allreduce.c, osu_util_mpi.c.
class Osu : public TableReader {
 public:
  bool begins(std::string_view line) const override;
  void read(std::string_view line) override;
  void finish(NetworkTables& found) override;

 private:
  void read_command(std::string_view line);
  void read_remark(std::string_view line);
  void read_row(const std::vector<std::string_view>& words);
  std::string reason_against() const;

  std::optional<std::int64_t> told_ranks_;  ///< by a command; 0: by several, unlike
  std::int64_t ranks_ = 0;                  ///< of the table; 0: unknown
  std::string title_;                       ///< "MPI-CUDA Allreduce Latency Test v5.9"
  std::vector<std::string> columns_;
  bool has_rows_ = false;
  std::vector<CanaryAllReduce> sizes_;  ///< without their bus bandwidths
};

}  // namespace pippin
