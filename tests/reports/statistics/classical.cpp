// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/statistics/classical.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reports/statistics/many_tests.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"

namespace pippin::test {

namespace {

constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();

double square(double value) { return value * value; }

double variance_of_mean(const std::vector<double>& values) {
  return square(sd_of(values)) / static_cast<double>(values.size());
}

/// The order statistic number `order`, from 1; the first and the last stand for those beyond.
double order_statistic(const std::vector<double>& sorted, double order) {
  const double last = static_cast<double>(sorted.size());
  return sorted[static_cast<std::size_t>(std::clamp(order, 1.0, last)) - 1];
}

/// How much of the next order statistic a step function takes, `part` beyond one.
double stepped(int type, double order, double part) {
  if (part > 0) return 1;
  if (type == 1) return 0;
  if (type == 2) return 0.5;
  return std::fmod(order, 2) == 0 ? 0 : 1;  // type 3: the even one of two
}

/// The share of values of at most `count` heads in `tosses` of a coin.
double binomial_below(std::size_t count, std::size_t tosses) {
  double term = std::pow(0.5, static_cast<double>(tosses)), sum = term;
  for (std::size_t k = 1; k <= count; ++k) {
    term *= static_cast<double>(tosses - k + 1) / static_cast<double>(k);
    sum += term;
  }
  return sum;
}

}  // namespace

double quantile_of_type(std::vector<double> values, double p, int type) {
  // Where a quantile of probability p lies: order a + p (n + 1 - a - b).
  constexpr double kA[] = {0, 0.5, 0, 1, 1.0 / 3, 3.0 / 8}, kB[] = {1, 0.5, 0, 1, 1.0 / 3, 3.0 / 8};
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  const bool steps = type <= 3;
  const double a = steps ? (type == 3 ? -0.5 : 0) : kA[type - 4];
  const double b = steps ? 1 - a : kB[type - 4];
  const double at = a + p * (n + 1 - a - b);
  const double order = std::floor(at + kRounding);
  double part = at - order;
  if (std::abs(part) < (steps ? 1e-12 : kRounding)) part = 0;
  const double share = steps ? stepped(type, order, part) : part;
  return (1 - share) * order_statistic(values, order) + share * order_statistic(values, order + 1);
}

double trimmed_mean(std::vector<double> values, double trim) {
  std::sort(values.begin(), values.end());
  const auto cut = static_cast<std::ptrdiff_t>(trim * static_cast<double>(values.size()));
  return mean_of({values.begin() + cut, values.end() - cut});
}

Difference pooled_difference(const std::vector<double>& base, const std::vector<double>& other) {
  const auto n = static_cast<double>(base.size()), m = static_cast<double>(other.size());
  const double df = n + m - 2;
  const double variance = (squares_of(base) + squares_of(other)) / df;
  return {mean_of(other) - mean_of(base), std::sqrt(variance * (1 / n + 1 / m)), df};
}

Ends fieller(const std::vector<double>& base, const std::vector<double>& other, double level) {
  const double t = t_quantile((1 + level) / 2, static_cast<double>(base.size()) - 1);
  const double x = mean_of(base), y = mean_of(other);
  const double a = x * x - t * t * variance_of_mean(base);
  const double c = y * y - t * t * variance_of_mean(other);
  const double root = std::sqrt(square(x * y) - a * c);
  return {(x * y - root) / a, (x * y + root) / a};
}

MedianOrders median_orders(std::size_t values, double level) {
  MedianOrders found;
  while (binomial_below(found.lower, values) <= (1 - level) / 2) ++found.lower;
  found.upper = values - found.lower + 1;
  if (found.lower > 0) found.coverage = 1 - 2 * binomial_below(found.lower - 1, values);
  return found;
}

std::vector<double> bonferroni(const std::vector<double>& p) {
  const auto tests = std::count_if(p.begin(), p.end(), [](double each) { return each == each; });
  std::vector<double> adjusted;
  for (const double each : p) {
    const double raised = each * static_cast<double>(tests);
    adjusted.push_back(raised > 1 ? 1 : raised);
  }
  return adjusted;
}

std::vector<double> benjamini_yekutieli(const std::vector<double>& p) {
  double harmonic = 0;
  for (std::size_t i = 1, tests = 0; i <= p.size(); ++i) {
    if (!std::isnan(p[i - 1])) harmonic += 1 / static_cast<double>(++tests);
  }
  std::vector<double> raised = p;
  for (double& each : raised) each *= harmonic;
  return benjamini_hochberg(raised);
}

}  // namespace pippin::test
