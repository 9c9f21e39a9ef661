// SPDX-License-Identifier: Apache-2.0
#include "reports/plan.h"

#include <algorithm>
#include <sstream>
#include <unistd.h>

#include "core/base/text.h"
#include "harness/campaign/open_campaign.h"
#include "harness/campaign/packing.h"
#include "harness/commands/commands.h"
#include "harness/commands/plan_max_model.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/session.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

namespace {

/// The script of the first job that runs the point, with that point alone in it.
std::string script_of_point(const Globals& globals, const Sweep& sweep,
                            const std::vector<PlannedJob>& jobs, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& point : sweep.points) names.push_back(point.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    bad_input("{}: no point is named '{}'{}", sweep.file.string(), printable(name),
              did_you_mean(name, names));
  const std::string& id = sweep.points[static_cast<std::size_t>(found - names.begin())].id;
  for (const auto& job : jobs) {
    Submission first;
    first.name = job.name + "-s1";
    for (const auto& run : job.runs) {
      if (run.point_id == id)
        return files_of_submission(sweep, index_of(sweep.points),
                                   SweepFolders(globals.db).path_of(sweep.name), first,
                                   {{&job, {run}}})
            .script;
    }
  }
  machine_failed("{}: point '{}' is in no job", sweep.file.string(), name);
}

}  // namespace

ExitCode plan(const Globals& globals, const PlanOptions& options) {
  if (options.max_model) return plan_max_model(globals, options);
  const PlanFormat& format = plan_format_named(options.format);
  const Sweep sweep = load_sweep(globals, options.sweep);
  if (options.print_yaml) {
    write_output(sweep_text(options.sweep.words));
    return ExitCode::kDone;
  }
  check_probe_is_built(sweep);
  std::vector<PlannedJob> jobs;
  if (format.shows_jobs || !options.script.empty()) jobs = plan_jobs(sweep, 1);
  if (!options.script.empty()) {
    write_output(script_of_point(globals, sweep, jobs, options.script));
    return ExitCode::kDone;
  }
  const Plan whole{sweep, jobs, terminal_width(STDOUT_FILENO), packings_of(sweep)};
  if (options.format == "terminal") {
    std::ostringstream text;
    format.write(whole, text);
    write_text(text.str());
  } else {
    format.write(whole, output());
    end_output();
  }
  return ExitCode::kDone;
}

}  // namespace pippin
