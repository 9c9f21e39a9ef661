// SPDX-License-Identifier: Apache-2.0
#include "reports/column_kinds.h"

#include "reports/point_columns.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// A row in which everything is known.
Summary full_row() {
  Summary row = test::row_52b("a", 1.5);
  row.step_time_s = Interval{1.5, 1.25, 1.75, 0.15, "allocation", "all of one day", 2.5, 0.09, 0.6};
  row.allocations = 3;
  row.runs = 6;
  row.iterations = 600;
  row.started_at = 1'622'000'100;
  row.run = "run-1";
  row.tflops = 53.8291;
  row.flops_formula = "params";
  row.mfu = 0.3234;
  row.hfu = 0.4312;
  row.samples_per_s = 682.67;
  row.memory_gib = 23.4375;
  row.vs = Ratio{1.25, 1.1, 1.5};
  row.standing = Standing{Standing::kTied, 0.25};
  row.campaign = 3;
  row.allocation = "job-1";
  row.day = "2026-11-20";
  row.selection = "before";
  row.remarks = {"hot"};
  row.notes = {"good", "a\tb"};
  return row;
}

std::string shown(const std::string& name, const Summary& row, std::optional<int> decimals = {}) {
  const ColumnKind* kind = find_column_kind(name);
  REQUIRE(kind);
  return cell_text(*kind, row, {}, decimals);
}

std::string exact(const std::string& name, const Summary& row) {
  std::string text;
  for (const auto& field : find_column_kind(name)->fields)
    text += (text.empty() ? "" : " ") + (std::string(field.name) + "=" + exact_text(field, row));
  return text;
}

}  // namespace

TEST_CASE("a cell shows what a row says and its fields say it exactly") {
  struct Case {
    const char *name, *cell, *fields;
  };
  const std::vector<Case> cases{
      {"sweep", "gpt-52b", "sweep=gpt-52b"},
      {"point", "a", "point=a"},
      {"run", "run-1", "run=run-1"},
      {"trainer", "training", "trainer=training"},
      {"state", "ok", "state=ok"},
      {"started", "2021-05-26 03:35", "started=2021-05-26 03:35"},
      {"notes", "good; a\\tb", "notes=good; a\tb"},
      {"gpus", "64", "gpus=64"},
      {"size", "52B", "params_b=52"},
      {"layers", "64", "layers=64"},
      {"cp", "", "cp="},
      {"gbs", "1024", "gbs=1024"},
      {"step_time", "1.50 s ± 0.25", "step_time_s=1.5 ci_low_s=1.25 ci_high_s=1.75 sd_s=0.15"},
      {"spread", "10 % (6.0–40)", "spread=0.1 spread_low=0.06 spread_high=0.4"},
      {"unit", "allocation", "unit=allocation"},
      {"df", "2.50", "df=2.5"},
      {"best", "tied 25 %", "p_best=0.25 best=tied"},
      {"campaign", "gpt-52b/3", "campaign=gpt-52b/3"},
      {"allocation", "job-1", "allocation=job-1"},
      {"day", "2026-11-20", "day=2026-11-20"},
      {"selection", "before", "selection=before"},
      {"remarks", "all of one day; hot", "remarks=all of one day; hot"},
      {"tflops", "53.8", "tflops=53.8291"},
      {"flops_formula", "params", "flops_formula=params"},
      {"mfu", "32.3 %", "mfu=0.3234"},
      {"hfu", "43.1 %", "hfu=0.4312"},
      {"samples_per_s", "683", "samples_per_s=682.67"},
      {"tokens_per_s_per_gpu", "10923", "tokens_per_s_per_gpu=10922.72"},
      {"memory", "23.4", "memory_gib=23.4375"},
      {"vs", "1.25× ± 0.20", "vs=1.25 vs_low=1.1 vs_high=1.5"},
      {"allocations", "3", "allocations=3"},
      {"iterations", "600", "iterations=600"},
      {"counts", "3/6/600", "allocations=3 runs=6 iterations=600"}};
  const Summary row = full_row();
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(shown(c.name, row) == c.cell);
    CHECK(exact(c.name, row) == c.fields);
  }
}

TEST_CASE("decimals take the place of significant digits") {
  const Summary row = full_row();
  CHECK(shown("step_time", row, 1) == "1.5 s ± 0.2");
  CHECK(shown("step_time", row, 3) == "1.500 s ± 0.250");
  CHECK(shown("tflops", row, 1) == "53.8");
  CHECK(shown("tflops", row, 0) == "54");
  CHECK(shown("mfu", row, 0) == "32 %");
  CHECK(shown("memory", row, 0) == "23");
  CHECK(shown("vs", row, 1) == "1.2× ± 0.2");
  CHECK(shown("size", row, 1) == "52.0B");
  CHECK(shown("spread", row, 2) == "10.00 % (6.00–40.00)");
  CHECK(shown("gpus", row, 2) == "64");
}

TEST_CASE("what a row does not know is an empty cell and an empty field") {
  Summary row;
  for (const auto& kind : column_kinds()) {
    const std::string name = kind.name;
    CAPTURE(name);
    if (name == "state" || name == "step_time") continue;
    CHECK(shown(name, row).empty());
    for (const auto& field : kind.fields) CHECK(exact_text(field, row).empty());
  }
}

TEST_CASE("without a time the cell says how the row ended unless a column of states does") {
  Summary row;
  row.state = RunState::kOom;
  const ColumnKind& kind = *find_column_kind("step_time");
  CHECK(cell_text(kind, row, {}, {}) == "OOM");
  row.state = RunState::kTimeout;
  CHECK(cell_text(kind, row, {}, {}) == "timeout");
  TableStyle style;
  style.has_state = true;
  CHECK(cell_text(kind, row, style, {}).empty());
}

TEST_CASE("a spread of one allocation is called so and bounds nothing for programs") {
  Summary row = test::row_52b("a", 2);
  row.step_time_s->sd = 0.005;
  CHECK(shown("spread", row) == "0.25 % within");
  CHECK(exact("spread", row) == "spread= spread_low= spread_high=");
}

TEST_CASE("a chance to be the best is 0 or 100 % only where it is") {
  using Place = Standing::Place;
  const std::vector<std::tuple<Place, double, std::string>> cases{
      {Standing::kBest, 1, "best 100 %"},    {Standing::kBest, 0.9998, "best >99 %"},
      {Standing::kBest, 0.994, "best 99 %"}, {Standing::kTied, 0.0002, "tied <1 %"},
      {Standing::kTied, 0.006, "tied 1 %"},  {Standing::kBehind, 0, "0 %"},
      {Standing::kBehind, 0.0002, "0 %"}};
  for (const auto& [place, chance, text] : cases) {
    Summary row = test::row_52b("a", 2);
    row.standing = Standing{place, chance};
    CHECK(shown("best", row) == text);
  }
  Summary row = test::row_52b("a", 2);
  row.standing = Standing{Standing::kTied, 0.00025};
  CHECK(shown("best", row, 1) == "tied <0.1 %");
}

TEST_CASE("a spread never has an exponent") {
  const std::vector<std::pair<double, std::string>> cases{
      {3.0, "150 %"},  {2.0, "100 %"}, {1.9936, "100 %"},    {0.246, "12 %"},
      {0.02, "1.0 %"}, {0.0, "0 %"},   {1e-7, "0.0000050 %"}};
  for (const auto& [sd, text] : cases) {
    Summary row = test::row_52b("a", 2);
    row.step_time_s->low = row.step_time_s->high = 2;
    row.step_time_s->sd = sd;
    CHECK(shown("spread", row) == text);
  }
}

TEST_CASE("a size without parameters is the model's name, safe for a terminal") {
  Summary row = test::row_52b("a", 1);
  row.point.model.params.reset();
  CHECK(shown("size", row) == "52B");
  CHECK(exact("size", row) == "params_b=");
  row.point.model.size = "5\x1b[31m2B";
  CHECK(shown("size", row) == "5\\x1b[31m2B");
}
