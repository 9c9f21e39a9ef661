// SPDX-License-Identifier: Apache-2.0
// change_point.csv: the levels of 60 nights by least squares, as R's strucchange finds them.
#include <cmath>
#include <numbers>

#include "reports/statistics/change_points.h"
#include "reports/statistics/difference.h"
#include "reports/statistics/sample.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::near;

namespace {

using Splits = std::vector<std::size_t>;

constexpr std::size_t kShortest = 5;  // values of a level

const nlohmann::json& answers(const char* key) {
  return test::reference().at("change_point").at(key);
}

std::vector<double> nights() { return test::logs_of(test::last_column("change_point.csv")); }

std::vector<double> stretch(const std::vector<double>& values, std::size_t from, std::size_t to) {
  return {values.begin() + static_cast<std::ptrdiff_t>(from),
          values.begin() + static_cast<std::ptrdiff_t>(to)};
}

/// Levels that lie as close to the values as so many can. Source: Bai and Perron, "Computation and
/// Analysis of Multiple Structural Change Models", 2003.
struct Levels {
  double squares = INFINITY;
  Splits splits;  ///< first index of each level but the first: R's last index, from 1, of the left
};

/// By their number less one: 0 to `most` splits.
std::vector<Levels> best_levels(const std::vector<double>& values, std::size_t most) {
  const std::size_t n = values.size();
  std::vector<std::vector<Levels>> best(most + 1,
                                        std::vector<Levels>(n + 1));  // of the first so many
  for (std::size_t to = kShortest; to <= n; ++to)
    best[0][to].squares = squares_of(stretch(values, 0, to));
  for (std::size_t splits = 1; splits <= most; ++splits) {
    for (std::size_t from = kShortest; from + kShortest <= n; ++from) {
      for (std::size_t to = from + kShortest; to <= n; ++to) {
        const Levels& before = best[splits - 1][from];
        const double squares = before.squares + squares_of(stretch(values, from, to));
        if (squares >= best[splits][to].squares) continue;
        best[splits][to] = {squares, before.splits};
        best[splits][to].splits.push_back(from);
      }
    }
  }
  std::vector<Levels> whole;
  for (const auto& row : best) whole.push_back(row[n]);
  return whole;
}

/// Schwarz's criterion: a level costs a mean and a place.
double bic_of(const Levels& levels, double n) {
  const double fit = n * (std::log(levels.squares / n) + 1 + std::log(2 * std::numbers::pi));
  return fit + 2 * static_cast<double>(levels.splits.size() + 1) * std::log(n);
}

Splits chosen(const std::vector<Levels>& levels, double n) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < levels.size(); ++i) {
    if (bic_of(levels[i], n) < bic_of(levels[best], n)) best = i;
  }
  return levels[best].splits;
}

Splits splits_of(const nlohmann::json& r) {
  Splits splits;
  for (const double last_of_left : test::numbers_of(r))
    splits.push_back(static_cast<std::size_t>(last_of_left));
  return splits;
}

void check_segments(const Splits& splits, const nlohmann::json& r) {
  const auto times = test::last_column("change_point.csv");
  std::vector<std::size_t> ends{0};
  ends.insert(ends.end(), splits.begin(), splits.end());
  ends.push_back(times.size());
  REQUIRE(r.size() + 1 == ends.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    CHECK(r.at(i).at("from").get<std::size_t>() == ends[i] + 1);
    CHECK(r.at(i).at("to").get<std::size_t>() == ends[i + 1]);
    CHECK(mean_of(stretch(nights(), ends[i], ends[i + 1])) == near(r.at(i).at("mean_log")));
    CHECK(median_of(stretch(times, ends[i], ends[i + 1])) == near(r.at(i).at("median_ms")));
  }
}

}  // namespace

TEST_CASE("the best levels of each number, and how many there are, are R's") {
  const auto& r = answers("bai_perron");
  CHECK(r.at("min_segment") == kShortest);
  const auto levels = best_levels(nights(), 5);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    CHECK(levels[i].squares == near(r.at("rss_by_m").at(i)));
    CHECK(bic_of(levels[i], 60) == near(r.at("bic_by_m").at(i)));
    if (i > 0) CHECK(levels[i].splits == splits_of(answers("breakpoints_by_m").at(i - 1)));
  }
  const auto best = chosen(levels, 60);
  CHECK(best == splits_of(r.at("breakpoints_bic_last_index_of_left_segment")));
  CHECK(best.size() == r.at("m_selected").get<std::size_t>());
  check_segments(best, r.at("segments"));
  CHECK(best == change_points(nights(), 1));  // pippin's, another way
}

TEST_CASE("without spikes R finds one level more, which its test of neighbours merges") {
  const auto& r = answers("hampel_then_bai_perron");
  CHECK(r.at("window_half") == 3);
  const auto calm = test::without_spikes(nights(), r.at("k"), false);
  Splits replaced;
  for (std::size_t i = 0; i < calm.size(); ++i) {
    if (calm[i] != nights()[i]) replaced.push_back(i + 1);
  }
  CHECK(replaced == splits_of(r.at("replaced_index_1based")));
  const auto splits = chosen(best_levels(calm, 5), 60);
  CHECK(splits == splits_of(r.at("breakpoints")));
  const auto& steps = answers("welch_adjacent");
  REQUIRE(steps.size() == splits.size());
  Splits kept;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : splits[i - 1];
    const std::size_t to = i + 1 < splits.size() ? splits[i + 1] : calm.size();
    const auto step =
        unpaired_difference(stretch(nights(), from, splits[i]), stretch(nights(), splits[i], to));
    CHECK(steps.at(i).at("at").get<std::size_t>() == splits[i] + 1);
    CHECK(std::exp(step->estimate) == near(steps.at(i).at("ratio")));
    CHECK(std::exp(step->low(0.95)) == near(steps.at(i).at("ci").at(0)));
    CHECK(std::exp(step->high(0.95)) == near(steps.at(i).at("ci").at(1)));
    CHECK(step->p() == test::within(steps.at(i).at("p")));
    if (step->p() < 0.001) kept.push_back(splits[i]);
  }
  const auto& merged = answers("merged_welch_p001_mag1pct");
  CHECK(kept == splits_of(merged.at("breakpoints_last_index_of_left_segment")));
  CHECK(change_points(nights(), 1) == kept);
  check_segments(change_points(nights(), 1), merged.at("segments"));
}
