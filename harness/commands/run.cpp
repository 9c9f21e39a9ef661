// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <iterator>
#include <unistd.h>

#include "core/base/text.h"
#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/report.h"
#include "harness/commands/steps/before_submitting.h"
#include "harness/commands/steps/first_launch.h"
#include "harness/commands/steps/follow.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/session.h"
#include "reports/closing.h"
#include "reports/display_text.h"

namespace pippin {

namespace {

ReportOptions usual_report(const Campaign& campaign) {
  ReportOptions options;
  options.selections = {text_of(CampaignName{campaign.sweep, campaign.number})};
  return options;
}

/// Where to look for what a lost run has left.
std::string place_of(Session& session, const RunFate& fate) {
  for (const auto& state : session.machine().submissions()) {
    if (state.submission.number == fate.submission)
      return session.folder().directory(state.submission).string();
  }
  return session.folder().root().string();
}

/// Runs failed alike, and none was launched any more.
void say_why_it_gave_up(const Globals& globals, Session& session, const SweepSource& sweep) {
  const auto& machine = session.machine();
  const std::int64_t let_be = machine.counts().let_be;
  const std::string rest =
      let_be > 0 ? fmt::format("; {} not launched", counted(let_be, "run")) : "";
  remark(globals, fmt::format("gave up, as {}{}; mend that, and go on with: {}",
                              text_of(*machine.given_up()), rest, come_back(globals, sweep)));
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

/// By whom is not known: 'pippin cancel', the scheduler's own command, an administrator.
void say_what_was_cancelled(const Globals& globals, const SweepSource& sweep, std::int64_t count) {
  if (count == 0) return;
  remark(globals,
         fmt::format("{} not measured, as {} cancelled; go on with: {}", counted(count, "run"),
                     count == 1 ? "its job was" : "their jobs were", come_back(globals, sweep)));
}

/// Another 'run' leaves those as they are that gave no sound measurement.
void say_what_failed(const Globals& globals, const SweepSource& sweep, const Follower& follower) {
  const std::int64_t failed = follower.not_ok() - std::ssize(follower.lost());
  if (failed <= 0) return;
  remark(globals,
         fmt::format("{} failed; once that is mended, '{}' measures {} again",
                     counted(static_cast<std::size_t>(failed), "run"),
                     come_back(globals, sweep, "run --retry-failed"), failed == 1 ? "it" : "them"));
}

/// Two or three sentences below the table.
void say_what_it_came_to(const Globals& globals, Database& database, const Campaign& campaign) {
  const ReportOptions options = usual_report(campaign);
  const SampleFilter filter{campaign.sweep, campaign.number};
  const Noise noise =
      noise_of(options.selections.front(), digested_points(globals, database, filter),
               database.evidence(filter));
  std::string text;
  for (const auto& words : closing_words(report_of(globals, database, options).rows, noise))
    text += wrapped(words, terminal_width(STDOUT_FILENO), 2) + "\n";
  if (!text.empty()) write_text("\n" + text);
}

}  // namespace

ExitCode run(const Globals& globals, const RunOptions& options) {
  Session session(globals, load_sweep(globals, options.sweep), options.session);
  Database database(globals.db);
  const Campaign& campaign = session.campaign();
  say_what_was_dropped(globals, session.sweep(), options.sweep);
  say_what_has_changed(globals, session);
  say_what_goes_on_unasked(globals, session, options.sweep);
  agree(globals, session);
  if (options.first && !session.machine().due_jobs().empty() &&
      !first_launches_succeed(globals, session.sweep(), session.campaign(), options.poll_s))
    return Interruptible::interrupted() ? ExitCode::kInterrupted : ExitCode::kRunFailed;
  session.begin();
  record_campaign(database, campaign);
  Follower follower(database, session);
  if (options.session.retry_failed) follower.find_failures();
  Notifier notifier(options.notify, campaign.sweep);
  const bool was_finished = session.machine().counts().finished();
  const RunCounts counts = follow(globals, session, follower, notifier, options.poll_s);
  if (!counts.finished()) {
    remark(globals,
           fmt::format("the jobs go on; come back with: {}", come_back(globals, options.sweep)));
    follower.fail_for_troubles();
    return ExitCode::kInterrupted;
  }
  say_what_is_stored(globals, session);
  report(globals, usual_report(campaign));
  say_what_it_came_to(globals, database, campaign);
  if (counts.later > 0) {
    remark(globals, fmt::format("{} of other points not measured yet; without --only: {}",
                                counted(counts.later, "run"), come_back(globals, options.sweep)));
  } else if (was_finished) {
    remark(globals, fmt::format("campaign {} of {} was finished already; '{}' begins a new one",
                                campaign.number, campaign.sweep,
                                come_back(globals, options.sweep, "run --again")));
  }
  if (session.machine().has_given_up() && session.machine().given_up()) {
    say_why_it_gave_up(globals, session, options.sweep);
  } else {
    say_what_was_lost(globals, session, follower);
    say_what_failed(globals, options.sweep, follower);
  }
  say_what_was_cancelled(globals, options.sweep, counts.cancelled);
  remark(globals, fmt::format("database: {}", printable(globals.db.string())));
  remark(globals, fmt::format("logs:     {}", printable(session.folder().root().string())));
  follower.fail_for_troubles();
  return follower.not_ok() + counts.cancelled > 0 ? ExitCode::kRunFailed : ExitCode::kDone;
}

}  // namespace pippin
