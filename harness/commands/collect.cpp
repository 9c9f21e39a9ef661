// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <functional>
#include <iostream>
#include <malloc.h>
#include <optional>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "core/base/input_file.h"
#include "core/base/packed_files.h"
#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/collect_files.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/explain_logs.h"
#include "harness/commands/steps/follow.h"
#include "harness/commands/steps/known_runs.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/record.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/run_batch.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

namespace {

bool is_inside(const fs::path& path, const fs::path& folder) {
  if (is_read_once(path)) return false;  // a pipe lies nowhere
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
      const bool is_file = fs::is_regular_file(path, none) || open_packed(fs::absolute(path));
      if (!is_file || !is_inside(path, runs)) continue;
      const fs::path inside =
          fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(runs));
      auto part = inside.begin();
      const fs::path sweep = *part++;
      if (part != inside.end()) names_.insert(sweep / *part);
    }
  }

  bool any() const { return !names_.empty(); }

  void forgive(Database& database, const SweepFolder& folder, const Campaign& campaign) const {
    if (!any()) return;
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

/// What is written is not read again; a long log needs the memory.
constexpr std::int64_t kCacheKib = 8'192;

/// What came of the runs of our own campaigns.
struct OwnRuns {
  Added added;
  std::vector<std::string> troubles;  ///< of RunBatch
};

/// Reads what the campaign's runs have left; the scheduler says how those ended that left nothing.
/// `file`: the campaign's, to be known again by.
void collect_campaign(const Globals& globals, Database& database, SweepFolder& folder,
                      const Campaign& campaign, std::optional<ReadFile> file,
                      const KnownRuns* known, OwnRuns& own) {
  record_campaign(database, campaign);
  const auto scheduler = scheduler_of(globals.db, campaign.scheduler);
  CampaignMachine machine = observer_of(globals, folder, campaign, *scheduler);
  machine.observe();
  Recorder recorder(folder, campaign);
  RunBatch batch(database, recorder);
  const std::int64_t version = reading_version(campaign);
  bool all = true;  // are recorded, and can be known again
  for (const auto& job : campaign.jobs) {
    for (const auto& run : job.runs) {
      if (known && known->has(run.name, version)) continue;
      if (machine.fate(run.name).stored) continue;  // and its files are gone
      all = batch.add(job, run, machine.fate(run.name)).can_be_known_again && all;
    }
  }
  batch.store();
  if (all && file && batch.troubles().empty()) batch.store({*std::move(file)});
  own.added.runs += batch.added().runs;
  own.added.iterations += batch.added().iterations;
  own.troubles.insert(own.troubles.end(), batch.troubles().begin(), batch.troubles().end());
}

/// Reads every campaign whose files lie beside the database.
OwnRuns collect_own_runs(const Globals& globals, Database& database, const NamedFiles& named) {
  OwnRuns own;
  const SweepFolders folders(globals.db);
  folders.tell_closed(globals);
  for (const auto& path : folders.all()) {
    SweepFolder folder(disk(), path);
    std::optional<KnownRuns> known;
    if (!named.any()) known.emplace(database, folder);
    if (known && known->all()) continue;
    for (const std::int64_t number : folder.campaigns()) {
      auto file = file_as_it_is(folder.campaign_file(number));  // it may change behind this
      const Campaign campaign = folders.load(folder, number);
      named.forgive(database, folder, campaign);
      collect_campaign(globals, database, folder, campaign, std::move(file),
                       known ? &*known : nullptr, own);
    }
  }
  return own;
}

std::string own_text(const Globals& globals, const Added& added) {
  return fmt::format("{}: {}, {} added", runs_directory(globals.db).string(),
                     counted(added.runs, "run"), counted(added.iterations, "iteration"));
}

void say(const Globals& globals, const PathCollector::Found& found) {
  for (const auto& line : found.remarks) remark(globals, line);
  if (!found.summary.empty()) remark(globals, found.summary);
}

/// "-" is standard input, as everywhere.
std::vector<fs::path> paths_named(const CollectOptions& options) {
  std::vector<fs::path> paths;
  paths.reserve(options.paths.size());
  for (const auto& path : options.paths)
    paths.push_back(file_behind(path == "-" ? fs::path("/dev/stdin") : path));
  return paths;
}

/// Collects again and again what comes, until the user interrupts it; returns the last code.
ExitCode collect_on(const Globals& globals, PathCollector* logs,
                    const std::function<Added()>& collect_own) {
  constexpr double kShortest_s = 1, kLongest_s = 10;
  const Interruptible interruptible;
  remark(globals, "following; Ctrl-C ends it");
  PollPace pace(kShortest_s, kLongest_s);
  ExitCode code = ExitCode::kDone;
  while (!Interruptible::interrupted()) {
    PathCollector::Found found;
    if (logs) found = logs->read_on();
    code = found.code;
    const Added own = collect_own();
    const bool own_news = own.runs + own.iterations > 0;
    if (own_news) remark(globals, own_text(globals, own));
    say(globals, found);
    own_news || !found.summary.empty() ? pace.changed() : pace.unchanged();
    Interruptible::pause(pace.seconds());
  }
  return code;
}

}  // namespace

ExitCode collect(const Globals& globals, const CollectOptions& options) {
  ToldValues told(options.set, options.from_name, options.scrape);
  if (options.explain) {
    const ExitCode code = explain_logs(paths_named(options), told, output());
    end_output();
    return code;
  }
  OpenDatabase how;
  how.cache_kib = kCacheKib;
  Database database(globals.db, how);
  database.sum_up_by(digester());
  const std::int64_t before = database.changes();
  const fs::path runs = runs_directory(globals.db);
  const std::vector<fs::path> paths = paths_named(options);
  std::vector<fs::path> foreign;
  for (const auto& path : paths) {
    if (!is_inside(path, runs)) foreign.push_back(path);
  }
  // A log of our own is a run of its campaign, however it is named.
  const bool has_own = foreign.size() < paths.size() || paths.empty();
  std::vector<std::string> troubles;  // of the last look
  const auto collect_own = [&] {
    if (!has_own) return Added();
    OwnRuns own = collect_own_runs(globals, database, NamedFiles(paths, runs));
    troubles = std::move(own.troubles);
    return own.added;
  };
  if (has_own) remark(globals, own_text(globals, collect_own()));
  std::optional<PathCollector> logs;
  PathCollector::Found found;
  if (!foreign.empty()) {
    logs.emplace(database, foreign, runs, std::cerr, options.verbose, std::move(told),
                 RankNames(options.ranks));
    found = logs->read(globals.quiet ? 0 : terminal_width(STDERR_FILENO));
  }
  if (options.follow) {
    say(globals, found);
    found = {collect_on(globals, logs ? &*logs : nullptr, collect_own), {}, {}};
  }
  if (database.changes() > before) {
    malloc_trim(0);  // what a long log took; its sums want as much again
    keep_sums(globals, database);
  }
  say(globals, found);
  fail_for_troubles(troubles);
  return found.code;
}

}  // namespace pippin
