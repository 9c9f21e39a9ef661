#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "reports/statistics/nested.h"

namespace pippin {

namespace {

using Eigen::Index;

/// Weighted cross products of configurations, values and the ones that a level's effect adds.
struct Products {
  Eigen::MatrixXd means;   ///< configurations by configurations
  Eigen::VectorXd values;  ///< configurations by values
  Eigen::VectorXd ones;    ///< configurations by ones
  double squares = 0;      ///< values by values
  double sum = 0;          ///< values by ones
  double weight = 0;       ///< ones by ones

  explicit Products(Index configurations)
      : means(Eigen::MatrixXd::Zero(configurations, configurations)),
        values(Eigen::VectorXd::Zero(configurations)),
        ones(Eigen::VectorXd::Zero(configurations)) {}

  void add(Index configuration, double value, double weight_of_value) {
    means(configuration, configuration) += weight_of_value;
    values(configuration) += weight_of_value * value;
    ones(configuration) += weight_of_value;
    squares += weight_of_value * value * value;
    sum += weight_of_value * value;
    weight += weight_of_value;
  }

  /// Lets all of it share one random effect; returns what that adds to the log-determinant.
  double share(double variance) {
    const double growth = 1 + variance * weight, part = variance / growth;
    means -= part * ones * ones.transpose();
    values -= part * sum * ones;
    squares -= part * sum * sum;
    ones /= growth;
    sum /= growth;
    weight /= growth;
    return std::log(growth);
  }
};

/// The configurations of one allocation, numbered there, so that small jobs of a large sweep stay
/// small.
struct Block {
  std::vector<Index> configurations;  ///< by local number
  std::vector<std::size_t> runs;
  std::vector<Index> local;  ///< of each run

  void add(std::size_t run, Index configuration) {
    Index place = 0;
    const auto count = static_cast<Index>(configurations.size());
    while (place < count && configurations[static_cast<std::size_t>(place)] != configuration)
      ++place;
    if (place == count) configurations.push_back(configuration);
    runs.push_back(run);
    local.push_back(place);
  }
};

void add_block(Products& day, const Products& block, const std::vector<Index>& configurations) {
  day.means(configurations, configurations) += block.means;
  day.values(configurations) += block.values;
  day.ones(configurations) += block.ones;
  day.squares += block.squares;
  day.sum += block.sum;
  day.weight += block.weight;
}

std::vector<Block> blocks_of(const Nesting& nesting) {
  std::vector<Block> blocks(nesting.allocations());
  for (std::size_t i = 0; i < nesting.runs.size(); ++i)
    blocks[nesting.allocation_of_run[i]].add(i, static_cast<Index>(nesting.runs[i].configuration));
  return blocks;
}

double origin_of(const Nesting& nesting) {
  double sum = 0;
  for (const auto& run : nesting.runs) sum += run.mean;
  return sum / static_cast<double>(nesting.runs.size());
}

}  // namespace

MixedFit mixed_fit_of(const Nesting& nesting, const Variances& variances) {
  const auto configurations = static_cast<Index>(nesting.configurations);
  const double origin = origin_of(nesting);  // keeps large means from eating the digits
  double log_determinant = 0, quadratic = 0;
  std::vector<Products> days(nesting.days, Products(configurations));
  const auto blocks = blocks_of(nesting);
  for (std::size_t allocation = 0; allocation < blocks.size(); ++allocation) {
    const Block& block = blocks[allocation];
    Products products(static_cast<Index>(block.configurations.size()));
    for (std::size_t i = 0; i < block.runs.size(); ++i) {
      const RunMoments& run = nesting.runs[block.runs[i]];
      const auto n = static_cast<double>(run.n);
      const double variance = variances[kRun] + variances[kIteration] / n;
      log_determinant += (n - 1) * std::log(variances[kIteration]) + std::log(n * variance);
      quadratic += run.squares / variances[kIteration];
      products.add(block.local[i], run.mean - origin, 1 / variance);
    }
    log_determinant += products.share(variances[kAllocation]);
    add_block(days[nesting.day_of_allocation[allocation]], products, block.configurations);
  }
  Products all(configurations);
  for (auto& day : days) {
    log_determinant += day.share(variances[kDay]);
    all.means += day.means;
    all.values += day.values;
    all.squares += day.squares;
  }
  const Eigen::LDLT<Eigen::MatrixXd> solved(all.means);
  quadratic += all.squares - all.values.dot(solved.solve(all.values));
  const auto n = static_cast<double>(nesting.iterations());
  const double log_two_pi = std::log(2 * std::numbers::pi);
  const double common = log_determinant + quadratic;
  return {(n - static_cast<double>(configurations)) * log_two_pi + common +
              solved.vectorD().array().abs().log().sum(),
          n * log_two_pi + common};
}

}  // namespace pippin
