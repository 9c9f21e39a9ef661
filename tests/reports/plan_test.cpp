// SPDX-License-Identifier: Apache-2.0
#include "reports/plan.h"

#include <sstream>

#include "core/base/text.h"
#include "tests/reports/golden.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

std::string text_of(const std::string& format, const Sweep& sweep,
                    const std::vector<PlannedJob>& jobs) {
  std::ostringstream out;
  plan_format_named(format).write({sweep, jobs, 100, {{16, 2}}}, out);
  return out.str();
}

}  // namespace

TEST_CASE("plans are as committed in every format") {
  const Sweep sweep = test::planned_sweep();
  const auto jobs = test::planned_jobs();
  CHECK(text_of("terminal", sweep, jobs) == test::golden("plan.txt"));
  CHECK(text_of("csv", sweep, jobs) == test::golden("plan.csv.txt"));
  CHECK(text_of("json", sweep, jobs) == test::golden("plan.json.txt"));
}

TEST_CASE("a plan lists twenty reasons why points are dropped, and counts the others") {
  Sweep sweep = test::planned_sweep();
  const auto jobs = test::planned_jobs();
  const DroppedPoint one = sweep.dropped.back();
  const auto listed_of = [&](int count) {
    sweep.dropped.clear();
    for (int i = 0; i < count; ++i) {
      sweep.dropped.push_back(one);
      sweep.dropped.back().reason = "memory: " + std::to_string(100 + i) + " GiB of 32";
    }
    return text_of("terminal", sweep, jobs);
  };
  CHECK_THAT(listed_of(20), Catch::Contains("memory: 119 GiB") && !Catch::Contains(" more, for"));
  const std::string many = listed_of(1754);
  CHECK_THAT(many, Catch::Contains("1754 points dropped:\n") &&
                       Catch::Contains("memory: 118 GiB") && !Catch::Contains("119 GiB"));
  CHECK_THAT(many, Catch::Contains(
                       "  1735 points more, for 1735 other reasons (--format json has all)\n"));
}

TEST_CASE("a plan shows CP where a point has more than one") {
  Sweep sweep = test::planned_sweep();
  const auto jobs = test::planned_jobs();
  sweep.points.back().layout.cp = 1;
  CHECK_THAT(text_of("terminal", sweep, jobs), !Catch::Contains("CP"));
  sweep.points.back().layout.cp = 2;
  CHECK_THAT(text_of("terminal", sweep, jobs), Catch::Contains("  CP"));
  CHECK_THAT(text_of("json", sweep, jobs), Catch::Contains("\"cp\": 2"));
  CHECK_THAT(text_of("csv", sweep, jobs), Catch::Contains(",gbs,cp"));
}

TEST_CASE("GPU-hours are unknown without a time limit") {
  Sweep sweep = test::planned_sweep();
  const auto jobs = test::planned_jobs();
  CHECK(most_gpu_hours({sweep, jobs}) == Approx(3 * 64 / 3.0));
  sweep.cluster.scheduler_options.clear();
  CHECK_FALSE(most_gpu_hours({sweep, jobs}));
  CHECK(text_of("terminal", sweep, jobs).find("GPU-hours: unknown") != std::string::npos);
}

TEST_CASE("GPU-hours follow the times that jobs ask for") {
  const Sweep sweep = test::planned_sweep();
  auto jobs = test::planned_jobs();
  jobs[0].time_s = 600;
  CHECK(most_gpu_hours({sweep, jobs}) == Approx(64 / 6.0 + 2 * 64 / 3.0));
  CHECK_THAT(text_of("terminal", sweep, jobs), Catch::Contains("53.3, up to 20 min a job\n"));
  jobs[1].time_s = jobs[2].time_s = 600;
  CHECK_THAT(text_of("terminal", sweep, jobs), Catch::Contains("32.0, 10 min a job\n"));
}

TEST_CASE("a plan says how its runs are packed and why") {
  Sweep sweep = test::planned_sweep();
  const auto jobs = test::planned_jobs();
  sweep.run_time_s = 300;
  const auto text_with = [&](std::vector<Packing> packing) {
    std::ostringstream out;
    write_plan_terminal({sweep, jobs, 0, std::move(packing)}, out);
    return out.str();
  };
  const Packing whole{16, 2}, split{32, 12, Pack::kBlock, 6, 2, sweep.points[1].id};
  CHECK_THAT(text_with({whole}),
             Catch::Contains("\npack: block; a job measures all points of a node count\n"));
  const std::string why =
      "pack: block; 12 runs of 5 min do not fit 20 min: 6 incomplete blocks per allocation, "
      "reference 52b-tp4-pp16-dp1-mbs8-gas256-zero1";
  CHECK_THAT(text_with({split}), Catch::Contains("\n" + why + "\n"));
  CHECK_THAT(text_with({whole, split}),
             Catch::Contains("of a node count (nodes: 16)\n" + why + " (nodes: 32)\n"));
  CHECK_THAT(text_with({{16, 2, Pack::kPoint}}),
             Catch::Contains(
                 "\npack: point; 2 runs of 5 min do not fit 20 min: a job measures one point\n"));
  sweep.pack = Pack::kPoint;
  CHECK_THAT(text_with({{16, 2, Pack::kPoint}}),
             Catch::Contains("\npack: point; a job measures one point\n"));
  Packing other = split;
  other.reference = sweep.points[0].id;
  CHECK_THAT(text_with({other}), Catch::Contains("reference " + sweep.points[0].name + "\n"));
  other.reference = "0123456789abcdef";
  CHECK_THAT(text_with({other}), Catch::Contains("reference 0123456789abcdef\n"));
}

TEST_CASE("of the orders five jobs and thirty runs each are shown, and how many more there are") {
  const Sweep sweep = test::planned_sweep();
  const auto text_with = [&](std::size_t jobs, std::size_t runs) {
    PlannedJob job{"job", 1, 16, {}, {}};
    job.runs.assign(runs, {"r", sweep.points[1].id, 1, 1});
    std::ostringstream out;
    write_plan_terminal({sweep, std::vector<PlannedJob>(jobs, job), 0, {{16, 2}}}, out);
    return out.str();
  };
  const auto line_of = [](std::size_t runs, const std::string& rest) {
    std::string line = "  job:";
    for (std::size_t i = 0; i < runs; ++i) line += " 2";
    return line + rest + "\n";
  };
  CHECK_THAT(text_with(5, 30), Catch::EndsWith(line_of(30, "")));
  CHECK_THAT(text_with(6, 31),
             Catch::EndsWith(line_of(30, " and 1 more") + "  and 1 job more (json has all)\n"));
}

TEST_CASE("a job on nodes of any size holds as many GPUs as its largest point") {
  Sweep sweep = test::planned_sweep();
  sweep.cluster.gpus_per_node = 0;
  sweep.points[1].layout.gpus = 128;
  const auto jobs = test::planned_jobs();
  CHECK(gpus_of_jobs({sweep, jobs}) == std::vector<Count>(3, Count(128)));
}

TEST_CASE("a plan of nothing but dropped points still renders") {
  Sweep sweep = test::planned_sweep();
  sweep.points.clear();
  const std::string text = text_of("terminal", sweep, {});
  CHECK(text.find("0 points") != std::string::npos);
  CHECK(text.find("3 points dropped") != std::string::npos);
  CHECK(split(text_of("csv", sweep, {}), '\n').size() == 5);
}

TEST_CASE("bytes that are no UTF-8 do not break JSON") {
  Sweep sweep = test::planned_sweep();
  sweep.points[0].name = "\xff";
  CHECK(text_of("json", sweep, {}).find("\xEF\xBF\xBD") != std::string::npos);
}
