#include <fmt/format.h>
#include <iostream>
#include <set>
#include <sstream>

#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/collect_files.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/record.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

namespace {

bool is_inside(const fs::path& path, const fs::path& folder) {
  const fs::path relative =
      fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(folder));
  return !relative.empty() && *relative.begin() != "..";
}

/// Files of our own runs that a person named: what was deleted of them may come back.
class NamedFiles {
 public:
  NamedFiles(const std::vector<fs::path>& paths, const fs::path& runs) {
    std::error_code none;
    for (const auto& path : paths) {
      if (!fs::is_regular_file(path, none) || !is_inside(path, runs)) continue;
      const fs::path inside =
          fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(runs));
      auto part = inside.begin();
      const fs::path sweep = *part++;
      if (part != inside.end()) names_.insert(sweep / *part);
    }
  }

  void forgive(Database& database, const SweepFolder& folder, const Campaign& campaign) const {
    if (names_.empty()) return;
    const CampaignName name{campaign.sweep, campaign.number};
    const fs::path sweep = folder.root().filename();
    if (names_.count(sweep / fmt::format("campaign-{}.json", campaign.number)))
      database.forgive(name, "");
    for (const auto& job : campaign.jobs) {
      for (const auto& run : job.runs) {
        if (!names_.count(sweep / run.name)) continue;
        database.forgive(name, run.name);
        database.forgive(name, "");  // a campaign that was deleted whole comes back whole
      }
    }
  }

 private:
  std::set<fs::path> names_;  ///< "SWEEP/RUN", "SWEEP/campaign-2.json"
};

/// Reads what the campaign's runs have left; the scheduler says how those ended that left nothing.
Added collect_campaign(const Globals& globals, Database& database, SweepFolder& folder,
                       const Campaign& campaign, const NamedFiles& named) {
  named.forgive(database, folder, campaign);
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
Added collect_own_runs(const Globals& globals, Database& database, const NamedFiles& named) {
  Added sum;
  const SweepFolders folders(globals.db);
  for (const auto& path : folders.all()) {
    SweepFolder folder(disk(), path);
    for (const std::int64_t number : folder.campaigns()) {
      const Added added =
          collect_campaign(globals, database, folder, folders.load(folder, number), named);
      sum.runs += added.runs;
      sum.iterations += added.iterations;
    }
  }
  return sum;
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
    const Added added =
        collect_own_runs(globals, database, NamedFiles(options.paths, runs_directory(globals.db)));
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
