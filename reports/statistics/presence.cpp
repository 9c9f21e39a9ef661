// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/presence.h"

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <map>
#include <numeric>

namespace pippin {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The allocations turned so that the random node effects become independent, each with its own
/// weight. A fixed effect of a node takes that node's random one out of the likelihood, so that one
/// decomposition of all nodes serves every node.
struct Membership::Parts {
  VectorXd weights;                 ///< variances of the turned values are residual + node * weight
  MatrixXd basis;                   ///< turns allocations
  MatrixXd nodes;                   ///< indicators of the nodes, turned
  std::vector<std::size_t> counts;  ///< of each node's allocations
};

namespace {

/// Covariates (with intercept) and, last, values, turned as the allocations are.
struct Turned {
  const VectorXd& weights;
  MatrixXd nodes;      ///< those that are wanted
  MatrixXd inside;     ///< the part that nodes move
  MatrixXd outside;    ///< cross products of the part that no node moves
  Index left_out = 0;  ///< dimensions of that part
};

MatrixXd indicators_of(const Members& members, std::size_t nodes) {
  MatrixXd z = MatrixXd::Zero(static_cast<Index>(members.size()), static_cast<Index>(nodes));
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const std::size_t node : members[i])
      z(static_cast<Index>(i), static_cast<Index>(node)) = 1;
  }
  return z;
}

MatrixXd fixed_of(const std::vector<double>& values, const Columns& given) {
  const auto rows = static_cast<Index>(values.size());
  const auto covariates = static_cast<Index>(given.size());
  MatrixXd fixed(rows, covariates + 2);
  fixed.col(0).setOnes();
  for (Index i = 0; i < covariates; ++i)
    fixed.col(i + 1) = VectorXd::Map(given[static_cast<std::size_t>(i)].data(), rows);
  fixed.col(covariates + 1) = VectorXd::Map(values.data(), rows);
  return fixed;
}

/// Generalised least squares of the values on covariates and one node, at one ratio of variances.
struct Fit {
  double criterion = 0;  ///< -2 log restricted likelihood, the residual variance chosen best
  double effect = 0;
  double error = 0;  ///< of the effect
};

/// All that the fits of `nodes` at one ratio of variances (between nodes, by the residual one) have
/// in common.
class AtRatio {
 public:
  AtRatio(const Turned& turned, const MatrixXd& nodes, double ratio)
      : ratio_(ratio),
        df_(static_cast<double>(turned.weights.size() + turned.left_out - turned.inside.cols())) {
    const VectorXd spread = (1 + ratio * turned.weights.array()).matrix();
    const VectorXd by_spread = spread.cwiseInverse();
    log_spread_ = spread.array().log().sum();
    common_ = turned.inside.transpose() * by_spread.asDiagonal() * turned.inside + turned.outside;
    // Of a node nothing lies outside.
    with_nodes_ = turned.inside.transpose() * by_spread.asDiagonal() * nodes;
    of_nodes_ = nodes.cwiseAbs2().transpose() * by_spread;
  }

  Fit fit(Index node) const {
    const Index last = common_.cols() - 1;  // of the values, whose place the node takes
    MatrixXd a = common_;
    a.row(last) = with_nodes_.col(node).transpose();
    a.col(last) = with_nodes_.col(node);
    a(last, last) = of_nodes_(node);
    VectorXd b = common_.col(last);
    b(last) = with_nodes_(last, node);
    const Eigen::LDLT<MatrixXd> solved(a);
    const VectorXd coefficients = solved.solve(b);
    const double squares = common_(last, last) - b.dot(coefficients);
    // The node's own random effect was left in, and is in its error: it goes.
    const double inverse = solved.solve(VectorXd::Unit(last + 1, last))(last);
    Fit fit;
    fit.criterion = log_spread_ + df_ * std::log(std::max(squares, 1e-300)) +
                    solved.vectorD().array().abs().log().sum();
    fit.effect = coefficients(last);
    fit.error = std::sqrt(std::max(0.0, (inverse - ratio_) * squares / df_));
    return fit;
  }

 private:
  double ratio_, df_, log_spread_ = 0;
  MatrixXd common_;      ///< covariates and values
  MatrixXd with_nodes_;  ///< those by nodes
  VectorXd of_nodes_;
};

/// The fits of all nodes, each at the ratio of variances that suits it best. Ratios lie on a grid
/// of logarithms, coarse first and then fine, so that nodes share what is worked out for one.
class Fits {
 public:
  explicit Fits(const Turned& turned) : turned_(turned), none_(turned, turned.nodes, 0) {}

  Fit best(Index node) {
    const Fit none = none_.fit(node);
    const int coarse = least(node, -kSpan, kSpan, kFine);
    if (at(coarse).fit(node).criterion >= none.criterion) return none;  // no variance between nodes
    const int fine = least(node, coarse - kFine, coarse + kFine, 1);
    constexpr int kBits = 26;  // more a minimum does not tell
    const MatrixXd own = turned_.nodes.col(node);
    const auto alone = [&](double place) { return AtRatio(turned_, own, ratio_of(place)).fit(0); };
    const auto found = boost::math::tools::brent_find_minima(
        [&](double place) { return alone(place).criterion; }, fine - 1.0, fine + 1.0, kBits);
    return alone(found.first);
  }

 private:
  static constexpr int kFine = 10;  // places by which the logarithm rises by 1
  static constexpr int kSpan = 14 * kFine;

  static double ratio_of(double place) { return std::exp(place / kFine); }

  const AtRatio& at(int place) {
    auto& known = known_[place];
    if (!known) known = std::make_unique<AtRatio>(turned_, turned_.nodes, ratio_of(place));
    return *known;
  }

  int least(Index node, int from, int to, int step) {
    int best = from;
    double lowest = HUGE_VAL;
    for (int place = from; place <= to; place += step) {
      const double criterion = at(place).fit(node).criterion;
      if (criterion < lowest) {
        lowest = criterion;
        best = place;
      }
    }
    return best;
  }

  const Turned& turned_;
  AtRatio none_;
  std::map<int, std::unique_ptr<AtRatio>> known_;
};

}  // namespace

Membership::Membership(const Members& members, std::size_t nodes) {
  constexpr double kNothing = 1e-9;
  const MatrixXd z = indicators_of(members, nodes);
  // The left singular vectors, by the smaller of both products.
  const bool few_nodes = z.cols() <= z.rows();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(few_nodes ? MatrixXd(z.transpose() * z)
                                                                 : MatrixXd(z * z.transpose()));
  const VectorXd& all = solver.eigenvalues();  // ascending
  const Index rank = (all.array() > kNothing * std::max(1.0, all.maxCoeff())).count();
  Parts parts;
  parts.weights = all.tail(rank);
  parts.basis = solver.eigenvectors().rightCols(rank);
  if (few_nodes)
    parts.basis = z * parts.basis * parts.weights.cwiseSqrt().cwiseInverse().asDiagonal();
  parts.nodes = parts.basis.transpose() * z;
  parts.counts.resize(nodes);
  for (const auto& of_allocation : members) {
    for (const std::size_t node : of_allocation) ++parts.counts[node];
  }
  parts_ = std::make_unique<const Parts>(std::move(parts));
}

Membership::~Membership() = default;
Membership::Membership(Membership&&) noexcept = default;
Membership& Membership::operator=(Membership&&) noexcept = default;

std::vector<std::optional<Difference>> Membership::effects(const std::vector<double>& values,
                                                           const Columns& covariates,
                                                           std::vector<std::size_t> wanted) const {
  if (wanted.empty()) {
    wanted.resize(parts_->counts.size());
    std::iota(wanted.begin(), wanted.end(), std::size_t{0});
  }
  std::vector<std::optional<Difference>> effects(wanted.size());
  const double df = static_cast<double>(values.size()) - static_cast<double>(covariates.size()) - 2;
  if (df <= 0) return effects;
  const MatrixXd fixed = fixed_of(values, covariates), inside = parts_->basis.transpose() * fixed;
  const Turned turned{parts_->weights, parts_->nodes(Eigen::all, wanted), inside,
                      fixed.transpose() * fixed - inside.transpose() * inside,
                      parts_->basis.rows() - parts_->basis.cols()};
  Fits fits(turned);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    // Else it is not told apart from the intercept and the covariates.
    const std::size_t with = parts_->counts[wanted[i]];
    const bool can_be_told = with >= 2 && values.size() - with >= 2;
    if (!can_be_told) continue;
    const Fit fit = fits.best(static_cast<Index>(i));
    if (std::isfinite(fit.effect) && fit.error > 0)
      effects[i] = Difference{fit.effect, fit.error, df};
  }
  return effects;
}

}  // namespace pippin
