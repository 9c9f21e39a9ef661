// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/cluster.h"
#include "core/records/run.h"

namespace pippin {

/// Some lines of one run, summed up. Quantiles: type 7.
struct LineSummary {
  std::int64_t lines = 0;         ///< 0: there are none, and all below means nothing
  double mean_ms = 0, sd_ms = 0;  ///< sd with n - 1; 0 of one line
  double min_ms = 0, p25_ms = 0, median_ms = 0, p75_ms = 0, p95_ms = 0, p99_ms = 0, max_ms = 0;
};

/// What the times of lines are: of single steps, or means that say nothing of how those spread.
enum class LineTimes { kSteps, kMeans, kMovingMeans, kWholeRuns };

/// Whether an iteration may have so many sequences.
inline bool is_batch(std::int64_t gbs) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  return gbs >= 1 && gbs <= kMost;
}

/// What the lines of one run come to: all that a table needs of them.
struct RunDigest {
  LineSummary
      clean;  ///< without warm-up and flagged lines; of a run whose lines are means, of those
  LineTimes times = LineTimes::kSteps;  ///< in `clean`
  LineSummary all;
  bool flagged = false;     ///< lines are in `all` that are no clean samples
  bool slowdown = false;    ///< it surely slowed down on the way
  bool unsteady = false;    ///< it surely found no steady state
  double trend = 0;         ///< ln of how much longer the second half of its clean lines takes
  Count gbs;                ///< the batch size of its last lines; only lines of it are in the above
  bool batch_grew = false;  ///< it has lines of another batch size
};

/// The samples of one run, and where it stands among its repeats.
struct RunSamples {
  std::int64_t id = 0;                     ///< in the database
  std::string run;                         ///< its name
  std::int64_t campaign = 0;               ///< its number; 0: of a foreign log
  std::string cluster;                     ///< of its campaign; empty where unknown
  std::string allocation;                  ///< runs with equal text shared an allocation
  std::string day;                         ///< UTC date the run started, empty where unknown
  std::optional<std::int64_t> started_at;  ///< seconds since 1970, UTC
  RunState state = RunState::kOk;
  std::string evidence;                 ///< why it is in that state
  std::string recompute;                ///< "none", "selective", "full"; empty where unknown
  std::vector<Iteration> iterations;    ///< empty where they were not loaded, as `digest` is there
  std::optional<RunDigest> digest;      ///< nothing: not summed up yet
  std::optional<std::int64_t> warmup;   ///< of its campaign: iterations to leave out
  std::optional<double> memory_mib;     ///< largest `max allocated` over ranks
  std::optional<double> resolution_ms;  ///< in which its log writes step times
  std::optional<double> noted_spread_ms = {};  ///< what its notes have behind "±"
  std::vector<std::string> notes;              ///< what people wrote of it, the newest last
  Count last_iteration;                        ///< in its log
  Count planned_iterations;                    ///< the last one that its log announced
  Count nan_from;  ///< the iteration from which on its loss is no number
};

/// A mean with its interval, as far as the repeats allow one. In seconds.
struct Interval {
  double mean = 0;
  std::optional<double> low, high;  ///< 95 %; nothing where the unit was not repeated
  std::optional<double> sd;         ///< between units; within the run where there is one only
  std::string unit;                 ///< "day", "allocation", "run", "iteration": what was repeated
  std::string remark;               ///< why there is no interval, or what it does not cover
  std::optional<double> df = {};    ///< degrees of freedom of the interval
  std::optional<double> sd_low = {}, sd_high = {};  ///< 95 % of `sd` between units
};

/// One point with everything that was measured of it.
struct PointSamples {
  std::string sweep;  ///< empty for a foreign log
  Point point;
  RunState planned = RunState::kNotRun;  ///< what it is without any run: that, or infeasible
  std::string reason;                    ///< why it is infeasible
  std::optional<std::int64_t> warmup;    ///< of runs that do not say theirs; nothing: found by
                                         ///< statistics
  PeakTflops peak_tflops;                ///< of the accelerator it ran on; empty where unknown
  bool left = false;                     ///< its sweep's file has it no more
  std::vector<RunSamples> runs;
};

/// What one allocation of a row came to.
struct AllocationMean {
  std::string allocation;  ///< rows with equal text ran in the same one
  std::string day;         ///< UTC date, empty where unknown
  double seconds = 0;      ///< the mean of its runs
};

/// Where single lines lie: the lowest, the quarters as far as they reach in any run, the highest.
struct Quantiles {
  double min = 0, p25 = 0, p75 = 0, max = 0;
  double median = 0;  ///< the middle of the runs' medians
  double p99 = 0;     ///< the highest of the runs'
};

/// A quotient and its 95 % interval.
struct Ratio {
  double value = 1;
  std::optional<double> low, high;
};

/// Unit: 1e9 bytes per second. The interval is that of the time.
struct BusBandwidth {
  double mean = 0;
  std::optional<double> low, high;
};

/// Where a row stands among those of its table.
struct Standing {
  enum Place { kBest, kTied, kBehind };
  Place place = kBehind;  ///< tied: what was measured cannot tell it from the best
  double chance = 0;      ///< that it is the best
  double behind = 0;      ///< by how much longer it takes than the best: 0.05 is 5 %
  bool as_good = false;   ///< surely within 2 % of the best
  std::optional<std::size_t> more_allocations = {};  ///< that would probably decide a tie
};

/// What is known of the runs of a row beside their times.
struct RowDetails {
  std::vector<std::string> logs;   ///< their paths, each once
  std::vector<std::string> nodes;  ///< that any of them was on, by name
  Count nodes_of_run;              ///< the most that one was on
  /// What canaries measured before them, on average: the median rank's matrix products, and the bus
  /// bandwidth of the largest all-reduce.
  std::optional<double> canary_gemm_tflops, canary_busbw_gb_per_s;
};

/// One row of a table.
struct Summary {
  std::string sweep;
  Point point;
  RunState state = RunState::kMissing;
  bool clean = true;                ///< false: lines are in the mean that are no clean samples
  bool noted = false;               ///< a figure written down by hand
  bool notes_are_markdown = false;  ///< as a person wrote them into a table
  bool left = false;  ///< its sweep's file has the point no more: it stands apart, unranked
  std::string
      reason;  ///< why it is infeasible or set aside, or how the run that gave it `state` ended
  /// What a row is of that stands for some of a point's runs only; else empty.
  std::string run, allocation, day;
  std::int64_t run_number = 0;             ///< of one run: in the database
  std::int64_t campaign = 0;               ///< its number where the row is of one, else 0
  std::string selection;                   ///< what its reader called that, where there are several
  std::optional<std::int64_t> started_at;  ///< of the first run; seconds since 1970, UTC
  std::int64_t allocations = 0, runs = 0, iterations = 0;  ///< that are in the mean
  /// Runs that are wholly in the mean though they changed pace: slower on the way, or never steady.
  std::int64_t slowdowns = 0, unsteady = 0;
  std::optional<Interval> step_time_s;
  std::vector<AllocationMean> allocation_means;
  std::vector<double> unit_means_s;  ///< of the allocations, or of the runs of a single one
  std::optional<Quantiles> lines_s;  ///< of single lines, over all runs in the mean
  /// "none", "selective", "full", empty where unknown; nothing where its runs disagree.
  std::optional<std::string> recompute;
  PeakTflops peak_tflops;               ///< of the accelerator it ran on; empty where unknown
  std::optional<double> tflops;         ///< per GPU
  std::string flops_formula;            ///< "params", …; empty where tflops is
  std::optional<double> useful_tflops;  ///< per GPU by the same formula, without recomputed work
  std::optional<double> mfu, hfu;       ///< shares of the peak: of the model's FLOPs, of those done
  std::optional<BusBandwidth> bus_bandwidth;  ///< of a collective operation
  std::optional<double> samples_per_s;
  std::optional<double> memory_gib;
  std::vector<std::string> notes;       ///< what people wrote of its runs, as it stands
  std::vector<std::string> past_notes;  ///< what they wrote before
  std::optional<Ratio> vs;              ///< its useful work a second and GPU to that of another row
  std::optional<Standing> standing;     ///< by the same; nothing where it is not ranked
  std::vector<std::string> remarks;     ///< what a reader of the row must know
  std::string difference;  ///< by what it differs from rows that look like it; else empty
  std::vector<std::int64_t> run_ids;  ///< of all its runs; of a row that was stored none
  RowDetails details;                 ///< empty where nobody asked
};

/// Adds what people wrote of one run of the row, the newest last: that stands, all are past.
void add_notes(Summary& row, const std::vector<std::string>& of_run);

}  // namespace pippin
