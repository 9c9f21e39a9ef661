#include "reports/statistics/common_mode.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"

namespace pippin {

namespace {

using Rows = std::vector<std::size_t>;
using Side = RowMeans TwoSides::*;

Rows without(const Rows& rows, std::size_t row) {
  Rows others;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(others),
               [&](std::size_t other) { return other != row; });
  return others;
}

/// What a row lies at on both sides together, so that rows can be averaged that miss an allocation.
double level_of(const TwoSides& row) {
  return (mean_of(row.base.values) + mean_of(row.other.values)) / 2;
}

/// By allocation the mean of the rows that ran there, each from its own level.
std::map<std::size_t, double> centres(const std::vector<TwoSides>& rows, const Rows& of_rows,
                                      Side side) {
  std::map<std::size_t, std::pair<double, double>> sums;
  for (const std::size_t row : of_rows) {
    const double level = level_of(rows[row]);
    const RowMeans& means = rows[row].*side;
    for (std::size_t i = 0; i < means.values.size(); ++i) {
      auto& sum = sums[means.allocations[i]];
      sum.first += means.values[i] - level;
      sum.second += 1;
    }
  }
  std::map<std::size_t, double> result;
  for (const auto& entry : sums) result[entry.first] = entry.second.first / entry.second.second;
  return result;
}

RowMeans centre_means(const std::vector<TwoSides>& rows, const Rows& of_rows, Side side) {
  RowMeans result;
  for (const auto& entry : centres(rows, of_rows, side)) {
    result.allocations.push_back(entry.first);
    result.values.push_back(entry.second);
  }
  return result;
}

/// A row's allocations that others shared, each from what those did there.
RowMeans from_centres(const RowMeans& means, const std::map<std::size_t, double>& centres) {
  RowMeans result;
  for (std::size_t i = 0; i < means.values.size(); ++i) {
    const auto centre = centres.find(means.allocations[i]);
    if (centre == centres.end()) continue;
    result.allocations.push_back(means.allocations[i]);
    result.values.push_back(means.values[i] - centre->second);
  }
  return result;
}

/// Of rows that share no allocations: from the plain mean of the others' differences.
std::optional<Difference> from_apart(const std::vector<TwoSides>& rows, std::size_t row,
                                     const Rows& beside) {
  const auto own = row_difference(rows[row].base, rows[row].other).difference;
  if (!own) return std::nullopt;
  double sum = 0, count = 0, variance = 0, weighed = 0;
  for (const std::size_t other : beside) {
    const auto difference = row_difference(rows[other].base, rows[other].other).difference;
    if (!difference) continue;
    const double square = difference->se * difference->se;
    sum += difference->estimate;
    count += 1;
    variance += square;
    weighed += square * square / difference->df;
  }
  if (count == 0) return std::nullopt;
  const double own_square = own->se * own->se;
  variance = own_square + variance / (count * count);
  weighed = own_square * own_square / own->df + weighed / std::pow(count, 4);
  return Difference{own->estimate - sum / count, std::sqrt(variance),
                    variance > 0 ? variance * variance / weighed : own->df};
}

double p_beside(const std::vector<TwoSides>& rows, std::size_t row, const Rows& beside) {
  const auto difference = beside_shift(rows, row, beside).difference;
  return difference ? difference->p() : 0;  // what is not known agrees with nothing
}

/// The half of the rows nearest to the median of all.
Rows middle_half(const std::vector<TwoSides>& rows, const Rows& all) {
  std::vector<double> shifts;
  for (const std::size_t row : all)
    shifts.push_back(mean_of(rows[row].other.values) - mean_of(rows[row].base.values));
  const double middle = median_of(shifts);
  Rows order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(shifts[a] - middle) < std::abs(shifts[b] - middle);
  });
  Rows half;
  for (std::size_t i = 0; i < (all.size() + 1) / 2; ++i) half.push_back(all[order[i]]);
  return half;
}

/// The row of `members` that agrees least with the others, and whether together they are too far
/// apart for one shift.
struct Dissent {
  std::size_t row = 0;
  bool heterogeneous = false;
};

Dissent dissent_of(const std::vector<TwoSides>& rows, const Rows& members) {
  constexpr double kAsNormal = 1e6, kLevel = 0.1, kLeastP = 1e-15;
  Dissent result;
  double sum = 0, least = 2;
  for (const std::size_t row : members) {
    const double p = std::max(kLeastP, p_beside(rows, row, without(members, row)));
    const double z = t_quantile(1 - p / 2, kAsNormal);
    sum += z * z;
    if (p >= least) continue;
    least = p;
    result.row = row;
  }
  const auto df = static_cast<double>(members.size() - 1);
  // Each was held against the mean of the others, which widens the sum by n / (n - 1).
  sum *= df / static_cast<double>(members.size());
  result.heterogeneous = f_above(sum / df, df, kAsNormal) < kLevel;
  return result;
}

}  // namespace

RowDifference common_shift(const std::vector<TwoSides>& rows, const Rows& of_rows) {
  return row_difference(centre_means(rows, of_rows, &TwoSides::base),
                        centre_means(rows, of_rows, &TwoSides::other));
}

RowDifference beside_shift(const std::vector<TwoSides>& rows, std::size_t row, const Rows& beside) {
  const RowMeans base = from_centres(rows[row].base, centres(rows, beside, &TwoSides::base));
  const RowMeans other = from_centres(rows[row].other, centres(rows, beside, &TwoSides::other));
  if (base.values.size() < 2 || other.values.size() < 2)
    return {from_apart(rows, row, beside), false};
  return row_difference(base, other);
}

Rows rows_of_one_shift(const std::vector<TwoSides>& rows) {
  constexpr double kAgrees = 0.1;
  constexpr std::size_t kLeast = 3, kFewest = 4;
  Rows all;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (row_difference(rows[row].base, rows[row].other).difference) all.push_back(row);
  }
  if (all.size() < kFewest) return {};
  const std::size_t needed = std::max(kLeast, (2 * all.size() + 2) / 3);
  Rows members = middle_half(rows, all);
  for (int round = 0; round < 3; ++round) {  // settles in one or two
    Rows agreeing;
    for (const std::size_t row : all) {
      const Rows beside = without(members, row);
      if (!beside.empty() && p_beside(rows, row, beside) > kAgrees) agreeing.push_back(row);
    }
    if (agreeing == members) break;
    members = agreeing;
  }
  while (members.size() >= needed) {
    const Dissent dissent = dissent_of(rows, members);
    if (!dissent.heterogeneous) return members;
    members = without(members, dissent.row);
  }
  return {};
}

}  // namespace pippin
