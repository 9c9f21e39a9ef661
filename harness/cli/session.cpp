#include "harness/cli/session.h"

#include <algorithm>
#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "harness/base/process.h"
#include "harness/base/text.h"
#include "harness/campaign/plan.h"
#include "harness/jobs/script.h"
#include "slurm/directives.h"

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

/// Enough tasks on each node for every point of the job.
std::int64_t ranks_per_node(const PlannedJob& job, const PointIndex& points) {
  std::int64_t most = 1;
  for (const auto& run : job.runs)
    most = std::max(most, points.at(run.point_id)->layout.gpus.value_or(1));
  return (most + job.nodes - 1) / job.nodes;
}

}  // namespace

fs::path runs_directory(const fs::path& db) {
  return fs::absolute(db.string() + ".runs").lexically_normal();
}

fs::path sweep_directory(const fs::path& db, const std::string& sweep) {
  return runs_directory(db) / file_name_of(sweep);
}

fs::path probes_directory() {
  const fs::path program = own_executable().parent_path();
  const fs::path built = program / "probes";
  return fs::exists(built) ? built : program.parent_path() / "libexec/pippin";
}

std::unique_ptr<Scheduler> scheduler_of(const fs::path& db, const std::string& scheduler) {
  if (scheduler == "local") {
    return std::make_unique<LocalScheduler>(runs_directory(db) / ".local", default_machine_lock());
  }
  bad_input(
      "scheduler '{}': pippin submits to 'local' only so far; 'pippin plan SWEEP.yaml --script "
      "POINT' prints the job script for sbatch",
      scheduler);
}

PointIndex index_of(const std::vector<Point>& points) {
  PointIndex index;
  for (const auto& point : points) index[point.id] = &point;
  return index;
}

std::string script_of_job(const Sweep& sweep, const PointIndex& points, const fs::path& root,
                          const PlannedJob& job, const std::vector<PlannedRun>& runs,
                          std::int64_t submission) {
  JobScript script;
  script.title = fmt::format("{} run{} of sweep {}, allocation {}, {} node{}", runs.size(),
                             runs.size() == 1 ? "" : "s", sweep.name, job.allocation, job.nodes,
                             job.nodes == 1 ? "" : "s");
  if (sweep.cluster.scheduler == "slurm") {
    script.directives =
        sbatch_directives(sweep.cluster, job.name, job.nodes, ranks_per_node(job, points));
  }
  script.directory = fs::current_path();
  script.root = root;
  script.job = job.name;
  script.submission = submission;
  script.prolog = sweep.cluster.prolog;
  for (const auto& run : runs) {
    script.runs.push_back(
        script_run(sweep, *points.at(run.point_id), run, job.allocation, probes_directory()));
  }
  return job_script(script);
}

Session::Session(const Globals& globals, Sweep sweep, const RunOptions& options)
    : sweep_(std::move(sweep)),
      folder_(disk(), sweep_directory(globals.db, sweep_.name)),
      scheduler_(scheduler_of(globals.db, sweep_.cluster.scheduler)) {
  const auto jobs = plan_jobs(sweep_, 1);
  check_command(sweep_, script_of_job(sweep_, index_of(sweep_.points), folder_.root(), jobs.front(),
                                      {jobs.front().runs.front()}, 1));
  disk().make_directory(folder_.root());
  lock_.emplace(folder_.root() / "lock");
  campaign_ = open_campaign(folder_, sweep_, options.again, now_utc());
  points_ = index_of(campaign_.points);
  const auto script = [this](const PlannedJob& job, const std::vector<PlannedRun>& runs,
                             std::int64_t submission) {
    return this->script(job, runs, submission);
  };
  // A point that has left the sweep took its command with it; today's is another point's.
  const auto wanted = [ids = index_of(sweep_.points)](const PlannedRun& run) {
    return ids.count(run.point_id) > 0;
  };
  machine_ = std::make_unique<CampaignMachine>(folder_, disk(), *scheduler_, campaign_, script,
                                               options.retries, wanted);
}

std::string Session::script(const PlannedJob& job, const std::vector<PlannedRun>& runs,
                            std::int64_t submission) const {
  return script_of_job(sweep_, points_, folder_.root(), job, runs, submission);
}

std::optional<fs::path> Session::outdated_script() {
  for (const auto& job : campaign_.jobs) {
    const auto submissions = folder_.submissions(job.name);
    if (submissions.empty()) continue;
    const Submission& last = submissions.back();
    std::vector<PlannedRun> runs;
    for (const auto& run : job.runs) {
      if (std::count(last.runs.begin(), last.runs.end(), run.name) > 0) runs.push_back(run);
    }
    if (runs.size() < last.runs.size()) continue;  // points have gone since; another job may tell
    const fs::path file = folder_.script(job.name, last.number);
    const auto before = disk().read(file);
    const bool same = !before || *before == script(job, runs, last.number);
    return same ? std::nullopt : std::optional(file);
  }
  return std::nullopt;
}

}  // namespace pippin
