// SPDX-License-Identifier: Apache-2.0
#include "tests/calibration/campaigns.h"

#include <cmath>
#include <fmt/format.h>

namespace pippin::calibration {

namespace {

constexpr double kBaseMs = 1000;

Point point_of(std::size_t row) {
  Point point;
  point.trainer = "simulated";
  point.layout.mbs = static_cast<std::int64_t>(row) + 1;
  point.id = fmt::format("{:016x}", row + 1);
  point.name = fmt::format("row{}", row);
  return point;
}

/// The lines of a run, as far as a table asks for them.
RunDigest digest_of(double level, const Truth& truth, Random& random) {
  RunDigest digest;
  std::vector<double> times;
  double sum = 0;
  for (std::int64_t i = 0; i < truth.lines; ++i) {
    times.push_back(kBaseMs * std::exp(level + truth.iteration_sd * normal(random)));
    sum += times.back();
  }
  LineSummary& lines = digest.clean;
  lines.lines = truth.lines;
  lines.mean_ms = sum / static_cast<double>(truth.lines);
  double squares = 0;
  for (const double time : times) squares += (time - lines.mean_ms) * (time - lines.mean_ms);
  lines.sd_ms = std::sqrt(squares / static_cast<double>(truth.lines - 1));
  digest.all = lines;
  return digest;
}

RunSamples run_of(const std::string& allocation, double level, const Truth& truth, Random& random) {
  RunSamples run;
  run.run = allocation;
  run.allocation = allocation;
  run.digest = digest_of(level, truth, random);
  return run;
}

}  // namespace

std::vector<PointSamples> campaign(const Truth& truth, const std::string& name, Random& random) {
  std::vector<PointSamples> points(truth.rows);
  std::vector<double> shared;
  for (std::size_t a = 0; a < truth.allocations; ++a)
    shared.push_back(truth.allocation_sd * normal(random));
  for (std::size_t row = 0; row < truth.rows; ++row) {
    points[row].sweep = "simulated";
    points[row].point = point_of(row);
    const double moved = row < truth.row_shifts.size() ? truth.row_shifts[row] : 0;
    for (std::size_t a = 0; a < truth.allocations; ++a) {
      const double own = truth.own_jobs ? truth.allocation_sd * normal(random) : shared[a];
      const std::string job =
          truth.own_jobs ? fmt::format("{}-{}-{}", name, row, a) : fmt::format("{}-{}", name, a);
      for (std::size_t r = 0; r < truth.runs; ++r)
        points[row].runs.push_back(
            run_of(job, truth.shift + moved + own + truth.run_sd * normal(random), truth, random));
    }
  }
  return points;
}

}  // namespace pippin::calibration
