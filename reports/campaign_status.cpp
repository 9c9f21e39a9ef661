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

std::string status_text(const CampaignStatus& status, std::size_t width, std::int64_t now) {
  std::string text = fmt::format("{} campaign {}, begun {} on {}\n", printable(status.sweep),
                                 status.campaign, status.started, printable(status.cluster));
  text += fmt::format("  {}\n", progress_bar(status.progress, width > 2 ? width - 2 : width));
  text += lines_text("runs", {{counts_text(status), "", ""}}, width);
  text += lines_text("running", status.running_now, width);
  if (status.latest_end)
    text += fmt::format("  {:<10}at {} at the latest, what runs now\n", "ends",
                        clock_text(*status.latest_end, now));
  text += lines_text("waiting", status.waits, width);
  if (status.next_start)
    text += fmt::format("  {:<10}at {}, the next, as Slurm expects\n", "starts",
                        clock_text(*status.next_start, now));
  text += lines_text("stuck", status.stuck, width);
  text += lines_text("bad nodes", status.bad_nodes, width);
  text += lines_text("again", status.again, width);
  text += lines_text("failed", status.ill, width);
  text += lines_text("lost", status.gone, width);
  if (!status.unread.empty())
    text +=
        lines_text("not read", {{status.unread, "", "'pippin collect' reads their logs"}}, width);
  if (!status.held_back.empty())
    text += lines_text("held back",
                       {{status.held_back, "", "'pippin run' or 'submit' sends the rest"}}, width);
  if (!status.trouble.empty()) text += lines_text("trouble", {{status.trouble, "", ""}}, width);
  return text;
}

}  // namespace pippin
