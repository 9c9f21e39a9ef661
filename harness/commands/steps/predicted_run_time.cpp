// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/predicted_run_time.h"

#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/steps/setup_of_point.h"
#include "sweeps/judge_points.h"
#include "sweeps/machines.h"

namespace pippin {

namespace {

constexpr double kStartS = 180;  ///< of launch, imports, NCCL's and the trainer's start
/// A run that takes longer is stopped: more than the bound, which one of 40 passes.
constexpr double kRoom = 1.2;

[[noreturn]] void cannot_predict(const Sweep& sweep, const std::string& why) {
  bad_input(
      "{}: run_time: predicted: {}; say a time, such as 10 min, or leave such points out (where:)",
      printable(sweep.file.string()), why);
}

Machine machine_of_sweep(const Sweep& sweep) {
  try {
    return machine_of(sweep.cluster.accelerator, rates_of(sweep.cluster).node_gb_per_s);
  } catch (const Error& error) {
    cannot_predict(sweep, error.what());
  }
}

double longest_s(const Sweep& sweep, const Point& point, const Machine& machine) {
  const SetupOfPoint read = setup_of_point(sweep, point);
  if (!read.setup) cannot_predict(sweep, printable(point.name) + ": " + read.why_not);
  if (!read.iterations)
    cannot_predict(sweep, printable(point.name) + ": its command has no --train-iters");
  const std::string why_not = why_no_time(*read.setup);
  if (!why_not.empty()) cannot_predict(sweep, printable(point.name) + ": " + why_not);
  const PointJudgement said =
      judge_setup(*read.setup, machine, std::nullopt, rates_of(sweep.cluster));
  return kStartS + kRoom * static_cast<double>(*read.iterations) * *said.step_s_high;
}

}  // namespace

void predict_run_time(Sweep& sweep) {
  if (!sweep.predicts_run_time) return;
  constexpr double kMinute = 60;
  const Machine machine = machine_of_sweep(sweep);
  double longest = 0;
  for (const Point& point : sweep.points) {
    const double seconds = longest_s(sweep, point, machine);
    if (seconds <= longest) continue;
    longest = seconds;
    sweep.run_time_of = point.name;
  }
  sweep.run_time_s = std::ceil(longest / kMinute) * kMinute;
}

}  // namespace pippin
