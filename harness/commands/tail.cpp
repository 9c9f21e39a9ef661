// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <functional>
#include <unistd.h>

#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/follow.h"
#include "harness/commands/steps/newest_campaigns.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

namespace {

/// A run, with what knows of it.
struct Found {
  SweepFolder folder;
  Campaign campaign;
  std::string run;
};

/// Gives each campaign of the sweep, or of all where none is named, until `take` returns true.
void each_campaign(const Globals& globals, const std::string& sweep,
                   const std::function<bool(const SweepFolder& folder, Campaign& campaign)>& take) {
  const SweepFolders folders(globals.db);
  for (const auto& path : folders.all()) {
    SweepFolder folder(disk(), path);
    if (!sweep.empty() && path != folders.path_of(sweep)) continue;
    for (const std::int64_t number : folder.campaigns()) {
      Campaign campaign = folders.load_plan(folder, number);
      if (take(folder, campaign)) return;
    }
  }
}

bool has_run(const Campaign& campaign, const std::string& run) {
  return std::any_of(campaign.jobs.begin(), campaign.jobs.end(), [&](const PlannedJob& job) {
    return std::any_of(job.runs.begin(), job.runs.end(),
                       [&](const PlannedRun& planned) { return planned.name == run; });
  });
}

/// The run of that name, of any campaign of the sweep, or of all where none is named.
std::optional<Found> run_of(const Globals& globals, const std::string& sweep,
                            const std::string& run) {
  std::optional<Found> found;
  each_campaign(globals, sweep, [&](const SweepFolder& folder, Campaign& campaign) {
    if (has_run(campaign, run)) found.emplace(Found{folder, std::move(campaign), run});
    return found.has_value();
  });
  return found;
}

std::vector<std::string> run_names(const Globals& globals, const std::string& sweep) {
  std::vector<std::string> names;
  each_campaign(globals, sweep, [&](const SweepFolder&, const Campaign& campaign) {
    for (const auto& job : campaign.jobs)
      for (const auto& run : job.runs) names.push_back(run.name);
    return false;
  });
  return names;
}

/// The run of that number in the database.
std::optional<Found> run_of_number(const Globals& globals, const std::string& number) {
  if (!parse_integer(number) || !fs::exists(globals.db)) return std::nullopt;
  const auto runs = existing_database(globals).runs_named(number);
  if (runs.size() != 1 || runs.front().campaign.sweep.empty()) return std::nullopt;
  return run_of(globals, runs.front().campaign.sweep, runs.front().name);
}

/// The run of a campaign that began last.
std::optional<Found> last_begun(std::optional<OpenCampaign> campaign) {
  if (!campaign) return std::nullopt;
  Found found{campaign->first, std::move(campaign->second), ""};
  std::int64_t last = 0;
  for (const auto& job : found.campaign.jobs) {
    for (const auto& planned : job.runs) {
      const auto attempts = found.folder.attempts(planned.name);
      if (attempts.empty() || attempts.back().started.value_or(0) < last) continue;
      last = attempts.back().started.value_or(0);
      found.run = planned.name;
    }
  }
  if (found.run.empty())
    bad_input("{}: none of its runs has begun", printable(found.campaign.sweep));
  return found;
}

/// "SWEEP/RUN", "RUN", its number, or a sweep.
Found find_run(const Globals& globals, const std::string& name) {
  const auto slash = name.rfind('/');
  const std::string run = slash == std::string::npos ? name : name.substr(slash + 1);
  const std::string sweep = slash == std::string::npos ? "" : name.substr(0, slash);
  if (auto found = run_of(globals, sweep, run)) return *std::move(found);
  if (auto found = run_of_number(globals, name)) return *std::move(found);
  if (auto found = last_begun(find_campaign(globals, name))) return *std::move(found);
  bad_input("{}: no run is named '{}'{}", runs_directory(globals.db).string(), printable(name),
            did_you_mean(run, run_names(globals, sweep)));
}

/// The end of a text that begins with the last `lines` lines.
std::string_view last_lines(std::string_view text, std::int64_t lines) {
  std::size_t from = text.size();
  if (from > 0 && text[from - 1] == '\n') --from;
  for (; lines > 0 && from != std::string_view::npos && from > 0; --lines)
    from = text.rfind('\n', from - 1);
  return lines > 0 || from == std::string_view::npos || from == 0 ? text : text.substr(from + 1);
}

/// As it is for programs; on a terminal what would steer it is shown, and what a bar overwrites is
/// a line.
void print_log(std::string text) {
  if (!::isatty(STDOUT_FILENO)) return write_output(text);
  std::replace(text.begin(), text.end(), '\r', '\n');
  write_output(printable_lines(text));
}

/// Prints what a log gains.
class Tail {
 public:
  explicit Tail(fs::path log) : log_(std::move(log)) {}

  void begin(std::int64_t lines) {
    const std::string text = disk().read(log_).value_or("");
    read_ = text.size();
    print_log(std::string(last_lines(text, lines)));
  }

  void go_on() {
    if (!disk().exists(log_)) return;  // its run has only just begun
    std::string text;
    read_parts(log_, read_, [&](std::string_view part) {
      text += part;
      return true;
    });
    read_ += text.size();
    if (!text.empty()) print_log(text);
  }

 private:
  fs::path log_;
  std::size_t read_ = 0;
};

bool is_over(SweepFolder& folder, const std::string& run, const std::string& attempt) {
  for (const auto& one : folder.attempts(run)) {
    if (one.name == attempt) return one.done() || one.interrupted;
  }
  return true;
}

std::string_view word_of(RunPhase phase) {
  switch (phase) {
    case RunPhase::kUnsubmitted:
      return "not submitted";
    case RunPhase::kWaiting:
      return "waiting";
    case RunPhase::kRunning:
      return "running";
    case RunPhase::kDone:
      return "done";
    case RunPhase::kLost:
      return "lost";
    case RunPhase::kCancelled:
      return "cancelled";
    case RunPhase::kLeft:
      return "wanted no more";
  }
  return "";
}

}  // namespace

ExitCode tail(const Globals& globals, const TailOptions& options) {
  constexpr double kLook_s = 0.5, kAsk_s = 60;
  Found found = find_run(globals, options.run);
  const std::string& run = found.run;
  const auto scheduler = scheduler_of(globals.db, found.campaign.scheduler);
  CampaignMachine machine = observer_of(found.folder, std::move(found.campaign), *scheduler);
  machine.observe();
  const auto attempts = found.folder.attempts(run);
  const RunFate& fate = machine.fate(run);
  if (attempts.empty()) {
    bad_input("{}: has no log: it is {}{}", printable(run), word_of(fate.phase),
              fate.evidence.empty() ? "" : " (" + printable(fate.evidence) + ")");
  }
  const Attempt& attempt = attempts.back();
  remark(globals, printable(attempt.log().string()));
  Tail tail(attempt.log());
  tail.begin(options.lines);
  const Interruptible interruptible;
  double unasked_s = 0;
  while (fate.phase == RunPhase::kRunning && !Interruptible::interrupted()) {
    const bool over = is_over(found.folder, run, attempt.name);
    tail.go_on();
    if (over) break;
    Interruptible::pause(kLook_s);
    unasked_s += kLook_s;
    if (unasked_s < kAsk_s) continue;
    unasked_s = 0;
    machine.observe();
  }
  return ExitCode::kDone;
}

}  // namespace pippin
