#include "reports/statistics/best_row.h"

#include <cmath>
#include <string>

#include "core/base/text.h"
#include "tests/reports/statistics/reference.h"
#include "tests/reports/statistics/series.h"

using namespace pippin;
using test::near;
using test::reference;

namespace {

double number(const std::string& text) { return parse_number(text).value(); }

/// blocks.csv: configurations c1 to c6 in allocations 0 to 9.
std::vector<RowMeans> blocks() {
  std::vector<RowMeans> rows(6);
  for (const auto& cells : test::csv_rows("blocks.csv")) {
    auto& row = rows.at(static_cast<std::size_t>(number(cells.at(4).substr(1))) - 1);
    row.allocations.push_back(static_cast<std::size_t>(number(cells.at(0).substr(1))) - 1);
    row.values.push_back(std::log(number(cells.at(6))));
  }
  return rows;
}

}  // namespace

TEST_CASE("within blocks, what cannot be told from the best is R's tie group") {
  const auto found = best_row(blocks(), 1);
  const auto& r = reference().at("blocks").at("vs_best");
  CHECK(found.best == 0);
  CHECK(found.tied == std::vector<bool>{true, true, true, false, false, false});
  CHECK_FALSE(found.from_best[0].difference);
  for (std::size_t i = 1; i < 6; ++i) {
    const auto& expected = r.at("paired").at("c" + std::to_string(i + 1));
    CAPTURE(i);
    CHECK(found.from_best[i].paired);
    CHECK(found.from_best[i].difference->estimate == near(expected.at("mean_log_diff")));
    CHECK(found.from_best[i].difference->low(0.95) == near(expected.at("ci").at(0)));
    CHECK(found.from_best[i].difference->p() == near(expected.at("p")));
    CHECK(found.p[i] == near(expected.at("p_holm")));
  }
}

TEST_CASE("the chance of being best is R's over the same resamples") {
  std::vector<std::vector<std::size_t>> draws;
  for (const auto& cells : test::csv_rows("boot_indices_n10.csv")) {
    auto& draw = draws.emplace_back();
    for (const auto& cell : cells) draw.push_back(static_cast<std::size_t>(number(cell)) - 1);
  }
  const auto shares = shares_best(blocks(), draws);
  const auto& r = reference().at("blocks").at("boot_fixed").at("p_best");
  for (std::size_t i = 0; i < 6; ++i) CHECK(shares[i] == near(r.at("c" + std::to_string(i + 1))));
  // Our own draws tell the same, but for chance: sd sqrt(0.25 / 2000) = 0.011.
  const auto own = best_row(blocks(), 1).chance;
  for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(own[i] - shares[i]) < 0.05);
}

TEST_CASE("rows that share no allocation are compared by their own") {
  const RowMeans a{{0, 1, 2}, {1.0, 1.1, 1.2}}, b{{3, 4, 5}, {2.0, 2.1, 2.2}};
  const auto found = row_difference(a, b);
  CHECK_FALSE(found.paired);
  CHECK(found.difference->estimate == Approx(1));
  CHECK(best_row({b, a}, 1).chance == std::vector<double>{0, 1});
}

TEST_CASE("pairs are used where most allocations are shared") {
  const RowMeans a{{0, 1, 2, 3}, {1, 2, 3, 4}};
  CHECK(row_difference(a, {{1, 3}, {2.5, 4.5}}).paired);
  CHECK(row_difference(a, {{1, 3}, {2.5, 4.5}}).difference->estimate == 0.5);
  CHECK_FALSE(row_difference(a, {{3, 4}, {4.5, 9}}).paired);                  // one
  CHECK_FALSE(row_difference(a, {{2, 3, 4, 5, 6}, {1, 1, 1, 1, 1}}).paired);  // two of five
}

TEST_CASE("a row of one allocation is tied, as nothing is known of it") {
  const auto found = best_row({{{0, 1, 2}, {1, 1.01, 1.02}}, {{3}, {9}}, {{4, 5}, {5, 5.01}}}, 1);
  CHECK(found.best == 0);
  CHECK(found.tied == std::vector<bool>{true, true, false});
  CHECK(std::isnan(found.p[1]));
}

TEST_CASE("of rows that are equal each is the best by its share") {
  const RowMeans row{{0, 1}, {1, 2}};
  CHECK(best_row({row, row}, 1).chance == std::vector<double>{0.5, 0.5});
}
