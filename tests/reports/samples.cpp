// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/samples.h"

namespace pippin::test {

namespace {

Point named(Point point) {
  point.id = point_id(point);
  point.name = point_name(point);
  return point;
}

PointSamples of_sweep(std::int64_t mbs, std::int64_t gas, double zero) {
  PointSamples samples;
  samples.sweep = "gpt-52b";
  samples.point = point_52b(mbs, gas);
  samples.point.axes = {{"zero", value_of(zero)}};
  samples.point = named(samples.point);
  return samples;
}

PointSamples foreign(std::int64_t gpus, std::int64_t pp, const std::string& recompute,
                     const std::vector<double>& step_times_ms) {
  PointSamples samples;
  samples.point.trainer = "megatron";
  samples.point.model.layers = 32;
  samples.point.model.hidden = 4096;
  samples.point.model.seq = 1024;
  samples.point.layout = {4, pp, 1, {}, 1, 4, gpus, 4};
  samples.point.axes = {{"fp16", value_of("True")}, {"recompute", value_of(recompute)}};
  // Named as a log is: by its layout, and by its id where others have the same.
  Point bare = samples.point;
  bare.axes.clear();
  samples.point = named(samples.point);
  samples.point.name = point_name(bare) + "-" + samples.point.id.substr(0, 4);
  RunSamples run = run_of("a.log", step_times_ms);
  std::int64_t number = 0;
  for (auto& line : run.iterations) {
    line.interval = 10;
    line.number = number += 10;
    line.flags |= kIntervalMean;
  }
  run.recompute = recompute;
  samples.runs = {run};
  return samples;
}

}  // namespace

Point point_52b(std::int64_t mbs, std::int64_t gas) {
  Point point;
  point.trainer = "training";
  point.model.size = "52B";
  point.model.layers = 64;
  point.model.hidden = 8192;
  point.model.seq = 1024;
  point.model.params = 52'000'000'000;
  point.layout = {4, 16, 1, {}, mbs, gas, 64, mbs * gas};
  return named(point);
}

std::vector<Iteration> lines_of(const std::vector<double>& step_times_ms) {
  std::vector<Iteration> lines;
  for (double time : step_times_ms) {
    Iteration line;
    line.number = static_cast<std::int64_t>(lines.size()) + 1;
    line.step_time_ms = time;
    line.flags = lines.empty() ? kFirst : 0u;
    lines.push_back(line);
  }
  return lines;
}

RunSamples run_of(const std::string& allocation, const std::vector<double>& step_times_ms) {
  RunSamples run;
  run.run = "run-" + allocation;
  run.allocation = allocation;
  run.day = "2024-05-26";
  run.recompute = "full";
  run.iterations = lines_of(step_times_ms);
  run.memory_mib = 24'000;
  return run;
}

Summary row_52b(const std::string& name, double seconds) {
  Summary row;
  row.sweep = "gpt-52b";
  row.point = point_52b(4, 256);
  row.point.name = name;
  row.state = RunState::kOk;
  row.step_time_s = Interval{seconds, {}, {}, {}, "iteration", "one allocation"};
  row.allocations = row.runs = row.iterations = 1;
  row.unit_means_s = {seconds};
  row.recompute = "full";
  return row;
}

std::vector<PointSamples> sweep_samples() {
  PointSamples repeated = of_sweep(4, 256, 1);
  repeated.runs = {run_of("a1", {150000, 129100, 129300}), run_of("a2", {150000, 127400, 127600}),
                   run_of("a3", {150000, 131200, 131000}), run_of("a4", {150000})};
  repeated.runs.back().state = RunState::kOom;
  repeated.runs.back().iterations.clear();
  repeated.runs.back().memory_mib = 31'800;
  PointSamples single = of_sweep(8, 256, 1);
  single.runs = {run_of("a1", {470000, 435100, 434800, 435900})};
  PointSamples infeasible = of_sweep(16, 256, 2);
  infeasible.planned = RunState::kInfeasible;
  infeasible.reason = "needs 41.2 GiB of 32";
  return {repeated, single, infeasible};
}

std::vector<PointSamples> foreign_samples() {
  return {foreign(16, 4, "full", {2152.2, 1354.9, 1376.1, 1379.8}),
          foreign(16, 4, "none", {1837.9, 1211.1, 1267.3, 1270.8}),
          foreign(64, 16, "none", {5837.9, 2711.1, 2767.3, 2770.8})};
}

Sweep planned_sweep() {
  Sweep sweep;
  sweep.name = "gpt-52b";
  sweep.cluster.name = "jean-zay-v100-32g";
  sweep.cluster.gpus_per_node = 4;
  sweep.cluster.scheduler_options = {{"time", value_of("00:20:00")}};
  sweep.repeats = {3, 1};
  sweep.own_axes = {"zero"};
  for (const auto& samples : sweep_samples()) sweep.points.push_back(samples.point);
  const std::string clause = "where: mbs*gas*dp >= 512";
  sweep.dropped = {{point_52b(1, 128), clause}, {point_52b(2, 128), clause}};
  sweep.dropped.push_back({sweep.points.back(), "41.2 GiB of 32"});
  sweep.points.pop_back();
  return sweep;
}

std::vector<PlannedJob> planned_jobs() {
  std::vector<PlannedJob> jobs;
  const Sweep sweep = planned_sweep();
  for (std::int64_t allocation = 1; allocation <= 3; ++allocation) {
    PlannedJob job{"gpt-52b-a" + std::to_string(allocation) + "-n16", allocation, 16, {}};
    for (const auto& point : sweep.points) {
      const auto position = static_cast<std::int64_t>(job.runs.size()) + 1;
      job.runs.push_back({point.name + "-a" + std::to_string(allocation), point.id, 1, position});
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::vector<Summary> summarize(const std::vector<PointSamples>& points, const Summing& summing,
                               const Rating& rating) {
  auto rows = sum_up(points, summing);
  for (auto& row : rows) rate(row, rating);
  return rows;
}

}  // namespace pippin::test
