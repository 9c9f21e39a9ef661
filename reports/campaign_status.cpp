// SPDX-License-Identifier: Apache-2.0
#include "reports/campaign_status.h"

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "reports/display_text.h"

namespace pippin {

namespace {

/// "15:10", with the day where it is another than today's.
std::string clock_text(std::int64_t at, std::int64_t now) {
  const bool same_day = local_text(at, "%F") == local_text(now, "%F");
  return local_text(at, same_day ? "%H:%M" : "%F %H:%M");
}

std::string counts_text(const CampaignStatus& status) {
  std::vector<std::string> parts;
  const auto add = [&](std::int64_t count, const char* word) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, word));
  };
  add(status.ok, "ok");
  add(status.failed, "failed");
  add(status.running, "running");
  add(status.waiting, "waiting");
  add(status.unsubmitted, "not submitted");
  add(status.lost, "lost");
  add(status.cancelled, "cancelled");
  add(status.left, "that left the sweep");
  return join(parts, ", ");
}

/// "  stuck    gpt-52b-n99-s3: PartitionNodeLimit; fewer GPUs, or another partition"
std::string lines_text(const std::string& title, const std::vector<CampaignStatus::Line>& lines,
                       std::size_t width) {
  constexpr std::size_t kMostLines = CampaignStatus::kMostLines;
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < kMostLines; ++i) {
    const CampaignStatus::Line& line = lines[i];
    std::string words = fmt::format("  {:<10}{}", i == 0 ? title : "", printable(line.what));
    if (!line.words.empty()) words += ": " + printable(line.words);
    if (!line.remedy.empty()) words += "; " + line.remedy;
    constexpr std::size_t kIndent = 12;
    text += wrapped(words, width, kIndent) + "\n";
  }
  if (lines.size() > kMostLines)
    text += fmt::format("  {:<10}and {} more\n", "", lines.size() - kMostLines);
  return text;
}

}  // namespace

std::vector<StatusList> lists_of(const CampaignStatus& status, std::int64_t now) {
  std::vector<StatusList> lists;
  const auto add = [&](const char* title, std::vector<CampaignStatus::Line> lines) {
    if (!lines.empty()) lists.push_back({title, std::move(lines)});
  };
  const auto add_one = [&](const char* title, const std::string& what, const char* remedy = "") {
    if (!what.empty()) add(title, {{what, "", remedy}});
  };
  add_one("runs", counts_text(status));
  add("running", status.running_now);
  if (status.latest_end)
    add_one("ends",
            fmt::format("at {} at the latest, what runs now", clock_text(*status.latest_end, now)));
  add("suspended", status.suspended);
  add("waiting", status.waits);
  if (status.next_start)
    add_one("starts", fmt::format("at {}, the next, as the scheduler expects",
                                  clock_text(*status.next_start, now)));
  add("stuck", status.stuck);
  add("bad nodes", status.bad_nodes);
  add("again", status.again);
  add("failed", status.ill);
  add("lost", status.gone);
  add_one("not read", status.unread, "'pippin collect' reads their logs");
  add_one("held back", status.held_back, "'pippin run' or 'submit' sends the rest");
  add_one("trouble", status.trouble);
  return lists;
}

std::string status_text(const CampaignStatus& status, std::size_t width, std::int64_t now) {
  std::string text =
      fmt::format("{} campaign {}, begun {} on {}\n", printable(status.sweep), status.campaign,
                  printable(status.started), printable(status.cluster));
  text += fmt::format("  {}\n", progress_bar(status.progress, width > 2 ? width - 2 : width));
  for (const auto& list : lists_of(status, now)) text += lines_text(list.title, list.lines, width);
  return text;
}

}  // namespace pippin
