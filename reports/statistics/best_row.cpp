// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/best_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/random.h"
#include "reports/statistics/many_tests.h"
#include "reports/statistics/sample.h"

namespace pippin {

namespace {

/// The differences within allocations that both rows have.
std::vector<double> within_allocations(const RowMeans& base, const RowMeans& row) {
  std::vector<double> differences;
  std::size_t i = 0;
  for (std::size_t k = 0; k < row.allocations.size(); ++k) {
    while (i < base.allocations.size() && base.allocations[i] < row.allocations[k]) ++i;
    if (i == base.allocations.size()) break;
    if (base.allocations[i] == row.allocations[k])
      differences.push_back(row.values[k] - base.values[i]);
  }
  return differences;
}

/// The mean of a row over drawn allocations; NaN where none of them has it.
double drawn_mean(const RowMeans& row, const std::vector<double>& times_drawn) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    const double times = times_drawn[row.allocations[i]];
    sum += times * row.values[i];
    count += times;
  }
  return sum / count;
}

/// Allocations that ran the same rows are drawn from one another.
std::vector<std::vector<std::size_t>> strata_of(const std::vector<RowMeans>& rows) {
  std::map<std::size_t, std::vector<std::size_t>> rows_of_allocation;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const std::size_t allocation : rows[row].allocations)
      rows_of_allocation[allocation].push_back(row);
  }
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> strata;
  for (const auto& entry : rows_of_allocation) strata[entry.second].push_back(entry.first);
  std::vector<std::vector<std::size_t>> result;
  result.reserve(strata.size());
  for (auto& entry : strata) result.push_back(std::move(entry.second));
  return result;
}

std::size_t allocations_of(const std::vector<RowMeans>& rows) {
  std::size_t count = 0;
  for (const auto& row : rows) count = std::max(count, row.allocations.back() + 1);
  return count;
}

/// Adds to the shares of the rows that have the smallest mean in a draw.
void add_winners(std::vector<double>& shares, const std::vector<RowMeans>& rows,
                 const std::vector<double>& times_drawn) {
  std::vector<double> means;
  means.reserve(rows.size());
  double least = std::numeric_limits<double>::infinity();
  for (const auto& row : rows) {
    means.push_back(drawn_mean(row, times_drawn));
    if (means.back() < least) least = means.back();  // of NaN false
  }
  const auto winners = static_cast<double>(std::count(means.begin(), means.end(), least));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (means[i] == least) shares[i] += 1 / winners;
  }
}

/// How far a t-distributed mean lies off where a normal one lies off by 1.
double stretch_of(std::size_t allocations, Random& random) {
  double squares = 0;
  for (std::size_t i = 1; i < allocations; ++i) {
    const double value = normal(random);
    squares += value * value;
  }
  return std::sqrt(static_cast<double>(allocations) / squares);
}

/// Draws as many of a stratum's allocations as it has. A single one stays: nothing tells how far
/// another would lie off.
void draw(std::vector<double>& times_drawn, const std::vector<std::size_t>& stratum,
          Random& random) {
  for (std::size_t k = 0; k < stratum.size(); ++k)
    ++times_drawn[stratum[random.below(stratum.size())]];
  if (stratum.size() < 2) return;
  const double stretch = stretch_of(stratum.size(), random);
  for (const std::size_t allocation : stratum)
    times_drawn[allocation] = 1 + stretch * (times_drawn[allocation] - 1);
}

constexpr std::size_t kMostDraws = 2000;

/// As many draws as a reader would wait for.
int draws_for(const std::vector<RowMeans>& rows) {
  constexpr std::size_t kLeast = 200, kPatience = 10'000'000;
  std::size_t values = 0;
  for (const auto& row : rows) values += row.values.size();
  return static_cast<int>(std::clamp(kPatience / values, kLeast, kMostDraws));
}

std::vector<double> drawn_shares(const std::vector<RowMeans>& rows, std::uint64_t seed) {
  const auto strata = strata_of(rows);
  const int draws = draws_for(rows);
  Random random(seed);
  std::vector<double> shares(rows.size(), 0);
  for (int i = 0; i < draws; ++i) {
    std::vector<double> times_drawn(allocations_of(rows), 0);
    for (const auto& stratum : strata) draw(times_drawn, stratum, random);
    add_winners(shares, rows, times_drawn);
  }
  for (double& share : shares) share /= draws;
  return shares;
}

std::size_t smallest_mean(const std::vector<RowMeans>& rows) {
  const auto less = [](const RowMeans& a, const RowMeans& b) {
    return mean_of(a.values) < mean_of(b.values);
  };
  return static_cast<std::size_t>(std::min_element(rows.begin(), rows.end(), less) - rows.begin());
}

/// Rows that are surely behind are not drawn: of many rows only a few can win.
std::vector<double> chances_of(const std::vector<RowMeans>& rows, const std::vector<double>& p,
                               std::uint64_t seed) {
  constexpr double kHopeless = 0.001;
  std::vector<std::size_t> candidates;
  std::vector<RowMeans> means;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (p[row] < kHopeless) continue;  // of NaN false
    candidates.push_back(row);
    means.push_back(rows[row]);
  }
  const auto shares = drawn_shares(means, seed);
  std::vector<double> chances(rows.size(), 0);
  for (std::size_t i = 0; i < candidates.size(); ++i) chances[candidates[i]] = shares[i];
  return chances;
}

/// What cannot be told from the best has a chance, and be it one that no draw has seen: all those
/// together half of one draw.
void allow_for_unseen(BestRow& found) {
  constexpr double kUnseen = 0.5 / kMostDraws;
  std::size_t unseen = 0;
  for (std::size_t i = 0; i < found.chance.size(); ++i)
    unseen += found.tied[i] && found.chance[i] <= 0 ? 1 : 0;
  if (unseen == 0) return;
  for (std::size_t i = 0; i < found.chance.size(); ++i) {
    if (found.chance[i] > 0) {
      found.chance[i] *= 1 - kUnseen;
    } else if (found.tied[i]) {
      found.chance[i] = kUnseen / static_cast<double>(unseen);
    }
  }
}

}  // namespace

RowDifference row_difference(const RowMeans& base, const RowMeans& row) {
  const auto differences = within_allocations(base, row);
  const std::size_t shared = differences.size();
  if (shared >= 2 && 2 * shared >= base.values.size() && 2 * shared >= row.values.size())
    return {paired_difference(differences), true};
  return {unpaired_difference(base.values, row.values), false};
}

BestRow best_row(const std::vector<RowMeans>& rows, std::uint64_t seed) {
  constexpr double kLevel = 0.05;
  BestRow result;
  result.best = smallest_mean(rows);
  std::vector<double> p;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i != result.best)
      result.from_best.push_back(row_difference(rows[result.best], rows[i]));
    else
      result.from_best.emplace_back();
    const auto& difference = result.from_best.back().difference;
    p.push_back(difference ? difference->p() : std::numeric_limits<double>::quiet_NaN());
  }
  result.p = holm(p);
  for (std::size_t i = 0; i < rows.size(); ++i) result.tied.push_back(!(result.p[i] <= kLevel));
  result.chance = chances_of(rows, result.p, seed);
  allow_for_unseen(result);
  return result;
}

std::vector<double> shares_best(const std::vector<RowMeans>& rows,
                                const std::vector<std::vector<std::size_t>>& draws) {
  std::vector<double> shares(rows.size(), 0);
  for (const auto& draw : draws) {
    std::vector<double> times_drawn(allocations_of(rows), 0);
    for (const std::size_t allocation : draw) ++times_drawn[allocation];
    add_winners(shares, rows, times_drawn);
  }
  for (double& share : shares) share /= static_cast<double>(draws.size());
  return shares;
}

}  // namespace pippin
