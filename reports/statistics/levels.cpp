// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pippin {

namespace {

/// Sums of the first n values and of their squares, about an origin that keeps the digits which
/// squares would lose.
class Sums {
 public:
  explicit Sums(const std::vector<double>& values) : origin_(values.back()) {
    sums_.reserve(values.size() + 1);
    squares_.reserve(values.size() + 1);
    shares_.reserve(values.size() + 1);
    sums_.push_back(0);
    squares_.push_back(0);
    shares_.push_back(0);
    for (const double value : values) {
      sums_.push_back(sums_.back() + value - origin_);
      squares_.push_back(squares_.back() + (value - origin_) * (value - origin_));
      shares_.push_back(1 / static_cast<double>(shares_.size()));
    }
  }
  /// The squared error of the values in [from, to) about their mean.
  double error(std::size_t from, std::size_t to) const {
    const double sum = sums_[to] - sums_[from];
    return squares_[to] - squares_[from] - sum * sum * shares_[to - from];
  }
  double origin() const { return origin_; }
  double sum(std::size_t n) const { return sums_[n]; }
  double squares(std::size_t n) const { return squares_[n]; }

 private:
  double origin_;
  std::vector<double> sums_, squares_;
  std::vector<double> shares_;  ///< 1 / n: the search would spend most of its time dividing
};

/// What all that comes after a start has in common is left out, so that it never changes: the cost
/// of the best partition before the start, less the squared error of the values before it about the
/// level m, is constant - start m^2 + 2 sum m.
struct Candidate {
  std::size_t start = 0;
  double constant = 0, sum = 0;
};

/// By how much a later start costs more than an earlier one, for each level of what follows: a
/// parabola that opens downwards.
class Excess {
 public:
  Excess(const Candidate& later, const Candidate& earlier)
      : constant_(later.constant - earlier.constant),
        slope_(2 * (later.sum - earlier.sum)),
        width_(static_cast<double>(later.start - earlier.start)) {}

  double at(double level) const { return constant_ + level * (slope_ - width_ * level); }
  /// Between these two the later one costs more; the same where it does nowhere.
  std::pair<double, double> bounds() const {
    const double middle = slope_ / (2 * width_);
    const double height = at(middle);
    const double reach = height > 0 ? std::sqrt(height / width_) : 0;
    return {middle - reach, middle + reach};
  }

 private:
  double constant_, slope_, width_;
};

/// For each level of the values to come, the start that is best for it.
class BestStarts {
 public:
  BestStarts(const Candidate& first, double lowest, double highest)
      : candidates_{first}, pieces_{{highest, 0}}, lowest_(lowest) {}

  const std::vector<Candidate>& candidates() const { return candidates_; }

  /// A start later than all that are known takes the levels for which it costs less.
  void add(const Candidate& later) {
    const std::size_t place = candidates_.size();
    candidates_.push_back(later);
    next_.clear();
    double low = lowest_;
    for (const Piece& piece : pieces_) {
      add_piece(low, piece, Excess(later, candidates_[piece.candidate]), place);
      low = piece.to;
    }
    pieces_.swap(next_);
    forget_useless();
  }

 private:
  /// The levels up to `to`, from the end of the piece before it.
  struct Piece {
    double to = 0;
    std::size_t candidate = 0;
  };

  void put_piece(double to, std::size_t candidate) {
    if (!next_.empty() && next_.back().candidate == candidate) {
      next_.back().to = to;
    } else {
      next_.push_back({to, candidate});
    }
  }

  void add_piece(double low, const Piece& piece, const Excess& excess, std::size_t later) {
    // A parabola that opens downwards is above zero between two points where it is.
    if (excess.at(low) >= 0 && excess.at(piece.to) >= 0)
      return put_piece(piece.to, piece.candidate);
    const auto [left, right] = excess.bounds();
    const double from = std::max(low, left), to = std::min(piece.to, right);
    if (!(from < to)) return put_piece(piece.to, later);
    if (from > low) put_piece(from, later);
    put_piece(to, piece.candidate);
    if (to < piece.to) put_piece(piece.to, later);
  }

  /// Keeps the candidates that are best somewhere, in their order.
  void forget_useless() {
    places_.assign(candidates_.size(), kNone);
    for (const Piece& piece : pieces_) places_[piece.candidate] = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (places_[i] == kNone) continue;
      candidates_[kept] = candidates_[i];
      places_[i] = kept++;
    }
    candidates_.resize(kept);
    for (Piece& piece : pieces_) piece.candidate = places_[piece.candidate];
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<Candidate> candidates_;  ///< the earliest first
  std::vector<Piece> pieces_, next_;   ///< the lowest levels first
  std::vector<std::size_t> places_;
  double lowest_;
};

}  // namespace

std::vector<std::size_t> level_starts(const std::vector<double>& values, double penalty,
                                      std::size_t shortest) {
  const std::size_t n = values.size();
  const Sums sums(values);
  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> start(n + 1, 0);
  best[0] = -penalty;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  BestStarts starts({0, best[0], 0}, *low - sums.origin(), *high - sums.origin());
  for (std::size_t to = 1; to <= n; ++to) {
    if (to > shortest) {
      const std::size_t later = to - shortest;
      starts.add({later, best[later] - sums.squares(later), sums.sum(later)});
    }
    for (const Candidate& candidate : starts.candidates()) {
      const double cost = best[candidate.start] + sums.error(candidate.start, to) + penalty;
      if (cost >= best[to] - 1e-15) continue;
      best[to] = cost;
      start[to] = candidate.start;
    }
  }
  std::vector<std::size_t> result;
  for (std::size_t to = n; to > 0; to = start[to]) result.push_back(start[to]);
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace pippin
