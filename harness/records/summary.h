#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/records/run.h"

namespace pippin {

/// The samples of one run, and where it stands among its repeats.
struct RunSamples {
  std::string run;         ///< its name
  std::string allocation;  ///< runs with equal text shared an allocation
  std::string day;         ///< UTC date the run started, empty where unknown
  RunState state = RunState::kOk;
  std::string recompute;  ///< "none", "selective", "full"; empty where unknown
  std::vector<Iteration> iterations;
  std::optional<double> memory_mib;  ///< largest `max allocated` over ranks
};

/// One point with everything that was measured of it.
struct PointSamples {
  std::string sweep;  ///< empty for a foreign log
  Point point;
  RunState planned = RunState::kMissing;  ///< what it is without any run: missing or infeasible
  std::string reason;                     ///< why it is infeasible
  std::optional<std::int64_t> warmup;     ///< iterations to leave out; nothing: found by statistics
  std::vector<RunSamples> runs;
};

/// A mean with its interval, as far as the repeats allow one. In seconds.
struct Interval {
  double mean = 0;
  std::optional<double> low, high;  ///< 95 %; nothing where the unit was not repeated
  std::optional<double> sd;         ///< between units; within the run where there is one only
  std::string unit;                 ///< "day", "allocation", "run", "iteration": what was repeated
  std::string remark;               ///< why there is no interval, or what it does not cover
};

/// One row of a table.
struct Summary {
  std::string sweep;
  Point point;
  RunState state = RunState::kMissing;
  std::string reason;
  std::int64_t allocations = 0, runs = 0, iterations = 0;  ///< that are in the mean
  bool clean = true;  ///< false: lines are in the mean that are no clean samples
  /// Runs that are wholly in the mean though they changed pace: slower on the way, or never steady.
  std::int64_t slowdowns = 0, unsteady = 0;
  std::optional<Interval> step_time_s;
  std::optional<double> tflops;  ///< per GPU
  std::string flops_formula;     ///< "params"; empty where tflops is
  std::optional<double> samples_per_s;
  std::optional<double> memory_gib;
  std::vector<std::string> remarks;  ///< what a reader of the row must know
};

}  // namespace pippin
