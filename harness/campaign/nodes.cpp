// SPDX-License-Identifier: Apache-2.0
// Nodes that are bad: whom they are told to, and the runs that failed there.
#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/host_list.h"
#include "core/base/text.h"
#include "harness/campaign/bad_nodes.h"
#include "harness/campaign/machine.h"

namespace pippin {

namespace {

/// The one node that a job died of, by the scheduler's words: "NODE_FAIL on n3". Who was preempted
/// says nothing of its node.
std::string failed_node(const JobStatus& status) {
  constexpr std::array<std::string_view, 3> kFaults{"NODE_FAIL", "BOOT_FAIL", "FAILED"};
  constexpr std::string_view kOn = " on ";
  const std::string_view words = status.evidence;
  const bool is_fault = std::any_of(kFaults.begin(), kFaults.end(), [&](std::string_view fault) {
    return words.starts_with(fault);
  });
  const auto at = words.rfind(kOn);
  if (status.end != End::kInfrastructure || !is_fault || at == std::string_view::npos) return {};
  const auto names = host_names(words.substr(at + kOn.size()));
  return names && names->size() == 1 ? names->front() : std::string();
}

}  // namespace

std::vector<NodeMark> CampaignMachine::bad_nodes() const {
  std::vector<NodeMark> bad;
  std::copy_if(marks_.begin(), marks_.end(), std::back_inserter(bad),
               [](const NodeMark& mark) { return mark.bad; });
  return bad;
}

std::vector<std::string> CampaignMachine::excluded_nodes() const {
  std::vector<std::string> names = campaign_.exclude;
  if (!scheduler_.excludes_nodes()) return names;
  for (const auto& mark : bad_nodes())
    if (std::find(names.begin(), names.end(), mark.node) == names.end()) names.push_back(mark.node);
  return names;
}

/// What jobs noted matters where a node is bad, or may become so.
void CampaignMachine::read_nodes(bool all) {
  marks_ = nodes_.marks();
  if (!all && marks_.empty()) return;
  histories_ = nodes_.histories();
  left_nodes_.clear();
  for (const auto& history : histories_) {
    for (const auto& event : history.events) {
      const bool left = event.kind == "left" || (event.kind == "prolog" && bad_mark(history.node) &&
                                                 scheduler_.excludes_nodes());
      if (left) left_nodes_.emplace(std::pair(event.submission(), event.task()), history.node);
    }
  }
}

const NodeMark* CampaignMachine::bad_mark(std::string_view node) const {
  const auto found = std::find_if(marks_.begin(), marks_.end(), [&](const NodeMark& mark) {
    return mark.bad && mark.node == node;
  });
  return found == marks_.end() ? nullptr : &*found;
}

/// Why a task ended without its runs: it saw that its node is bad and left, or the node's prolog
/// failed. Empty where it did not.
std::string CampaignMachine::left_as_bad(const SubmissionState& state, std::size_t task) const {
  const auto found =
      left_nodes_.find({state.submission.number, static_cast<std::int64_t>(task) + 1});
  return found == left_nodes_.end() ? std::string() : found->second;
}

/// That is no try of its runs, unless the job was told to keep off the node and came to it all the
/// same.
bool CampaignMachine::is_free_try(const SubmissionState& state, const std::string& node) const {
  const NodeMark* mark = bad_mark(node);
  return !mark || state.submission.journaled_at <= mark->time;
}

/// What only the scheduler knows of the node that a task died of, for the next look.
void CampaignMachine::note_lost_node(const SubmissionState& state, std::size_t task,
                                     const JobStatus& status) {
  const std::string node = failed_node(status);
  if (node.empty() || options_.bad_node_after <= 0) return;
  for (const TrackedRun* run : state.runs[task]) {
    if (!owns(state, *run) || run->fate.phase == RunPhase::kDone) continue;
    nodes_.add_lost(node, {options_.now(), "lost", run->planned->name,
                           std::to_string(state.submission.number) + "-" + state.submission.name, 0,
                           status.evidence});
    return;  // the others had not begun
  }
}

/// Finds nodes that are bad, and has nothing more run there.
void CampaignMachine::blame_nodes() {
  const RunCounts now = counts();
  read_nodes(now.failed + now.lost + now.unsubmitted > 0);
  for (auto& mark : find_bad_nodes(histories_, marks_, options_.bad_node_after, options_.now())) {
    nodes_.mark(mark);
    marks_.push_back(std::move(mark));
  }
  forgive_failures_of_nodes();
  exclude_from_waiting();
}

/// What failed there is no result of the run, nor a try.
void CampaignMachine::forgive_failures_of_nodes() {
  if (!scheduler_.excludes_nodes() || has_given_up()) return;
  for (const auto& history : histories_) {
    if (!bad_mark(history.node)) continue;
    for (const NodeEvent* event : last_failures(history, marks_)) forgive(history.node, *event);
  }
}

void CampaignMachine::forgive(const std::string& node, const NodeEvent& event) {
  const auto again = [&](TrackedRun& run, RunPhase phase) {
    RunFate& fate = run.fate;
    const bool is_it = fate.phase == phase && fate.submission <= event.submission() &&
                       (phase != RunPhase::kDone || fate.failed) && !run.planned->left;
    if (!is_it) return;
    fate.phase = RunPhase::kUnsubmitted;
    fate.failed = fate.certain = fate.lost_rank = false;
    fate.end = End::kInfrastructure;
    fate.evidence = "bad node " + node + ": " + event.words;
    run.forgiven = std::max(run.forgiven, event.submission());
    run.tries = std::max<std::int64_t>(0, run.tries - 1);
  };
  if (event.kind != "prolog") {
    TrackedRun* run = tracked_or_none(event.name);
    if (run) again(*run, event.kind == "lost" ? RunPhase::kLost : RunPhase::kDone);
    return;
  }
  for (auto& state : submissions_) {
    const auto task = static_cast<std::size_t>(event.task() - 1);
    if (state.submission.number != event.submission() || task >= state.runs.size()) continue;
    for (TrackedRun* run : state.runs[task])
      if (owns(state, *run)) again(*run, RunPhase::kLost);
  }
}

/// Each bad node once; jobs that wait were handed over before it was known.
void CampaignMachine::exclude_from_waiting() {
  if (!scheduler_.excludes_nodes()) return;
  std::set<std::string> bad;
  for (const auto& mark : bad_nodes()) bad.insert(mark.node);
  if (options_.excludes_anew) bad.insert(campaign_.exclude.begin(), campaign_.exclude.end());
  if (std::includes(told_.begin(), told_.end(), bad.begin(), bad.end())) return;
  std::vector<Asked> asked;
  for (const auto& state : submissions_) {
    bool waits = false;
    for (std::size_t i = 0; i < state.tasks.size(); ++i)
      waits = waits || (!state.settled[i] && state.tasks[i].phase == JobStatus::Phase::kWaiting);
    if (waits) asked.push_back(asked_of(state.submission));
  }
  nodes_trouble_.clear();
  try {
    if (!asked.empty()) scheduler_.exclude(asked, excluded_nodes());
    told_ = std::move(bad);
  } catch (const Error& error) {
    nodes_trouble_ = error.what();
  }
}

}  // namespace pippin
