// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "reports/statistics/mixed_pass.h"

namespace pippin {

using Eigen::Index;

namespace {

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

class ByConfigurations : public MixedModel::Pass {
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

}  // namespace

std::unique_ptr<MixedModel::Pass> pass_by_configurations(const Nesting& nesting) {
  return std::make_unique<ByConfigurations>(nesting);
}

}  // namespace pippin
