// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/bad_nodes.h"

#include <algorithm>
#include <set>

namespace pippin {

namespace {

struct Counts {
  std::int64_t runs = 0, failed = 0;
};

const NodeMark* mark_on(const std::string& node, const std::vector<NodeMark>& marks) {
  const auto found = std::find_if(marks.begin(), marks.end(),
                                  [&](const NodeMark& mark) { return mark.node == node; });
  return found == marks.end() ? nullptr : &*found;
}

bool is_bad(const std::string& node, const std::vector<NodeMark>& marks) {
  const NodeMark* mark = mark_on(node, marks);
  return mark && mark->bad;
}

/// Until when a person has seen the node's failures, and allowed it all the same.
std::int64_t allowed_at(const std::string& node, const std::vector<NodeMark>& marks) {
  const NodeMark* mark = mark_on(node, marks);
  return mark && !mark->bad ? mark->time : 0;
}

/// Where the last failures in a row begin: nothing ended well there since.
std::size_t begin_of_row(const NodeHistory& history, const std::vector<NodeMark>& marks) {
  const std::int64_t allowed = allowed_at(history.node, marks);
  std::size_t begin = history.events.size();
  while (begin > 0) {
    const NodeEvent& event = history.events[begin - 1];
    if (event.kind == "ok" || event.time <= allowed) break;
    --begin;
  }
  return begin;
}

void count(const NodeEvent& event, Counts& counts) {
  if (event.kind == "ok" || event.failed()) ++counts.runs;
  if (event.failed()) ++counts.failed;
}

/// In millionths and without fractions, as the jobs' bash has no others.
bool is_rare(const Counts& others, std::size_t in_a_row) {
  constexpr std::int64_t kSure = 1'000'000, kRare = kSure / 20;
  std::int64_t chance = kSure;
  for (std::size_t i = 0; i < in_a_row; ++i)
    chance = chance * (others.failed + 1) / (others.runs + 2);
  return chance < kRare;
}

/// The last failures in a row on a node, and when they began.
struct Row {
  std::vector<const NodeEvent*> failures;
  std::set<std::string> points;
  std::int64_t began = 0, longest_s = 0;
};

Row row_of(const NodeHistory& history, const std::vector<NodeMark>& marks) {
  Row row;
  row.failures = last_failures(history, marks);
  for (const NodeEvent* event : row.failures) {
    row.points.insert(event->point());
    row.longest_s = std::max(row.longest_s, event->seconds);
  }
  if (!row.failures.empty()) row.began = row.failures.front()->time - row.failures.front()->seconds;
  return row;
}

bool goes_on(const NodeHistory& other, const Row& row, std::int64_t now) {
  constexpr std::int64_t kHour = 3600;
  if (other.events.empty()) return false;
  const NodeEvent& last = other.events.back();
  const bool takes_longer = last.kind == "began" && last.time >= row.began - kHour &&
                            now - last.time > 2 * row.longest_s + 1;
  return takes_longer ||
         std::any_of(other.events.begin(), other.events.end(), [&](const NodeEvent& event) {
           return event.kind == "ok" && event.time >= row.began;
         });
}

bool is_to_blame(const NodeHistory& history, const std::vector<NodeHistory>& all,
                 const std::vector<NodeMark>& marks, std::int64_t after, std::int64_t now) {
  Row row = row_of(history, marks);
  if (std::ssize(row.points) < after) return false;
  Counts others;
  const std::size_t begin = begin_of_row(history, marks);
  const std::int64_t allowed = allowed_at(history.node, marks);
  for (std::size_t i = 0; i < begin; ++i)
    if (history.events[i].time > allowed) count(history.events[i], others);
  bool others_go_on = false;
  for (const auto& other : all) {
    if (other.node == history.node) continue;
    for (const auto& event : other.events)
      if (event.kind == "failed") row.points.erase(event.point());
    if (is_bad(other.node, marks)) continue;
    for (const auto& event : other.events) count(event, others);
    others_go_on = others_go_on || goes_on(other, row, now);
  }
  return std::ssize(row.points) >= after && others_go_on && is_rare(others, row.points.size());
}

}  // namespace

std::vector<const NodeEvent*> last_failures(const NodeHistory& history,
                                            const std::vector<NodeMark>& marks) {
  std::vector<const NodeEvent*> failures;
  for (std::size_t i = begin_of_row(history, marks); i < history.events.size(); ++i)
    if (history.events[i].failed()) failures.push_back(&history.events[i]);
  return failures;
}

std::vector<NodeMark> find_bad_nodes(const std::vector<NodeHistory>& histories,
                                     const std::vector<NodeMark>& marks, std::int64_t after,
                                     std::int64_t now) {
  std::vector<NodeMark> found;
  if (after <= 0) return found;
  for (const auto& history : histories) {
    if (is_bad(history.node, marks) || !is_to_blame(history, histories, marks, after, now))
      continue;
    NodeMark mark{history.node, true, now, "pippin", {}, {}};
    for (const NodeEvent* event : last_failures(history, marks)) mark.events.push_back(*event);
    found.push_back(std::move(mark));
  }
  return found;
}

}  // namespace pippin
