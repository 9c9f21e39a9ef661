// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/records/cluster.h"
#include "core/records/point.h"

namespace pippin {

/// A point that a sweep names and does not run.
struct DroppedPoint {
  Point point;
  std::string reason;  ///< "where: layers % pp == 0"
};

enum class Order { kBlocks, kSequential, kShuffled };

/// "blocks", "sequential", "shuffled": as the sweep file has it.
std::string_view text_of(Order order);

/// What one job measures: a block of points, or one point.
enum class Pack { kBlock, kPoint };

/// "block", "point": as the sweep file has it.
std::string_view text_of(Pack pack);

/// How often every point is measured: in `allocations` allocations, `runs` times in each.
struct Repeats {
  std::int64_t allocations = 1;
  std::int64_t runs = 1;
};

/// What starts one run: a probe of ours or the user's own command.
struct Trainer {
  std::string probe;                 ///< "training", "replay", …; empty where `command` is given
  std::string command;               ///< template with {tp}, {mbs}, {own_axis} …; bash
  std::vector<std::string> options;  ///< axis names that the probe takes as options
  std::vector<std::pair<std::string, std::string>> option_names = {};  ///< where they differ
  bool once = false;        ///< the probe is started once, not once a rank
  bool traces = false;      ///< its ranks write into `trace` of the run's folder what they do when
  NamedValues scrape = {};  ///< how the lines of `command` are read; see kPatternPrefix
  std::vector<int> scrape_lines = {};  ///< of each: its line in the sweep's file; empty: in none
  std::string log = {};  ///< where it writes them, in its run's folder; empty: standard output
};

/// One resolved sweep file.
struct Sweep {
  std::string name;
  std::filesystem::path file;
  Cluster cluster;
  Trainer trainer;
  Environment env;  ///< of the sweep, after the cluster's
  std::int64_t iterations = 20;
  std::optional<std::int64_t> warmup;  ///< iterations to leave out; nothing: found by statistics
  Repeats repeats;
  Order order = Order::kBlocks;
  std::uint64_t seed = 1;
  std::vector<std::string> own_axes;  ///< names of the user's axes, in the sweep's order
  std::vector<Point> points;
  std::vector<DroppedPoint> dropped;
  std::optional<Pack> pack = {};          ///< nothing: it follows from the order
  std::optional<double> run_time_s = {};  ///< what one run takes at most, with its start and what
                                          ///< the cluster does around it; it is stopped then
  bool predicts_run_time = false;         ///< `run_time: predicted`: run_time_s follows from an
                                          ///< estimate, that of the point `run_time_of`
  std::string run_time_of = {};           ///< its name
  std::optional<double> stalled_s = {};   ///< a run is stopped whose log is silent for so long
  std::string reference = {};  ///< id of the point that each incomplete block measures; empty: the
                               ///< first of its node count
  std::optional<double> canary_s = {};  ///< how long the probe `canary` measures around each run
  std::optional<std::int64_t> canary_bytes = {};  ///< of its messages; nothing: its first reading's
};

/// Whether a probe of ours computes on processors alone, as no point has `device: cuda`. What
/// replays, or is a person's own, is as its cluster says.
bool computes_on_processors(const Sweep& sweep);

/// Seconds that a reading of the sweep's canary is counted with, its start too; 0 without one.
std::int64_t reading_time_s(const Sweep& sweep);
/// Seconds after which a reading is stopped; 0 without one.
std::int64_t reading_limit_s(const Sweep& sweep);

}  // namespace pippin
