#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

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

/// Allocations by their day.
std::vector<std::vector<std::size_t>> by_day(const Nesting& nesting) {
  std::vector<std::vector<std::size_t>> days(nesting.days);
  for (std::size_t i = 0; i < nesting.allocations(); ++i)
    days[nesting.day_of_allocation[i]].push_back(i);
  return days;
}

double origin_of(const Nesting& nesting) {
  double sum = 0;
  for (const auto& run : nesting.runs) sum += run.mean;
  return sum / static_cast<double>(nesting.runs.size());
}

double run_variance(const RunMoments& run, const Variances& variances) {
  return variances[kRun] + variances[kIteration] / static_cast<double>(run.n);
}

/// What runs add whatever they share: to the log-determinant, and to the quadratic form.
struct WithinRuns {
  double log_determinant = 0, quadratic = 0;
};

WithinRuns within_runs(const Nesting& nesting, const Variances& variances) {
  WithinRuns sums;
  for (const auto& run : nesting.runs) {
    const auto n = static_cast<double>(run.n);
    sums.log_determinant +=
        (n - 1) * std::log(variances[kIteration]) + std::log(n * run_variance(run, variances));
    sums.quadratic += run.squares / variances[kIteration];
  }
  return sums;
}

MixedFit fit_from(const Nesting& nesting, double log_determinant, double log_information,
                  double quadratic) {
  const auto n = static_cast<double>(nesting.iterations());
  const auto means = static_cast<double>(nesting.configurations);
  const double log_two_pi = std::log(2 * std::numbers::pi);
  const double common = log_determinant + quadratic;
  return {(n - means) * log_two_pi + common + log_information, n * log_two_pi + common};
}

}  // namespace

MixedFit fit_by_configurations(const Nesting& nesting, const Variances& variances) {
  const auto configurations = static_cast<Index>(nesting.configurations);
  const double origin = origin_of(nesting);  // keeps large means from eating the digits
  WithinRuns sums = within_runs(nesting, variances);
  const auto blocks = blocks_of(nesting);
  Products all(configurations);
  for (const auto& allocations : by_day(nesting)) {
    Products day(configurations);
    for (const std::size_t allocation : allocations) {
      const Block& block = blocks[allocation];
      Products products(static_cast<Index>(block.configurations.size()));
      for (std::size_t i = 0; i < block.runs.size(); ++i) {
        const RunMoments& run = nesting.runs[block.runs[i]];
        products.add(block.local[i], run.mean - origin, 1 / run_variance(run, variances));
      }
      sums.log_determinant += products.share(variances[kAllocation]);
      add_block(day, products, block.configurations);
    }
    sums.log_determinant += day.share(variances[kDay]);
    all.means += day.means;
    all.values += day.values;
    all.squares += day.squares;
  }
  const Eigen::LDLT<Eigen::MatrixXd> solved(all.means);
  return fit_from(nesting, sums.log_determinant, solved.vectorD().array().abs().log().sum(),
                  sums.quadratic + all.squares - all.values.dot(solved.solve(all.values)));
}

namespace {

/// Sums of weights and weighted values by configuration.
struct Centres {
  std::vector<double> weights, means;
};

Centres centres_of(const Nesting& nesting, const std::vector<double>& weights) {
  Centres centres{std::vector<double>(nesting.configurations),
                  std::vector<double>(nesting.configurations)};
  for (std::size_t i = 0; i < nesting.runs.size(); ++i) {
    const std::size_t configuration = nesting.runs[i].configuration;
    centres.weights[configuration] += weights[i];
    centres.means[configuration] += weights[i] * nesting.runs[i].mean;
  }
  for (std::size_t c = 0; c < nesting.configurations; ++c) centres.means[c] /= centres.weights[c];
  return centres;
}

/// The units of both levels that a run belongs to, each with its sd; days stand behind allocations.
struct Units {
  const Nesting& nesting;
  double allocation_sd, day_sd;

  Index count() const { return static_cast<Index>(nesting.allocations() + nesting.days); }
  std::array<std::pair<Index, double>, 2> of(std::size_t run) const {
    const std::size_t allocation = nesting.allocation_of_run[run];
    const std::size_t day = nesting.allocations() + nesting.day_of_allocation[allocation];
    return {std::pair(static_cast<Index>(allocation), allocation_sd),
            std::pair(static_cast<Index>(day), day_sd)};
  }
};

/// A symmetric matrix of units, 1 on its diagonal at first: dense where there are few.
class Overlap {
 public:
  explicit Overlap(Index units) : units_(units), is_dense_(units <= kFew) {
    if (is_dense_) dense_ = Eigen::MatrixXd::Identity(units, units);
    for (Index i = 0; i < units && !is_dense_; ++i) entries_.emplace_back(i, i, 1.0);
  }

  void add(Index row, Index column, double value) {
    if (is_dense_) {
      dense_(row, column) += value;
    } else {
      entries_.emplace_back(row, column, value);
    }
  }

  struct Solved {
    double log_determinant = 0;
    double quadratic = 0;  ///< of the values and the inverse
  };
  Solved solve(const Eigen::VectorXd& values) const {
    if (is_dense_) return solved(Eigen::LDLT<Eigen::MatrixXd>(dense_), values);
    Eigen::SparseMatrix<double> matrix(units_, units_);
    matrix.setFromTriplets(entries_.begin(), entries_.end());
    return solved(Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>(matrix), values);
  }

 private:
  static constexpr Index kFew = 300;

  template <typename Factor>
  static Solved solved(const Factor& factor, const Eigen::VectorXd& values) {
    return {factor.vectorD().array().abs().log().sum(), values.dot(factor.solve(values))};
  }

  Index units_;
  bool is_dense_;
  Eigen::MatrixXd dense_;
  std::vector<Eigen::Triplet<double>> entries_;
};

/// What the random effects add to the log-determinant where no means are estimated.
double nested_log_determinant(const Nesting& nesting, const Variances& variances,
                              const std::vector<double>& weights) {
  std::vector<double> allocations(nesting.allocations()), days(nesting.days);
  for (std::size_t i = 0; i < weights.size(); ++i)
    allocations[nesting.allocation_of_run[i]] += weights[i];
  double result = 0;
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    const double growth = 1 + variances[kAllocation] * allocations[i];
    result += std::log(growth);
    days[nesting.day_of_allocation[i]] += allocations[i] / growth;
  }
  for (const double weight : days) result += std::log(1 + variances[kDay] * weight);
  return result;
}

}  // namespace

MixedFit fit_by_units(const Nesting& nesting, const Variances& variances) {
  WithinRuns sums = within_runs(nesting, variances);
  std::vector<double> weights;
  for (const auto& run : nesting.runs) weights.push_back(1 / run_variance(run, variances));
  const Centres centres = centres_of(nesting, weights);
  const Units units{nesting, std::sqrt(variances[kAllocation]), std::sqrt(variances[kDay])};
  Eigen::VectorXd values = Eigen::VectorXd::Zero(units.count());
  Overlap overlap(units.count());
  std::vector<std::vector<std::size_t>> runs(nesting.configurations);
  for (std::size_t i = 0; i < weights.size(); ++i) runs[nesting.runs[i].configuration].push_back(i);
  double log_information = 0;
  for (std::size_t c = 0; c < nesting.configurations; ++c) {
    log_information += std::log(centres.weights[c]);
    std::map<Index, double> shared;
    for (const std::size_t i : runs[c]) {
      const double distance = nesting.runs[i].mean - centres.means[c];
      sums.quadratic += weights[i] * distance * distance;
      for (const auto& [unit, sd] : units.of(i)) {
        values(unit) += sd * weights[i] * distance;
        shared[unit] += sd * weights[i];
        for (const auto& [other, other_sd] : units.of(i))
          overlap.add(unit, other, sd * other_sd * weights[i]);
      }
    }
    for (const auto& [unit, weight] : shared) {
      for (const auto& [other, other_weight] : shared)
        overlap.add(unit, other, -weight * other_weight / centres.weights[c]);
    }
  }
  const Overlap::Solved solved = overlap.solve(values);
  const double without = nested_log_determinant(nesting, variances, weights);
  return fit_from(nesting, sums.log_determinant + without,
                  solved.log_determinant + log_information - without,
                  sums.quadratic - solved.quadratic);
}

MixedFit mixed_fit_of(const Nesting& nesting, const Variances& variances) {
  constexpr std::size_t kMany = 100;  // from here on a matrix of configurations is the larger one
  return nesting.configurations <= kMany ? fit_by_configurations(nesting, variances)
                                         : fit_by_units(nesting, variances);
}

}  // namespace pippin
