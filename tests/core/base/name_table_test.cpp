// SPDX-License-Identifier: Apache-2.0
#include "core/base/name_table.h"

#include <string>

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("a name has the number that it was added under, and another none") {
  constexpr std::size_t kMany = 1000;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kMany; ++i) names.push_back("run-" + std::to_string(i));
  NameTable table(kMany);
  for (const auto& name : names) REQUIRE(table.add(name));
  for (std::size_t i = 0; i < kMany; ++i) REQUIRE(table.find("run-" + std::to_string(i)) == i);
  for (const char* other : {"", "run-", "run-1000", "run-1 "}) CHECK_FALSE(table.find(other));
}

TEST_CASE("a name that is there already is not added again") {
  NameTable table(3);
  CHECK(table.add(""));
  CHECK(table.add("a"));
  CHECK_FALSE(table.add("a"));
  CHECK_FALSE(table.add(""));
  CHECK(table.add("b"));
  CHECK(table.find("") == 0);
  CHECK(table.find("b") == 2);
}

TEST_CASE("a table without room has no names") {
  CHECK_FALSE(NameTable().find(""));
  CHECK_FALSE(NameTable(0).find("a"));
}
