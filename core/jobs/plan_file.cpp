// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/plan_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>
#include <vector>

#include "core/base/text.h"

namespace pippin {

namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kEnd = "end";

std::string head_of(const FileIdentity& manifest) {
  return fmt::format("pippin plan 2\t{}\t{}\t{}\t{}", manifest.size_bytes, manifest.written_ns,
                     manifest.changed_ns, manifest.inode);
}

/// A line of words, put together; false where one cannot stand in it.
bool append(std::string& text, const Words& words) {
  for (std::string_view word : words) {
    if (word.find_first_of("\t\n") != std::string_view::npos) return false;
    text.append(word).push_back('\t');
  }
  text.back() = '\n';
  return true;
}

bool append(std::string& text, const PlannedJob& job) {
  Words all{"job", job.name}, left{"left"};
  for (const auto& run : job.runs) {
    all.push_back(run.name);
    if (run.left) left.push_back(run.name);
  }
  return append(text, all) && (left.size() == 1 || append(text, left));
}

bool read_campaign(const Words& words, Campaign& campaign) {
  constexpr std::size_t kWords = 7;
  if (words.size() != kWords) return false;
  const auto number = parse_integer(words[2]), files_late_s = parse_integer(words[6]);
  if (!number || !files_late_s) return false;
  campaign.sweep = words[1];
  campaign.number = *number;
  campaign.started = words[3];
  campaign.cluster = words[4];
  campaign.scheduler = words[5];
  campaign.files_late_s = *files_late_s;
  return true;
}

PlannedJob job_of(const Words& words) {
  PlannedJob job;
  job.name = words[1];
  job.runs.reserve(words.size() - 2);
  for (std::size_t i = 2; i < words.size(); ++i) job.runs.emplace_back().name = words[i];
  return job;
}

void mark_left(const Words& words, PlannedJob& job) {
  const std::unordered_set<std::string_view> left(words.begin() + 1, words.end());
  for (auto& run : job.runs) run.left = left.count(run.name) > 0;
}

bool read_line(std::string_view line, Campaign& campaign) {
  const Words words = split(line, '\t');
  if (words[0] == "campaign") return read_campaign(words, campaign);
  const bool is_job = words[0] == "job" && words.size() > 1;
  const bool is_left = words[0] == "left" && !campaign.jobs.empty();
  if (is_job) campaign.jobs.push_back(job_of(words));
  if (is_left) mark_left(words, campaign.jobs.back());
  return is_job || is_left;
}

}  // namespace

std::optional<std::string> plan_text(const Campaign& campaign, const FileIdentity& manifest) {
  std::string text = head_of(manifest) + "\n";
  const std::string number = std::to_string(campaign.number);
  const std::string files_late_s = std::to_string(campaign.files_late_s);
  if (!append(text, Words{"campaign", campaign.sweep, number, campaign.started, campaign.cluster,
                          campaign.scheduler, files_late_s}))
    return std::nullopt;
  for (const auto& job : campaign.jobs)
    if (!append(text, job)) return std::nullopt;
  return text.append(kEnd).append("\n");
}

std::optional<Campaign> plan_of(std::string_view text, const FileIdentity& manifest) {
  const Words lines = split(text, '\n');
  const std::size_t last = lines.size() - 2;  // behind it is nothing
  if (lines.size() < 4 || lines.front() != head_of(manifest) || lines[last] != kEnd)
    return std::nullopt;
  Campaign campaign;
  for (std::size_t i = 1; i < last; ++i)
    if (!read_line(lines[i], campaign)) return std::nullopt;
  return campaign;
}

}  // namespace pippin
