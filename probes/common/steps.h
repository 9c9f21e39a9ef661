// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace pippin::probes {

// With --iterations a probe that measures one thing prints each measurement of it as a step, for a
// sweep: LOG_FORMAT.md, "Steps".

/// What is measured, by the names that sweeps have for it.
using Measured = std::vector<std::pair<std::string, std::string>>;

/// " > point: op=all_reduce bytes=4194304".
std::string point_line(const Measured& measured);
/// " step        1/      20 | time (us): 12.3456 | calls: 812".
std::string step_line(std::int64_t step, std::int64_t steps, double microseconds,
                      std::int64_t calls);
std::string last_step_line(std::int64_t steps);

/// How many calls in a row take at least `microseconds`, found by making some; at least one, at
/// most a million. `mean_us`: makes so many and gives the mean time of one, which must be the same
/// on every rank.
std::int64_t calls_that_take(double microseconds,
                             const std::function<double(std::int64_t calls)>& mean_us);

}  // namespace pippin::probes
