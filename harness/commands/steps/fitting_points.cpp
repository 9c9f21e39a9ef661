// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/fitting_points.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/steps/setup_of_point.h"
#include "sweeps/judge_points.h"

namespace pippin {

namespace {

/// Empty where it may fit.
std::string why_not(const Sweep& sweep, const Point& point) {
  const auto setup = setup_of_point(sweep, point, VocabularyUnsaid::kLeast).setup;
  if (!setup) return "";
  const auto said = judge_setup(*setup, {}, sweep.cluster.accelerator.memory_gib);
  return said.fits == false ? "memory: " + said.why : "";
}

bool may_be_megatron(const Sweep& sweep) {
  return !sweep.trainer.command.empty() && has_setups(sweep) && sweep.cluster.gpus_per_node > 0 &&
         sweep.cluster.accelerator.memory_gib.has_value();
}

/// Errors: Error (bad input) where all were dropped, or the one that each incomplete block
/// measures.
void check_what_remains(const Sweep& sweep, const std::vector<Point>& fitting,
                        const std::vector<DroppedPoint>& unfit) {
  if (fitting.empty())
    bad_input("{}: no point fits; of {} the first is dropped by '{}'; --keep-infeasible keeps them",
              printable(sweep.file.string()), unfit.size(), unfit.front().reason);
  for (const DroppedPoint& one : unfit) {
    if (one.point.id == sweep.reference)
      bad_input("{}: reference: {} is dropped by '{}'; choose another, or --keep-infeasible",
                printable(sweep.file.string()), printable(one.point.name), one.reason);
  }
}

}  // namespace

void drop_what_does_not_fit(Sweep& sweep) {
  if (!may_be_megatron(sweep)) return;
  std::vector<Point> fitting;
  std::vector<DroppedPoint> unfit;
  for (const Point& point : sweep.points) {
    std::string reason = why_not(sweep, point);
    if (reason.empty())
      fitting.push_back(point);
    else
      unfit.push_back({point, std::move(reason)});
  }
  check_what_remains(sweep, fitting, unfit);
  sweep.points = std::move(fitting);
  sweep.dropped.insert(sweep.dropped.end(), unfit.begin(), unfit.end());
}

}  // namespace pippin
