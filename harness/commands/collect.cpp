#include <fmt/format.h>
#include <iostream>
#include <sstream>

#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/collect_files.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/record.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"

namespace pippin {

namespace {

/// Reads what the campaign's runs have left; the scheduler says how those ended that left nothing.
Added collect_campaign(const Globals& globals, Database& database, SweepFolder& folder,
                       const Campaign& campaign) {
  record_campaign(database, campaign);
  const auto scheduler = scheduler_of(globals.db, campaign.scheduler);
  CampaignMachine machine = observer_of(folder, campaign, *scheduler);
  machine.observe();
  Recorder recorder(database, folder, campaign);
  Added sum;
  for (const auto& job : campaign.jobs) {
    for (const auto& run : job.runs) {
      const Added added = recorder.record(job, run, machine.fate(run.name)).added;
      sum.runs += added.runs;
      sum.iterations += added.iterations;
    }
  }
  return sum;
}

/// Reads every campaign whose files lie beside the database.
Added collect_own_runs(const Globals& globals, Database& database) {
  Added sum;
  for (const auto& name : disk().list(runs_directory(globals.db))) {
    SweepFolder folder(disk(), runs_directory(globals.db) / name);
    for (const std::int64_t number : folder.campaigns()) {
      const Added added = collect_campaign(globals, database, folder, folder.load_campaign(number));
      sum.runs += added.runs;
      sum.iterations += added.iterations;
    }
  }
  return sum;
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path relative =
      fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(folder));
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

ExitCode collect(const Globals& globals, const CollectOptions& options) {
  Database database(globals.db);
  std::vector<fs::path> foreign;
  for (const auto& path : options.paths) {
    if (!is_inside(path, runs_directory(globals.db))) foreign.push_back(path);
  }
  // A log of our own is a run of its campaign, however it is named.
  if (foreign.size() < options.paths.size() || options.paths.empty()) {
    const Added added = collect_own_runs(globals, database);
    remark(globals, fmt::format("{}: {} runs, {} iterations added",
                                runs_directory(globals.db).string(), added.runs, added.iterations));
  }
  std::ostringstream remarks;
  ExitCode code = ExitCode::kDone;
  if (!foreign.empty()) code = collect_paths(database, foreign, std::cerr, remarks);
  keep_sums(globals, database);
  if (!remarks.str().empty()) remark(globals, std::string(trim(remarks.str())));
  return code;
}

}  // namespace pippin
