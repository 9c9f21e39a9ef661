// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/campaign/machine.h"
#include "tests/harness/campaign/world.h"

namespace pippin::test {

/// Lives of `pippin run` in a World.
struct LifeOptions {
  std::int64_t retries = 2;
  bool retry_failed = false;
  std::int64_t max_in_flight = 0;
  std::int64_t pace = 3;          ///< steps of the jobs between two of the machine's
  std::int64_t files_late_s = 0;  ///< the campaign's
  bool survives_errors = false;   ///< goes on with the same machine where one throws an Error
};

/// Two node counts, three points, two allocations, two runs each: four jobs, twelve runs, of which
/// four are bad.
Sweep small_sweep();
std::vector<std::string> run_names();
bool is_bad(const std::string& run);

/// Opens the campaign and works on it. True where it saw the end; `see` gets the machine then.
using See = std::function<void(const CampaignMachine&)>;
bool live(World& world, const LifeOptions& options, RunCounts& progress, const See& see = {});

/// Lives until the campaign is finished, begun again after every death; jobs make `pause` steps
/// while nobody looks.
RunCounts live_to_the_end(World& world, const LifeOptions& options, std::int64_t pause,
                          const See& see = {});

/// Attempts of a run that left an exit code, and of those the ones that left 0.
int attempts_done(World& world, const std::string& run);
int attempts_succeeded(World& world, const std::string& run);

}  // namespace pippin::test
