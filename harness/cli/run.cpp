#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <iostream>
#include <poll.h>
#include <set>
#include <unistd.h>

#include "db/database.h"
#include "harness/base/text.h"
#include "harness/campaign/plan.h"
#include "harness/cli/commands.h"
#include "harness/cli/follow.h"
#include "harness/cli/session.h"
#include "harness/jobs/quoting.h"
#include "reports/plan.h"
#include "reports/values.h"
#include "slurm/directives.h"
#include "slurm/slurm.h"

namespace pippin {

namespace {

/// `run`: the command and options that stand before the sweep.
std::string come_back(const Globals& globals, const SweepSource& sweep,
                      const std::string& run = "run") {
  return fmt::format("pippin --db {} {} {}", bash_word(globals.db.string()), run,
                     bash_words(sweep));
}

ReportOptions usual_report(const std::string& sweep) {
  ReportOptions options;
  options.sweep = sweep;
  return options;
}

void say_what_was_dropped(const Globals& globals, const Sweep& sweep, const SweepSource& source) {
  if (sweep.dropped.empty()) return;
  remark(globals,
         fmt::format("{} of {} points are dropped; 'pippin plan {}' says why", sweep.dropped.size(),
                     sweep.dropped.size() + sweep.points.size(), bash_words(source)));
}

/// Where to look for what a lost run has left.
std::string place_of(Session& session, const RunFate& fate) {
  for (const auto& handing : session.machine().handings()) {
    if (handing.submission.number == fate.submission)
      return session.folder().directory(handing.submission).string();
  }
  return session.folder().root().string();
}

void say_what_was_lost(const Globals& globals, Session& session, const Follower& follower) {
  if (follower.lost().empty()) return;
  const std::size_t count = follower.lost().size();
  const RunFate& fate = session.machine().fate(follower.lost().front()->name);
  const bool is_final = fate.end == End::kLimit;
  remark(globals,
         fmt::format("{} run{} lost ({}; see {}); {}", count, count == 1 ? " was" : "s were",
                     printable(fate.evidence), printable(place_of(session, fate)),
                     is_final ? "'run --retry-failed' tries again, with today's limits"
                              : "the same command tries again"));
}

void say_what_has_changed(const Globals& globals, Session& session) {
  const auto script = session.outdated_script();
  if (!script) return;
  remark(globals,
         fmt::format(
             "{}: its launch line, prolog, iterations or folder are not those of campaign {}; what "
             "was handed over keeps them ({}); --again measures everything anew",
             printable(session.sweep().file.string()), session.campaign().number,
             printable(script->string())));
}

/// What handing over would claim of a cluster.
struct Claim {
  std::size_t jobs = 0;
  std::int64_t most_nodes = 0;
  std::optional<double> longest_s, gpu_hours;
};

Claim claim_of(const Sweep& sweep, const std::vector<PlannedJob>& jobs) {
  const Plan plan{sweep, jobs};
  Claim claim;
  claim.jobs = jobs.size();
  claim.gpu_hours = most_gpu_hours(plan);
  for (const auto& job : jobs) {
    claim.most_nodes = std::max(claim.most_nodes, job.nodes);
    const auto limit = time_limit_s(plan, job);
    if (limit) claim.longest_s = std::max(claim.longest_s.value_or(0), *limit);
  }
  return claim;
}

/// "5 jobs on up to 16 nodes; at most 107 GPU-hours; a job waits for 16 nodes for 20 min"
std::string text_of(const Claim& claim) {
  constexpr double kMinute = 60;
  std::string text = fmt::format("{} on up to {}", counted(claim.jobs, "job"),
                                 counted(static_cast<std::size_t>(claim.most_nodes), "node"));
  text += claim.gpu_hours ? fmt::format("; GPU-hours: at most {:.4g}", *claim.gpu_hours)
                          : "; GPU-hours: unknown, no time limit is set";
  if (claim.longest_s)
    text +=
        fmt::format("; the longest job asks for {:.0f} min", std::ceil(*claim.longest_s / kMinute));
  return text;
}

bool answers_yes(const std::string& question) {
  write_error(question + " [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return lower(trim(answer)) == "y" || lower(trim(answer)) == "yes";
}

/// Says what is about to be claimed, and asks where that is much.
/// Errors: Error (bad input) where it is more than the budget and nobody agrees.
void agree(const Globals& globals, Session& session) {
  if (session.sweep().cluster.scheduler == "local") return;
  const auto jobs = session.machine().due_jobs();
  if (jobs.empty()) return;
  const Claim claim = claim_of(session.sweep(), jobs);
  remark(globals, text_of(claim));
  const double budget = session.sweep().cluster.budget_gpu_hours;
  if (globals.yes || claim.gpu_hours.value_or(0) <= budget) return;
  const std::string much =
      fmt::format("that may take {:.4g} GPU-hours, and the budget of cluster {} is {:.4g}",
                  *claim.gpu_hours, session.sweep().cluster.name, budget);
  const bool may_ask = ::isatty(STDIN_FILENO) && ::isatty(STDERR_FILENO);
  if (may_ask && answers_yes(much + "; submit?")) return;
  bad_input("{}: {}; nothing was submitted: say --yes, or set 'budget' in the cluster file",
            session.sweep().file.string(), much);
}

/// What a submission of this step brought: the ids of what it handed over.
std::vector<const Submission*> handed_since(const CampaignMachine& machine, std::size_t before) {
  std::vector<const Submission*> handed;
  for (std::size_t i = before; i < machine.handings().size(); ++i) {
    const Submission& one = machine.handings()[i].submission;
    if (one.handed) handed.push_back(&one);
  }
  return handed;
}

/// A job that runs the user's command once all others have ended.
void submit_notifier(Session& session, const std::string& command) {
  Submission last;
  last.number = session.folder().newest_submission();
  last.name = fmt::format("notify-{}", last.number);
  JobScript script;
  std::string text = "#!/usr/bin/env bash\n";
  Cluster cluster = session.sweep().cluster;
  for (const auto& line : sbatch_directives(cluster, {last.name, 1, 1})) text += line + "\n";
  text +=
      fmt::format("export PIPPIN_EVENT=ended PIPPIN_SWEEP={}\n", bash_word(session.sweep().name));
  text += fmt::format(
      "export PIPPIN_MESSAGE=\"$PIPPIN_SWEEP: its jobs have ended; "
      "$(ls {0} | wc -l) runs ok, $(ls {1} | wc -l) failed\"\n",
      bash_word((session.folder().root() / "succeeded").string()),
      bash_word((session.folder().root() / "failed").string()));
  const fs::path file = session.folder().root() / "jobs" / last.name / "job.sh";
  disk().write(file, text + command + "\n");
  JobRequest request;
  request.token = fmt::format("{}-{}", file_name_of(session.sweep().name), last.name);
  request.script = file;
  request.log = file.parent_path() / "job.log";
  for (const auto& handing : session.machine().handings()) {
    if (!handing.over()) request.after.push_back(handing.submission.token);
  }
  session.scheduler().submit(request);
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
    const JobFiles files =
        files_of_submission(sweep, index_of(sweep.points), sweep_directory(globals.db, sweep.name),
                            submission, {{&job, job.runs}});
    write_output(fmt::format("{}: {}\n", job.name, printable(SlurmScheduler::test(files.script))));
  }
  return ExitCode::kDone;
}

}  // namespace

ExitCode run(const Globals& globals, const RunOptions& options) {
  Session session(globals, load_sweep(options.sweep), options);
  Database database(globals.db);
  const Campaign& campaign = session.campaign();
  say_what_was_dropped(globals, session.sweep(), options.sweep);
  say_what_has_changed(globals, session);
  agree(globals, session);
  record_campaign(database, campaign);
  Follower follower(database, session);
  Notifier notifier(options.notify, campaign.sweep);
  const bool was_finished = session.machine().counts().finished();
  const RunCounts counts = follow(globals, session, follower, notifier, options.poll_s);
  if (!counts.finished()) {
    remark(globals,
           fmt::format("the jobs go on; come back with: {}", come_back(globals, options.sweep)));
    return ExitCode::kInterrupted;
  }
  report(globals, usual_report(campaign.sweep));
  if (was_finished) {
    remark(globals, fmt::format("campaign {} of {} was finished already; '{}' begins a new one",
                                campaign.number, campaign.sweep,
                                come_back(globals, options.sweep, "run --again")));
  }
  say_what_was_lost(globals, session, follower);
  remark(globals, fmt::format("database: {}", printable(globals.db.string())));
  remark(globals, fmt::format("logs:     {}", printable(session.folder().root().string())));
  return follower.not_ok() + counts.cancelled > 0 ? ExitCode::kRunFailed : ExitCode::kDone;
}

ExitCode submit(const Globals& globals, const RunOptions& options) {
  if (options.test_only) return test_only(globals, load_sweep(options.sweep));
  Session session(globals, load_sweep(options.sweep), options);
  say_what_was_dropped(globals, session.sweep(), options.sweep);
  say_what_has_changed(globals, session);
  agree(globals, session);
  Database database(globals.db);
  record_campaign(database, session.campaign());
  CampaignMachine& machine = session.machine();
  const std::size_t before = machine.handings().size();
  const RunCounts counts = machine.step();
  const auto handed = handed_since(machine, before);
  for (const auto* submission : handed) {
    if (options.parsable) write_output(*submission->handed + "\n");
  }
  if (!options.notify.empty() && !handed.empty()) submit_notifier(session, options.notify);
  std::size_t jobs = 0, runs = 0;
  for (const auto* submission : handed) {
    jobs += submission->tasks.size();
    for (const auto& task : submission->tasks) runs += task.runs.size();
  }
  remark(globals,
         fmt::format("campaign {} of {}: {} in {} handed over; wait and collect with: {}",
                     session.campaign().number, session.campaign().sweep, counted(runs, "run"),
                     jobs == 1 ? "1 job is" : fmt::format("{} jobs are", jobs),
                     come_back(globals, options.sweep)));
  if (machine.held_back().empty()) return ExitCode::kDone;
  remark(globals,
         fmt::format("{} not submitted yet: {}; the same command, or 'run', sends the rest",
                     counted(static_cast<std::size_t>(counts.unsubmitted), "run"),
                     printable(machine.held_back())));
  return handed.empty() ? ExitCode::kMachine : ExitCode::kDone;
}

}  // namespace pippin
