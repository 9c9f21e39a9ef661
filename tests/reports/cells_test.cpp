// SPDX-License-Identifier: Apache-2.0
#include "reports/cells.h"

#include <catch2/catch.hpp>

using pippin::Cells;

TEST_CASE("cells are as they were added, be they equal or not") {
  Cells cells;
  CHECK(cells.all_equal());
  std::vector<std::string> added;
  for (const char* cell : {"", "", "a", "", "long enough to lie somewhere else", "a"}) {
    cells.push_back(cell);
    added.emplace_back(cell);
    CHECK(cells == added);
    CHECK(cells.size() == added.size());
    CHECK(cells[added.size() - 1] == cell);
    CHECK(cells.all_equal() == (added.size() < 3));
  }
  CHECK(cells.front().empty());
  CHECK_FALSE(cells == Cells{"", "", "a"});
  CHECK(Cells{"x", "x"} == Cells{"x", "x"});
  CHECK_FALSE(Cells{"x", "x"} == Cells{"x"});
}
