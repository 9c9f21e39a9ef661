// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/canary_reading.h"

namespace pippin {

/// The collective of nccl-tests that a line names by its program, as "all_reduce" of
/// "srun ./build/all_reduce_perf_mpi -b 8". Nothing where it names none; empty where several.
std::optional<std::string> nccl_collective(std::string_view line);

/// By what nccl-tests multiply the algorithm bandwidth for that of the bus, as far as rows say it
/// that are written in few digits: 1.875 is that of an all-reduce over 16 ranks.
/// Source: github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md.
class BusFactor {
 public:
  /// Columns of one side of a row.
  void see(std::string_view algbw, std::string_view busbw);
  /// The numbers of ranks that it may be of; nothing where none has it, or all have the same.
  struct Ranks {
    std::int64_t least = 0, most = 0;
  };
  std::optional<Ranks> ranks(std::string_view operation) const;
  /// The all-reduce alone has one above 1.
  bool is_all_reduce() const { return low_ > 1 && low_ <= high_ && high_ < 2; }
  bool is_above_0() const { return low_ > 0; }
  /// Whether one factor can be that of all rows.
  bool is_one() const { return low_ <= high_; }

 private:
  double low_ = 0, high_ = std::numeric_limits<double>::infinity();
};

/// The rows of a table of nccl-tests. Which columns there are depends on the version
/// and on options.
/// Source: github.com/NVIDIA/nccl-tests, src/util.cu, src/common.cu.
class NcclRows {
 public:
  using Words = std::vector<std::string_view>;

  /// "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time …": false for others.
  bool read_header(const Words& words);
  /// Whether a line that no header is above has the words of a row. Then its bandwidths tell if its
  /// columns are those that all versions begin with: false: they are not, or a row before had
  /// others.
  bool is_without_header(const Words& words) const;
  bool take_usual_columns(const Words& words);
  bool has_usual_columns() const { return is_usual_; }
  bool has_header() const { return !columns_.empty() && !is_usual_; }
  /// Out of place. Nothing where that is no row below the header, or it is not whole.
  std::optional<CanaryAllReduce> row(const Words& words) const;
  /// Out of place, and in place where it was measured. Empty where row() would be for want of a
  /// time.
  std::vector<Collective> measured(const Words& words, std::string_view operation) const;
  /// What a header that is else like theirs has in front of "size"; empty: nothing, or it is none.
  static std::string_view word_before_size(const Words& words);
  void see_factor(const Words& words);
  const BusFactor& factor() const { return factor_; }
  /// Whether the time is that of the host's calls only (nccl-tests -C 1).
  bool is_host_time() const { return host_time_; }

 private:
  bool is_row(const Words& words) const;
  std::optional<std::string_view> word_at(const Words& words, std::string_view column,
                                          std::size_t side) const;
  std::optional<double> at(const Words& words, std::string_view column, std::size_t side = 0) const;
  std::optional<Collective> measured_at(const Words& words, std::size_t side) const;

  std::vector<std::string> columns_;
  bool host_time_ = false, dated_ = false;
  bool is_usual_ = false;  ///< no header named the columns
  BusFactor factor_;       ///< of the rows that were seen
};

}  // namespace pippin
