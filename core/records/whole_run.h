// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/canary_reading.h"
#include "core/records/run.h"
#include "core/records/summary.h"

namespace pippin {

/// A run in a list of some.
struct ListedRun {
  std::int64_t id = 0;  ///< in the database
  std::string name;
  std::string sweep;  ///< empty: of a foreign log
  Count campaign;     ///< its number
  std::string point_id, point;
  std::string allocation;     ///< its name
  std::int64_t attempt = 1;   ///< of it
  std::int64_t position = 0;  ///< 1-based, in the job or in the log
  RunState state = RunState::kMissing;
  std::string evidence;
  std::optional<std::int64_t> started_at, ended_at;  ///< seconds since 1970, UTC
  std::optional<std::string> dropped;                ///< why it was set aside
  std::string note;                                  ///< the newest
  std::optional<std::int64_t> warmup;                ///< of its campaign
  std::optional<RunDigest> digest;                   ///< nothing: its lines are not summed up
};

struct WrittenNote {
  std::string text;  ///< empty: it took the one before away
  std::int64_t written_at = 0;
};

/// The log that a run was read from.
struct RunLog {
  std::string path;
  std::int64_t size_bytes = 0;
  std::string content_hash;
  std::int64_t collected_at = 0;  ///< seconds since 1970, UTC
  NamedValues told;               ///< what a person said of it
  std::size_t ordinal = 0;        ///< which of its runs with steps this one is, from 0
  std::size_t runs_with_steps = 0;
};

/// A run with all that is stored of it, but for its lines.
struct WholeRun {
  ListedRun listed;
  Point point;
  std::string cluster;
  std::int64_t allocation_id = 0;
  Count allocation_number, repeat;  ///< 1-based
  std::optional<std::int64_t> exit_code;
  std::string recompute, derived;
  Provenance provenance;
  std::optional<RunLog> log;
  std::int64_t scraper_version = 0;
  std::optional<double> resolution_ms, noted_spread_ms;
  Count last_iteration, planned_iterations, nan_from;
  NamedValues arguments;
  std::vector<RankMemory> memory;
  std::vector<RunNode> nodes;
  std::vector<SlowestRank> slowest_ranks;
  std::vector<Checkpoint> checkpoints;
  std::optional<CanaryReading> before, after;
  std::vector<WrittenNote> notes;  ///< the newest last
};

/// Some runs, and how many there are.
struct RunList {
  std::vector<ListedRun> runs;
  std::size_t left_out = 0;  ///< behind them
};

/// What canaries measured of one node, a reading each, by time.
struct NodeReading {
  std::int64_t taken_at = 0;  ///< seconds since 1970, UTC
  std::string cluster;
  std::optional<double> gemm_min_tflops, gemm_median_tflops;
};

/// What canaries measured between a node and another.
struct NodeLink {
  std::string to;
  std::vector<double> gb_per_s;  ///< by time
};

}  // namespace pippin
