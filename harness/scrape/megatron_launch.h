// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/records/run.h"
#include "harness/scrape/alike_lines.h"
#include "harness/scrape/checkpoints_seen.h"
#include "harness/scrape/endings.h"
#include "harness/scrape/megatron_arguments.h"
#include "harness/scrape/megatron_lines.h"
#include "harness/scrape/nodes_seen.h"

namespace pippin {

/// One launch while its lines are read.
class MegatronLaunch {
 public:
  MegatronHeader header;
  bool dumped = false;     ///< it began with an arguments dump
  bool complete = false;   ///< and the dump came to its end
  bool restarted = false;  ///< its numbers went back
  std::map<std::int64_t, RankMemory> memory;
  Ending ending;
  NodesSeen nodes;
  CheckpointsSeen checkpoints;
  std::optional<std::int64_t> started_at;

  /// How many iterations there are, and the number of the last; 0: none.
  std::size_t rows() const { return rows_.size(); }
  std::int64_t last_number() const { return last_number_; }
  /// Whether a number above the last is the usual one, and of as many iterations.
  bool goes_on_with(const IterationRecord& record) const {
    return record.last == total_ && record.iteration.number - last_number_ == last_step_;
  }
  std::int64_t total() const { return total_; }
  /// Whether the date before the next row counts: of the first two, where there are dates.
  bool wants_time() const { return rows() == 0 || (rows() == 1 && first_.at); }
  /// Whether rows have dates: the first has one.
  bool is_dated() const { return first_.at.has_value(); }
  /// Whether a row before says the same. Requires a number that is not above the last.
  bool has(const IterationRecord& record) const;
  /// Requires a number above the last.
  void add(const IterationRecord& record);
  /// Another rank's figures of a row.
  void add_rank(const IterationRecord& record);
  /// What else the last row says.
  void add_others(const std::vector<std::string>& names, const std::vector<double>& numbers);
  /// What was printed after that iteration.
  void happened(IterationFlag flag, std::int64_t number);

  /// Keeps the largest of each figure where a rank reports twice.
  void add_memory(const RankMemory& of_rank);
  /// Gives the last row its timers, which are printed after it; keeps the first of a name.
  void add_timers(const NamedValues& timers);
  void add_timers(const AlikeTimers& timers);

  double last_time_ms() const { return last_time_ms_; }
  std::size_t timer_lines() const { return timer_lines_; }
  std::size_t event_count() const { return events_.size(); }

  /// The launch as a record, its iterations flagged by what stands around them.
  LogRun finish() &&;

 private:
  /// What other ranks than the first say of a row.
  struct OtherRanks {
    std::int64_t count = 0;
    double slowest_ms = 0, fastest_ms = 0;
  };

  /// One of the first two rows.
  struct EarlyRow {
    std::int64_t number = 0;
    double time_ms = 0;
    std::optional<std::int64_t> at;
  };

  Count interval() const;
  bool first_is_mean_of_all() const;
  std::int64_t interval_of_numbers() const;
  bool second_is_timed_alone() const;
  void count_slowest_ranks();
  void mark(const Count& gbs);

  Iterations rows_;
  std::int64_t last_number_ = 0;
  std::int64_t last_step_ = 0;                      ///< between the last two numbers
  std::int64_t total_ = 0;                          ///< of iterations, as the last row says
  std::map<std::int64_t, OtherRanks> other_ranks_;  ///< by row
  std::vector<std::uint32_t> said_;                 ///< a hash of what each row says
  std::size_t timer_lines_ = 0;
  double last_time_ms_ = 0;
  bool timing_ = false;  ///< timers that come now are those of the last row
  std::vector<std::pair<std::int64_t, IterationFlag>> events_;  ///< after which iteration
  EarlyRow first_, second_;
  std::int64_t smallest_step_ = 0;
  std::int64_t divisor_ = 0;  ///< the largest of the numbers of all rows but the first
  bool one_gbs_ = true;       ///< all rows say the same, or nothing
  bool had_loss_ = false;
  Count gbs_, planned_, nan_from_;
  std::optional<double> resolution_ms_;
};

}  // namespace pippin
