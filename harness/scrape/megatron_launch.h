#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/records/run.h"
#include "harness/scrape/endings.h"
#include "harness/scrape/megatron_arguments.h"
#include "harness/scrape/megatron_lines.h"
#include "harness/scrape/nodes_seen.h"

namespace pippin {

/// One launch while its lines are read.
struct MegatronLaunch {
  MegatronHeader header;
  bool dumped = false;     ///< it began with an arguments dump
  bool complete = false;   ///< and the dump came to its end
  bool restarted = false;  ///< its numbers went back
  bool timing = false;     ///< timers that come now are those of the last row
  std::vector<IterationRecord> rows;
  std::vector<std::pair<IterationFlag, std::int64_t>> events;  ///< after which iteration
  std::map<std::int64_t, RankMemory> memory;
  std::unordered_set<std::size_t> seen;  ///< hashes of the iteration records
  Ending ending;
  NodesSeen nodes;
  std::optional<std::int64_t> started_at;

  std::int64_t last_number() const { return rows.empty() ? 0 : rows.back().iteration.number; }

  /// Keeps the largest of each figure where a rank reports twice.
  void add_memory(const RankMemory& of_rank);
  /// Gives the last row its timers, which are printed after it; keeps the first of a name.
  void add_timers(NamedValues&& timers);
};

/// The launch as a record, its iterations flagged by what stands around them.
LogRun finished(MegatronLaunch&& launch);

}  // namespace pippin
