// SPDX-License-Identifier: Apache-2.0
#include "reports/model_check.h"

#include <cmath>

namespace pippin {

std::optional<double> predicted_s(const ModelCheck& check) {
  return check.time ? std::optional(check.time->all()) : std::nullopt;
}

std::optional<double> measured_s(const ModelCheck& check) {
  if (check.of.lines_s) return check.of.lines_s->median;
  return check.of.step_time_s ? std::optional(check.of.step_time_s->mean) : std::nullopt;
}

std::optional<double> measured_by_predicted(const ModelCheck& check) {
  const auto predicted = predicted_s(check), measured = measured_s(check);
  if (!predicted || !measured) return std::nullopt;
  return *measured / *predicted;
}

std::optional<bool> is_within(const ModelCheck& check) {
  const auto ratio = measured_by_predicted(check);
  if (!ratio || !check.half_width) return std::nullopt;
  return std::abs(std::log(*ratio)) <= *check.half_width;
}

std::optional<bool> should_fit(const ModelCheck& check) {
  if (!check.needed_gib || !check.usable_gib) return std::nullopt;
  return *check.needed_gib <= *check.usable_gib;
}

std::optional<bool> memory_agrees(const ModelCheck& check) {
  const auto foretold = should_fit(check);
  if (!foretold || (check.ran > 0) == (check.out_of_memory > 0)) return std::nullopt;
  return *foretold == (check.ran > 0);
}

}  // namespace pippin
