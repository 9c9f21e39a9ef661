// SPDX-License-Identifier: Apache-2.0
#include "core/base/text_numbers.h"

#include <string>

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("texts are found by themselves, however many there are") {
  std::vector<std::string> texts;
  const auto text_of = [&](std::size_t i) -> std::string_view { return texts[i]; };
  TextNumbers numbers;
  CHECK_FALSE(numbers.find("0", text_of));
  for (std::size_t i = 0; i < 5000; ++i) {
    texts.push_back(std::to_string(i));
    REQUIRE(numbers.add(texts[i], i, text_of) == i);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    REQUIRE(numbers.find(texts[i], text_of) == i);
    REQUIRE(numbers.add(texts[i], texts.size(), text_of) == i);
  }
  CHECK_FALSE(numbers.find("5000", text_of));
  CHECK_FALSE(numbers.find("", text_of));
}

TEST_CASE("numbers of texts need not follow one another") {
  const std::vector<std::string> texts{"a", "b", "", "d"};
  const auto text_of = [&](std::size_t i) -> std::string_view { return texts[i]; };
  TextNumbers numbers;
  CHECK(numbers.add("d", 3, text_of) == 3);
  CHECK(numbers.add("", 2, text_of) == 2);
  CHECK(numbers.find("d", text_of) == 3);
  CHECK(numbers.find("", text_of) == 2);
  CHECK_FALSE(numbers.find("a", text_of));
}
