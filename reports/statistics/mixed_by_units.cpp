// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "reports/statistics/mixed_pass.h"

namespace pippin {

using Eigen::Index;

namespace {

/// A symmetric matrix of units, whose places are known before its values: dense where there are
/// few. Of both only the lower half.
class Overlap {
 public:
  Overlap(Index units, const std::vector<std::pair<Index, Index>>& places)
      : is_dense_(units <= kFew), dense_(is_dense_ ? units : 0, is_dense_ ? units : 0) {
    if (is_dense_) return;
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(places.size() + static_cast<std::size_t>(units));
    for (Index i = 0; i < units; ++i) entries.emplace_back(i, i, 1.0);
    for (const auto& [row, column] : places) entries.emplace_back(row, column, 1.0);
    sparse_.resize(units, units);
    sparse_.setFromTriplets(entries.begin(), entries.end());
    factor_.analyzePattern(sparse_);
  }

  /// Where a value of the matrix lies; it stays there. Requires row >= column and a known place.
  double* at(Index row, Index column) {
    return is_dense_ ? &dense_(row, column) : &sparse_.coeffRef(row, column);
  }

  void begin() {
    if (is_dense_) {
      dense_.setIdentity();
      return;
    }
    std::fill_n(sparse_.valuePtr(), sparse_.nonZeros(), 0);
    sparse_.diagonal().setOnes();
  }

  struct Solved {
    double log_determinant = 0;
    double quadratic = 0;  ///< of the values and the inverse
  };
  Solved solve(const Eigen::VectorXd& values) {
    if (is_dense_) {
      const Eigen::LDLT<Eigen::MatrixXd> factor(dense_);
      return {log_sum(factor.vectorD()), values.dot(factor.solve(values))};
    }
    factor_.factorize(sparse_);
    return {log_sum(factor_.vectorD()), values.dot(factor_.solve(values))};
  }

 private:
  static constexpr Index kFew = 300;

  bool is_dense_;
  Eigen::MatrixXd dense_;
  Eigen::SparseMatrix<double> sparse_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> factor_;
};

/// Configurations that ran in the same allocations: what they add is products of matrices.
struct Group {
  /// A run by what a pass needs of it; `allocation`: its place in the group.
  struct Run {
    double value = 0;  ///< beside the mean of its configuration, which keeps the digits
    std::size_t size = 0, allocation = 0;
  };

  std::vector<Index> allocations, days;  ///< units, in their order
  std::vector<std::size_t> day_of;       ///< of each allocation: its place in `days`
  std::vector<Run> runs;                 ///< one configuration behind the other
  std::vector<std::size_t> ends;         ///< of the configurations
  std::vector<double*> entries;          ///< of pairs of units, the lower half by columns
};

/// The units of a group: allocations, and the days that they were on behind them.
std::vector<Index> units_of(const Group& group) {
  std::vector<Index> units = group.allocations;
  units.insert(units.end(), group.days.begin(), group.days.end());
  return units;
}

/// Without runs and entries.
Group group_of(const std::vector<std::size_t>& allocations, const Nesting& nesting) {
  Group group;
  for (const std::size_t allocation : allocations) {
    group.allocations.push_back(static_cast<Index>(allocation));
    const auto day =
        static_cast<Index>(nesting.allocations() + nesting.day_of_allocation[allocation]);
    const auto known = std::find(group.days.begin(), group.days.end(), day);
    group.day_of.push_back(static_cast<std::size_t>(known - group.days.begin()));
    if (known == group.days.end()) group.days.push_back(day);
  }
  return group;
}

/// The runs of each configuration.
std::vector<std::vector<std::size_t>> runs_by_configuration(const Nesting& nesting) {
  std::vector<std::vector<std::size_t>> runs(nesting.configurations);
  for (std::size_t i = 0; i < nesting.runs.size(); ++i)
    runs[nesting.runs[i].configuration].push_back(i);
  return runs;
}

/// All pairs of units that one configuration ran in, each once.
std::vector<std::pair<Index, Index>> places_of(const std::vector<Group>& groups) {
  std::vector<std::pair<Index, Index>> places;
  for (const auto& group : groups) {
    const auto units = units_of(group);
    for (std::size_t j = 0; j < units.size(); ++j) {
      for (std::size_t i = j; i < units.size(); ++i)
        places.emplace_back(std::max(units[i], units[j]), std::min(units[i], units[j]));
    }
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

class ByUnits : public MixedModel::Pass {
 public:
  explicit ByUnits(const Nesting& nesting)
      : Pass(nesting),
        day_of_allocation_(nesting.day_of_allocation),
        groups_(groups_of(nesting)),
        overlap_(static_cast<Index>(nesting.allocations() + nesting.days), places_of(groups_)),
        values_(static_cast<Index>(nesting.allocations() + nesting.days)),
        days_(nesting.days) {
    for (auto& group : groups_) {
      const auto units = units_of(group);
      for (std::size_t j = 0; j < units.size(); ++j) {
        for (std::size_t i = j; i < units.size(); ++i)
          group.entries.push_back(
              overlap_.at(std::max(units[i], units[j]), std::min(units[i], units[j])));
      }
    }
  }

 private:
  std::vector<Group> groups_of(const Nesting& nesting) const {
    std::vector<Group> groups;
    std::map<std::vector<std::size_t>, std::size_t> places;  // by allocations
    for (const auto& runs : runs_by_configuration(nesting)) {
      std::vector<std::size_t> allocations;
      double sum = 0;
      for (const std::size_t run : runs) {
        allocations.push_back(nesting.allocation_of_run[run]);
        sum += value(run);
      }
      std::sort(allocations.begin(), allocations.end());
      allocations.erase(std::unique(allocations.begin(), allocations.end()), allocations.end());
      const auto [known, is_new] = places.try_emplace(allocations, groups.size());
      if (is_new) groups.push_back(group_of(allocations, nesting));
      Group& group = groups[known->second];
      for (const std::size_t run : runs) {
        const auto place = std::lower_bound(allocations.begin(), allocations.end(),
                                            nesting.allocation_of_run[run]);
        group.runs.push_back({value(run) - sum / static_cast<double>(runs.size()), size_of(run),
                              static_cast<std::size_t>(place - allocations.begin())});
      }
      group.ends.push_back(group.runs.size());
    }
    return groups;
  }

  Parts parts_of(const Variances& variances) override {
    Parts parts;
    overlap_.begin();
    values_.setZero();
    allocations_.assign(day_of_allocation_.size(), 0);
    for (const auto& group : groups_) {
      add_runs(group, parts);
      for (std::size_t j = 0; j < group.allocations.size(); ++j)
        allocations_[static_cast<std::size_t>(group.allocations[j])] +=
            weights_(static_cast<Index>(j));
      add_units(group, variances);
    }
    const auto solved = overlap_.solve(values_);
    parts.log_determinant = nested_log_determinant(variances);
    parts.log_information += solved.log_determinant - parts.log_determinant;
    parts.quadratic -= solved.quadratic;
    return parts;
  }

  /// Sums up what the runs of each configuration weigh in each allocation, and how far they lie
  /// from their mean.
  void add_runs(const Group& group, Parts& parts) {
    const auto count = static_cast<Index>(group.allocations.size());
    scaled_.resize(count, static_cast<Index>(group.ends.size()));
    weights_.setZero(count);
    distances_.setZero(count);
    std::size_t run = 0;
    for (std::size_t i = 0; i < group.ends.size(); ++i) {
      auto weights = scaled_.col(static_cast<Index>(i));
      weights.setZero();
      sums_.setZero(count);
      double squares = 0;
      for (; run < group.ends[i]; ++run) {
        const auto& [value, size, allocation] = group.runs[run];
        const double own = weight_of_size(size), weighted = own * value;
        weights(static_cast<Index>(allocation)) += own;
        sums_(static_cast<Index>(allocation)) += weighted;
        squares += weighted * value;
      }
      const double weight = weights.sum(), mean = sums_.sum() / weight;
      parts.log_information += std::log(weight);
      parts.quadratic += squares - mean * mean * weight;
      weights_ += weights;
      distances_ += sums_ - mean * weights;
      weights /= std::sqrt(weight);
    }
  }

  /// What they share there, and on days, which are sums over their allocations.
  void add_units(const Group& group, const Variances& variances) {
    const double allocation_sd = std::sqrt(variances[kAllocation]);
    const double day_sd = std::sqrt(variances[kDay]);
    const auto allocations = static_cast<Index>(group.allocations.size());
    const auto days = static_cast<Index>(group.days.size()), units = allocations + days;
    products_.setZero(units, units);
    auto among = products_.topLeftCorner(allocations, allocations);
    among.selfadjointView<Eigen::Lower>().rankUpdate(scaled_, -1);
    for (Index j = 0; j < allocations; ++j) among.col(j).head(j) = among.row(j).head(j);
    among.diagonal() += weights_;
    for (Index j = 0; j < allocations; ++j) {
      const Index day = allocations + static_cast<Index>(group.day_of[static_cast<std::size_t>(j)]);
      products_.row(day).head(allocations) += products_.row(j).head(allocations);
      values_(group.allocations[static_cast<std::size_t>(j)]) += allocation_sd * distances_(j);
      values_(group.days[static_cast<std::size_t>(day - allocations)]) += day_sd * distances_(j);
    }
    for (Index j = 0; j < allocations; ++j) {
      const Index day = allocations + static_cast<Index>(group.day_of[static_cast<std::size_t>(j)]);
      products_.col(day).tail(days) += products_.col(j).tail(days);
    }
    auto entry = group.entries.begin();
    for (Index j = 0; j < units; ++j) {
      const double of_column = j < allocations ? allocation_sd : day_sd;
      for (Index i = j; i < units; ++i, ++entry)
        **entry += of_column * (i < allocations ? allocation_sd : day_sd) * products_(i, j);
    }
  }

  /// What the random effects add to the log-determinant where no means are estimated.
  double nested_log_determinant(const Variances& variances) {
    days_.assign(days_.size(), 0);
    double result = 0;
    for (std::size_t i = 0; i < allocations_.size(); ++i) {
      const double growth = 1 + variances[kAllocation] * allocations_[i];
      result += std::log(growth);
      days_[day_of_allocation_[i]] += allocations_[i] / growth;
    }
    for (const double of_day : days_) result += std::log(1 + variances[kDay] * of_day);
    return result;
  }

  std::vector<std::size_t> day_of_allocation_;
  std::vector<Group> groups_;
  Overlap overlap_;
  Eigen::VectorXd values_;
  Eigen::MatrixXd scaled_, products_;  // of a group: allocations by configurations; units by units
  Eigen::VectorXd weights_, distances_, sums_;  // of a group, by allocation
  std::vector<double> allocations_, days_;      // what the runs of each weigh
};

}  // namespace

std::unique_ptr<MixedModel::Pass> pass_by_units(const Nesting& nesting) {
  return std::make_unique<ByUnits>(nesting);
}

}  // namespace pippin
