// SPDX-License-Identifier: Apache-2.0
// What would need more memory, stack or room than there is, is refused with its limit.
#include <fmt/format.h>

#include "sweeps/yaml.h"
#include "tests/support/catch.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;
using Catch::Contains;
using test::error_of;

namespace {

/// `count` lines, of the numbers from 0 on.
template <typename Line>
std::string lines(int count, Line line) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line(i) + "\n";
  return text;
}

}  // namespace

TEST_CASE("more axes, formulas or values than a sweep can have are refused") {
  const auto axis = [](int i) { return fmt::format("  a{}: [{}]", i, i); };
  CHECK(error_of("sweep: s\ngrid:\n" + lines(1001, axis)) ==
        "sweep.yaml:1003: a sweep has at most 1000 axes");
  const auto formula = [](int i) { return fmt::format("  b{}: b{} + 1", i, i + 1); };
  CHECK(error_of("sweep: s\ngrid: {a: [1]}\nderive:\n" + lines(1001, formula)) ==
        "sweep.yaml:4: derive has 1001 formulas; at most 1000 can be");
  const auto point = [](int i) { return fmt::format("  - {{a{}: 1}}", i % 1000); };
  CHECK(error_of("sweep: s\npoints:\n" + lines(20001, point)) ==
        "sweep.yaml:3: 20001 points of 1000 axes: more than 20000000 values");
  const auto fixed = [](int i) { return fmt::format("  c{}: 1", i); };
  std::string numbers = "0";
  for (int i = 1; i < 50000; ++i) numbers += fmt::format(",{}", i);
  std::string all = "{a}";
  for (int i = 0; i < 400; ++i) all += fmt::format("{{c{}}}", i);
  CHECK(error_of("sweep: s\ngrid: {a: [" + numbers + "]}\ncommand: 'true " + all + "'\nfixed:\n" +
                 lines(400, fixed)) ==
        "sweep.yaml:2: 50000 points of 401 axes: more than 20000000 values");
}

TEST_CASE("copies that anchors keep count as what is kept") {
  // Each level's anchor keeps all levels inside of it.
  std::string text, closing;
  for (int i = 0; i < 31; ++i) {
    text += fmt::format("&a{} [", i);
    closing += "]";
  }
  for (int i = 0; i < 60000; ++i) text += "x,";
  CHECK_THROWS_WITH(parse_yaml(text + closing, "s.yaml"),
                    Contains("s.yaml:1: the file unfolds to more than 128 MiB"));
}

TEST_CASE("a text that no program can be given is refused with its line") {
  const std::string longest(131071, 'x');
  CHECK(parse_yaml("a: " + longest, "s.yaml").items[0].text == longest);
  CHECK_THROWS_WITH(parse_yaml("b: 1\na: x" + longest, "s.yaml"),
                    "s.yaml:2: a text of 131072 bytes; a program can be given 131071 at most");
  CHECK_THROWS_WITH(parse_yaml("a: \"x\\0y\"", "s.yaml"),
                    Contains("s.yaml:1: 'x\\x00y' holds a NUL, which no program can be given"));
}
