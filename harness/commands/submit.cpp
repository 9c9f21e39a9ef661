// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/base/text.h"
#include "core/jobs/quoting.h"
#include "db/database.h"
#include "harness/campaign/open_campaign.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/bad_node_words.h"
#include "harness/commands/steps/before_submitting.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/first_launch.h"
#include "harness/commands/steps/follow.h"
#include "harness/commands/steps/record.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"
#include "harness/commands/steps/sweep_folders.h"
#include "reports/values.h"
#include "slurm/slurm.h"

namespace pippin {

namespace {

/// What a submission of this step brought: the ids of what it handed over.
std::vector<const Submission*> handed_since(const CampaignMachine& machine, std::size_t before) {
  std::vector<const Submission*> handed;
  for (std::size_t i = before; i < machine.submissions().size(); ++i) {
    const Submission& one = machine.submissions()[i].submission;
    if (one.handed) handed.push_back(&one);
  }
  return handed;
}

/// Of a cluster's options those without which a job of one task is refused, or runs elsewhere.
NamedValues least_options(const NamedValues& options) {
  NamedValues least;
  for (const auto& option : options) {
    for (const char* name : {"account", "partition", "qos", "reservation", "constraint", "time",
                             "A", "q", "P", "walltime", "filesystems"})
      if (option.first == name) least.push_back(option);
  }
  return least;
}

/// A job of one task that runs the user's command once all others have ended.
void submit_notifier(const Globals& globals, Session& session, const std::string& command) {
  Submission last;
  last.number = session.folder().newest_submission();
  last.name = fmt::format("notify-{}", last.number);
  std::string text = "#!/usr/bin/env bash\n";
  Cluster cluster = session.sweep().cluster;
  cluster.scheduler_options = least_options(cluster.scheduler_options);
  for (const auto& line : directives_of(cluster, {last.name, 1, 1})) text += line + "\n";
  text +=
      fmt::format("export PIPPIN_EVENT=ended PIPPIN_SWEEP={}\n", bash_word(session.sweep().name));
  text += fmt::format(
      "over=$(cat {0}/* 2>/dev/null | cut -f 1 | sort -u | wc -l)\n"
      "ok=$(cat {0}/* 2>/dev/null | sed -n 's/\tok$//p' | sort -u | wc -l)\n"
      "export PIPPIN_MESSAGE=\"$PIPPIN_SWEEP: its jobs have ended; $ok runs ok, "
      "$((over - ok)) failed\"\n",
      bash_word((session.folder().root() / "outcomes").string()));
  const fs::path file = session.folder().root() / "jobs" / last.name / "job.sh";
  disk().write(file, text + command + "\n");
  JobRequest request;
  request.token = fmt::format("{}-{}", file_name_of(session.sweep().name), last.name);
  request.script = file;
  request.log = file.parent_path() / "job.log";
  request.after = session.machine().open_jobs();
  const Handed handed = session.scheduler().submit(request);
  if (handed.answer != Handed::Answer::kTaken)
    remark(globals, fmt::format("--notify: its job was not submitted: {}; 'pippin status --watch "
                                "--notify' can tell instead",
                                printable(handed.words)));
}

/// Runs in jobs that were cancelled, and that the scheduler still has.
std::int64_t runs_being_cancelled(const CampaignMachine& machine) {
  std::set<std::int64_t> cancelled;
  for (const auto& state : machine.submissions())
    if (state.submission.cancelled) cancelled.insert(state.submission.number);
  return std::count_if(machine.runs().begin(), machine.runs().end(), [&](const TrackedRun& run) {
    const RunFate& fate = run.fate;
    return (fate.phase == RunPhase::kWaiting || fate.phase == RunPhase::kRunning) &&
           cancelled.count(fate.submission) > 0;
  });
}

/// Where all stands, for a submit that found nothing to hand over.
std::string why_nothing_is_due(const CampaignMachine& machine, const SweepSource& sweep,
                               const Globals& globals) {
  const RunCounts counts = machine.counts();
  const std::int64_t under_way = counts.waiting + counts.running;
  if (under_way > 0)
    return fmt::format("nothing to submit, {} are under way; wait and collect with: {}",
                       counted(under_way, "run"), come_back(globals, sweep));
  if (counts.later > 0)
    return fmt::format("nothing to submit of these points, and {} of others; without --only: {}",
                       counted(counts.later, "run"), come_back(globals, sweep, "submit"));
  const std::int64_t not_ok = counts.failed + counts.lost;
  const std::string failed =
      not_ok == 0 ? ""
                  : fmt::format(", of which {} failed; '{}' runs those again", not_ok,
                                come_back(globals, sweep, "submit --retry-failed"));
  return fmt::format("nothing to submit, all runs are over{}; '{}' begins a new campaign", failed,
                     come_back(globals, sweep, "submit --again"));
}

/// sbatch's own opinion of a job of each node count; nothing is submitted, no campaign begun.
ExitCode test_only(const Globals& globals, const Sweep& sweep) {
  if (sweep.cluster.scheduler != "slurm") {
    bad_input("--test-only: scheduler '{}' has no test; 'pippin plan' shows the jobs",
              sweep.cluster.scheduler);
  }
  std::set<std::int64_t> tested;
  for (const auto& job : plan_jobs(sweep, 1)) {
    if (!tested.insert(job.nodes).second) continue;
    Submission submission;
    submission.name = job.name;
    const JobFiles files = files_of_submission(sweep, index_of(sweep.points),
                                               SweepFolders(globals.db).path_of(sweep.name),
                                               submission, {{&job, job.runs}});
    write_output(fmt::format("{}: {}\n", job.name, printable(SlurmScheduler::test(files.script))));
  }
  return ExitCode::kDone;
}

}  // namespace

ExitCode submit(const Globals& globals, const RunOptions& options) {
  if (options.test_only) return test_only(globals, load_sweep(globals, options.sweep));
  Session session(globals, load_sweep(globals, options.sweep), options.session);
  say_what_was_dropped(globals, session.sweep(), options.sweep);
  say_what_has_changed(globals, session);
  say_what_goes_on_unasked(globals, session, options.sweep);
  agree(globals, session);
  if (options.first && !session.machine().due_jobs().empty() &&
      !first_launches_succeed(globals, session.sweep(), session.campaign(), options.poll_s))
    return Interruptible::interrupted() ? ExitCode::kInterrupted : ExitCode::kRunFailed;
  session.begin();
  Database database(globals.db);
  record_campaign(database, session.campaign());
  if (options.session.retry_failed) Follower(database, session).find_failures();
  CampaignMachine& machine = session.machine();
  const std::size_t before = machine.submissions().size();
  const RunCounts counts = machine.step();
  say_what_is_stored(globals, session);
  const std::string bad_nodes =
      BadNodeRemarks().news(machine, session.scheduler().excludes_nodes());
  for (std::string_view line : split(bad_nodes, '\n'))
    if (!line.empty()) remark(globals, std::string(line));
  const auto handed = handed_since(machine, before);
  for (const auto* submission : handed) {
    if (options.parsable) write_output(*submission->handed + "\n");
  }
  if (!options.notify.empty() && !handed.empty()) submit_notifier(globals, session, options.notify);
  std::size_t jobs = 0, runs = 0;
  for (const auto* submission : handed) {
    jobs += submission->tasks.size();
    for (const auto& task : submission->tasks) runs += task.runs.size();
  }
  const std::string campaign =
      fmt::format("campaign {} of {}", session.campaign().number, session.campaign().sweep);
  const std::int64_t ending = runs_being_cancelled(machine);
  if (!handed.empty() || !machine.held_back().empty()) {
    remark(globals, fmt::format("{}: submitted {} in {}; wait and collect with: {}", campaign,
                                counted(runs, "run"), counted(jobs, "job"),
                                come_back(globals, options.sweep)));
  } else if (ending == 0) {
    remark(globals,
           fmt::format("{}: {}", campaign, why_nothing_is_due(machine, options.sweep, globals)));
  }
  if (ending > 0) {
    remark(globals, fmt::format("{}: {} not submitted: the jobs that were cancelled are not over "
                                "yet; the same command in a moment submits them",
                                campaign, counted(ending, "run")));
    return ExitCode::kMachine;
  }
  if (machine.held_back().empty()) return ExitCode::kDone;
  remark(globals,
         fmt::format("{} not submitted yet: {}; the same command, or 'run', sends the rest",
                     counted(static_cast<std::size_t>(counts.unsubmitted), "run"),
                     printable(machine.held_back())));
  return handed.empty() ? ExitCode::kMachine : ExitCode::kDone;
}

}  // namespace pippin
