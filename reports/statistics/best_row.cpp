// SPDX-License-Identifier: Apache-2.0
#include "reports/statistics/best_row.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/base/random.h"
#include "reports/statistics/many_tests.h"
#include "reports/statistics/sample.h"

namespace pippin {

namespace {

/// The differences within allocations that both rows have, under those allocations' numbers.
RowMeans within_allocations(const RowMeans& base, const RowMeans& row) {
  RowMeans differences;
  std::size_t i = 0;
  for (std::size_t k = 0; k < row.allocations.size(); ++k) {
    while (i < base.allocations.size() && base.allocations[i] < row.allocations[k]) ++i;
    if (i == base.allocations.size()) break;
    if (base.allocations[i] != row.allocations[k]) continue;
    differences.allocations.push_back(row.allocations[k]);
    differences.values.push_back(row.values[k] - base.values[i]);
  }
  return differences;
}

/// Whether what two rows share says more than what each has alone.
bool are_pairs(std::size_t shared, const RowMeans& base, const RowMeans& row) {
  return shared >= 2 && 2 * shared >= base.values.size() && 2 * shared >= row.values.size();
}

/// How a mean moves with its allocations: the sum of `weights` times one standard normal number of
/// each allocation has the mean's standard error. Rows that share allocations move together.
class Moves {
 public:
  /// Requires two values.
  explicit Moves(const RowMeans& row) : allocations_(row.allocations) {
    const double mean = mean_of(row.values);
    const auto n = static_cast<double>(row.values.size());
    for (const double value : row.values)
      weights_.push_back((value - mean) / std::sqrt(n * (n - 1)));
  }

  const std::vector<std::size_t>& allocations() const { return allocations_; }

  double by(const std::vector<double>& of_allocation) const {
    double sum = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i)
      sum += weights_[i] * of_allocation[allocations_[i]];
    return sum;
  }

 private:
  std::vector<std::size_t> allocations_;
  std::vector<double> weights_;
};

/// A row that may be the fastest, and how far its difference from the best is off.
struct Candidate {
  std::size_t row = 0;
  Difference from_best;
  bool paired = false;
  Moves moves;  ///< of the pairs' differences, else of the row alone
};

/// How far means with Student's distribution lie off where normal ones lie off by 1, for any number
/// of degrees of freedom: more of them add to the squares of fewer.
class Stretches {
 public:
  Stretches(double most_df, Random& random) {
    const auto count = static_cast<std::size_t>(std::ceil(most_df));
    for (std::size_t i = 0; i < count; ++i) {
      const double value = normal(random);
      sums_.push_back(sums_.back() + value * value);
    }
  }

  /// Requires at least one degree of freedom.
  double of(double df) const {
    const auto whole = static_cast<std::size_t>(df);
    const double part = df - static_cast<double>(whole);
    const double squares =
        part > 0 ? sums_[whole] + part * (sums_[whole + 1] - sums_[whole]) : sums_[whole];
    return std::sqrt(df / squares);
  }

 private:
  std::vector<double> sums_{0};
};

constexpr std::size_t kMostDraws = 2000;

/// As many draws as a reader would wait for.
int draws_for(std::size_t values) {
  constexpr std::size_t kLeast = 200, kPatience = 10'000'000;
  return static_cast<int>(std::clamp(kPatience / values, kLeast, kMostDraws));
}

/// Adds to the shares of the rows that are the least in a draw.
void add_winners(std::vector<double>& shares, const std::vector<double>& drawn) {
  const double least = *std::min_element(drawn.begin(), drawn.end());
  const auto winners = static_cast<double>(std::count(drawn.begin(), drawn.end(), least));
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i] == least) shares[i] += 1 / winners;
  }
}

/// Draws all differences from the best together.
class Drawing {
 public:
  Drawing(const std::vector<Candidate>& candidates, const Moves& best)
      : candidates_(candidates), best_(best), allocations_(best.allocations()) {
    values_ = allocations_.size();
    for (const auto& candidate : candidates) {
      const auto& more = candidate.moves.allocations();
      allocations_.insert(allocations_.end(), more.begin(), more.end());
      values_ += more.size();
      most_df_ = std::max(most_df_, candidate.from_best.df);
    }
    std::sort(allocations_.begin(), allocations_.end());
    allocations_.erase(std::unique(allocations_.begin(), allocations_.end()), allocations_.end());
    of_allocation_.resize(allocations_.back() + 1);
  }

  /// How often each candidate, and in the last place the best, is the fastest.
  std::vector<double> shares(std::uint64_t seed) {
    const int draws = draws_for(values_);
    Random random(seed);
    std::vector<double> shares(candidates_.size() + 1, 0);
    for (int i = 0; i < draws; ++i) add_winners(shares, drawn(random));
    for (double& share : shares) share /= draws;
    return shares;
  }

 private:
  std::vector<double> drawn(Random& random) {
    for (const std::size_t allocation : allocations_) of_allocation_[allocation] = normal(random);
    const Stretches stretches(most_df_, random);
    const double of_best = best_.by(of_allocation_);
    std::vector<double> differences;
    differences.reserve(candidates_.size() + 1);
    for (const auto& [row, from_best, paired, moves] : candidates_) {
      const double off = moves.by(of_allocation_) - (paired ? 0 : of_best);
      differences.push_back(from_best.estimate + stretches.of(from_best.df) * off);
    }
    differences.push_back(0);
    return differences;
  }

  const std::vector<Candidate>& candidates_;
  const Moves& best_;
  std::vector<std::size_t> allocations_;  ///< that any of them ran in, ascending
  std::vector<double> of_allocation_;     ///< by number; of the others nothing is read
  std::size_t values_ = 0;
  double most_df_ = 1;
};

std::size_t smallest_mean(const std::vector<RowMeans>& rows) {
  const auto less = [](const RowMeans& a, const RowMeans& b) {
    return mean_of(a.values) < mean_of(b.values);
  };
  return static_cast<std::size_t>(std::min_element(rows.begin(), rows.end(), less) - rows.begin());
}

bool is_behind(const BestRow& found, std::size_t row) {
  return found.from_best[row].difference->estimate > 0;
}

/// Rows that are surely behind are not drawn: of many rows only a few can win.
std::vector<double> chances_of(const std::vector<RowMeans>& rows, const BestRow& found,
                               std::uint64_t seed) {
  constexpr double kHopeless = 0.001;
  const RowMeans& best = rows[found.best];
  std::vector<Candidate> candidates;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (row == found.best || (found.p[row] < kHopeless && is_behind(found, row))) continue;
    const RowDifference& from_best = found.from_best[row];
    const Moves moves(from_best.paired ? within_allocations(best, rows[row]) : rows[row]);
    candidates.push_back({row, *from_best.difference, from_best.paired, moves});
  }
  const auto shares = Drawing(candidates, Moves(best)).shares(seed);
  std::vector<double> chances(rows.size(), 0);
  for (std::size_t i = 0; i < candidates.size(); ++i) chances[candidates[i].row] = shares[i];
  chances[found.best] = shares.back();
  return chances;
}

/// What cannot be told from the best has a chance, and be it one that no draw has seen: all those
/// together half of one draw.
void allow_for_unseen(BestRow& found) {
  constexpr double kUnseen = 0.5 / kMostDraws;
  std::size_t unseen = 0;
  for (std::size_t i = 0; i < found.chance.size(); ++i)
    unseen += found.tied[i] && found.chance[i] <= 0 ? 1 : 0;
  if (unseen == 0) return;
  for (std::size_t i = 0; i < found.chance.size(); ++i) {
    if (found.chance[i] > 0) {
      found.chance[i] *= 1 - kUnseen;
    } else if (found.tied[i]) {
      found.chance[i] = kUnseen / static_cast<double>(unseen);
    }
  }
}

/// All rows against one of them.
BestRow compared_with(const std::vector<RowMeans>& rows, std::size_t best) {
  BestRow result;
  result.best = best;
  std::vector<double> p;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    result.from_best.push_back(i == best ? RowDifference() : row_difference(rows[best], rows[i]));
    const auto& difference = result.from_best.back().difference;
    p.push_back(difference ? difference->p() : std::numeric_limits<double>::quiet_NaN());
  }
  result.p = holm(p);
  return result;
}

bool is_sure(const BestRow& found, std::size_t row) {
  constexpr double kLevel = 0.05;
  return found.p[row] <= kLevel;
}

/// The row that is the furthest in front of the best, if any surely is.
std::optional<std::size_t> surely_faster(const BestRow& found) {
  std::optional<std::size_t> first;
  const auto estimate = [&](std::size_t row) { return found.from_best[row].difference->estimate; };
  for (std::size_t i = 0; i < found.p.size(); ++i) {
    if (i == found.best || !is_sure(found, i) || is_behind(found, i)) continue;
    if (!first || estimate(i) < estimate(*first)) first = i;
  }
  return first;
}

/// Begins with the smallest mean: rows of one allocation set have that of the fastest. Where rows
/// ran in different ones, another may be surely faster within those that it shares.
BestRow compared_with_best(const std::vector<RowMeans>& rows) {
  BestRow result = compared_with(rows, smallest_mean(rows));
  std::set<std::size_t> tried{result.best};
  for (auto faster = surely_faster(result); faster; faster = surely_faster(result)) {
    if (!tried.insert(*faster).second) break;  // in a circle
    result = compared_with(rows, *faster);
  }
  return result;
}

}  // namespace

RowDifference row_difference(const RowMeans& base, const RowMeans& row) {
  const auto differences = within_allocations(base, row);
  if (are_pairs(differences.values.size(), base, row))
    return {paired_difference(differences.values), true};
  return {unpaired_difference(base.values, row.values), false};
}

BestRow best_row(const std::vector<RowMeans>& rows, std::uint64_t seed) {
  BestRow result = compared_with_best(rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    result.tied.push_back(i == result.best || !is_sure(result, i) || !is_behind(result, i));
  result.chance = chances_of(rows, result, seed);
  allow_for_unseen(result);
  return result;
}

}  // namespace pippin
