#include "reports/statistics/presence.h"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <numeric>

namespace pippin {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The allocations turned so that the random node effects become independent, each with its own
/// weight. A fixed effect of a node takes that node's random one out of the likelihood, so that one
/// decomposition of all nodes serves every node.
struct Turned {
  VectorXd weights;    ///< variances of the turned values are residual + node * weight
  MatrixXd inside;     ///< covariates (with intercept) and, last, values: the part that nodes move
  MatrixXd outside;    ///< cross products of the part that no node moves
  MatrixXd nodes;      ///< indicators of the nodes, turned
  Index left_out = 0;  ///< dimensions of that part
};

MatrixXd membership_of(const Presence& presence) {
  MatrixXd z = MatrixXd::Zero(static_cast<Index>(presence.members.size()),
                              static_cast<Index>(presence.nodes));
  for (std::size_t i = 0; i < presence.members.size(); ++i) {
    for (const std::size_t node : presence.members[i])
      z(static_cast<Index>(i), static_cast<Index>(node)) = 1;
  }
  return z;
}

MatrixXd fixed_of(const Presence& presence) {
  const auto rows = static_cast<Index>(presence.values.size());
  const auto covariates = static_cast<Index>(presence.covariates.size());
  MatrixXd fixed(rows, covariates + 2);
  fixed.col(0).setOnes();
  for (Index i = 0; i < covariates; ++i)
    fixed.col(i + 1) = VectorXd::Map(presence.covariates[static_cast<std::size_t>(i)].data(), rows);
  fixed.col(covariates + 1) = VectorXd::Map(presence.values.data(), rows);
  return fixed;
}

Turned turn(const Presence& presence) {
  constexpr double kNothing = 1e-9;
  const MatrixXd z = membership_of(presence), fixed = fixed_of(presence);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(z.transpose() * z);
  const VectorXd& all = solver.eigenvalues();  // ascending
  const Index rank = (all.array() > kNothing * std::max(1.0, all.maxCoeff())).count();
  const VectorXd weights = all.tail(rank);
  const MatrixXd basis =
      z * solver.eigenvectors().rightCols(rank) * weights.cwiseSqrt().cwiseInverse().asDiagonal();
  Turned turned;
  turned.weights = weights;
  turned.inside = basis.transpose() * fixed;
  turned.outside = fixed.transpose() * fixed - turned.inside.transpose() * turned.inside;
  turned.nodes = basis.transpose() * z;
  turned.left_out = z.rows() - rank;
  return turned;
}

/// Generalised least squares of the values on covariates and one node, at one ratio of variances.
struct Fit {
  double criterion = 0;  ///< -2 log restricted likelihood, the residual variance chosen best
  double variance = 0;   ///< residual
  double effect = 0;
  double error = 0;  ///< of the effect
};

Fit fit_of(const Turned& turned, Index node, double ratio) {
  const Index columns = turned.inside.cols();  // covariates, values; the node takes the last place
  MatrixXd inside(turned.inside.rows(), columns + 1);
  inside << turned.inside, turned.nodes.col(node);
  MatrixXd outside = MatrixXd::Zero(columns + 1, columns + 1);
  outside.topLeftCorner(columns, columns) = turned.outside;  // of the node nothing lies outside
  const VectorXd spread = (1 + ratio * turned.weights.array()).matrix();
  const MatrixXd cross = inside.transpose() * spread.cwiseInverse().asDiagonal() * inside + outside;
  std::vector<Index> order(static_cast<std::size_t>(columns) + 1);
  std::iota(order.begin(), order.end(), Index{0});
  std::swap(order[static_cast<std::size_t>(columns) - 1], order[static_cast<std::size_t>(columns)]);
  const MatrixXd sorted = cross(order, order);  // values last
  const MatrixXd a = sorted.topLeftCorner(columns, columns);
  const VectorXd b = sorted.col(columns).head(columns);
  const Eigen::LDLT<MatrixXd> solved(a);
  const VectorXd coefficients = solved.solve(b);
  const double squares = sorted(columns, columns) - b.dot(coefficients);
  const auto df = static_cast<double>(turned.weights.size() + turned.left_out - columns);
  Fit fit;
  fit.variance = squares / df;
  fit.criterion = spread.array().log().sum() + df * std::log(std::max(squares, 1e-300)) +
                  solved.vectorD().array().abs().log().sum();
  fit.effect = coefficients(columns - 1);
  VectorXd unit = VectorXd::Zero(columns);
  unit(columns - 1) = 1;
  // The node's own random effect was left in, and is in its error: it goes.
  const VectorXd inverse = solved.solve(unit);
  fit.error = std::sqrt(std::max(0.0, (inverse(columns - 1) - ratio) * fit.variance));
  return fit;
}

/// The ratio of variances with the least criterion: the best of a grid, then Brent's method.
Fit best_fit(const Turned& turned, Index node) {
  constexpr int kFrom = -14, kTo = 14;
  constexpr int kBits = 26;  // more a minimum does not tell
  const auto at = [&](double log_ratio) { return fit_of(turned, node, std::exp(log_ratio)); };
  int best = kFrom;
  Fit fit = fit_of(turned, node, 0);
  bool inner = false;
  for (int x = kFrom; x <= kTo; ++x) {
    const Fit here = at(x);
    if (here.criterion >= fit.criterion) continue;
    fit = here;
    best = x;
    inner = true;
  }
  if (!inner) return fit;  // no variance between nodes
  const auto found = boost::math::tools::brent_find_minima(
      [&](double log_ratio) { return at(log_ratio).criterion; }, best - 1.0, best + 1.0, kBits);
  return at(found.first);
}

/// Whether the node's presence is told apart from the intercept and the covariates.
bool can_be_told(const Presence& presence, std::size_t node, double df) {
  std::size_t with = 0;
  for (const auto& members : presence.members)
    with += static_cast<std::size_t>(std::count(members.begin(), members.end(), node));
  return df > 0 && with >= 2 && presence.members.size() - with >= 2;
}

}  // namespace

std::vector<std::optional<Difference>> node_effects(const Presence& presence) {
  std::vector<std::optional<Difference>> effects(presence.nodes);
  const double df = static_cast<double>(presence.values.size()) -
                    static_cast<double>(presence.covariates.size()) - 2;
  if (df <= 0) return effects;
  const Turned turned = turn(presence);
  for (std::size_t node = 0; node < presence.nodes; ++node) {
    if (!can_be_told(presence, node, df)) continue;
    const Fit fit = best_fit(turned, static_cast<Index>(node));
    if (std::isfinite(fit.effect) && fit.error > 0)
      effects[node] = Difference{fit.effect, fit.error, df};
  }
  return effects;
}

}  // namespace pippin
