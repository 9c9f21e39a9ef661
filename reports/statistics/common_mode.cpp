// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/common_mode.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

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

/// By allocation the mean of some rows that ran there, each from its own level; a row is held
/// against the others among them without another pass over all.
class Centre {
 public:
  Centre(const std::vector<TwoSides>& rows, const Rows& of_rows, Side side)
      : rows_(rows), side_(side) {
    for (const std::size_t row : of_rows) {
      members_.insert(row);
      const double level = level_of(rows[row]);
      const RowMeans& means = rows[row].*side;
      for (std::size_t i = 0; i < means.values.size(); ++i) {
        auto& sum = sums_[means.allocations[i]];
        sum.first += means.values[i] - level;
        sum.second += 1;
      }
    }
  }

  RowMeans means() const {
    RowMeans result;
    for (const auto& [allocation, sum] : sums_) {
      result.allocations.push_back(allocation);
      result.values.push_back(sum.first / sum.second);
    }
    return result;
  }

  /// A row's allocations that other rows shared, each from what those did there.
  RowMeans without_others(std::size_t row) const {
    const bool is_member = members_.count(row) > 0;
    const double level = level_of(rows_[row]);
    const RowMeans& means = rows_[row].*side_;
    RowMeans result;
    for (std::size_t i = 0; i < means.values.size(); ++i) {
      const auto found = sums_.find(means.allocations[i]);
      if (found == sums_.end()) continue;
      const double sum = found->second.first - (is_member ? means.values[i] - level : 0);
      const double count = found->second.second - (is_member ? 1 : 0);
      if (count < 1) continue;
      result.allocations.push_back(means.allocations[i]);
      result.values.push_back(means.values[i] - sum / count);
    }
    return result;
  }

 private:
  const std::vector<TwoSides>& rows_;
  Side side_;
  std::set<std::size_t> members_;
  std::map<std::size_t, std::pair<double, double>> sums_;
};

/// Of rows that share no allocations: a row from the plain mean of the others' differences.
class Apart {
 public:
  Apart(const std::vector<TwoSides>& rows, const Rows& of_rows) : rows_(rows) {
    for (const std::size_t row : of_rows) {
      const auto difference = row_difference(rows[row].base, rows[row].other).difference;
      if (!difference) continue;
      members_.insert(row);
      add(*difference, 1);
    }
  }

  std::optional<Difference> of(std::size_t row) const {
    const auto own = row_difference(rows_[row].base, rows_[row].other).difference;
    if (!own) return std::nullopt;
    Apart others = *this;
    if (members_.count(row) > 0) others.add(*own, -1);
    if (others.count_ < 1) return std::nullopt;
    const double square = own->se * own->se;
    const double variance =
        square + std::max(0.0, others.variance_) / (others.count_ * others.count_);
    const double weighed =
        square * square / own->df + std::max(0.0, others.weighed_) / std::pow(others.count_, 4);
    return Difference{own->estimate - others.sum_ / others.count_, std::sqrt(variance),
                      variance > 0 ? variance * variance / weighed : own->df};
  }

 private:
  void add(const Difference& difference, double sign) {
    const double square = difference.se * difference.se;
    sum_ += sign * difference.estimate;
    count_ += sign;
    variance_ += sign * square;
    weighed_ += sign * square * square / difference.df;
  }

  const std::vector<TwoSides>& rows_;
  std::set<std::size_t> members_;
  double sum_ = 0, count_ = 0, variance_ = 0, weighed_ = 0;
};

/// Rows beside the shift of some of them.
class Beside {
 public:
  Beside(const std::vector<TwoSides>& rows, const Rows& of_rows)
      : base_(rows, of_rows, &TwoSides::base),
        other_(rows, of_rows, &TwoSides::other),
        apart_(rows, of_rows) {}

  RowDifference of(std::size_t row) const {
    const RowMeans base = base_.without_others(row), other = other_.without_others(row);
    if (base.values.size() < 2 || other.values.size() < 2) return {apart_.of(row), false};
    return row_difference(base, other);
  }

  double p(std::size_t row) const {
    const auto difference = of(row).difference;
    return difference ? difference->p() : 0;  // what is not known agrees with nothing
  }

 private:
  Centre base_, other_;
  Apart apart_;
};

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
  const Beside beside(rows, members);
  double sum = 0, least = 2;
  for (const std::size_t row : members) {
    const double p = std::max(kLeastP, beside.p(row));
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
  return row_difference(Centre(rows, of_rows, &TwoSides::base).means(),
                        Centre(rows, of_rows, &TwoSides::other).means());
}

std::vector<RowDifference> beside_shift(const std::vector<TwoSides>& rows, const Rows& of_rows) {
  const Beside beside(rows, of_rows);
  std::vector<RowDifference> differences;
  for (std::size_t row = 0; row < rows.size(); ++row) differences.push_back(beside.of(row));
  return differences;
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
    const Beside beside(rows, members);
    Rows agreeing;
    for (const std::size_t row : all) {
      if (beside.p(row) > kAgrees) agreeing.push_back(row);
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
