// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/known_runs.h"

#include <algorithm>
#include <initializer_list>

#include "core/base/files.h"
#include "core/base/hash.h"
#include "harness/scrape/scrape.h"

namespace pippin {

namespace {

/// Size and inode of a file, and when it, or one of the others, was written last; nothing where
/// one of those that must be there is not.
std::optional<FileStamp> stamp_of(const std::string& file,
                                  std::initializer_list<std::string> others) {
  const auto identity = disk().identity(file);
  if (!identity) return std::nullopt;
  FileStamp stamp{identity->size_bytes, identity->written_ns, identity->inode};
  for (const auto& path : others) {
    const auto other = disk().identity(path);
    if (!other) return std::nullopt;
    stamp.written_ns = std::max(stamp.written_ns, other->written_ns);
  }
  return stamp;
}

/// Of the attempt that wrote this log: a file that is added or replaced changes its folder, a line
/// its record, another attempt the run's.
std::optional<FileStamp> stamp_of_attempt(const std::string& log) {
  const std::string attempt = log.substr(0, log.rfind('/'));
  const std::string run = attempt.substr(0, attempt.rfind('/'));
  const std::string record = attempt + "/run";
  return stamp_of(log, {attempt, run, disk().identity(record) ? record : attempt + "/done"});
}

std::optional<ReadFile> to_be_known_by(std::string path, const std::optional<FileStamp>& stamp,
                                       std::int64_t version) {
  if (!stamp || may_change_unseen(stamp->written_ns)) return std::nullopt;
  return ReadFile{std::move(path), *stamp, version, true};
}

constexpr std::int64_t kVersions = 1 << 16;  // of the scraper, at most

constexpr std::string_view kLog = "/log";

}  // namespace

fs::path known_path(const fs::path& path) {
  const fs::path normal = fs::absolute(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();  // "logs/" is "logs"
}

std::optional<ReadFile> file_as_it_is(const fs::path& path) {
  return to_be_known_by(known_path(path), stamp_of(path.string(), {}), kScraperVersion);
}

std::int64_t reading_version(const Campaign& campaign) {
  if (campaign.scrape.empty() && campaign.log.empty()) return kScraperVersion;
  std::string text = campaign.log;
  for (const auto& [name, value] : campaign.scrape) text += '\n' + name + '\t' + value.text;
  constexpr std::size_t kDigits = 8;
  constexpr int kHexadecimal = 16;
  const std::string digits = hash_of(text).substr(0, kDigits);
  return std::stoll(digits, nullptr, kHexadecimal) * kVersions + kScraperVersion;
}

std::optional<ReadFile> attempt_as_it_is(const Attempt& attempt, std::int64_t version) {
  return to_be_known_by(known_path(attempt.log()), stamp_of_attempt(attempt.log().string()),
                        version);
}

KnownRuns::KnownRuns(Database& database, SweepFolder& folder) {
  const std::string root = known_path(folder.root());
  const auto recorded = database.read_files(root);
  std::size_t same = 0, rows = 0;
  for (const auto& [path, file] : recorded) {
    const bool is_attempt = path.ends_with(kLog);
    if (!file.is_log) continue;
    ++rows;
    const auto now = is_attempt ? stamp_of_attempt(path) : stamp_of(path, {});
    if (!now || *now != file.stamp || file.scraper_version % kVersions != kScraperVersion) continue;
    ++same;
    if (is_attempt && file.stored)
      runs_[path.substr(root.size() + 1, path.find('/', root.size() + 1) - root.size() - 1)] =
          file.scraper_version;
  }
  if (same < rows) return;
  const auto numbers = folder.campaigns();
  all_ = std::all_of(numbers.begin(), numbers.end(), [&](std::int64_t number) {
    const auto file = recorded.find(known_path(folder.campaign_file(number)));
    return file != recorded.end() && file->second.is_log;
  });
}

}  // namespace pippin
