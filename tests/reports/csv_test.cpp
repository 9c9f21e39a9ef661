// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "core/base/error.h"
#include "core/base/text.h"
#include "reports/csv_text.h"
#include "reports/format.h"
#include "reports/summarize.h"
#include "tests/reports/golden.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {
std::string csv_of(const std::vector<PointSamples>& samples) {
  std::ostringstream out;
  format_named("csv").write({test::summarize(samples, {Samples::kClean})}, out);
  return out.str();
}
}  // namespace

TEST_CASE("the columns of CSV are fixed and in order") {
  const std::string text = csv_of({});
  CHECK(text ==
        "sweep,campaign,point,state,gpus,params_b,layers,hidden,seq,tp,pp,dp,mbs,gas,gbs,"
        "allocations,runs,iterations,step_time_s,ci_low_s,ci_high_s,sd_s,unit,df,spread,spread_low,"
        "spread_high,tflops,flops_formula,samples_per_s,memory_gib,mfu,hfu,p_best,best,remarks,"
        "notes\n");
}

TEST_CASE("CSV tables are as committed") {
  CHECK(csv_of(test::sweep_samples()) == test::golden("sweep.csv.txt"));
  CHECK(csv_of(test::foreign_samples()) == test::golden("foreign.csv.txt"));
}

TEST_CASE("unknown is empty and never a zero") {
  PointSamples samples;
  samples.point.name = "p";
  const std::string text = csv_of({samples});
  const auto lines = split(text, '\n');
  CHECK(lines.at(1) == ",,p,not run,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,");
}

TEST_CASE("a cell with a comma a quote or a line break is quoted") {
  CHECK(csv_line({"a", "b c", ""}) == "a,b c,\n");
  CHECK(csv_line({"a,b", "say \"hi\"", "x\ny"}) == "\"a,b\",\"say \"\"hi\"\"\",\"x\ny\"\n");
}

TEST_CASE(
    "own axes of a sweep are always columns and foreign arguments where they tell rows apart") {
  const auto axes = [](const std::vector<PointSamples>& samples) {
    return facts_of(test::summarize(samples, {Samples::kClean})).axes;
  };
  CHECK(axes({test::sweep_samples()[0]}) == std::vector<std::string>{"zero"});
  CHECK(axes(test::foreign_samples()) == std::vector<std::string>{"recompute"});
  CHECK(axes({test::foreign_samples()[0]}).empty());
  auto lacking = test::foreign_samples();
  lacking[1].point.axes.pop_back();
  CHECK(axes(lacking) == std::vector<std::string>{"recompute"});
  // Unlike in a column of its own, or in its name: no argument has to say it.
  auto named = test::foreign_samples();
  named[1].point.name = "l32-h4096-tp4-pp4-dp1-mbs1-gas4-ds";
  CHECK(axes({named[0], named[1]}).empty());
  CHECK(axes({test::foreign_samples()[0], test::foreign_samples()[2]}).empty());
}

TEST_CASE("an axis named like a column keeps its own name apart") {
  auto samples = test::sweep_samples();
  samples[0].point.axes = {{"state", value_of("cold")}};
  const std::string text = csv_of({samples[0]});
  CHECK(text.find(",notes,axis_state\n") != std::string::npos);
}

TEST_CASE("asked columns are CSV's in their order with all their fields") {
  Report report{test::summarize(test::sweep_samples(), {Samples::kClean})};
  report.columns = columns_named("point,ZeRO=zero,spread:1,Speed,strip,TP", report.rows);
  std::ostringstream out;
  format_named("csv").write(report, out);
  const std::string text = out.str();
  const auto lines = split(text, '\n');
  CHECK(lines.at(0) ==
        "point,ZeRO,spread,spread_low,spread_high,step_time_s,ci_low_s,ci_high_s,sd_s,tp");
  CHECK(lines.at(2).substr(0, 53) == "52b-tp4-pp16-dp1-mbs8-gas256-zero1,1,,,,435.266667,,,");
  CHECK(lines.at(3) == "52b-tp4-pp16-dp1-mbs16-gas256-zero2,2,,,,,,,,4");
}

TEST_CASE("columns that are only drawn are refused where programs read") {
  Report report{test::summarize(test::sweep_samples(), {Samples::kClean})};
  report.columns = columns_named("strip", report.rows);
  std::ostringstream out;
  for (const std::string format : {"csv", "json"}) {
    CHECK_THROWS_WITH(format_named(format).write(report, out),
                      "--columns: 'strip' is a drawing: csv and json have nothing of it");
  }
}

TEST_CASE("an unknown format is named with the near one") {
  CHECK_THROWS_WITH(
      format_named("cvs"),
      "unknown format 'cvs', did you mean 'csv'? (known: terminal, markdown, csv, json, html)");
}
