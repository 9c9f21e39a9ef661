// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/checkpoint.h"
#include "core/records/iterations.h"
#include "core/records/point.h"

namespace pippin {

/// How a run ended, or of a point without runs why: it cannot run, or did not yet. The text stands
/// in the database and in CSV.
enum class RunState { kOk, kFailed, kTimeout, kOom, kCancelled, kInfeasible, kMissing, kNotRun };

std::string_view text_of(RunState state);
/// Nothing where the text is none of those.
std::optional<RunState> run_state_of(std::string_view text);

/// Whether the lines of such a run count beside those of runs that went well: it was one, or was
/// cut from outside. Leaving out what ran into its time limit would leave out the slow ones.
bool counts_beside_ok(RunState state);

/// Why an iteration is no clean sample of a step; bits of Iteration::flags, stable in the database.
enum IterationFlag : unsigned {
  kFirst = 1u << 0,            ///< the first of a launch: start-up is in it
  kSkippedStep = 1u << 1,      ///< an fp16 overflow: no optimizer step was made
  kAfterSave = 1u << 2,        ///< a checkpoint was saved since the line before
  kAfterEvaluation = 1u << 3,  ///< the validation set was run since the line before
  kIntervalMean = 1u << 4,     ///< the mean of `interval` iterations; of nobody knows how many if 1
  kNoted = 1u << 5,            ///< written down by hand: a mean of nobody knows how many iterations
  kMovingMean = 1u << 6,       ///< a moving mean: of steps that the lines before have, too
  kWholeRun = 1u << 7,         ///< of all steps of a run, with start-up, evaluation and saving
};

/// LogRun::recompute of a run that does the whole forward pass twice.
inline constexpr std::string_view kFullRecompute = "full";
/// Point::trainer of figures that people wrote down.
inline constexpr std::string_view kNotedTrainer = "noted";

/// One "[Rank N] … memory (MB)" line; Megatron's "MB" is MiB.
struct RankMemory {
  std::int64_t rank = 0;
  std::optional<double> allocated_mib, max_allocated_mib, reserved_mib, max_reserved_mib;
};

/// A node that a run was on.
struct RunNode {
  std::string name;
  std::string ranks;  ///< "0-3,8"; empty: unknown
};

/// A rank that computed longer than all others, for some of a log's lines.
struct SlowestRank {
  std::int64_t rank = 0;
  std::string node;
  std::int64_t lines = 0;                ///< in which it was the slowest
  double computing_ms = 0, mean_ms = 0;  ///< its own and that of all ranks; means over those lines
};

/// What one launch printed: everything between its header and the next.
struct LogRun {
  std::string format;       ///< the grammar that read it: "megatron"
  NamedValues arguments;    ///< the dump, in its order
  Point point;              ///< model, layout, trainer and the arguments that matter to speed
  std::string recompute;    ///< "none", "selective", "full"; empty where unknown
  NamedValues derived;      ///< what of `point` the log does not say in so many words: by which law
  NamedValues told;         ///< what a person said of it, which `point` has, and the patterns
  NamedValues overruled;    ///< counts that the log says and a person said otherwise
  bool configured = false;  ///< it says its model, GPUs and batch: an equal point is the same
                            ///< configuration
  Iterations iterations;
  std::vector<RankMemory> memory;          ///< by rank; the largest where a rank reports twice
  std::optional<std::int64_t> started_at;  ///< seconds since 1970 by the log's own clock, which
                                           ///< names no time zone: read as UTC
  std::optional<RunState> end;             ///< how it ended, where the log says so
  std::string evidence;                    ///< the line that says so
  std::int64_t scraper_version = 0;        ///< of the scraper that read it
  std::optional<double> resolution_ms;     ///< the finest step in which it writes step times
  std::optional<double> noted_spread_ms;   ///< what a person wrote behind "±" of a noted time
  std::vector<RunNode> nodes;              ///< where it ran, each once; empty where it is silent
  std::vector<SlowestRank> slowest_ranks;  ///< empty where it is silent
  std::vector<Checkpoint> checkpoints;     ///< in the order in which they began
  Count planned_iterations;  ///< the last one that its lines announce; empty where they say why
                             ///< they end before it
  Count nan_from;            ///< the iteration from which on no loss is a finite number
};

/// Evidence that is followed by what stands in a log, which each run has words of its own for.
inline constexpr std::string_view kNearestLines = "; nearest: ";

/// Takes a person's word for what a log does not say, or says otherwise; of patterns, and of what
/// is taken back, it is kept only, as LogRun::told. Errors: those of tell() of a point and of
/// check_told().
void tell(LogRun& run, const NamedValues& told);

/// Where a run of a campaign stands in its design; empty for a foreign log.
struct RunPlace {
  std::string sweep;
  std::int64_t campaign = 0;    ///< 1 is the sweep's first
  std::string job;              ///< the allocation's name
  std::int64_t allocation = 0;  ///< 1-based, within the campaign
  std::int64_t repeat = 0;      ///< 1-based, within the allocation
  std::int64_t position = 0;    ///< 1-based, within the job's order
};

/// What is known of how a run came about. Empty: not known.
struct Provenance {
  std::string command, script, environment, node_list, gpu_model, driver, nccl, git_commit, host;
  std::optional<std::int64_t> started_at, ended_at;  ///< seconds since 1970, UTC
};

}  // namespace pippin
