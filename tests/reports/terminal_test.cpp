// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "core/base/text.h"
#include "reports/display_text.h"
#include "reports/format.h"
#include "reports/summarize.h"
#include "tests/reports/golden.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string table_of(const std::vector<PointSamples>& samples, std::size_t width) {
  std::ostringstream out;
  format_named("terminal").write({test::summarize(samples, {Samples::kClean}), {}, width}, out);
  return out.str();
}

std::vector<PointSamples> mixed_samples() {
  auto samples = test::sweep_samples();
  for (auto& foreign : test::foreign_samples()) samples.push_back(std::move(foreign));
  return samples;
}

}  // namespace

TEST_CASE("terminal tables are as committed") {
  CHECK(table_of(test::sweep_samples(), 100) == test::golden("sweep.txt"));
  CHECK(table_of(test::foreign_samples(), 100) == test::golden("foreign.txt"));
  CHECK(table_of(mixed_samples(), 0) == test::golden("mixed.txt"));
  CHECK(table_of(mixed_samples(), 60) == test::golden("mixed_narrow.txt"));
}

TEST_CASE("where room is short what tells rows apart stays and the name goes first") {
  const std::string narrow = table_of(test::sweep_samples(), 40);
  CHECK_THAT(narrow, Catch::Contains("MBS  step time"));
  CHECK_THAT(narrow, !Catch::Contains("point  "));
  CHECK_THAT(table_of(mixed_samples(), 60), Catch::Contains("GPUs  MBS  zero  recompute  step"));
  // By name alone: two points whose columns are alike.
  auto alike = test::sweep_samples();
  alike[1].point.layout = alike[0].point.layout;
  alike[1].point.axes = alike[0].point.axes;
  CHECK_THAT(table_of(alike, 40), Catch::Contains("point"));
}

TEST_CASE("a table in ASCII has its columns below one another") {
  std::ostringstream out;
  Report report{test::summarize(test::sweep_samples(), {Samples::kClean}), {}, 100};
  report.ascii = true;
  write_terminal(report, out);
  CHECK_THAT(out.str(), Catch::Contains("129.3 s +- 4.5  "));
  std::string rows;
  const std::string text = out.str();
  for (std::string_view line : split(text, '\n'))
    if (line.find("TFLOPS  ") != line.npos || line.find(" 52.7 ") != line.npos)
      rows += std::to_string(line.find(line.find("52.7") == line.npos ? "TFLOPS" : "  52.7")) + " ";
  CHECK_THAT(rows, Catch::Matches("([0-9]+) \\1 "));
}

TEST_CASE("points that cannot run are one line, and rows alone where there are no others") {
  CHECK_THAT(table_of(test::sweep_samples(), 100),
             Catch::Contains("1 point cannot run: --where \"state == 'infeasible'\""));
  CHECK_THAT(table_of({test::sweep_samples().back()}, 100), Catch::Contains("infeasible"));
}

TEST_CASE("no line of a table is wider than asked") {
  for (std::size_t width : {40, 60, 72, 80, 100, 132}) {
    const std::string table = table_of(test::sweep_samples(), width);
    for (std::string_view line : split(table, '\n')) {
      INFO(line);
      CHECK(display_width(line) <= width);
    }
  }
}

TEST_CASE("a mean and its interval stand with digits that mean something") {
  std::vector<RunSamples> runs;
  for (double time : {1423.4, 1427.0, 1431.6}) {
    runs.push_back(test::run_of("a" + std::to_string(runs.size()), {2000, time, time + 1}));
  }
  auto samples = test::sweep_samples()[0];
  samples.runs = runs;
  const std::string table = table_of({samples}, 100);
  CHECK(table.find("1.428 s ± 0.010") != std::string::npos);
}

TEST_CASE("one allocation has no interval and the table says why") {
  const std::string table = table_of({test::sweep_samples()[1]}, 100);
  CHECK(table.find("435 s") != std::string::npos);
  CHECK(table.find("no ±: one allocation") != std::string::npos);
}

TEST_CASE("units that differ between rows are named with their rows") {
  auto samples = test::sweep_samples();
  for (std::size_t i = 0; i < 3; ++i) {
    samples[1].runs.push_back(test::run_of("b" + std::to_string(i), {470000, 435000, 436000}));
    samples[1].runs.back().day = "2024-05-" + std::to_string(27 + i);
  }
  const std::string table = table_of(samples, 200);
  CHECK(table.find("± is half of the 95 % interval over allocations, all of one day: "
                   "other days may differ: 52b-tp4-pp16-dp1-mbs4-") != std::string::npos);
  CHECK(table.find("± is half of the 95 % interval over days: 52b-tp4-pp16-dp1-mbs8-") !=
        std::string::npos);
}

TEST_CASE("runs that changed pace are marked in their rows and told in one line") {
  auto samples = test::sweep_samples();
  samples.push_back(samples[1]);
  samples[3].point.name += "-other";
  std::vector<double> slower(60, 1000), rising;
  for (std::size_t i = 35; i < slower.size(); ++i) slower[i] = 1100;
  for (int i = 0; i < 60; ++i) rising.push_back(i < 55 ? 1000 : 1300);
  samples[0].runs = {test::run_of("a1", slower), test::run_of("a2", slower)};
  samples[1].runs = {test::run_of("a1", rising), test::run_of("a2", slower)};
  const std::string table = table_of(samples, 0);
  std::size_t marked = 0;
  for (std::string_view line : split(table, '\n')) marked += line.find(" ~  ") != line.npos;
  CHECK(marked == 2);
  CHECK(table.find("\n~ runs are in the mean that changed pace: of all 5, 3 slowed down on the way "
                   "and 1 found no steady state\n") != std::string::npos);
}

TEST_CASE("an empty report says so") { CHECK(table_of({}, 80) == "no points\n"); }

TEST_CASE("control characters of a name cannot disturb the terminal") {
  auto samples = test::sweep_samples()[1];
  samples.point.name = "evil\x1b[31m\nname";
  CHECK(table_of({samples}, 100).find('\x1b') == std::string::npos);
}

TEST_CASE("a table is coloured only where it is to be and says the same") {
  const auto samples = test::sweep_samples();
  auto rows = test::summarize(samples, {Samples::kClean, Rows::kRun});
  std::ostringstream plain, coloured;
  format_named("terminal").write({rows, {}, 100}, plain);
  format_named("terminal").write({rows, {}, 100, true}, coloured);
  CHECK(plain.str().find('\x1b') == std::string::npos);
  std::string text = coloured.str();
  CHECK(text.find("\x1b[31moom") != std::string::npos);
  for (std::size_t at; (at = text.find('\x1b')) != std::string::npos;)
    text.erase(at, text.find('m', at) + 1 - at);
  CHECK(text == plain.str());
}

TEST_CASE("a drawing's signs are explained where it is shown") {
  Report report{test::summarize(test::sweep_samples(), {Samples::kClean}), {}, 0};
  const auto text_of = [&](const std::string& columns) {
    report.columns = columns_named(columns, report.rows);
    std::ostringstream out;
    write_terminal(report, out);
    return out.str();
  };
  CHECK(text_of("point,strip").find("times: • an allocation's mean") != std::string::npos);
  CHECK(text_of("point,strip").find("times ±") != std::string::npos);
  CHECK(text_of("point,tp").find("times") == std::string::npos);
}
