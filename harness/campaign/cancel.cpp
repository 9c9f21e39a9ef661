// SPDX-License-Identifier: Apache-2.0
// What is ended before its time: by a person, or as jobs have given up.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/campaign/machine.h"

namespace pippin {

void CampaignMachine::cancel() {
  if (const std::string why = why_elsewhere(); !why.empty()) bad_input("{}", why);
  cancel_what_others_own();
  // Before the journal is read: who hands over looks here once it has journaled.
  folder_.note_cancelled(
      fmt::format("at={} host={} pid={}", options_.now(), options_.host, options_.process));
  cancelled_before_ = folder_.cancelled();
  for (auto& submission : folder_.submissions()) {
    const bool is_known = std::any_of(
        submissions_.begin(), submissions_.end(),
        [&](const SubmissionState& state) { return state.submission.token == submission.token; });
    if (!is_known) take_up(std::move(submission));
  }
  std::vector<Asked> asked;
  for (auto& state : submissions_) {
    if (state.over()) continue;
    folder_.mark_cancelled(state.submission);
    asked.push_back(asked_of(state.submission));
  }
  if (asked.empty()) return;
  try {
    scheduler_.cancel(asked);
  } catch (const Error& error) {
    throw Error(
        error.exit_code(),
        fmt::format("{}; it is noted: what has not begun will not run, and the same command "
                    "ends the rest once the scheduler answers",
                    error.what()));
  }
}

/// Who may not end them is told so before anything is noted: no job that begins, and nobody who
/// waits, is to take this for a cancel.
void CampaignMachine::cancel_what_others_own() {
  std::vector<Asked> asked;
  std::set<std::string> owners;
  for (const auto& state : submissions_) {
    if (state.over() || state.submission.owner == options_.owner) continue;
    asked.push_back(asked_of(state.submission));
    owners.insert(state.submission.owner.empty() ? "?" : state.submission.owner);
  }
  if (asked.empty()) return;
  for (const auto& [token, tasks] : scheduler_.query(asked)) {
    for (const auto& task : tasks)
      if (task.phase == JobStatus::Phase::kUnknown && !task.evidence.empty())
        machine_failed("{}; nothing of it is cancelled", task.evidence);
  }
  try {
    scheduler_.cancel(asked);
  } catch (const Error& error) {
    const std::vector<std::string> names(owners.begin(), owners.end());
    throw Error(error.exit_code(), fmt::format("{}; the jobs are those of {}, who can cancel them",
                                               error.what(), printable(join(names, " and "))));
  }
}

/// What was cancelled while it was under way has still to be ended.
void CampaignMachine::cancel_late_arrivals() {
  using Phase = JobStatus::Phase;
  std::vector<Asked> asked;
  for (const auto& state : submissions_) {
    const bool lives =
        std::any_of(state.tasks.begin(), state.tasks.end(), [](const JobStatus& status) {
          return status.phase == Phase::kWaiting || status.phase == Phase::kRunning;
        });
    // Another user's are theirs to end.
    const bool is_own = state.submission.owner.empty() || state.submission.owner == options_.owner;
    if (state.submission.cancelled && is_own && lives && !state.over())
      asked.push_back(asked_of(state.submission));
  }
  if (!asked.empty()) scheduler_.cancel(asked);
}

std::optional<GivenUp> CampaignMachine::given_up() const {
  const bool stands = given_up_ && (has_given_up() || given_up_->until >= newest_);
  return stands ? given_up_ : std::nullopt;
}

/// What would only see that nothing is to be launched. What runs ends by itself.
void CampaignMachine::cancel_what_waits_in_vain() {
  if (!has_given_up()) return;
  std::vector<Asked> asked;
  for (const auto& state : submissions_) {
    bool waits = false, runs = false;
    for (std::size_t i = 0; i < state.tasks.size(); ++i) {
      const auto phase = state.tasks[i].phase;
      if (state.settled[i] || phase == JobStatus::Phase::kEnded) continue;
      (phase == JobStatus::Phase::kWaiting ? waits : runs) = true;
    }
    if (waits && !runs) asked.push_back(asked_of(state.submission));
  }
  if (!asked.empty()) scheduler_.cancel(asked);
  if (!given_up_ || given_up_->until >= newest_) return;
  folder_.note_given_up(newest_);
  given_up_->until = newest_;
}

}  // namespace pippin
