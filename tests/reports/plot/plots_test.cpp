// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/plots.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "reports/plot/short_names.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

constexpr std::int64_t kMay26 = 1716681600;  // 2024-05-26

Summary row_of(std::int64_t gpus, std::int64_t tp, std::int64_t mbs, double seconds) {
  Summary row =
      test::row_52b("52b-tp" + std::to_string(tp) + "-mbs" + std::to_string(mbs), seconds);
  row.point.layout = {tp, 1, gpus / tp, {}, mbs, 8, gpus, mbs * 8 * gpus / tp};
  row.point.id = row.point.name;
  row.samples_per_s = static_cast<double>(*row.point.layout.gbs) / seconds;
  return row;
}

/// A run of the row's point that began so many hours after midnight.
Summary run_of(Summary row, double hours) {
  row.run = row.point.name + "-a" + std::to_string(hours);
  row.started_at = kMay26 + static_cast<std::int64_t>(hours * 3600);
  row.sweep = "s";
  row.campaign = hours < 10 ? 1 : 2;
  return row;
}

Summary lost(Summary row, RunState state) {
  row.state = state;
  row.step_time_s.reset();
  row.samples_per_s.reset();
  return row;
}

/// TP by MBS on 16 GPUs; one ran out of memory.
std::vector<Summary> grid() {
  return {row_of(16, 1, 1, 4), row_of(16, 1, 2, 3), row_of(16, 2, 1, 5),
          lost(row_of(16, 2, 2, 1), RunState::kOom)};
}

std::vector<std::string> names_of(const Plot& plot) {
  std::vector<std::string> names;
  for (const auto& series : plot.series) names.push_back(series.name);
  return names;
}

Plot plot_of(const std::string& kind, const std::vector<Summary>& rows,
             const std::string& measure = "") {
  return plot_named(kind, rows, measure, 80);
}

/// What is said where nothing can be drawn.
std::string refusal(const std::string& kind, const std::vector<Summary>& rows,
                    const std::string& measure = "") {
  try {
    plot_of(kind, rows, measure);
  } catch (const Error& error) {
    return error.what();
  }
  return "drawn";
}

}  // namespace

TEST_CASE("a picture against an axis has a series for each layout beside it") {
  const Plot plot = plot_of("mbs", grid());
  CHECK(plot.x.title == "MBS");
  REQUIRE(plot.x.ticks.size() == 2);
  CHECK(plot.x.ticks[1].text == "2");
  CHECK(names_of(plot) == std::vector<std::string>{"TP 1", "TP 2"});
  REQUIRE(plot.series[0].points.size() == 2);
  CHECK(plot.series[0].points[0].y == 4);
  CHECK(plot.y.title == "step time (s)");
  REQUIRE(plot.losses.size() == 1);
  CHECK(plot.losses[0].state == RunState::kOom);
  CHECK(std::lround(plot.losses[0].x) == 1);
  CHECK(plot.said.back() ==
        "3 rows against MBS (1, 2); step time 3.00 to 5.00 s; at the foot: 1 oom");
}

TEST_CASE("points of a value stand beside one another and nearest to that value") {
  std::vector<Summary> rows;
  for (std::int64_t tp = 1; tp <= 16; ++tp)
    for (std::int64_t mbs : {1, 2}) rows.push_back(row_of(720720, tp, mbs, 1.0 + double(tp)));
  const Plot plot = plot_of("mbs:tp", rows);
  REQUIRE(plot.series.size() == 16);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(std::abs(plot.series[i].points[1].x - 1) < 0.5);
    if (i > 0) CHECK(plot.series[i].points[1].x > plot.series[i - 1].points[1].x);
  }
}

TEST_CASE("lines join the best of each value, of times the least and of rates the most") {
  auto rows = grid();
  rows.push_back(row_of(16, 1, 1, 2));
  CHECK(plot_of("mbs:tp", rows).lines.at(0).places.at(0).y == 2);
  const Plot rates = plot_of("mbs:tp", rows, "samples_per_s");
  CHECK(rates.lines.at(0).places.at(0).y == *rows.back().samples_per_s);
  CHECK(rates.y.title == "samples per second");
}

TEST_CASE("scaling is of samples a second, with the best of each number of GPUs and the ideal") {
  const std::vector<Summary> rows{
      row_of(8, 1, 1, 1), row_of(16, 1, 1, 1), row_of(32, 1, 1, 2),
      row_of(8, 2, 1, 1), row_of(32, 2, 1, 8), lost(row_of(16, 2, 1, 1), RunState::kFailed)};
  const Plot plot = plot_of("scaling", rows);
  CHECK(names_of(plot) == std::vector<std::string>{"TP 1", "TP 2"});
  CHECK(plot.x.is_log);
  REQUIRE(plot.lines.size() == 2);
  CHECK(plot.lines[0].dashed);
  CHECK(plot.lines[0].places.back().y == Approx(4 * plot.lines[0].places.front().y));
  CHECK(plot.lines[1].places.size() == 3);
  CHECK(plot.said.front() == "% of ideal scaling, by GPUs: 8: 100, 16: 100, 32: 50");
  CHECK_THAT(plot.said.back(), Contains("on 8 to 32 GPUs") && Contains("at the foot: 1 failed"));
}

TEST_CASE("scaling of several models has lines for each of them") {
  std::vector<Summary> rows;
  for (std::int64_t gpus : {8, 16})
    for (std::int64_t params : {1'000'000'000, 2'000'000'000}) {
      rows.push_back(row_of(gpus, 1, 1, 1));
      rows.back().point.model.params = params;
    }
  const Plot plot = plot_of("scaling", rows);
  CHECK(plot.lines.size() == 4);
  CHECK(names_of(plot) == std::vector<std::string>{"1B", "2B"});
  CHECK(plot.said.at(1) == "% of ideal scaling (2B), by GPUs: 8: 100, 16: 100");
}

TEST_CASE("where nobody counts samples scaling is of the TFLOPS of all GPUs") {
  std::vector<Summary> rows{row_of(8, 1, 1, 1), row_of(16, 1, 1, 1)};
  for (auto& row : rows) {
    row.samples_per_s.reset();
    row.tflops = 50;
  }
  const Plot plot = plot_of("scaling", rows);
  CHECK(plot.y.title == "TFLOPS of all GPUs");
  CHECK(plot.series.at(0).points.at(1).y == 800);
}

TEST_CASE("runs over time have a series for each configuration and their losses at the foot") {
  std::vector<Summary> runs;
  for (int hour = 0; hour < 20; ++hour) {
    runs.push_back(run_of(row_of(16, 1, 1, 4 + hour % 3), hour));
    runs.push_back(run_of(row_of(16, 2, 1, 5), hour + 0.5));
  }
  runs.push_back(run_of(lost(row_of(16, 2, 1, 5), RunState::kTimeout), 5.2));
  runs.push_back(lost(row_of(16, 4, 1, 5), RunState::kInfeasible));
  const Plot plot = plot_of("time", runs);
  CHECK(names_of(plot) == std::vector<std::string>{"tp1", "tp2"});
  CHECK(plot.x.title == "when runs began, UTC");
  CHECK(plot.series[0].points.at(3).x == kMay26 + 3 * 3600);
  REQUIRE(plot.losses.size() == 1);
  CHECK(plot.losses[0].x == kMay26 + 5 * 3600 + 720);
  CHECK(plot.lost == std::map<RunState, std::int64_t>{{RunState::kTimeout, 1}});
  REQUIRE(plot.above.size() == 2);
  CHECK(plot.above[1].text == "s/2");
  CHECK(plot.above[1].at == kMay26 + 10 * 3600);
  CHECK(plot.x.ticks.front().text == "May 26 00:00");
  CHECK(plot.said.back() ==
        "41 runs of 2 configurations, 2024-05-26 00:00 to 19:30 UTC; step time 4.00 to 6.00 s; "
        "at the foot: 1 timeout; not drawn: 1 infeasible");
}

TEST_CASE("runs that would stand in heaps are spaced evenly, with rules between days") {
  std::vector<Summary> runs;
  for (int day : {0, 20, 40})
    for (int i = 0; i < 12; ++i) runs.push_back(run_of(row_of(16, 1, 1, 4), day * 24 + i * 0.1));
  const Plot plot = plot_of("time", runs);
  CHECK(plot.x.title == "runs in the order they began, UTC");
  CHECK(plot.series.at(0).points.back().x == 35);
  CHECK(plot.x.rules == std::vector<double>{11.5, 23.5});
  REQUIRE(plot.x.ticks.size() == 3);
  CHECK(plot.x.ticks[1].text == "Jun 15");
  CHECK(plot.x.ticks[1].at == 17.5);
}

TEST_CASE("what cannot be drawn is refused with what is lacking") {
  const auto rows = grid();
  CHECK(refusal("", rows) == "--plot: say what: there is time, tp, dp, mbs, gbs");
  CHECK(refusal("msb", rows) == "--plot msb: there is time, tp, dp, mbs, gbs, did you mean 'mbs'?");
  CHECK(refusal("pp", rows) ==
        "--plot pp: PP does not differ between these rows; there is time, tp, dp, mbs, gbs");
  CHECK(refusal("mbs:pp", rows).starts_with("--plot pp: PP does not differ"));
  CHECK(refusal("scaling", rows) ==
        "--plot scaling: rows of two numbers of GPUs are needed; all have 16 GPUs");
  CHECK(refusal("time", rows).starts_with("--plot time: two runs with a step time are needed"));
  CHECK(refusal("mbs", rows, "tp") ==
        "--columns tp: a plot shows one of step_time, tflops, samples_per_s");
  CHECK(refusal("scaling", {row_of(8, 1, 1, 1), row_of(16, 1, 1, 1)}, "step_time") ==
        "--plot scaling --columns step_time: scaling is of samples_per_s or tflops");
  const std::vector<Summary> oom{lost(row_of(8, 1, 1, 1), RunState::kOom),
                                 lost(row_of(16, 1, 2, 1), RunState::kOom), row_of(8, 2, 1, 1)};
  CHECK(refusal("mbs", oom) ==
        "--plot mbs: two rows with a step time are needed, there is one: 2 oom");
  CHECK(refusal("scaling", oom) ==
        "--plot scaling: rows of two numbers of GPUs that have samples per second are needed; "
        "there are 2 oom");
  CHECK(refusal("time", {run_of(oom[0], 1), run_of(oom[1], 2)}) ==
        "--plot time: of 2 runs none has a step time: 2 oom");
}

TEST_CASE("an axis goes by every name that people have for it") {
  for (const char* name : {"mbs", "MBS", "micro batch size"})
    CHECK(plot_of(name, grid()).x.title == "MBS");
  auto rows = grid();
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].point.axes = {{"time", value_of(double(i))}, {"a:b", value_of(double(i % 2))}};
  for (auto& row : rows) row.sweep = "s";
  CHECK(plot_of("axis_time", rows).x.title == "time");
  CHECK(plot_of("a:b", rows).x.title == "a:b");
}

TEST_CASE("the steps of a run before it failed are no point, those of one that was cut are") {
  auto rows = grid();
  rows[0].state = RunState::kFailed;
  rows[1].state = RunState::kTimeout;
  const Plot plot = plot_of("mbs:tp", rows);
  CHECK(plot.series.at(0).points.size() == 1);
  CHECK(plot.lost == std::map<RunState, std::int64_t>{
                         {RunState::kFailed, 1}, {RunState::kTimeout, 1}, {RunState::kOom, 1}});
}

TEST_CASE("a row whose axis is not known is counted, not drawn") {
  auto rows = grid();
  rows.push_back(row_of(16, 1, 1, 2));
  rows.back().point.layout.mbs.reset();
  const Plot plot = plot_of("mbs", rows);
  CHECK(plot.x.ticks.size() == 2);
  CHECK_THAT(plot.said.back(), Contains("1 not drawn: their MBS is not known"));
}

TEST_CASE("times have the unit they want and are logarithmic where they are far apart") {
  const auto title_of = [](double seconds) {
    return plot_of("mbs", {row_of(8, 1, 1, seconds), row_of(8, 1, 2, seconds * 0.9)}).y.title;
  };
  CHECK(title_of(0.5) == "step time (s)");
  CHECK(title_of(0.05) == "step time (ms)");
  CHECK(title_of(0.00005) == "step time (µs)");
  const auto is_log = [](double times) {
    return plot_of("mbs", {row_of(8, 1, 1, 1), row_of(8, 1, 2, times)}).y.is_log;
  };
  CHECK_FALSE(is_log(5));
  CHECK(is_log(20));
}

TEST_CASE("an interval wider than all else does not flatten the picture") {
  std::vector<Summary> rows{row_of(8, 1, 1, 1), row_of(8, 1, 2, 1.1)};
  rows[0].step_time_s->low = 0.9;
  rows[0].step_time_s->high = 50;
  const Plot plot = plot_of("mbs", rows);
  CHECK(plot.y.high < 2);
  CHECK(plot.series.at(0).points.at(0).high == 50);
}

TEST_CASE("an interval of a rate is that of the time, and says over what it is where all agree") {
  std::vector<Summary> rows{row_of(8, 1, 1, 1), row_of(16, 1, 1, 2)};
  for (auto& row : rows) {
    row.step_time_s->low = row.step_time_s->mean * 0.8;
    row.step_time_s->high = row.step_time_s->mean * 1.25;
    row.step_time_s->unit = "allocation";
    row.step_time_s->remark = "all within an hour";
  }
  const Plot plot = plot_of("scaling", rows);
  const PlotPoint& point = plot.series.at(0).points.at(0);
  CHECK(*point.low == Approx(point.y * 0.8));
  CHECK(*point.high == Approx(point.y * 1.25));
  CHECK(plot.bars_are == "95 % interval over allocations, all within an hour");
  rows[0].step_time_s->unit = "day";
  CHECK(plot_of("scaling", rows).bars_are == "95 % interval");
  CHECK(plot_of("gpus", {row_of(8, 1, 1, 1), row_of(16, 1, 1, 2)}).bars_are.empty());
}

TEST_CASE("TFLOPS are told with their formula") {
  auto rows = grid();
  for (auto& row : rows) {
    row.tflops = 50;
    row.flops_formula = "megatron";
  }
  CHECK(plot_of("mbs", rows, "tflops").said.front() == "TFLOPS by formula megatron");
  CHECK(plot_of("mbs", rows).said.size() == 1);
}

TEST_CASE("very many intervals are left out") {
  std::vector<Summary> rows;
  for (std::int64_t mbs = 1; mbs <= 61; ++mbs) {
    rows.push_back(row_of(8, 1, mbs, 1));
    rows.back().step_time_s->low = 0.9;
    rows.back().step_time_s->high = 1.1;
  }
  CHECK(plot_of("mbs", rows).bars_are.empty());
  CHECK_FALSE(plot_of("mbs", rows).series.at(0).points.at(0).low);
  rows.pop_back();
  CHECK_FALSE(plot_of("mbs", rows).bars_are.empty());
}

TEST_CASE("equal values have room above and below") {
  const Plot plot = plot_of("mbs", {row_of(8, 1, 1, 2), row_of(8, 1, 2, 2)});
  CHECK(plot.y.low < 2);
  CHECK(plot.y.high > 2);
  CHECK_THAT(plot.said.back(), Contains("step time 2.00 s"));
}

TEST_CASE("names in a legend leave out what all have, unless they become the same") {
  using Names = std::vector<std::string>;
  CHECK(short_names({"52b-tp4-pp8", "52b-tp8-pp8"}) == Names{"tp4", "tp8"});
  CHECK(short_names({"52b-tp4"}) == Names{"52b-tp4"});
  CHECK(short_names({"a-b", "a"}) == Names{"a-b", "a"});
  CHECK(short_names({"a-a-b", "a-b"}) == Names{"a-a-b", "a-b"});
  CHECK(short_names({}).empty());
}
