// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/mixed.h"

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

namespace pippin {

using Eigen::Index;

/// What both ways have in common.
class MixedModel::Pass {
 public:
  virtual ~Pass() = default;
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  MixedFit fit(const Variances& variances) {
    weigh(variances);
    const Parts parts = parts_of(variances);
    const double log_two_pi = std::log(2 * std::numbers::pi);
    const double common = within(variances) + parts.log_determinant + parts.quadratic;
    return {(iterations_ - means_) * log_two_pi + common + parts.log_information,
            iterations_ * log_two_pi + common};
  }

 protected:
  explicit Pass(const Nesting& nesting)
      : iterations_(static_cast<double>(nesting.iterations())),
        means_(static_cast<double>(nesting.configurations)) {
    double sum = 0;
    for (const auto& run : nesting.runs) {
      sum += run.mean;
      squares_ += run.squares;
    }
    // Keeps large means from eating the digits.
    const double origin = sum / static_cast<double>(nesting.runs.size());
    std::map<std::size_t, std::size_t> places;
    for (const auto& run : nesting.runs) {
      const auto [place, is_new] = places.try_emplace(run.n, sizes_.size());
      if (is_new) sizes_.push_back({static_cast<double>(run.n), 0, 0});
      sizes_[place->second].runs += 1;
      size_of_run_.push_back(place->second);
      values_.push_back(run.mean - origin);
    }
  }

  /// What runs share adds.
  struct Parts {
    double log_determinant = 0, log_information = 0, quadratic = 0;
  };
  virtual Parts parts_of(const Variances& variances) = 0;

  std::size_t runs() const { return values_.size(); }
  double value(std::size_t run) const { return values_[run]; }
  /// Runs of one size are equally long.
  std::size_t size_of(std::size_t run) const { return size_of_run_[run]; }
  /// 1 by the variance of a run's mean within its allocation.
  double weight_of_size(std::size_t size) const { return sizes_[size].weight; }
  double weight(std::size_t run) const { return weight_of_size(size_of(run)); }

 private:
  /// Runs of equally many iterations.
  struct Size {
    double n = 0, runs = 0, weight = 0;
  };

  void weigh(const Variances& variances) {
    for (Size& size : sizes_) size.weight = 1 / (variances[kRun] + variances[kIteration] / size.n);
  }

  /// What runs add whatever they share.
  double within(const Variances& variances) const {
    double sum = squares_ / variances[kIteration];
    for (const Size& size : sizes_)
      sum += size.runs *
             ((size.n - 1) * std::log(variances[kIteration]) + std::log(size.n / size.weight));
    return sum;
  }

  double iterations_, means_, squares_ = 0;
  std::vector<Size> sizes_;
  std::vector<std::size_t> size_of_run_;
  std::vector<double> values_;
};

namespace {

using Pass = MixedModel::Pass;

double log_sum(const Eigen::VectorXd& diagonal) { return diagonal.array().abs().log().sum(); }

// ---- by configurations -------------------------------------------------------------------------

/// Weighted cross products of configurations, values and the ones that a level's effect adds. Of
/// the symmetric matrix only the lower half.
struct Products {
  Eigen::MatrixXd means;   ///< configurations by configurations
  Eigen::VectorXd values;  ///< configurations by values
  Eigen::VectorXd ones;    ///< configurations by ones
  double squares = 0;      ///< values by values
  double sum = 0;          ///< values by ones
  double weight = 0;       ///< ones by ones

  explicit Products(Index configurations)
      : means(configurations, configurations), values(configurations), ones(configurations) {}

  void clear() {
    means.setZero();
    values.setZero();
    ones.setZero();
    squares = sum = weight = 0;
  }
};

/// The configurations of one allocation, in their order, and its runs.
struct Block {
  std::vector<Index> configurations;
  std::vector<std::pair<std::size_t, std::size_t>> runs;  ///< with the place of its configuration
};

std::vector<Block> blocks_of(const Nesting& nesting) {
  std::vector<std::map<std::size_t, std::size_t>> places(nesting.allocations());
  for (std::size_t i = 0; i < nesting.runs.size(); ++i)
    places[nesting.allocation_of_run[i]][nesting.runs[i].configuration] = 0;
  std::vector<Block> blocks(nesting.allocations());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (auto& place : places[i]) {
      place.second = blocks[i].configurations.size();
      blocks[i].configurations.push_back(static_cast<Index>(place.first));
    }
  }
  for (std::size_t i = 0; i < nesting.runs.size(); ++i) {
    const std::size_t allocation = nesting.allocation_of_run[i];
    blocks[allocation].runs.emplace_back(i, places[allocation][nesting.runs[i].configuration]);
  }
  return blocks;
}

class ByConfigurations : public Pass {
 public:
  explicit ByConfigurations(const Nesting& nesting)
      : Pass(nesting),
        blocks_(blocks_of(nesting)),
        days_(nesting.days),
        day_(static_cast<Index>(nesting.configurations)),
        all_(static_cast<Index>(nesting.configurations)) {
    for (std::size_t i = 0; i < nesting.allocations(); ++i)
      days_[nesting.day_of_allocation[i]].push_back(i);
  }

 private:
  Parts parts_of(const Variances& variances) override {
    Parts parts;
    all_.clear();
    for (const auto& allocations : days_) {
      day_.clear();
      for (const std::size_t allocation : allocations)
        parts.log_determinant += add_block(blocks_[allocation], variances[kAllocation]);
      const double growth = 1 + variances[kDay] * day_.weight, part = variances[kDay] / growth;
      parts.log_determinant += std::log(growth);
      for (Index j = 0; j < all_.ones.size() && part > 0; ++j) {
        const Index rest = all_.ones.size() - j;
        day_.means.col(j).tail(rest) -= part * day_.ones(j) * day_.ones.tail(rest);
      }
      all_.means += day_.means;
      all_.values += day_.values - part * day_.sum * day_.ones;
      all_.squares += day_.squares - part * day_.sum * day_.sum;
    }
    const Eigen::LDLT<Eigen::MatrixXd> solved(all_.means);
    parts.log_information = log_sum(solved.vectorD());
    parts.quadratic = all_.squares - all_.values.dot(solved.solve(all_.values));
    return parts;
  }

  /// Adds an allocation whose runs share an effect to its day; returns what that adds to the
  /// log-determinant.
  double add_block(const Block& block, double variance) {
    const std::size_t count = block.configurations.size();
    weights_.assign(count, 0);
    sums_.assign(count, 0);
    double squares = 0, sum = 0, weight = 0;
    for (const auto& [run, place] : block.runs) {
      const double of_run = this->weight(run), weighted = of_run * value(run);
      weights_[place] += of_run;
      sums_[place] += weighted;
      squares += weighted * value(run);
      sum += weighted;
      weight += of_run;
    }
    const double growth = 1 + variance * weight, part = variance / growth;
    for (std::size_t j = 0; j < count; ++j) {
      const Index column = block.configurations[j];
      double* const means = &day_.means(0, column);
      const double shared = part * weights_[j];
      for (std::size_t i = j; i < count; ++i)
        means[block.configurations[i]] -= shared * weights_[i];
      means[column] += weights_[j];
      day_.values(column) += sums_[j] - part * sum * weights_[j];
      day_.ones(column) += weights_[j] / growth;
    }
    day_.squares += squares - part * sum * sum;
    day_.sum += sum / growth;
    day_.weight += weight / growth;
    return std::log(growth);
  }

  std::vector<Block> blocks_;
  std::vector<std::vector<std::size_t>> days_;  // allocations
  Products day_, all_;
  std::vector<double> weights_, sums_;  // of a block, by place
};

// ---- by units ----------------------------------------------------------------------------------

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

class ByUnits : public Pass {
 public:
  explicit ByUnits(const Nesting& nesting)
      : Pass(nesting),
        allocation_of_run_(nesting.allocation_of_run),
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
    for (const auto& group : groups_) {
      add_runs(group, parts);
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
    among.noalias() -= scaled_ * scaled_.transpose();
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
    allocations_.assign(day_of_allocation_.size(), 0);
    days_.assign(days_.size(), 0);
    for (std::size_t i = 0; i < runs(); ++i) allocations_[allocation_of_run_[i]] += weight(i);
    double result = 0;
    for (std::size_t i = 0; i < allocations_.size(); ++i) {
      const double growth = 1 + variances[kAllocation] * allocations_[i];
      result += std::log(growth);
      days_[day_of_allocation_[i]] += allocations_[i] / growth;
    }
    for (const double of_day : days_) result += std::log(1 + variances[kDay] * of_day);
    return result;
  }

  std::vector<std::size_t> allocation_of_run_, day_of_allocation_;
  std::vector<Group> groups_;
  Overlap overlap_;
  Eigen::VectorXd values_;
  Eigen::MatrixXd scaled_, products_;  // of a group: allocations by configurations; units by units
  Eigen::VectorXd weights_, distances_, sums_;  // of a group, by allocation
  std::vector<double> allocations_, days_;
};

MixedModel::Way usual_way(const Nesting& nesting) {
  constexpr std::size_t kMany = 100;  // from here on a matrix of configurations is the larger one
  return nesting.configurations <= kMany ? MixedModel::Way::kByConfigurations
                                         : MixedModel::Way::kByUnits;
}

}  // namespace

MixedModel::MixedModel(const Nesting& nesting) : MixedModel(nesting, usual_way(nesting)) {}

MixedModel::MixedModel(const Nesting& nesting, Way way) {
  if (way == Way::kByConfigurations) {
    pass_ = std::make_unique<ByConfigurations>(nesting);
  } else {
    pass_ = std::make_unique<ByUnits>(nesting);
  }
}

MixedModel::~MixedModel() = default;

MixedFit MixedModel::fit(const Variances& variances) { return pass_->fit(variances); }

}  // namespace pippin
