// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/records/sweep.h"

namespace pippin {

/// One launch of one point inside an allocation.
struct PlannedRun {
  std::string name;  ///< "52b-tp4-…-a3" (and "-r2"): its directory too; unique in the sweep
  std::string point_id;
  std::int64_t repeat = 1;    ///< 1-based, within the allocation
  std::int64_t position = 1;  ///< 1-based, within the job
  bool is_reference = {};     ///< of the point that each incomplete block measures beside its own
  bool left = {};             ///< the sweep wants it no more; it had been handed over by then
};

/// One allocation: some runs, one after the other, on one set of nodes.
struct PlannedJob {
  std::string name;             ///< "gpt-52b-a3-n16"; unique in the sweep
  std::int64_t allocation = 1;  ///< 1-based, within the campaign
  std::int64_t nodes = 1;
  std::vector<PlannedRun> runs;             ///< in the order they are launched
  std::optional<std::int64_t> time_s = {};  ///< time limit to ask for; nothing: the cluster's own
};

/// How the points of one node count are put into jobs.
struct Packing {
  std::int64_t nodes = 1, points = 1;
  Pack pack = Pack::kBlock;
  std::int64_t blocks = 1;        ///< of an allocation; several are incomplete
  std::int64_t block_points = 0;  ///< of an incomplete block, at most, beside the reference
  std::string reference = {};     ///< id of the point that each incomplete block measures too
};

/// One dated go at a sweep: its jobs, frozen when it began.
struct Campaign {
  std::string sweep;
  std::int64_t number = 1;                 ///< 1 is the sweep's first
  std::string started;                     ///< UTC, ISO 8601
  std::string cluster;                     ///< its name
  std::string accelerator;                 ///< its name; empty where unknown
  PeakTflops peak_tflops;                  ///< of the accelerator
  std::string scheduler;                   ///< its scheduler's: "local"
  std::vector<std::string> exclude = {};   ///< nodes that its jobs keep off, as a person asked for
  std::vector<std::string> nodelist = {};  ///< … that they keep to; empty: all
  std::int64_t files_late_s = 0;  ///< so late may be seen what its nodes have written, seconds
  std::string order;              ///< "blocks", "sequential", "shuffled"
  std::uint64_t seed = 1;
  std::optional<std::int64_t> warmup;  ///< iterations to leave out; nothing: found by statistics
  NamedValues scrape = {};             ///< as Trainer has them
  std::string log = {};
  std::vector<Point> points;
  std::vector<DroppedPoint> dropped;
  std::vector<PlannedJob> jobs;
};

}  // namespace pippin
