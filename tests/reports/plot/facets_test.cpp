// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/facets.h"

#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

using Names = std::vector<std::string>;

Summary row_of(std::int64_t tp, std::int64_t mbs, const NamedValues& axes = {}) {
  Summary row = test::row_52b("p", 1);
  row.sweep = "s";
  row.point.layout = {tp, 1, 16 / tp, {}, mbs, 8, 16, mbs * 8 * 16 / tp};
  row.point.axes = axes;
  return row;
}

/// TP by MBS, with a number that follows from both and a switch that does not.
std::vector<Summary> grid() {
  std::vector<Summary> rows;
  for (std::int64_t tp : {1, 2})
    for (std::int64_t mbs : {1, 2, 10})
      for (const char* zero : {"off", "on"})
        rows.push_back(row_of(tp, mbs,
                              {{"target", value_of(1.0 / 3 + double(10 * tp + mbs))},
                               {"zero", value_of(std::string(zero))}}));
  return rows;
}

Names names_of(const std::vector<const Facet*>& facets) {
  Names names;
  for (const Facet* facet : facets) names.push_back(facet->name);
  return names;
}

}  // namespace

TEST_CASE("facets are what differs between rows, their values in the order of numbers") {
  const auto rows = grid();
  const auto facets = facets_of(rows);
  Names names;
  for (const auto& facet : facets) names.push_back(facet.name);
  CHECK(names == Names{"tp", "dp", "mbs", "gbs", "target", "zero"});
  const Facet& mbs = facets[2];
  CHECK(mbs.values == Names{"1", "2", "10"});
  CHECK(mbs.of_rows == std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2});
  CHECK(facets[5].values == Names{"off", "on"});
  CHECK(facets[4].texts[0] == "11.33");  // not 11.333333333333334
}

TEST_CASE("series are told apart by what differs beside an axis, not by what follows from it") {
  const auto rows = grid();
  const auto facets = facets_of(rows);
  CHECK(names_of(facets_beside(facets, *facet_named(facets, "mbs"))) == Names{"tp", "zero"});
  CHECK(names_of(facets_beside(facets, *facet_named(facets, "tp"))) == Names{"mbs", "zero"});
  CHECK(names_of(facets_beside(facets, *facet_named(facets, "target"))) == Names{"zero"});
}

TEST_CASE("an unknown value is no value, and not told") {
  std::vector<Summary> rows{row_of(1, 1), row_of(2, 1), row_of(2, 1)};
  rows[1].point.layout.tp.reset();
  const std::vector<Summary> two{rows[0], rows[1]};
  CHECK(facet_named(facets_of(two), "tp") == nullptr);
  const auto facets = facets_of(rows);
  const Facet* tp = facet_named(facets, "tp");
  REQUIRE(tp);
  CHECK(tp->has_unknown);
  CHECK(tp->values == Names{"", "1", "2"});
  CHECK(facets_text({tp}, 0) == "TP 1");
  CHECK(facets_text({tp}, 1).empty());
}

TEST_CASE("series have the order of their values and the names of what tells them apart") {
  const auto rows = grid();
  const auto facets = facets_of(rows);
  const RowSeries series =
      series_by({facet_named(facets, "tp"), facet_named(facets, "zero")}, rows.size());
  CHECK(series.names ==
        Names{"TP 1, zero off", "TP 1, zero on", "TP 2, zero off", "TP 2, zero on"});
  CHECK(series.of_rows[7] == 3);
  CHECK(series_by({}, 3).names == Names{""});
}

TEST_CASE("sizes of models are told as people name them, the smallest first") {
  std::vector<Summary> rows{row_of(1, 1), row_of(1, 1), row_of(1, 1)};
  rows[0].point.model.params = 52'000'000'000;
  rows[1].point.model.params = 350'000'000;
  rows[2].point.model.params = 7'500'000'000;
  const auto facets = facets_of(rows);
  REQUIRE(facets.size() == 1);
  CHECK(facets[0].values == Names{"350M", "7.5B", "52B"});
  CHECK(facets_text({&facets[0]}, 0) == "52B");
}

TEST_CASE("campaigns and days are facets where rows are of them, and not where rows are runs") {
  std::vector<Summary> rows{row_of(1, 1), row_of(1, 1)};
  for (std::size_t i = 0; i < 2; ++i) {
    rows[i].day = i == 0 ? "2026-11-26" : "2026-11-27";
    rows[i].selection = i == 0 ? "s/1" : "s/2";
  }
  const auto facets = facets_of(rows);
  REQUIRE(facets.size() == 2);
  CHECK(names_of({&facets[0], &facets[1]}) == Names{"day", "selection"});
  for (auto& row : rows) row.run = "r";
  CHECK(facets_of(rows).size() == 1);
}
