#include "reports/statistics/common_mode.h"

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "core/base/text.h"
#include "reports/statistics/many_tests.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::near;
using test::reference;

namespace {

/// two_day.csv: 12 configurations, 2 days of 6 allocations; every allocation ran all of them.
std::vector<TwoSides> two_days() {
  std::map<std::string, std::map<std::string, std::pair<double, int>>> cells;
  std::set<std::string> allocations;
  for (const auto& row : test::csv_rows("two_day.csv")) {
    const std::string name = row.at(0) + "/" + row.at(1);
    allocations.insert(name);
    auto& cell = cells[row.at(2)][name];
    cell.first += parse_number(row.at(4)).value();
    ++cell.second;
  }
  std::vector<TwoSides> rows;
  for (const auto& configuration : cells) {
    TwoSides& row = rows.emplace_back();
    for (const auto& cell : configuration.second) {
      RowMeans& side = cell.first[1] == '1' ? row.base : row.other;
      side.allocations.push_back(static_cast<std::size_t>(
          std::distance(allocations.begin(), allocations.find(cell.first))));
      side.values.push_back(std::log(cell.second.first / cell.second.second));
    }
  }
  return rows;
}

std::vector<std::size_t> all_of(const std::vector<TwoSides>& rows) {
  std::vector<std::size_t> all(rows.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::string name_of(std::size_t row) { return fmt::format("k{:02}", row + 1); }

std::set<std::string> changed(const std::vector<TwoSides>& rows,
                              const std::vector<std::size_t>& members) {
  std::vector<double> p;
  for (const auto& found : beside_shift(rows, members)) p.push_back(found.difference->p());
  const auto adjusted = benjamini_hochberg(p);
  std::set<std::string> found;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (adjusted[row] <= 0.05) found.insert(name_of(row));
  }
  return found;
}

/// `count` rows on 5 allocations a side that all of them share; `moves` are added to the other.
std::vector<TwoSides> simulated(Random& random, const std::vector<double>& moves, double between,
                                double within) {
  std::vector<TwoSides> rows(moves.size());
  for (std::size_t allocation = 0; allocation < 10; ++allocation) {
    const double here = between * normal(random);
    for (std::size_t row = 0; row < moves.size(); ++row) {
      RowMeans& side = allocation < 5 ? rows[row].base : rows[row].other;
      side.allocations.push_back(allocation);
      side.values.push_back(here + within * normal(random) + (allocation < 5 ? 0 : moves[row]));
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("two days differ in each row as Welch's test in R tells") {
  const auto rows = two_days();
  const auto& r = reference().at("two_day").at("per_config");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto found = row_difference(rows[i].base, rows[i].other);
    const auto& expected = r.at(name_of(i));
    CHECK_FALSE(found.paired);
    CHECK(std::exp(found.difference->estimate) == near(expected.at("ratio")));
    CHECK(std::exp(found.difference->low(0.95)) == near(expected.at("ci").at(0)));
    CHECK(found.difference->df == near(expected.at("df")));
    CHECK(found.difference->p() == near(expected.at("p_welch_log")));
  }
}

TEST_CASE("the shift of all rows is that of R") {
  const auto rows = two_days();
  const auto& r = reference().at("two_day").at("common_mode_day2_over_day1");
  const auto found = common_shift(rows, all_of(rows));
  CHECK(std::exp(found.difference->estimate) == near(r.at("ratio")));
  CHECK(std::exp(found.difference->high(0.95)) == near(r.at("ci").at(1)));
  CHECK(found.difference->p() == near(r.at("p")));
}

TEST_CASE("beside the common shift exactly the three rows stand out that changed") {
  const auto rows = two_days();
  const auto members = rows_of_one_shift(rows);
  CHECK(members.size() >= 8);
  CHECK(changed(rows, members) == std::set<std::string>{"k03", "k07", "k11"});
  // R takes the mean of all rows, the changed ones too; from the others alone it is n / (n - 1) of
  // that, with the same t.
  const auto& r = reference().at("two_day").at("common_mode_adjusted");
  const auto beside_all = beside_shift(rows, all_of(rows));
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto& found = beside_all[row].difference;
    const auto& expected = r.at(name_of(row));
    CHECK(found->estimate * 11 / 12 == near(std::log(expected.at("ratio").get<double>())));
    CHECK(found->p() == near(expected.at("p")));
  }
}

TEST_CASE("half of the rows slower is no common shift") {
  Random random(1);
  std::vector<double> moves(12, 0);
  for (std::size_t row = 0; row < 6; ++row) moves[row] = std::log(1.2);
  for (int i = 0; i < 50; ++i)
    CHECK(rows_of_one_shift(simulated(random, moves, 0.05, 0.01)).empty());
}

TEST_CASE("what all rows share is one shift, and a few that moved are none of it") {
  Random random(2);
  std::vector<double> moves(12, std::log(1.1));
  moves[3] = std::log(1.3);
  int with_it = 0, enough = 0;
  for (int i = 0; i < 50; ++i) {
    const auto members = rows_of_one_shift(simulated(random, moves, 0.05, 0.01));
    with_it += static_cast<int>(std::count(members.begin(), members.end(), 3));
    enough += static_cast<int>(members.size() >= 8);
  }
  CHECK(with_it == 0);
  CHECK(enough >= 40);
}

TEST_CASE("three rows have no common shift: two of them could have moved") {
  Random random(3);
  CHECK(rows_of_one_shift(simulated(random, {0, 0, 0}, 0.05, 0.01)).empty());
  CHECK(rows_of_one_shift({}).empty());
}

TEST_CASE("rows that miss an allocation are averaged by what the others show") {
  // Row 1 is ten times as long and misses the last allocation of each side.
  const double far = std::log(10);
  const std::vector<TwoSides> rows{
      {{{0, 1, 2}, {0, 0.1, 0.2}}, {{3, 4, 5}, {0.5, 0.6, 0.7}}},
      {{{0, 1}, {far, far + 0.1}}, {{3, 4}, {far + 0.5, far + 0.6}}},
  };
  const auto shift = common_shift(rows, {0, 1});
  CHECK(shift.difference->estimate == Approx(0.5).epsilon(0.05));
  CHECK(beside_shift(rows, {1})[0].difference->estimate == Approx(0).margin(1e-12));
}

TEST_CASE("rows that share no allocation are held against the others' mean") {
  const std::vector<TwoSides> rows{
      {{{0, 1}, {1, 1.1}}, {{2, 3}, {2, 2.1}}},
      {{{4, 5}, {3, 3.1}}, {{6, 7}, {3.2, 3.3}}},
      {{{8, 9}, {5, 5.1}}, {{10, 11}, {5.4, 5.5}}},
  };
  const auto found = beside_shift(rows, {1, 2})[0];
  CHECK_FALSE(found.paired);
  CHECK(found.difference->estimate == Approx(1 - 0.3));
  // Each row's se is sqrt(2 * 0.005 / 2); the mean of two has half of its square.
  CHECK(found.difference->se == Approx(std::sqrt(0.005 * 1.5)));
}
