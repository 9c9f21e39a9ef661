// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/before_submitting.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/quoting.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/sweep_source.h"
#include "reports/plan.h"
#include "reports/values.h"
#include "slurm/ask.h"

namespace pippin {

namespace {

/// What a submission would claim of a cluster.
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

}  // namespace

void say_what_was_dropped(const Globals& globals, const Sweep& sweep, const SweepSource& source) {
  if (sweep.dropped.empty()) return;
  remark(globals,
         fmt::format("{} of {} points are dropped; 'pippin plan {}' says why", sweep.dropped.size(),
                     sweep.dropped.size() + sweep.points.size(), bash_words(source)));
}

void say_what_is_stored(const Globals& globals, Session& session) {
  const auto& runs = session.machine().runs();
  const auto count = std::count_if(runs.begin(), runs.end(),
                                   [](const TrackedRun& run) { return run.fate.stored; });
  if (count == 0) return;
  remark(
      globals,
      fmt::format("{} of campaign {}: the results are in {}, and the files in {} are gone or torn; "
                  "not measured again",
                  counted(count, "run"), session.campaign().number, printable(globals.db.string()),
                  printable(session.folder().root().string())));
}

void say_what_has_changed(const Globals& globals, Session& session) {
  const std::int64_t number = session.campaign().number;
  if (session.starts_over() && number > 1)
    remark(globals, fmt::format("{}: campaign {} begins, and all is measured anew: {} knows "
                                "campaign {} of {}, whose files are not in {}",
                                printable(session.sweep().file.string()), number,
                                printable(globals.db.string()), number - 1,
                                printable(session.campaign().sweep),
                                printable(session.folder().root().string())));
  const auto found = session.outdated_script();
  if (!found) return;
  const auto quoted = [](const std::string& words) {
    constexpr std::size_t kMost = 120;  // as far as one reads it in a remark
    return words.empty() ? std::string("nothing")
                         : fmt::format("'{}'", in_short(trim(words), kMost));
  };
  remark(globals, fmt::format("{}: jobs of campaign {} were written otherwise, and keep that: {} "
                              "then, {} now ({}); --again measures everything anew",
                              printable(session.sweep().file.string()), session.campaign().number,
                              quoted(found->difference.then), quoted(found->difference.now),
                              printable(found->script.string())));
}

void say_what_goes_on_unasked(const Globals& globals, Session& session, const SweepSource& source) {
  const auto& runs = session.machine().runs();
  const auto count = std::count_if(runs.begin(), runs.end(), [](const TrackedRun& run) {
    const bool is_under_way =
        run.fate.phase == RunPhase::kWaiting || run.fate.phase == RunPhase::kRunning;
    return run.planned->left && is_under_way;
  });
  if (count == 0) return;
  remark(globals,
         fmt::format("{} under way {} no longer in {}; '{} cancel {}' and the same command "
                     "again leave {} out",
                     counted(count, "run"), count == 1 ? "is" : "are",
                     source.file.empty() ? "the sweep" : printable(source.file.string()),
                     program_words(globals), bash_word(session.campaign().sweep),
                     count == 1 ? "it" : "them"));
}

namespace {

void say_what_is_not_passed_on(const Globals& globals, const Cluster& cluster) {
  if (cluster.scheduler != "slurm") return;
  const auto names = slurm::dropped_variables();
  if (names.empty()) return;
  remark(globals, fmt::format("{}: no job gets what the environment says here; the cluster file's "
                              "slurm: does",
                              join(names, ", ")));
}

}  // namespace

void agree(const Globals& globals, Session& session) {
  if (session.sweep().cluster.scheduler == "local") return;
  const auto jobs = session.machine().due_jobs();
  if (jobs.empty()) return;
  say_what_is_not_passed_on(globals, session.sweep().cluster);
  const Claim claim = claim_of(session.sweep(), jobs);
  remark(globals, text_of(claim));
  const double budget = session.sweep().cluster.budget_gpu_hours;
  if (claim.gpu_hours.value_or(0) <= budget) return;
  const std::string much =
      fmt::format("that may take {:.4g} GPU-hours, and the budget of cluster {} is {:.4g}",
                  *claim.gpu_hours, session.sweep().cluster.name, budget);
  if (agrees(globals, much + "; submit?")) return;
  bad_input("{}: {}; nothing was submitted: say --yes, or set 'budget' in the cluster file",
            session.sweep().file.string(), much);
}

std::string come_back(const Globals& globals, const SweepSource& sweep, const std::string& run) {
  return fmt::format("{} {} {}", program_words(globals), run, bash_words(sweep));
}

}  // namespace pippin
