// SPDX-License-Identifier: Apache-2.0
#include "reports/summarize.h"

#include <cmath>

#include "reports/remarks.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

Summary summary_of(const PointSamples& samples, Samples which = Samples::kClean) {
  return test::summarize({samples}, {which}).at(0);
}

PointSamples with_runs(std::vector<RunSamples> runs) {
  PointSamples samples;
  samples.point = test::point_52b(4, 256);
  samples.runs = std::move(runs);
  return samples;
}

RunSamples ended(RunState state) {
  RunSamples run;
  run.state = state;
  return run;
}

double mean_of(const Summary& row) { return row.step_time_s.value().mean; }

bool has_remark(const Summary& row, const std::string& text) {
  for (const auto& remark : row.remarks) {
    if (remark.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a mean holds clean lines and each allocation once") {
  const auto rows = test::summarize(test::sweep_samples(), {Samples::kClean});
  REQUIRE(rows.size() == 3);
  CHECK(mean_of(rows[0]) == Approx((129.2 + 127.5 + 131.1) / 3));
  CHECK(rows[0].allocations == 3);
  CHECK(rows[0].runs == 3);
  CHECK(rows[0].iterations == 6);
  CHECK(rows[0].clean);
  CHECK(rows[0].step_time_s->low.value() < mean_of(rows[0]));
  CHECK(rows[0].state == RunState::kOk);
  CHECK(has_remark(rows[0], "oom in 1 of 4 runs"));
  CHECK(rows[1].step_time_s->remark == "one allocation");
  CHECK_FALSE(rows[1].step_time_s->low);
}

TEST_CASE("a point without any run is what its plan says") {
  const auto rows = test::summarize(test::sweep_samples(), {Samples::kClean});
  CHECK(rows[2].state == RunState::kInfeasible);
  CHECK(rows[2].reason == "needs 41.2 GiB of 32");
  CHECK_FALSE(rows[2].step_time_s);
  CHECK_FALSE(rows[2].memory_gib);
  CHECK(rows[2].remarks.empty());
  CHECK(summary_of(with_runs({})).state == RunState::kNotRun);
}

TEST_CASE("where no line is clean all lines count and the row is marked") {
  auto samples = with_runs({test::run_of("a", {9000, 1000, 1100})});
  for (auto& line : samples.runs[0].iterations) line.flags = kSkippedStep;
  const Summary row = summary_of(samples);
  CHECK(row.iterations == 3);
  CHECK_FALSE(row.clean);
  CHECK(mean_of(row) == Approx(3.7));
}

TEST_CASE("lines that are means count without the start-up, by the steps they stand for") {
  auto samples = with_runs({test::run_of("a", {9000, 1000, 1100, 1300})});
  auto& lines = samples.runs[0].iterations;
  lines[0].flags = kFirst;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    lines[i].flags = kIntervalMean;
    lines[i].interval = i == 1 ? 9 : 10;
  }
  const Summary row = summary_of(samples);
  CHECK(row.iterations == 3);
  CHECK(row.clean);
  CHECK(mean_of(row) == Approx((9 * 1.0 + 10 * 1.1 + 10 * 1.3) / 29));
  REQUIRE(row.step_time_s);
  CHECK_FALSE(row.step_time_s->sd);  // of means that says nothing of single steps
  CHECK(row.remarks == std::vector<std::string>{"its lines are means of several steps, which say "
                                                "nothing of how single ones spread"});
}

TEST_CASE("moving means and the time of a whole run say what they are") {
  auto samples = with_runs({test::run_of("a", {1000, 1100})});
  for (auto& line : samples.runs[0].iterations) line.flags = kMovingMean;
  CHECK(summary_of(samples).remarks.at(0).starts_with("its lines are moving means"));
  samples = with_runs({test::run_of("a", {1000})});
  samples.runs[0].iterations[0].flags = kWholeRun;
  samples.runs[0].iterations[0].interval = 500;
  const Summary row = summary_of(samples);
  CHECK(mean_of(row) == Approx(1));
  CHECK(row.remarks.at(0).starts_with("its time is that of whole runs"));
}

TEST_CASE("all samples are every line whatever the warm-up") {
  auto samples = test::sweep_samples().at(1);
  samples.warmup = 2;
  const Summary all = summary_of(samples, Samples::kAll);
  CHECK(all.iterations == 4);
  CHECK_FALSE(all.clean);
  CHECK(mean_of(all) == Approx((470 + 435.1 + 434.8 + 435.9) / 4));
  const Summary clean = summary_of(samples);
  CHECK(clean.iterations == 2);
  CHECK(mean_of(clean) == Approx((434.8 + 435.9) / 2));
}

TEST_CASE("a fixed warm-up counts iterations of the launch and not of the training") {
  auto samples = with_runs({test::run_of("a", {9000, 2000, 1000, 1100})});
  for (auto& line : samples.runs[0].iterations) line.number += 5000;
  samples.warmup = 2;
  CHECK(mean_of(summary_of(samples)) == Approx(1.05));
  samples.warmup = 0;
  CHECK(summary_of(samples).iterations == 3);  // the first is flagged all the same
}

TEST_CASE("a warm-up is found in each run and left out") {
  std::vector<double> times(40, 1000);
  for (std::size_t i = 0; i < 8; ++i) times[i] = 1500;
  const auto row = summary_of(
      with_runs({test::run_of("a", times), test::run_of("b", std::vector<double>(40, 1000))}));
  CHECK(mean_of(row) == Approx(1.0));
  CHECK(row.iterations == 32 + 39);
  CHECK(row.clean);
}

TEST_CASE("a slowdown stays in the mean and is said") {
  std::vector<double> times(60, 1000);
  for (std::size_t i = 35; i < times.size(); ++i) times[i] = 1100;
  const auto row = summary_of(with_runs({test::run_of("a", times)}));
  CHECK(row.iterations == 59);
  CHECK(row.slowdowns == 1);
  CHECK(row.unsteady == 0);
}

TEST_CASE("a run without a clean line among runs with some is left out and it is said") {
  auto samples = with_runs({test::run_of("a", {9000, 1000, 1100}), test::run_of("b", {9000})});
  for (auto& line : samples.runs[1].iterations) line.flags |= kIntervalMean;
  const auto row = summary_of(samples);
  CHECK(mean_of(row) == Approx(1.05));
  CHECK(row.allocations == 1);
  CHECK(row.runs == 1);
  CHECK(row.clean);
  CHECK(has_remark(row, "no clean line in 1 of 2 runs, which the mean leaves out"));
}

TEST_CASE("flagged lines are in no clean mean") {
  auto samples = with_runs({test::run_of("a", {9000, 1000, 5000, 1200, 7000, 8000})});
  auto& lines = samples.runs[0].iterations;
  lines[2].flags = kSkippedStep;
  lines[4].flags = kAfterSave;
  lines[5].flags = kAfterEvaluation;
  CHECK(mean_of(summary_of(samples)) == Approx(1.1));
}

TEST_CASE("runs of unequal length weigh by what they tell and a cut run counts") {
  auto samples = with_runs({test::run_of("a", {1, 1000, 1000, 1000, 1000}),
                            test::run_of("b", {1, 1100}), test::run_of("c", {1, 1200, 1200})});
  samples.runs[1].state = RunState::kTimeout;
  const auto row = summary_of(samples);
  CHECK(row.runs == 3);
  CHECK(mean_of(row) == Approx(1.1).epsilon(1e-6));
  CHECK(has_remark(row, "timeout in 1 of 3 runs"));
}

TEST_CASE("only lines of the final batch size count where it grows") {
  auto samples = with_runs({test::run_of("a", {900, 200, 500, 1000, 1020})});
  auto& lines = samples.runs[0].iterations;
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].gbs = i < 3 ? 256 : 512;
  const auto row = summary_of(samples);
  CHECK(mean_of(row) == Approx(1.01));
  CHECK(row.point.layout.gbs == 512);
  CHECK(row.samples_per_s.value() == Approx(512 / 1.01));
  CHECK(has_remark(row, "only lines of GBS 512"));
  CHECK(mean_of(summary_of(samples, Samples::kAll)) == Approx(1.01));
}

TEST_CASE("the batch size of the lines beats that of the plan") {
  auto samples = with_runs({test::run_of("a", {900, 1000})});
  for (auto& line : samples.runs[0].iterations) line.gbs = 8;
  CHECK(summary_of(samples).samples_per_s.value() == Approx(8.0));
}

TEST_CASE("teraflops follow the tables of the BigScience notes") {
  // meg_gpt2_perf: 52e9 parameters, sequence 1024, GBS 1024, 64 GPUs, 126.607 s, recomputed: 53.83.
  auto samples = with_runs({test::run_of("a", {150000, 126607})});
  CHECK(summary_of(samples).tflops.value() == Approx(53.83).margin(0.005));
  CHECK(summary_of(samples).flops_formula == "params");
  samples.runs[0].recompute = "none";
  CHECK(summary_of(samples).tflops.value() == Approx(53.83 * 3 / 4).margin(0.005));
  samples.point.model.params.reset();
  CHECK_FALSE(summary_of(samples).tflops);
  CHECK(summary_of(samples).flops_formula.empty());
}

TEST_CASE("runs with unlike recomputation share no teraflops") {
  auto samples = with_runs({test::run_of("a", {1, 2}), test::run_of("b", {1, 2})});
  samples.runs[0].recompute = "none";
  CHECK_FALSE(summary_of(samples).tflops);
  CHECK(has_remark(summary_of(samples), "recomputation"));
}

TEST_CASE("memory is the largest of all runs also of those that failed") {
  CHECK(test::summarize(test::sweep_samples(), {Samples::kClean})[0].memory_gib.value() ==
        Approx(31800.0 / 1024));
}

TEST_CASE("a point is ok where one run is and else the worst that is there") {
  const auto state = [](std::vector<RunSamples> runs) {
    return summary_of(with_runs(std::move(runs))).state;
  };
  CHECK(state({ended(RunState::kFailed), ended(RunState::kOk)}) == RunState::kOk);
  CHECK(state({ended(RunState::kTimeout), ended(RunState::kFailed), ended(RunState::kOom)}) ==
        RunState::kOom);
  CHECK(state({ended(RunState::kTimeout), ended(RunState::kFailed)}) == RunState::kFailed);
  CHECK(state({ended(RunState::kCancelled), ended(RunState::kTimeout)}) == RunState::kTimeout);
  CHECK(state({ended(RunState::kMissing), ended(RunState::kCancelled)}) == RunState::kCancelled);
}

TEST_CASE("a line without a time is no sample") {
  const auto row = summary_of(with_runs({test::run_of("a", {900, 0, 1000})}));
  CHECK(row.iterations == 1);
  CHECK(mean_of(row) == 1.0);
  CHECK_FALSE(summary_of(with_runs({test::run_of("a", {0})})).step_time_s);
}

TEST_CASE("by run each run is a row with its name, its start and why it failed") {
  auto samples = test::sweep_samples();
  samples[0].runs[0].started_at = 1'000;
  samples[0].runs[0].evidence = "iteration 3/ 3 | the last line";
  samples[0].runs[3].evidence = "CUDA out of memory";
  const auto rows = test::summarize(samples, {Samples::kClean, Rows::kRun});
  REQUIRE(rows.size() == 4 + 1 + 1);
  CHECK(rows[0].run == "run-a1");
  CHECK(rows[0].started_at == 1'000);
  CHECK(mean_of(rows[0]) == Approx(129.2));
  CHECK(rows[0].runs == 1);
  CHECK_FALSE(rows[0].step_time_s->low);
  CHECK(rows[0].reason.empty());
  CHECK(rows[0].remarks.empty());
  CHECK(rows[1].run == "run-a2");
  CHECK_FALSE(rows[1].started_at);
  CHECK(rows[3].run == "run-a4");
  CHECK(rows[3].state == RunState::kOom);
  CHECK(rows[3].reason == "CUDA out of memory");
  CHECK_FALSE(rows[3].step_time_s);
  CHECK(rows[3].memory_gib.value() == Approx(31800.0 / 1024));
  // A point without runs is a row of its own.
  CHECK(rows[5].run.empty());
  CHECK(rows[5].state == RunState::kInfeasible);
  CHECK(rows[5].reason == "needs 41.2 GiB of 32");
}

TEST_CASE("a row began when the first of its runs did") {
  auto samples =
      with_runs({test::run_of("a", {1, 2}), test::run_of("b", {1, 2}), test::run_of("c", {1, 2})});
  samples.runs[1].started_at = 2'000;
  samples.runs[2].started_at = 1'000;
  CHECK(summary_of(samples).started_at == 1'000);
}

TEST_CASE("a row has each note of its runs once and remembers what was said before") {
  auto samples = with_runs({test::run_of("a", {1, 2}), test::run_of("b", {1, 2}),
                            test::run_of("c", {1, 2}), test::run_of("d", {1, 2})});
  samples.runs[0].notes = {"first", "now"};
  samples.runs[1].notes = {"now"};
  samples.runs[2].notes = {"gone", ""};
  const Summary row = summary_of(samples);
  CHECK(row.notes == std::vector<std::string>{"now"});
  CHECK(row.past_notes == std::vector<std::string>{"first", "now", "now", "gone", ""});
}

TEST_CASE("the quarters and ends of a row's lines reach as far as those of any of its runs") {
  const auto all_of = [](const RunSamples& first, const RunSamples& second) {
    return summary_of(with_runs({first, second}), Samples::kAll).lines_s.value();
  };
  const auto low = test::run_of("a", {1000, 2000, 3000, 4000, 5000});
  const auto high = test::run_of("b", {6000, 7000, 8000, 9000, 10000});
  for (const auto& lines : {all_of(low, high), all_of(high, low)}) {
    CHECK(lines.min == Approx(1));
    CHECK(lines.p25 == Approx(2));
    CHECK(lines.p75 == Approx(9));
    CHECK(lines.max == Approx(10));
  }
}

TEST_CASE("the median of a row is the middle of its runs' and the 99th percentile the highest") {
  const auto lines = summary_of(with_runs({test::run_of("a", {1000, 2000, 3000}),
                                           test::run_of("b", {6000, 7000, 8000}),
                                           test::run_of("c", {3000, 4000, 5000})}),
                                Samples::kAll)
                         .lines_s.value();
  CHECK(lines.median == Approx(4));
  CHECK(lines.p99 == Approx(7.98));
}

TEST_CASE("a run that did 3 of 20 iterations and called it a success is remarked") {
  auto run = test::run_of("a", {1000, 1000, 1000});
  run.last_iteration = 3;
  run.planned_iterations = 20;
  const std::string early = kEndedEarly;
  CHECK(has_remark(summary_of(with_runs({run})), early + ": 3 of 20 iterations"));
  auto whole = run;
  whole.last_iteration = 20;
  CHECK(has_remark(summary_of(with_runs({whole, run})),
                   early + ": 1 of 2 runs, the first after 3 of 20 iterations"));
  CHECK_FALSE(has_remark(summary_of(with_runs({whole})), early));
  // Its state says why.
  auto cut = run;
  cut.state = RunState::kTimeout;
  CHECK_FALSE(has_remark(summary_of(with_runs({cut})), early));

  Summary a = test::row_52b("a", 1), b = test::row_52b("b", 1);
  a.remarks = {early + ": 3 of 20 iterations"};
  b.remarks = {early + ": 5 of 20 iterations"};
  CHECK(remarks_on(std::vector<Summary>{a, b}).back() ==
        early + ": a (3 of 20 iterations), b (5 of 20 iterations)");
}

TEST_CASE("a loss that is no number is remarked") {
  auto run = test::run_of("a", {1000, 1000, 1000});
  run.nan_from = 2;
  CHECK(has_remark(summary_of(with_runs({run})), "the loss is no number from iteration 2 on"));
  CHECK(has_remark(summary_of(with_runs({run, test::run_of("b", {1000})})),
                   "the loss is no number from iteration 2 on in 1 of 2 runs"));
}
