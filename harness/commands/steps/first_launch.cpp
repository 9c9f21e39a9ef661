// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/first_launch.h"

#include <fmt/format.h>
#include <map>

#include "core/base/text.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/follow.h"

namespace pippin {

namespace {

constexpr std::int64_t kIterations = 2;

/// What of a point is no number.
std::vector<std::string> kind_of(const Point& point) {
  std::vector<std::string> kind{point.model.style};
  for (const auto& [name, value] : point.axes) {
    if (!value.number) kind.push_back(name + "=" + value.text);
  }
  return kind;
}

/// Where the sweep is tried, and what it is then.
Globals beside(const Globals& globals, const Sweep& sweep) {
  Globals trial = globals;
  trial.db = sweep_directory(globals.db, sweep.name) / "first" / "trial.db";
  disk().make_directory(trial.db.parent_path());
  return trial;
}

Sweep trial_of(const Sweep& sweep) {
  Sweep trial = sweep;
  trial.points = points_to_try(sweep.points);
  trial.dropped.clear();
  trial.iterations = kIterations;
  trial.warmup.reset();
  trial.repeats = {};
  trial.pack = Pack::kPoint;
  trial.reference.clear();
  trial.canary_s.reset();
  trial.cluster.canary.clear();
  return trial;
}

/// One remark for each that failed.
void say_what_failed(const Globals& globals, Session& session, Database& database) {
  const Campaign& campaign = session.campaign();
  const auto recorded = database.recorded_runs({campaign.sweep, campaign.number});
  for (const auto& [name, run] : recorded) {
    if (run.state == RunState::kOk) continue;
    const auto attempts = session.folder().attempts(name);
    remark(globals,
           fmt::format(
               "first launch of {}: {}: {}{}", printable(name), text_of(run.state),
               printable(run.evidence),
               attempts.empty() ? "" : "; its log: " + printable(attempts.back().log().string())));
  }
}

}  // namespace

std::vector<Point> points_to_try(const std::vector<Point>& points) {
  std::map<std::vector<std::string>, const Point*> smallest;
  for (const auto& point : points) {
    const auto [known, is_new] = smallest.try_emplace(kind_of(point), &point);
    if (!is_new && point.layout.gpus.value_or(1) < known->second->layout.gpus.value_or(1))
      known->second = &point;
  }
  std::vector<Point> chosen;
  chosen.reserve(smallest.size());
  for (const auto& [kind, point] : smallest) chosen.push_back(*point);
  return chosen;
}

bool first_launches_succeed(const Globals& globals, const Sweep& sweep, const Campaign& campaign,
                            double poll_s) {
  const Globals there = beside(globals, sweep);
  SessionOptions anew;
  anew.again = true;
  anew.retries = 0;
  if (!campaign.exclude.empty()) anew.exclude = join(campaign.exclude, ",");
  if (!campaign.nodelist.empty()) anew.nodelist = join(campaign.nodelist, ",");
  Session session(there, trial_of(sweep), anew);
  session.begin();
  Database database(there.db);
  record_campaign(database, session.campaign());
  remark(globals,
         fmt::format("first: {} of {} iterations",
                     session.campaign().points.size() == 1
                         ? "a short launch"
                         : fmt::format("{} short launches", session.campaign().points.size()),
                     kIterations));
  Follower follower(database, session);
  Notifier nobody("", sweep.name);
  const RunCounts counts = follow(globals, session, follower, nobody, poll_s);
  if (!counts.finished()) {
    session.machine().cancel();
    remark(globals, "the first launches are cancelled, and nothing else was handed over");
    return false;
  }
  follower.fail_for_troubles();
  if (follower.not_ok() == 0) return true;
  say_what_failed(globals, session, database);
  remark(globals, "nothing else was handed over; mend it, then repeat the command");
  return false;
}

}  // namespace pippin
