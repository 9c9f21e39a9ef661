// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/markdown.h"

#include <set>
#include <sstream>

#include "core/base/text.h"
#include "reports/display_text.h"
#include "reports/format.h"
#include "reports/summarize.h"
#include "tests/reports/golden.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"
#include "tests/support/nasty.h"

using namespace pippin;

namespace {

std::string markdown_of(std::vector<Summary> rows, const std::string& columns = "") {
  Report report{std::move(rows)};
  if (!columns.empty()) report.columns = columns_named(columns, report.rows);
  std::ostringstream out;
  format_named("markdown").write(report, out);
  return out.str();
}

std::vector<std::string> table_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::string_view line : split(text, '\n')) {
    if (!line.empty() && line[0] == '|') lines.emplace_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("Markdown tables are as committed") {
  const auto by_point = [](const std::vector<PointSamples>& samples) {
    return markdown_of(test::summarize(samples, {}));
  };
  CHECK(by_point(test::sweep_samples()) == test::golden("sweep.md.txt"));
  CHECK(by_point(test::foreign_samples()) == test::golden("foreign.md.txt"));
  CHECK(markdown_of(test::summarize(test::sweep_samples(), {Samples::kClean, Rows::kRun})) ==
        test::golden("by_run.md.txt"));
}

TEST_CASE("an empty Markdown report says so") { CHECK(markdown_of({}) == "no points\n"); }

TEST_CASE("all lines of a Markdown table are equally wide on a screen") {
  Summary a = test::row_52b("a", 1), b = test::row_52b("b", 123.5);
  a.notes = {"模型 a|b grün"};
  b.notes = {"e\xcc\x81", "x"};
  a.point.axes = b.point.axes = {{"π", value_of("½")}};
  const auto lines = table_lines(markdown_of({a, b}, "GPUs,Größe=size,π,Speed,Notes"));
  REQUIRE(lines.size() == 4);
  std::set<std::size_t> widths;
  for (const auto& line : lines) widths.insert(display_width(line));
  CHECK(widths.size() == 1);
  CHECK(lines[1] == "| ---: | ----: | --: | -----: | -------------- |");
}

TEST_CASE("a pipe or a line break in a text is no cell or row of its own") {
  Summary row = test::row_52b("a|b", 1);
  row.notes = {"one | two", "three\nfour \\| five", "six\\"};
  row.point.axes = {{"x", value_of("\x1b[31m")}, {"y", value_of("\xff")}};
  const std::string text = markdown_of({row}, "point,a|b=x,y,notes");
  const auto tables = markdown_tables(text);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].header.cells.at(1).text == "a|b");
  REQUIRE(tables[0].rows.size() == 1);
  const auto& cells = tables[0].rows[0].cells;
  REQUIRE(cells.size() == 4);
  CHECK(cells[0].text == "a|b");
  CHECK(cells[1].text == "\\x1b[31m");
  CHECK(cells[2].text == "\\xff");
  CHECK(cells[3].text == "one | two; three\\nfour \\| five; six\\");
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("whatever people write is one cell that reads back") {
  for (const std::string& text : test::nasty_texts()) {
    CAPTURE(text);
    Summary row = test::row_52b("a", 1);
    row.notes = {text};
    row.point.axes = {{"x", Value{text, {}}}};
    const auto tables = markdown_tables(markdown_of({row}, "TP,x,notes,GPUs"));
    REQUIRE(tables.size() == 1);
    REQUIRE(tables[0].rows.size() == 1);
    const MarkdownRow& cells = tables[0].rows[0];
    REQUIRE(cells.cells.size() == 4);
    CHECK(cells.text(1) == trim(printable(text)));
    CHECK(cells.text(2) == trim(printable(text)));
    CHECK(cells.text(3) == "64");
  }
}

TEST_CASE("the column of times says how a row without one ended unless a column of states does") {
  Summary oom = test::row_52b("a", 1), late = test::row_52b("b", 2);
  oom.step_time_s.reset();
  oom.state = RunState::kOom;
  late.step_time_s.reset();
  late.state = RunState::kTimeout;
  CHECK(table_lines(markdown_of({oom, late, test::row_52b("c", 3)}, "Speed")) ==
        std::vector<std::string>{"|   Speed |", "| ------: |", "|     OOM |", "| timeout |",
                                 "|  3.00 s |"});
  CHECK(table_lines(markdown_of({oom}, "Speed,state")) ==
        std::vector<std::string>{"| Speed | state |", "| ----: | ----- |", "|       | oom   |"});
}

TEST_CASE("a column that a person chose stays also where it is empty") {
  const std::vector<Summary> rows{test::row_52b("a", 1)};
  CHECK(table_lines(markdown_of(rows, "GPU M,Notes,TP")) ==
        std::vector<std::string>{"| GPU M | Notes |  TP |", "| ----: | ----- | --: |",
                                 "|       |       |   4 |"});
  CHECK(markdown_of(rows).find("notes") == std::string::npos);
}

TEST_CASE("rows of several sweeps say which and rows of single runs say theirs") {
  Summary a = test::row_52b("a", 1), b = test::row_52b("b", 2);
  b.sweep = "other";
  CHECK(table_lines(markdown_of({a, b}))[0].rfind("| sweep ", 0) == 0);
  b.sweep = a.sweep;
  CHECK(table_lines(markdown_of({a, b}))[0].rfind("| GPUs ", 0) == 0);
  a.run = "run-a";
  b.run = "run-b";
  const auto lines = table_lines(markdown_of({a, b}));
  CHECK(lines[0].rfind("| run ", 0) == 0);
  CHECK(lines[3].rfind("| run-b ", 0) == 0);
}

TEST_CASE("signs that mean something to Markdown are themselves in remarks") {
  Summary row = test::row_52b("a", 1);
  row.clean = false;
  row.state = RunState::kInfeasible;
  row.reason = "where: mbs*gas*dp >= 512 and <b> [x](y) `z` a\\b _c_";
  const std::string text = markdown_of({row});
  CHECK(text.find("\n- \\* lines are in the mean that are no clean samples") != std::string::npos);
  CHECK(text.find("\n- where: mbs\\*gas\\*dp >= 512 and \\<b> \\[x](y) \\`z\\` a\\\\b \\_c\\_\n") !=
        std::string::npos);
}
