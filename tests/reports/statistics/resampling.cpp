// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/statistics/resampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"
#include "tests/reports/statistics/series.h"

namespace pippin::test {

namespace {

constexpr double kNormal = std::numeric_limits<double>::infinity();  // degrees of freedom
constexpr double kLow = 0.025, kHigh = 0.975;

}  // namespace

Draws drawn_in(const std::string& file) {
  Draws draws;
  for (const auto& cells : csv_rows(file)) {
    auto& draw = draws.emplace_back();
    for (const auto& cell : cells)
      draw.push_back(static_cast<std::size_t>(parse_number(cell).value()) - 1);
  }
  return draws;
}

Draws drawn(std::size_t draws, std::size_t size, Random& random) {
  Draws result(draws, std::vector<std::size_t>(size));
  for (auto& draw : result) {
    for (auto& index : draw) index = random.below(size);
  }
  return result;
}

Draws all_draws(std::size_t size) {
  Draws draws{std::vector<std::size_t>(size, 0)};
  while (true) {
    auto next = draws.back();
    std::size_t place = 0;
    while (place < size && ++next[place] == size) next[place++] = 0;
    if (place == size) return draws;
    draws.push_back(std::move(next));
  }
}

std::vector<double> drawn_means(const std::vector<double>& values, const Draws& draws) {
  std::vector<double> means;
  for (const auto& draw : draws) {
    double sum = 0;
    for (const std::size_t index : draw) sum += values[index];
    means.push_back(sum / static_cast<double>(draw.size()));
  }
  return means;
}

Ends percentile(const std::vector<double>& means) {
  return {quantile_of(means, kLow), quantile_of(means, kHigh)};
}

Ends basic(double estimate, const std::vector<double>& means) {
  const Ends ends = percentile(means);
  return {2 * estimate - ends.high, 2 * estimate - ends.low};
}

Accelerated accelerated(const std::vector<double>& values, const std::vector<double>& means) {
  const double mean = mean_of(values);
  const auto below =
      std::count_if(means.begin(), means.end(), [mean](double each) { return each < mean; });
  const double share = static_cast<double>(below) / static_cast<double>(means.size());
  double squares = 0, cubes = 0;
  for (const double value : values) {  // a jackknife's distances are these by n - 1
    squares += std::pow(value - mean, 2);
    cubes += std::pow(value - mean, 3);
  }
  Accelerated result;
  result.z0 = t_quantile(share, kNormal);
  result.a = cubes / (6 * std::pow(squares, 1.5));
  const auto adjusted = [&](double p) {
    const double z = result.z0 + t_quantile(p, kNormal);
    return 1 - t_above(result.z0 + z / (1 - result.a * z), kNormal);
  };
  result.probabilities = {adjusted(kLow), adjusted(kHigh)};
  result.ends = {quantile_of(means, result.probabilities.low),
                 quantile_of(means, result.probabilities.high)};
  return result;
}

}  // namespace pippin::test
