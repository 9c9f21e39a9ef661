// SPDX-License-Identifier: Apache-2.0
// What jobs have written of themselves, and what this machine may not see yet.
#include <algorithm>

#include "harness/campaign/machine.h"

namespace pippin {

/// A job has ended, and runs of it are open by the files that this machine sees by now. Counted
/// from when it first heard of that: other clocks may be wrong. Who cancels does not ask for runs.
bool CampaignMachine::may_be_late(const SubmissionState& state, std::size_t task,
                                  const JobStatus& status) {
  if (campaign_.files_late_s == 0) return false;
  if (status.end == End::kUser || state.submission.cancelled) return false;
  if (!left_as_bad(state, task).empty()) return false;
  const auto all = left_of(state, task);
  if (std::all_of(all.begin(), all.end(), [](const Left& left) { return left.done; })) return false;
  const auto number = static_cast<std::int64_t>(task) + 1;
  const auto since = state.submission.ending.find(number);
  if (since != state.submission.ending.end() &&
      options_.now() - since->second >= campaign_.files_late_s)
    return false;
  return !sees_alike(state, number);
}

/// Whether the task wrote on this very machine, to what this machine reads.
bool CampaignMachine::sees_alike(const SubmissionState& state, std::int64_t task) const {
  const auto known = state.sees_alike.find(task);
  return known != state.sees_alike.end() && known->second;
}

/// Those that jobs have made since, where what they say matters: once for all tasks.
void CampaignMachine::read_claims(SubmissionState& state) {
  std::vector<std::int64_t> asks;
  for (std::size_t i = 0; i < state.tasks.size(); ++i) {
    const JobStatus& status = state.tasks[i];
    if (!state.settled[i] && status.phase == JobStatus::Phase::kEnded &&
        (campaign_.files_late_s > 0 || status.end == End::kApplication))
      asks.push_back(static_cast<std::int64_t>(i) + 1);
  }
  if (asks.empty()) return;
  for (const JobClaim& claim : folder_.claims(state.submission, asks, state.claims)) {
    if (claim.task == 0) continue;
    state.claims.insert(claim.name);
    const bool alike = !options_.view.empty() && claim.view == options_.view;
    const auto [known, is_new] = state.sees_alike.emplace(claim.task, alike);
    known->second = known->second && alike;
    if (!claim.fault.empty()) state.faults[claim.task] = claim.fault;
  }
}

/// What the scheduler says of a job whose prolog failed, and the line that did.
JobStatus CampaignMachine::with_fault(const SubmissionState& state, std::int64_t task,
                                      JobStatus status) {
  const auto fault = state.faults.find(task);
  if (status.end == End::kApplication && fault != state.faults.end())
    status.evidence += ": " + fault->second;
  return status;
}

std::optional<std::int64_t> CampaignMachine::waits_for_files_s(const SubmissionState& state,
                                                               std::size_t task) const {
  const auto since = state.submission.ending.find(static_cast<std::int64_t>(task) + 1);
  if (state.settled[task] || since == state.submission.ending.end()) return std::nullopt;
  const std::int64_t gone = options_.now() - since->second;
  return std::clamp<std::int64_t>(campaign_.files_late_s - gone, 0, campaign_.files_late_s);
}

}  // namespace pippin
