// SPDX-License-Identifier: Apache-2.0
#include "reports/text_table.h"

#include <sstream>

#include "tests/support/catch.h"

using namespace pippin;

namespace {

TextColumn column(std::string title, std::vector<std::string> cells, int importance = 0) {
  TextColumn result;
  result.title = std::move(title);
  result.cells = std::move(cells);
  result.importance = importance;
  return result;
}

std::string table(std::vector<TextColumn> columns, std::size_t width) {
  std::ostringstream out;
  write_table(std::move(columns), width, out);
  return out.str();
}

}  // namespace

TEST_CASE("numbers are aligned to the right and unknown cells are a dash") {
  CHECK(table({column("n", {"1", "10", ""})}, 0) == " n\n--\n 1\n10\n -\n");
}

TEST_CASE("a column that all rows share moves to the caption and an unknown one goes") {
  auto shared = column("TP", {"4", "4"});
  shared.may_move = true;
  CHECK(table({shared, column("n", {"1", "2"}), column("x", {"", ""})}, 0) ==
        "TP 4\n\nn\n-\n1\n2\n");
}

TEST_CASE("the least important columns go where room is short") {
  const std::vector<TextColumn> columns{column("aaaa", {"1"}, 3), column("bbbb", {"2"}, 1),
                                        column("cccc", {"3"}, 2)};
  std::ostringstream out;
  CHECK(write_table(columns, 10, out) == std::vector<std::string>{"bbbb"});
  CHECK(out.str() == "aaaa  cccc\n----------\n   1     3\n");
  std::ostringstream narrow;
  CHECK(write_table(columns, 3, narrow) == std::vector<std::string>{"bbbb", "cccc"});
}

TEST_CASE("names give up what they share before anything else") {
  auto names = column("point", {"52b-tp4-pp16-dp1-mbs4-gas256", "52b-tp4-pp16-dp1-mbs8-gas256"}, 1);
  names.may_shorten = true;
  const std::string text = table({names}, 24);
  CHECK(text.find("point 52b-tp4-pp16-dp1-…") == 0);
  CHECK(text.find("…mbs4-gas256") != std::string::npos);
  CHECK(text.find("…mbs8-gas256") != std::string::npos);
}

TEST_CASE("a column that must stay stays") {
  auto state = column("state", {"infeasible"});
  state.must_stay = true;
  CHECK(table({state, column("n", {"1"}, 5)}, 4) == "     state\n----------\ninfeasible\n");
}

TEST_CASE("shortened names stay unlike") {
  auto names = column("point",
                      {"a-long-name-that-differs-HERE-and-then-goes-on-for-long",
                       "a-long-name-that-differs-THERE-and-then-goes-on-for-long"},
                      1);
  names.may_shorten = true;
  std::string text = table({names}, 24);
  CHECK(text.find("…HERE") != std::string::npos);
  CHECK(text.find("…THERE") != std::string::npos);
}

TEST_CASE("bad ends are red and titles bold only where colours are asked") {
  auto state = column("state", {"ok", "oom"});
  state.align = TextColumn::Align::kLeft;
  state.tones = {Tone::kNormal, Tone::kBad};
  const std::vector<TextColumn> columns{state, column("n", {"1", "200"})};
  CHECK(table(columns, 0).find('\033') == std::string::npos);
  std::ostringstream out;
  write_table(columns, 0, out, true);
  CHECK(out.str() ==
        "\033[1mstate    n\033[0m\n----------\nok       1\n\033[31moom\033[0m    200\n");
}

TEST_CASE("colours move nothing") {
  auto left = column("left", {"a", "bb", ""}), right = column("right", {"", "模型", "1"});
  left.align = TextColumn::Align::kLeft;
  left.tones = right.tones = {Tone::kBad, Tone::kNormal, Tone::kBad};
  for (const auto& columns : {std::vector{left, right}, std::vector{right, left}}) {
    std::ostringstream coloured;
    write_table(columns, 0, coloured, true);
    std::string text = coloured.str();
    for (std::size_t at; (at = text.find('\033')) != std::string::npos;)
      text.erase(at, text.find('m', at) + 1 - at);
    CHECK(text == table(columns, 0));
  }
}

TEST_CASE("a column that is to be kept stays where no cell is known") {
  auto kept = column("x", {"", ""});
  kept.keep = true;
  CHECK(table({kept, column("n", {"1", "2"})}, 0) == "x  n\n----\n-  1\n-  2\n");
}

TEST_CASE("a column that cannot get shorter does not keep the next from it") {
  auto first = column("a", {"1", "2"}), second = column("point", {}, 1);
  second.cells = {"a-very-long-start-of-all-names-one", "a-very-long-start-of-all-names-two"};
  first.may_shorten = second.may_shorten = first.must_stay = true;
  const std::string text = table({first, second}, 24);
  CHECK(text.find("…one") != std::string::npos);
  CHECK(text.find("…two") != std::string::npos);
}

TEST_CASE("what all names begin with may be all of the shortest") {
  auto names = column("point", {"a-common-start-", "a-common-start-other-and-more"}, 1);
  names.may_shorten = true;
  const std::string text = table({names}, 24);
  CHECK_THAT(text, Catch::Contains("point a-common-start-…") && Catch::Contains("…other-and-more"));
}
