// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/plan_max_model.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/steps/print_table.h"
#include "harness/commands/steps/setup_of_point.h"
#include "reports/estimate.h"
#include "sweeps/judge_points.h"
#include "sweeps/max_model.h"

namespace pippin {

ExitCode plan_max_model(const Globals& globals, const PlanOptions& options) {
  if (options.print_yaml || !options.script.empty())
    bad_input("plan: --max-model prints nothing else");
  flat_format_named(options.format);  // before anything is read
  SweepSource source = options.sweep;
  source.is_judged_later = true;
  const Sweep sweep = load_sweep(globals, source);
  const Accelerator& accelerator = sweep.cluster.accelerator;
  if (!accelerator.memory_gib)
    bad_input("{}: --max-model: the memory of accelerator {} is not known",
              printable(sweep.file.string()), printable(accelerator.name));
  std::vector<MaxModel> all;
  for (const Point& point : sweep.points) {
    const SetupOfPoint read = setup_of_point(sweep, point);
    if (!read.setup) {
      all.push_back({point.name, {}, {}, {}, read.why_not});
      continue;
    }
    const double usable = usable_bytes(read.setup->generation, *accelerator.memory_gib);
    all.push_back(max_model(point.name, *read.setup, usable));
  }
  print_table(max_models_table(all), options.format);
  return ExitCode::kDone;
}

}  // namespace pippin
