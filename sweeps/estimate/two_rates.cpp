// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/two_rates.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace pippin {

namespace {

constexpr double kCorner = 0.1;  ///< from which on an error counts by its size alone

/// Logarithms of both rates.
struct Logs {
  double first = 0, second = 0;
};

double fitted(const TwoParts& one, const Logs& logs) {
  return one.first * std::exp(logs.first) + one.second * std::exp(logs.second);
}

double error_of(const TwoParts& one, const Logs& logs) {
  return std::log(fitted(one, logs) / one.seconds);
}

double cost_of(const std::vector<TwoParts>& readings, const Logs& logs) {
  double cost = 0;
  for (const TwoParts& one : readings) {
    const double size = std::abs(error_of(one, logs));
    cost += size < kCorner ? size * size / 2 : kCorner * (size - kCorner / 2);
  }
  return cost;
}

/// Requires a value.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// As if the first part were all of the smallest reading, and the second all of the largest.
Logs start_of(const std::vector<TwoParts>& readings) {
  std::vector<double> first, second;
  for (const TwoParts& one : readings) {
    if (one.first > 0) first.push_back(std::log(one.seconds / one.first));
    if (one.second > 0) second.push_back(std::log(one.seconds / one.second));
  }
  const auto least = [](const std::vector<double>& values) {
    return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
  };
  return {least(first), least(second)};
}

/// Normal equations of one step.
struct Normal {
  double a = 0, b = 0, c = 0;  ///< a b / b c
  double u = 0, v = 0;
};

Normal normal_at(const std::vector<TwoParts>& readings, const Logs& logs) {
  Normal normal;
  for (const TwoParts& one : readings) {
    const double all = fitted(one, logs), error = error_of(one, logs);
    const double weight = std::abs(error) < kCorner ? 1 : kCorner / std::abs(error);
    const double p = one.first * std::exp(logs.first) / all,
                 q = one.second * std::exp(logs.second) / all;
    normal.a += weight * p * p;
    normal.b += weight * p * q;
    normal.c += weight * q * q;
    normal.u += weight * p * error;
    normal.v += weight * q * error;
  }
  return normal;
}

Logs step_of(const Normal& n, double damping) {
  constexpr double kMost = 1, kNone = 1e-12;
  const double a = n.a * (1 + damping) + kNone, c = n.c * (1 + damping) + kNone;
  const double determinant = a * c - n.b * n.b;
  if (determinant <= 0) return {};
  return {std::clamp((n.b * n.v - c * n.u) / determinant, -kMost, kMost),
          std::clamp((n.b * n.u - a * n.v) / determinant, -kMost, kMost)};
}

Logs best_of(const std::vector<TwoParts>& readings) {
  constexpr int kSteps = 100;
  constexpr double kEnough = 1e-12, kLeast = 1e-9, kMost = 1e9;
  Logs logs = start_of(readings);
  double cost = cost_of(readings, logs), damping = 1e-3;
  for (int i = 0; i < kSteps && damping < kMost; ++i) {
    const Logs by = step_of(normal_at(readings, logs), damping);
    const Logs next{logs.first + by.first, logs.second + by.second};
    const double there = cost_of(readings, next);
    if (there >= cost) {
      damping *= 4;
      continue;
    }
    const bool is_enough = cost - there < kEnough * cost;
    logs = next;
    cost = there;
    damping = std::max(damping / 4, kLeast);
    if (is_enough) break;
  }
  return logs;
}

/// Both amounts as one, the second rate being so many of the first.
std::vector<TwoParts> joined(std::vector<TwoParts> readings, double second_by_first) {
  for (TwoParts& one : readings) {
    one.first += second_by_first * one.second;
    one.second = 0;
  }
  return readings;
}

/// Groups, each with its place.
using Groups = std::unordered_map<std::int64_t, std::size_t>;

/// Readings without each of at most twenty parts of the groups, one after the other.
template <typename Take>
void each_left_out(const std::vector<TwoParts>& readings, const Groups& groups, const Take& take) {
  constexpr std::size_t kMostParts = 20;
  const std::size_t parts = std::min(groups.size(), kMostParts);
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<TwoParts> rest;
    for (const TwoParts& one : readings)
      if (groups.at(one.group) % parts != part) rest.push_back(one);
    take(rest);
  }
}

double jackknife_sd(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) mean += value / count;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt((count - 1) / count * squares);
}

/// How much of a reading is its first part, and its second, at most.
struct Shares {
  double first = 0, second = 0;
};
Shares shares_of(const std::vector<TwoParts>& readings, const Logs& logs) {
  Shares most;
  for (const TwoParts& one : readings) {
    const double all = fitted(one, logs);
    most.first = std::max(most.first, one.first * std::exp(logs.first) / all);
    most.second = std::max(most.second, one.second * std::exp(logs.second) / all);
  }
  return most;
}

/// Whether one part grows enough beside the other to tell them apart; of a part alone it does.
bool are_apart(const std::vector<TwoParts>& readings) {
  constexpr double kApart = 4;
  double least = 0, most = 0;
  for (const TwoParts& one : readings) {
    if (one.first <= 0 || one.second <= 0) return true;
    const double ratio = one.second / one.first;
    least = least == 0 ? ratio : std::min(least, ratio);
    most = std::max(most, ratio);
  }
  return most >= kApart * least;
}

void add_sds(const std::vector<TwoParts>& readings, const Groups& groups, TwoRates& rates) {
  if (groups.size() < 2) return;
  std::vector<double> first, second;
  each_left_out(readings, groups, [&](const std::vector<TwoParts>& rest) {
    const Logs logs = best_of(rest);
    first.push_back(logs.first);
    second.push_back(logs.second);
  });
  if (rates.first) rates.first->sd = jackknife_sd(first);
  if (rates.second) rates.second->sd = jackknife_sd(second);
}

}  // namespace

TwoRates fit_two_rates(const std::vector<TwoParts>& readings,
                       std::optional<double> second_by_first) {
  constexpr double kTold = 0.2;       // the share of some reading that tells a rate
  constexpr double kNormal = 1.4826;  // of a normal distribution's median deviation
  TwoRates rates;
  if (readings.empty()) return rates;
  const auto used = second_by_first ? joined(readings, *second_by_first) : readings;
  Groups groups;
  std::vector<double> errors;
  const Logs logs = best_of(used);
  for (const TwoParts& one : used) {
    groups.try_emplace(one.group, groups.size());
    errors.push_back(std::abs(error_of(one, logs)));
  }
  const Shares most = shares_of(used, logs);
  const bool apart = are_apart(used);
  if (apart && most.first >= kTold) rates.first = FittedRate{std::exp(logs.first), {}};
  if (apart && most.second >= kTold) rates.second = FittedRate{std::exp(logs.second), {}};
  rates.spread = kNormal * median(errors);
  rates.readings = static_cast<std::int64_t>(readings.size());
  rates.groups = static_cast<std::int64_t>(groups.size());
  add_sds(used, groups, rates);
  return rates;
}

}  // namespace pippin
