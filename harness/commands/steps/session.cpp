// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/host_list.h"
#include "core/base/mount.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/base/user.h"
#include "db/lock.h"
#include "harness/campaign/open_campaign.h"
#include "harness/campaign/start_times.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/sweep_folders.h"
#include "harness/scrape/probe_endings.h"
#include "sweeps/points_where.h"

namespace pippin {

namespace {

std::string now_utc() {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::now()));
}

/// A typo in a command would end every run of the sweep: bash reads it once before.
void check_command(const Sweep& sweep, const std::string& script) {
  if (sweep.trainer.command.empty()) return;
  const Outcome outcome = run_program({"bash", "-n", "-c", script});
  if (outcome.exit_code != 0) {
    bad_input("{}: bash does not understand the command: {}", sweep.file.string(),
              printable(trim(outcome.output)));
  }
}

/// Without what says nothing of how it launches. Where it lies may be said by another way there.
std::string as_compared(std::string script) {
  for (const char* line :
       {"\npippin_root=", "\npippin_give_up=", "\npippin_bad_node_after=", "\numask "}) {
    const auto from = script.find(line);
    if (from != std::string::npos) script.erase(from, script.find('\n', from + 1) - from);
  }
  return script;
}

/// Nothing where it is gone, or another user's own.
std::optional<std::string> text_if_allowed(const fs::path& path) {
  if (::access(path.c_str(), R_OK) != 0) return std::nullopt;
  return disk().read(path);
}

/// An empty text: none.
std::vector<std::string> nodes_in(const char* option, const std::string& list) {
  return trim(list).empty() ? std::vector<std::string>() : host_names_of(option, list);
}

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

/// Of the sweep's campaigns in the database: those of others may have come with a merge.
std::int64_t newest_number(const Globals& globals, const std::string& sweep) {
  return is_there(globals.db) ? existing_database(globals).newest_number(sweep) : 0;
}

/// The names of two sweeps may make the same folder: "a b" and "a-b-e932d71a".
void refuse_folder_of_other(const SweepFolders& folders, SweepFolder& folder,
                            const std::string& sweep) {
  const auto numbers = folder.campaigns();
  std::string owner = sweep;
  try {
    if (!numbers.empty()) owner = folders.load_plan(folder, numbers.back()).sweep;
  } catch (const Error&) {
    return;  // who opens the campaign says what is wrong with it
  }
  if (owner != sweep)
    bad_input(
        "{}: is the folder of sweep '{}', and that of '{}' would be the same; give it another name",
        folder.root().string(), printable(owner), printable(sweep));
}

/// Of a job that has ended this machine may have looked just before, and goes by that for so long:
/// at the folder, and then at what is in it.
std::int64_t how_late_files_may_be_s(const Mount& mount) {
  return std::max(kFilesLate_s, 2 * longest_kept_s(mount));
}

}  // namespace

void check_probe_is_built(const Sweep& sweep) {
  if (sweep.trainer.probe.empty()) return;
  const fs::path program = probes_directory() / (sweep.trainer.probe + "-cuda");
  for (const auto& point : sweep.points) {
    const Value* device = find_value(point.axes, "device");
    if (device && device->text == "cuda" && ::access(program.c_str(), X_OK) != 0)
      bad_input(
          "{}: device cuda: the probes were built without CUDA, there is no {}; {} ('pippin "
          "doctor' "
          "shows what they were built with)",
          sweep.file.string(), program.string(), how_to_get_probes(" --with cuda"));
  }
}

void check_probe_is_here(const Sweep& sweep) {
  if (sweep.trainer.probe.empty()) return;
  const fs::path program = probes_directory() / sweep.trainer.probe;
  if (::access(program.c_str(), X_OK) != 0)
    machine_failed("{}: its probe is not here, there is no {}; {}", sweep.file.string(),
                   program.string(), how_to_get_probes(""));
}

JobFiles files_of_submission(const Sweep& sweep, const PointIndex& points, const fs::path& root,
                             const Submission& submission, const std::vector<TaskPlan>& tasks,
                             std::int64_t give_up_after, std::int64_t bad_node_after) {
  std::vector<std::string> directives;
  if (sweep.cluster.scheduler != "local") {
    const PlannedJob& first = *tasks.front().job;
    directives = directives_of(
        sweep.cluster, {submission.name, first.nodes, ranks_per_node(tasks, points), first.time_s});
  }
  return submission_files(sweep, points, {root, probes_directory(), give_up_after, bad_node_after},
                          submission, tasks, std::move(directives));
}

MachineOptions own_surroundings(const fs::path& folder) {
  MachineOptions options;
  options.owner = own_user();
  options.host = host_name();
  options.process = std::to_string(::getpid());
  if (!db::on_network_file_system(folder / "any")) options.view = mount_of(folder).view;
  options.lost_rank_words = lost_rank_words;
  options.now = [] { return static_cast<std::int64_t>(std::time(nullptr)); };
  return options;
}

std::function<bool(const std::string& run)> stored_results(const Globals& globals,
                                                           const Campaign& campaign) {
  const auto known = std::make_shared<std::optional<RunNames>>();
  const CampaignName name{campaign.sweep, campaign.number};
  return [globals, name, started = campaign.started, known](const std::string& run) {
    if (!*known) {
      RunNames& good = known->emplace();
      if (is_there(globals.db)) {
        existing_database(globals).each_good_run(name, started,
                                                 [&](const std::string& one) { good.insert(one); });
      }
    }
    return (*known)->count(run) > 0;
  };
}

namespace {

JobFiles no_files(const Submission&, const std::vector<TaskPlan>&) { return {}; }

}  // namespace

CampaignMachine observer_of(const SweepFolder& folder, Campaign campaign, Scheduler& scheduler,
                            FileSystem& files) {
  return {folder, files, scheduler, std::move(campaign), no_files, own_surroundings(folder.root())};
}

CampaignMachine observer_of(const Globals& globals, const SweepFolder& folder, Campaign campaign,
                            Scheduler& scheduler) {
  MachineOptions options = own_surroundings(folder.root());
  options.is_stored = stored_results(globals, campaign);
  return {folder, disk(), scheduler, std::move(campaign), no_files, std::move(options)};
}

Session::Session(const Globals& globals, Sweep sweep, const SessionOptions& options)
    : sweep_(std::move(sweep)),
      folder_(disk(), SweepFolders(globals.db).path_of(sweep_.name)),
      scheduler_(
          scheduler_of(globals.db, sweep_.cluster.scheduler, sweep_.cluster.scheduler_options)),
      give_up_after_(options.give_up_after),
      bad_node_after_(options.bad_node_after) {
  check_probe_is_built(sweep_);
  check_probe_is_here(sweep_);
  const auto jobs = plan_jobs(sweep_, 1);
  check_command(sweep_, files_of_submission(sweep_, index_of(sweep_.points), folder_.root(), {},
                                            {{&jobs.front(), {jobs.front().runs.front()}}})
                            .script);
  disk().make_directory(folder_.root());
  lock_.emplace(folder_.root() / "lock");
  const SweepFolders folders(globals.db);
  if (folders.path_of(sweep_.name) != folder_.root())
    machine_failed("{}: was renamed just now; repeat the command", sweep_.file.string());
  refuse_folder_of_other(folders, folder_, sweep_.name);
  if (sweep_.cluster.scheduler != "local" && !sweep_.cluster.files_late_s)
    sweep_.cluster.files_late_s = how_late_files_may_be_s(mount_of(folder_.root()));
  starts_over_ = !options.again && folder_.campaigns().empty();
  campaign_ =
      open_campaign(folder_, sweep_, options.again, now_utc(), newest_number(globals, sweep_.name));
  campaign_.sweep = sweep_.name;  // its manifest may have the name the sweep had then
  if (campaign_.scheduler != sweep_.cluster.scheduler) {
    bad_input("{}: campaign {} was begun on '{}'; --again begins one on '{}'", sweep_.file.string(),
              campaign_.number, campaign_.scheduler, sweep_.cluster.scheduler);
  }
  choose_nodes(options);
  unsaved_ = campaign_;
  leave_out_what_is_set_aside(globals);
  points_ = index_of(campaign_.points);
  if (!options.only.empty()) only_ = points_where(sweep_.points, "--only", options.only);
  MachineOptions machine = own_surroundings(folder_.root());
  machine.retries = options.retries;
  machine.retry_failed = options.retry_failed;
  machine.max_in_flight = options.max_in_flight;
  machine.bad_node_after = options.bad_node_after;
  machine.excludes_anew = options.exclude.has_value();
  machine.wanted = [this](const PlannedRun& run) { return is_wanted(run); };
  machine.is_stored = stored_results(globals, campaign_);
  machine.begin = [start_times = StartTimes(options.spread, options.at, campaign_.started,
                                            sweep_.repeats.allocations)](const PlannedJob& job) {
    const auto begin = start_times.begin_of(job.allocation);
    return begin && *begin > std::time(nullptr) ? begin : std::nullopt;
  };
  machine_ = std::make_unique<CampaignMachine>(
      folder_, disk(), *scheduler_, campaign_,
      [this](const Submission& submission, const std::vector<TaskPlan>& tasks) {
        return files(submission, tasks);
      },
      machine);
}

/// The campaign keeps them, so that who goes on with it need not say them again.
void Session::choose_nodes(const SessionOptions& options) {
  if (!options.exclude && !options.nodelist) return;
  if (!scheduler_->excludes_nodes())
    bad_input("--exclude and --nodelist: only Slurm can be told which nodes to take, not '{}'",
              sweep_.cluster.scheduler);
  if (options.exclude) campaign_.exclude = nodes_in("--exclude", *options.exclude);
  if (options.nodelist) campaign_.nodelist = nodes_in("--nodelist", *options.nodelist);
  for (const auto& job : campaign_.jobs) {
    if (!campaign_.nodelist.empty() && job.nodes > std::ssize(campaign_.nodelist))
      bad_input("--nodelist: {} of its jobs needs {}", counted(campaign_.nodelist.size(), "node"),
                counted(static_cast<std::size_t>(job.nodes), "node"));
  }
}

void Session::begin() {
  if (unsaved_) folder_.save_campaign(*unsaved_);
  unsaved_.reset();
}

/// What a person has set aside is not measured again by itself.
void Session::leave_out_what_is_set_aside(const Globals& globals) {
  if (!is_there(globals.db)) return;
  const CampaignName name{campaign_.sweep, campaign_.number};
  const SetAside aside = existing_database(globals).set_aside(name);
  if (aside.campaign_reason) {
    bad_input(
        "{}: campaign {} of it is dropped ({}); 'pippin drop --undo {}' takes it back, --again "
        "begins another",
        sweep_.file.string(), campaign_.number, printable(*aside.campaign_reason),
        printable(text_of(name)));
  }
  if (aside.campaign_deleted)
    bad_input("{}: campaign {} of it was deleted from {}; --again begins another",
              sweep_.file.string(), campaign_.number, globals.db.string());
  for (auto& job : campaign_.jobs) {
    std::erase_if(job.runs, [&](const PlannedRun& run) { return aside.runs.count(run.name) > 0; });
  }
}

JobFiles Session::files(const Submission& submission, const std::vector<TaskPlan>& tasks) const {
  return files_of_submission(sweep_, points_, folder_.root(), submission, tasks, give_up_after_,
                             bad_node_after_);
}

/// Nothing where points have gone since.
std::optional<std::vector<TaskPlan>> Session::tasks_of(const Submission& submission) const {
  std::map<std::string, const PlannedJob*> jobs;
  for (const auto& job : campaign_.jobs) jobs[job.name] = &job;
  std::vector<TaskPlan> tasks;
  for (const auto& task : submission.tasks) {
    const auto job = jobs.find(task.job);
    if (job == jobs.end()) return std::nullopt;
    std::unordered_map<std::string_view, const PlannedRun*> runs;
    for (const auto& run : job->second->runs) runs.emplace(run.name, &run);
    TaskPlan plan{job->second, {}};
    for (const auto& name : task.runs) {
      const auto run = runs.find(name);
      if (run == runs.end()) return std::nullopt;
      plan.runs.push_back(*run->second);
    }
    tasks.push_back(std::move(plan));
  }
  return tasks;
}

/// The files as they would be written today; nothing where today's command has no words for its
/// points, which have other axes.
std::optional<JobFiles> Session::files_today(const Submission& submission) const {
  const auto tasks = tasks_of(submission);
  if (!tasks) return std::nullopt;
  try {
    return files(submission, *tasks);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Of what still waits, runs or counts.
std::optional<Session::Outdated> Session::outdated_script() {
  std::set<std::int64_t> counting;
  for (const TrackedRun& run : machine_->runs())
    if (run.fate.phase == RunPhase::kDone && !run.planned->left)
      counting.insert(run.fate.submission);
  for (const auto& state : machine_->submissions()) {
    if (state.over() && !counting.contains(state.submission.number)) continue;
    const auto today = files_today(state.submission);
    if (!today) continue;  // another may tell
    const fs::path script = folder_.script(state.submission);
    const auto then = text_if_allowed(script);
    if (!then) continue;
    const FolderOfThen folder(*then, today->script);
    std::string before = as_compared(folder.in_words_of_now(*then, today->script));
    std::string now = as_compared(today->script);
    for (std::size_t i = 0; before == now && i < today->tasks.size(); ++i) {
      now = today->tasks[i];
      before = folder.in_words_of_now(
          text_if_allowed(folder_.tasks_file(state.submission, i + 1)).value_or(now), now);
    }
    ScriptDifference difference = first_difference(before, now);
    if (difference.then.empty() && difference.now.empty()) return std::nullopt;  // comments at most
    return Outdated{script, std::move(difference)};
  }
  return std::nullopt;
}

}  // namespace pippin
