// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/pace.h"

#include <algorithm>
#include <cmath>

namespace pippin {

namespace {

constexpr std::size_t kShortestLevel = 3;

/// Where the step is, and the levels on either side.
struct Step {
  std::size_t at = 0;
  double before = 0, behind = 0;
};

/// The step that leaves the least squared error about its two levels.
Step largest_step(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double all = 0;
  for (const double value : values) all += value;
  Step best;
  double most = -1, sum = 0;
  for (std::size_t at = 1; at + kShortestLevel <= values.size(); ++at) {
    sum += values[at - 1];
    if (at < kShortestLevel) continue;
    const auto count = static_cast<double>(at);
    const double before = sum / count, behind = (all - sum) / (n - count);
    const double explained = (behind - before) * (behind - before) * count * (n - count);
    if (explained <= most) continue;
    most = explained;
    best = {at, before, behind};
  }
  return best;
}

/// Of neighbours within a level.
double correlation(const std::vector<double>& residuals, std::size_t step, double squares) {
  if (squares <= 0) return 0;
  double products = 0;
  for (std::size_t i = 1; i < residuals.size(); ++i) {
    if (i != step) products += residuals[i] * residuals[i - 1];
  }
  constexpr double kMost = 0.9;
  const double found = products / squares;
  const double lost = (2 + 4 * std::max(0.0, found)) / static_cast<double>(residuals.size());
  return std::clamp(found + lost, 0.0, kMost);
}

}  // namespace

bool StepPace::changed() const {
  constexpr double kMatters = 0.05, kStandsOut = 2.5;
  constexpr double kSure = 4.2, kSureOfFew = 36;
  if (values < 2 * kShortestLevel) return false;
  return t > kSure + kSureOfFew / static_cast<double>(values) &&
         std::abs(change) > std::max(kMatters, kStandsOut * noise_sd);
}

StepPace pace_of(const std::vector<double>& values, std::size_t from) {
  constexpr double kLeastSd = 1e-6;
  StepPace pace;
  if (values.size() < from + 2 * kShortestLevel) return pace;
  std::vector<double> rest(values.begin() + static_cast<std::ptrdiff_t>(from), values.end());
  const Step step = largest_step(rest);
  double squares = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    rest[i] -= i < step.at ? step.before : step.behind;
    squares += rest[i] * rest[i];
  }
  const auto n = static_cast<double>(rest.size()), at = static_cast<double>(step.at);
  const double alike = correlation(rest, step.at, squares);
  pace.values = rest.size();
  pace.change = step.behind - step.before;
  pace.noise_sd = std::max(kLeastSd, std::sqrt(squares / (n - 2)));
  pace.t = std::abs(pace.change) /
           (pace.noise_sd * std::sqrt((1 / at + 1 / (n - at)) * (1 + alike) / (1 - alike)));
  return pace;
}

}  // namespace pippin
