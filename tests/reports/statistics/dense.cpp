// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/statistics/dense.h"

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <utility>

namespace pippin::test {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The iterations of one day: those of other days are independent of them.
struct Block {
  std::vector<std::string> units[kLevels];  ///< of each iteration, by level
  std::vector<double> times;

  VectorXd values() const { return VectorXd::Map(times.data(), static_cast<Index>(times.size())); }

  /// 1 where two iterations share a unit of that level.
  MatrixXd shared(Level level) const {
    const auto n = static_cast<Index>(times.size());
    if (level == kIteration) return MatrixXd::Identity(n, n);
    MatrixXd matrix(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        const auto &a = units[level][static_cast<std::size_t>(i)],
                   &b = units[level][static_cast<std::size_t>(j)];
        matrix(i, j) = a == b ? 1 : 0;
      }
    }
    return matrix;
  }
};

std::vector<Block> blocks_of(const std::vector<RunTimes>& runs) {
  std::map<std::string, Block> days;
  for (const auto& run : runs) {
    Block& block = days[run.day];
    block.times.insert(block.times.end(), run.values.begin(), run.values.end());
    block.units[kRun].resize(block.times.size(), run.name);
    block.units[kAllocation].resize(block.times.size(), run.allocation);
    block.units[kDay].resize(block.times.size(), run.day);
  }
  std::vector<Block> blocks;
  for (auto& day : days) blocks.push_back(std::move(day.second));
  return blocks;
}

/// What Kenward and Roger need of the mean: sums over blocks.
struct Information {
  MatrixXd traces, q;
  VectorXd p;

  explicit Information(Index count)
      : traces(MatrixXd::Zero(count, count)),
        q(MatrixXd::Zero(count, count)),
        p(VectorXd::Zero(count)) {}

  void add(const Block& block, const MatrixXd& inverse, const std::vector<Level>& random) {
    const VectorXd ones = VectorXd::Ones(inverse.rows());
    std::vector<MatrixXd> weighted;  // V^-1 G
    for (const Level level : random) weighted.emplace_back(inverse * block.shared(level));
    for (Index i = 0; i < p.size(); ++i) {
      const MatrixXd& a = weighted[static_cast<std::size_t>(i)];
      p[i] -= ones.dot(a * (inverse * ones));
      for (Index j = 0; j < p.size(); ++j) {
        const MatrixXd& b = weighted[static_cast<std::size_t>(j)];
        traces(i, j) += a.cwiseProduct(b.transpose()).sum();
        q(i, j) += ones.dot(a * (b * (inverse * ones)));
      }
    }
  }
};

void adjust(DenseFit& fit, const Information& of) {
  const double variance = fit.se * fit.se;
  const MatrixXd pp = of.p * of.p.transpose();
  const MatrixXd information = (of.traces - 2 * variance * of.q + variance * variance * pp) / 2;
  const MatrixXd weights = information.inverse();
  const double bias = variance * variance * weights.cwiseProduct(of.q - variance * pp).sum();
  fit.adjusted_se = std::sqrt(variance + 2 * bias);
  // Of one coefficient their moments come down to Satterthwaite's 2 V^2 / Var(V).
  fit.adjusted_df = 2 / (variance * variance * weights.cwiseProduct(pp).sum());
}

}  // namespace

DenseFit dense_fit(const std::vector<RunTimes>& runs, const Variances& variances,
                   const std::vector<Level>& random) {
  const auto blocks = blocks_of(runs);
  DenseFit fit;
  Information information(static_cast<Index>(random.size()));
  std::vector<MatrixXd> inverses;
  double weight = 0, sum = 0, count = 0;
  for (const auto& block : blocks) {
    MatrixXd covariance = MatrixXd::Zero(block.values().size(), block.values().size());
    for (const Level level : random) covariance += variances[level] * block.shared(level);
    const Eigen::LLT<MatrixXd> factor(covariance);
    fit.reml += 2 * factor.matrixLLT().diagonal().array().log().sum();
    inverses.emplace_back(factor.solve(MatrixXd::Identity(covariance.rows(), covariance.cols())));
    weight += inverses.back().sum();
    sum += (inverses.back() * block.values()).sum();
    count += static_cast<double>(block.times.size());
    information.add(block, inverses.back(), random);
  }
  fit.mean = sum / weight;
  fit.se = std::sqrt(1 / weight);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const VectorXd residuals = blocks[b].values().array() - fit.mean;
    const VectorXd weighted = inverses[b] * residuals;
    fit.reml += residuals.dot(weighted);
    for (const Level level : random) {
      for (std::size_t i = 0; level != kIteration && i < blocks[b].times.size(); ++i)
        fit.predictions[level][blocks[b].units[level][i]] +=
            variances[level] * weighted[static_cast<Index>(i)];
    }
  }
  fit.reml += (count - 1) * std::log(2 * std::numbers::pi) + std::log(weight);
  adjust(fit, information);
  return fit;
}

namespace {

/// Generalised least squares with given variances of a response on fixed columns.
struct Generalised {
  VectorXd coefficients, weighted;  ///< the second: P y
  MatrixXd projection;              ///< P
  double reml = 0;
};

Generalised generalised(const MatrixXd& x, const VectorXd& y, const MatrixXd& covariance) {
  const MatrixXd inverse = covariance.inverse();
  const MatrixXd weight = x.transpose() * inverse * x;
  Generalised fit;
  fit.coefficients = weight.ldlt().solve(x.transpose() * inverse * y);
  fit.projection = inverse - inverse * x * weight.ldlt().solve(x.transpose()) * inverse;
  fit.weighted = fit.projection * y;
  const auto log_determinant = [](const MatrixXd& matrix) {
    const Eigen::LLT<MatrixXd> factor(matrix);
    return 2 * factor.matrixLLT().diagonal().array().log().sum();
  };
  const auto df = static_cast<double>(x.rows() - x.cols());
  fit.reml = df * std::log(2 * std::numbers::pi) + log_determinant(covariance) +
             log_determinant(weight) + y.dot(fit.weighted);
  return fit;
}

std::vector<double> list_of(const VectorXd& values) {
  return {values.data(), values.data() + values.size()};
}

}  // namespace

MembershipFit membership_fit(const Presence& presence) {
  const auto rows = static_cast<Index>(presence.values.size());
  MatrixXd x = MatrixXd::Ones(rows, static_cast<Index>(presence.covariates.size()) + 1);
  for (std::size_t i = 0; i < presence.covariates.size(); ++i)
    x.col(static_cast<Index>(i) + 1) = VectorXd::Map(presence.covariates[i].data(), rows);
  MatrixXd members = MatrixXd::Zero(rows, static_cast<Index>(presence.nodes));
  for (Index row = 0; row < rows; ++row) {
    for (const std::size_t node : presence.members[static_cast<std::size_t>(row)])
      members(row, static_cast<Index>(node)) = 1;
  }
  const VectorXd y = VectorXd::Map(presence.values.data(), rows);
  const MatrixXd shared = members * members.transpose(), alone = MatrixXd::Identity(rows, rows);
  const auto fit_at = [&](const std::vector<double>& logs) {
    return generalised(x, y, std::exp(logs[0]) * shared + std::exp(logs[1]) * alone);
  };
  const double start = std::log((y.array() - y.mean()).square().mean() / 2);
  const auto best = minimum_of([&](const auto& logs) { return fit_at(logs).reml; }, {start, start});
  const Generalised fit = fit_at(best.at);
  MembershipFit result{
      std::exp(best.at[0]), std::exp(best.at[1]), fit.reml, list_of(fit.coefficients), {}, {}};
  const VectorXd scores = members.transpose() * fit.weighted;
  const VectorXd errors = (members.transpose() * fit.projection * members).diagonal().cwiseSqrt();
  result.effects = list_of(result.node_variance * scores);
  result.z = list_of(scores.cwiseQuotient(errors));
  return result;
}

Minimum minimum_of(const std::function<double(const std::vector<double>&)>& function,
                   std::vector<double> start) {
  constexpr double kStep = 5e-4, kConverged = 1e-9;
  constexpr int kMost = 100;
  const auto count = static_cast<Index>(start.size());
  const auto at = [&](const VectorXd& x) { return function({x.data(), x.data() + x.size()}); };
  VectorXd x = VectorXd::Map(start.data(), count);
  double value = at(x), damping = 0;
  for (int i = 0; i < kMost; ++i) {
    VectorXd gradient(count);
    MatrixXd hessian(count, count);
    const auto moved = [&](Index a, double by_a, Index b, double by_b) {
      VectorXd there = x;
      there[a] += by_a * kStep;
      there[b] += by_b * kStep;
      return at(there);
    };
    for (Index a = 0; a < count; ++a) {
      gradient[a] = (moved(a, 1, a, 0) - moved(a, -1, a, 0)) / (2 * kStep);
      for (Index b = 0; b < count; ++b) {
        hessian(a, b) =
            (moved(a, 1, b, 1) - moved(a, 1, b, -1) - moved(a, -1, b, 1) + moved(a, -1, b, -1)) /
            (4 * kStep * kStep);
      }
    }
    hessian.diagonal().array() += damping;
    const VectorXd step = -hessian.ldlt().solve(gradient);
    const double next = at(x + step);
    if (next <= value + kConverged) {
      x += step;
      value = next;
      damping /= 10;
      if (step.norm() < kConverged * 100) break;
    } else {
      damping = damping * 10 + 1;
    }
  }
  return {{x.data(), x.data() + count}, value};
}

}  // namespace pippin::test
