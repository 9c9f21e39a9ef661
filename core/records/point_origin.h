// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/records/point.h"
#include "core/records/value.h"

namespace pippin {

/// What is stored of how a point was run, beside its times. Texts of several runs: each once.
struct PointOrigin {
  std::string sweep;      ///< empty: no sweep made its runs
  std::string point;      ///< its id
  NamedValues arguments;  ///< the dump of its newest run that has one; empty: none has
  std::string command;    ///< of its newest run that has one; empty: none has
  std::vector<std::string> gpu_models;    ///< as drivers name them
  std::vector<std::string> accelerators;  ///< of campaigns that say it, as accelerators.yaml has it
  std::vector<std::string> clusters;      ///< of campaigns
  bool has_logs = false;                  ///< some of its runs no campaign of ours made
  Count nodes;                            ///< the most that one run was on
  std::int64_t ran = 0;                   ///< runs that made steps, cut ones too
  std::int64_t out_of_memory = 0;         ///< runs that died of it
};

/// A part of an iteration as its trainer timed it.
struct Timer {
  std::string name;    ///< the log's own: "forward-compute max"
  double seconds = 0;  ///< the median over runs of the medians over their lines
};

/// The timers of a point's newest runs.
struct PointTimers {
  std::string sweep;  ///< as of PointOrigin
  std::string point;  ///< its id
  std::vector<Timer> timers;
};

}  // namespace pippin
