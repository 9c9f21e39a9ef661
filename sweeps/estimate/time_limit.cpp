// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/time_limit.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace pippin {

namespace {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

/// Sums parts times units, as many as there are parts; nothing where a part is no number.
std::optional<double> sum_of(std::string_view text, std::vector<double> units) {
  const auto parts = split(text, ':');
  if (parts.size() > units.size()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto part = parse_integer(parts[i]);
    if (!part || *part < 0) return std::nullopt;
    sum += static_cast<double>(*part) * units[i];
  }
  return sum;
}

std::optional<double> seconds_of(std::string_view text) {
  const auto dash = text.find('-');
  if (dash != std::string_view::npos) {
    const auto days = sum_of(text.substr(0, dash), {kDay});
    const auto rest = sum_of(text.substr(dash + 1), {kHour, kMinute, 1});
    return days && rest ? std::optional(*days + *rest) : std::nullopt;
  }
  const bool has_hours = std::count(text.begin(), text.end(), ':') == 2;
  return has_hours ? sum_of(text, {kHour, kMinute, 1}) : sum_of(text, {kMinute, 1});
}

bool is_unlimited(std::string_view text) {
  return lower(text) == "unlimited" || lower(text) == "infinite";
}

}  // namespace

bool is_time_limit(std::string_view text) {
  return is_unlimited(trim(text)) || seconds_of(trim(text)).has_value();
}

std::optional<double> seconds_of_time(std::string_view text) { return seconds_of(trim(text)); }

std::optional<double> seconds_of_duration(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"min", 60}, {"h", 3600}, {"s", 1}};
  const std::string_view words = trim(text);
  for (const auto& [unit, seconds] : kUnits) {
    if (!words.ends_with(unit)) continue;
    const auto number = parse_number(trim(words.substr(0, words.size() - unit.size())));
    return number ? std::optional(*number * seconds) : std::nullopt;
  }
  return seconds_of_time(words);
}

std::optional<double> time_limit_s(const Cluster& cluster) {
  const Value* limit = find_value(cluster.scheduler_options, "time");
  const auto seconds = limit ? seconds_of_time(limit->text) : std::nullopt;
  return seconds && *seconds > 0 ? seconds : std::nullopt;
}

std::string time_limit_key(const Cluster& cluster) {
  return cluster.scheduler == "pbs" ? "pbs: walltime" : "slurm: time";
}

}  // namespace pippin
