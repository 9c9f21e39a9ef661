// SPDX-License-Identifier: Apache-2.0
#include "core/base/regex.h"

#include "tests/support/catch.h"

using pippin::Regex;

TEST_CASE("a regular expression gives the whole and each group") {
  const Regex regex("step (\\d+)(?: of (\\d+))?.* time (?P<time>[0-9.]+)");
  CHECK(regex.group_names() == std::vector<std::string>{"", "", "time"});
  const auto found = regex.find("at step 3 it took a time 5.25 s");
  REQUIRE(found.size() == 4);
  CHECK(found[0] == "step 3 it took a time 5.25");
  CHECK(found[1] == "3");
  CHECK(found[2].data() == nullptr);
  CHECK(found[3] == "5.25");
  CHECK(regex.find("step three").empty());
}

TEST_CASE("a group that is empty took part") {
  const auto found = Regex("a(b*)c").find("ac");
  REQUIRE(found.size() == 2);
  CHECK(found[1].data() != nullptr);
  CHECK(found[1].empty());
}

TEST_CASE("what is no regular expression is said with its place") {
  CHECK_THROWS_WITH(Regex("time ([0-9.]+"),
                    "'time ([0-9.]+' is no regular expression: missing ): time ([0-9.]+");
  CHECK_THROWS_WITH(Regex("(a)\\1"), Catch::Contains("invalid escape sequence"));
}

TEST_CASE("copies of a regular expression are read side by side") {
  Regex regex("(\\d+)");
  const Regex copy = regex;
  regex = Regex("b (\\d+)");
  CHECK(copy.find("a 17")[1] == "17");
  CHECK(regex.find("b 4")[1] == "4");
}

TEST_CASE("a text of any bytes is looked through in time that grows with it") {
  const Regex regex("(a+)+b");
  CHECK(regex.find(std::string(1 << 16, 'a')).empty());
  CHECK(regex.find(std::string("\xff\0 ab", 5)).size() == 2);
}
