// SPDX-License-Identifier: Apache-2.0
#include "core/records/sweep.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pippin {

std::string_view text_of(Order order) {
  switch (order) {
    case Order::kBlocks:
      return "blocks";
    case Order::kSequential:
      return "sequential";
    case Order::kShuffled:
      return "shuffled";
  }
  throw std::logic_error("unnamed Order");
}

std::string_view text_of(Pack pack) {
  switch (pack) {
    case Pack::kBlock:
      return "block";
    case Pack::kPoint:
      return "point";
  }
  throw std::logic_error("unnamed Pack");
}

bool computes_on_processors(const Sweep& sweep) {
  const std::string& probe = sweep.trainer.probe;
  if (probe.empty() || probe == "replay") return false;
  return std::none_of(sweep.points.begin(), sweep.points.end(), [](const Point& point) {
    const Value* device = find_value(point.axes, "device");
    return device && device->text == "cuda";
  });
}

namespace {

// Launchers take seconds to start hundreds of ranks, and minutes where something hangs.
constexpr std::int64_t kReadingStart_s = 10, kLongestReadingStart_s = 60;

std::int64_t reading_s(const Sweep& sweep, std::int64_t start_s) {
  return sweep.canary_s ? static_cast<std::int64_t>(std::ceil(*sweep.canary_s)) + start_s : 0;
}

}  // namespace

std::int64_t reading_time_s(const Sweep& sweep) { return reading_s(sweep, kReadingStart_s); }
std::int64_t reading_limit_s(const Sweep& sweep) {
  return reading_s(sweep, kLongestReadingStart_s);
}

}  // namespace pippin
