// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/block_design.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/random.h"
#include "harness/campaign/finite_field.h"

namespace pippin {

namespace {

constexpr std::size_t kMostSearched = 200;       // points; above, pairs are dealt at random
constexpr std::size_t kSearchedReplicates = 64;  // later ones repeat them
constexpr std::size_t kSearchWork = 2'000'000;   // swaps weighed for a replicate, about
constexpr std::size_t kFewestStarts = 2, kMostStarts = 200;

/// The block of each point.
using Assignment = std::vector<std::size_t>;

std::vector<std::size_t> digits_of(std::size_t number, std::size_t base, std::size_t count) {
  std::vector<std::size_t> digits(count);
  for (auto& digit : digits) {
    digit = number % base;
    number /= base;
  }
  return digits;
}

/// n where points = s^n; 0 where there is none.
std::size_t dimension_of(std::size_t points, std::size_t s) {
  std::size_t n = 0;
  for (; points % s == 0; points /= s) ++n;
  return points == 1 ? n : 0;
}

/// The directions of an affine space, one of each that point the same way: first digit not 0 is 1.
/// Axes come first, then what lies farthest from them: a few of those are near balance too.
std::vector<std::vector<std::size_t>> directions(std::size_t points, std::size_t s, std::size_t n) {
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t number = 1; number < points; ++number) {
    auto digits = digits_of(number, s, n);
    const auto first = std::find_if(digits.begin(), digits.end(), [](auto d) { return d != 0; });
    if (*first == 1) all.push_back(std::move(digits));
  }
  const auto rank = [](const std::vector<std::size_t>& digits) {
    const auto zeros = std::count(digits.begin(), digits.end(), 0U);
    return zeros + 1 == static_cast<std::ptrdiff_t>(digits.size()) ? -1 : zeros;
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return all;
}

/// Parallel hyperplanes of the affine space of dimension n over the field: two points lie in the
/// same one for equally many directions.
std::vector<Assignment> affine(std::size_t points, const FiniteField& field, std::size_t n,
                               std::size_t replicates) {
  auto ways = directions(points, field.order(), n);
  const std::size_t count = std::min(replicates, ways.size());
  std::vector<Assignment> all(count, Assignment(points, 0));
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t point = 0; point < points; ++point) {
      const auto digits = digits_of(point, field.order(), n);
      for (std::size_t i = 0; i < n; ++i) {
        all[r][point] = field.add(all[r][point], field.multiply(ways[r][i], digits[i]));
      }
    }
  }
  return all;
}

/// Points in rows of as many as there are blocks; replicate r shifts row u by u r. Two points of
/// unlike rows meet in one of s replicates, those of one row in none.
std::vector<Assignment> cyclic(std::size_t points, const FiniteField& field,
                               std::size_t replicates) {
  const std::size_t s = field.order();
  std::vector<Assignment> all(std::min(replicates, s), Assignment(points));
  for (std::size_t r = 0; r < all.size(); ++r) {
    for (std::size_t point = 0; point < points; ++point) {
      all[r][point] = field.add(point % s, field.multiply(point / s, r));
    }
  }
  return all;
}

/// Points dealt out in random order.
Assignment dealt(std::size_t points, std::size_t blocks, Random& random) {
  std::vector<std::size_t> order(points);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);
  Assignment assignment(points);
  for (std::size_t i = 0; i < points; ++i) assignment[order[i]] = i % blocks;
  return assignment;
}

/// Adds one replicate after the other, each such that its pairs have met as seldom as possible:
/// the sum of squared concurrences then grows least.
class Search {
 public:
  Search(std::size_t points, std::size_t blocks)
      : points_(points), blocks_(blocks), met_(points * points, 0) {}

  void count(const Assignment& assignment) {
    for (std::size_t i = 0; i < points_; ++i) {
      for (std::size_t j = 0; j < points_; ++j) {
        if (i != j && assignment[i] == assignment[j]) ++met_[i * points_ + j];
      }
    }
  }

  Assignment next(Random& random) {
    const std::size_t work = points_ * points_ * 4 + 1;
    const std::size_t starts = std::clamp(kSearchWork / work, kFewestStarts, kMostStarts);
    Assignment best;
    std::int64_t least = 0;
    for (std::size_t start = 0; start < starts; ++start) {
      Assignment one = dealt(points_, blocks_, random);
      const std::int64_t cost = descend(one);
      if (!best.empty() && cost >= least) continue;
      best = std::move(one);
      least = cost;
    }
    return best;
  }

 private:
  /// How often each point has met those that now stand in each block.
  std::vector<std::int64_t> meetings(const Assignment& assignment) const {
    std::vector<std::int64_t> sums(points_ * blocks_, 0);
    for (std::size_t i = 0; i < points_; ++i) {
      for (std::size_t j = 0; j < points_; ++j) {
        sums[i * blocks_ + assignment[j]] += met_[i * points_ + j];
      }
    }
    return sums;
  }

  /// Swaps points of unlike blocks while that makes the sum less. Returns what remains.
  std::int64_t descend(Assignment& assignment) const {
    auto sums = meetings(assignment);
    for (bool better = true; better;) {
      better = false;
      for (std::size_t i = 0; i < points_; ++i) {
        for (std::size_t j = i + 1; j < points_; ++j) {
          if (gain(assignment, sums, i, j) <= 0) continue;
          swap(assignment, sums, i, j);
          better = true;
        }
      }
    }
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < points_; ++i) cost += sums[i * blocks_ + assignment[i]];
    return cost;
  }

  std::int64_t gain(const Assignment& assignment, const std::vector<std::int64_t>& sums,
                    std::size_t i, std::size_t j) const {
    const std::size_t a = assignment[i], b = assignment[j];
    if (a == b) return 0;
    const auto *of_i = &sums[i * blocks_], *of_j = &sums[j * blocks_];
    return of_i[a] + of_j[b] - of_i[b] - of_j[a] + 2 * met_[i * points_ + j];
  }

  void swap(Assignment& assignment, std::vector<std::int64_t>& sums, std::size_t i,
            std::size_t j) const {
    const std::size_t a = assignment[i], b = assignment[j];
    for (std::size_t k = 0; k < points_; ++k) {
      const std::int64_t moved = met_[k * points_ + j] - met_[k * points_ + i];
      sums[k * blocks_ + a] += moved;
      sums[k * blocks_ + b] -= moved;
    }
    std::swap(assignment[i], assignment[j]);
  }

  std::size_t points_, blocks_;
  std::vector<std::int64_t> met_;
};

std::vector<Assignment> constructed(std::size_t points, std::size_t blocks,
                                    std::size_t replicates) {
  const auto field = FiniteField::of_order(blocks);
  if (!field) return {};
  const std::size_t n = dimension_of(points, blocks);
  if (n > 1) return affine(points, *field, n, replicates);
  return points <= blocks * blocks ? cyclic(points, *field, replicates) : std::vector<Assignment>();
}

/// Replicates after those that a construction gives; a balanced design begins again.
void extend(std::vector<Assignment>& all, std::size_t points, std::size_t blocks,
            std::size_t replicates, Random& random) {
  const bool is_searched = points <= kMostSearched;
  const bool is_balanced = !all.empty() && dimension_of(points, blocks) > 1;
  const std::size_t period = is_balanced ? all.size() : kSearchedReplicates;
  Search search(is_searched ? points : 0, blocks);
  if (is_searched && !is_balanced) {
    for (const auto& assignment : all) search.count(assignment);
  }
  while (all.size() < replicates) {
    if (all.size() >= period && (is_searched || is_balanced)) {
      all.push_back(all[all.size() - period]);
    } else if (is_searched) {
      all.push_back(search.next(random));
      search.count(all.back());
    } else {
      all.push_back(dealt(points, blocks, random));
    }
  }
}

Replicate labelled(const Assignment& assignment, std::size_t blocks,
                   const std::vector<std::size_t>& labels) {
  Replicate replicate(blocks);
  for (std::size_t i = 0; i < labels.size(); ++i) replicate[assignment[i]].push_back(labels[i]);
  for (auto& block : replicate) std::sort(block.begin(), block.end());
  return replicate;
}

}  // namespace

std::vector<Replicate> resolvable_design(std::size_t points, std::size_t blocks,
                                         std::size_t replicates, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::size_t> labels(points);
  std::iota(labels.begin(), labels.end(), std::size_t{0});
  random.shuffle(labels);
  auto all = constructed(points, blocks, replicates);
  extend(all, points, blocks, replicates, random);
  std::vector<Replicate> design;
  design.reserve(all.size());
  for (const auto& assignment : all) design.push_back(labelled(assignment, blocks, labels));
  return design;
}

}  // namespace pippin
