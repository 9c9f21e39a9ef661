// SPDX-License-Identifier: Apache-2.0
// What jobs have written of themselves.
#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/jobs/protocol.h"

namespace pippin {

namespace {

constexpr std::string_view kClaim = "claim-";

bool is_claim(std::string_view name) { return name.starts_with(kClaim); }

/// Of a submission's attempts, a folder each.
std::string prefix_of(const Submission& submission) {
  return std::to_string(submission.number) + "-";
}

/// An older pippin's jobs made a folder.
bool is_folder(FileSystem& files, const fs::path& path) { return files.exists(path / "."); }

}  // namespace

std::optional<JobClaim> SweepFolder::claim_at(const fs::path& path, std::string name) {
  if (is_folder(files_, path)) {
    const auto owner = files_.read(path / "owner").value_or("");
    return JobClaim{std::move(name), number_of(owner, "task").value_or(0),
                    std::string(word_of(owner, "view")),
                    printable(trim(files_.read(path / "fault").value_or("")))};
  }
  const JobRecord record = read_record(files_.read(path).value_or(""));
  if (!record.is_claim) return std::nullopt;
  return JobClaim{std::move(name), record.task, record.view, record.fault};
}

std::vector<JobClaim> SweepFolder::claims(const Submission& submission,
                                          const std::vector<std::int64_t>& tasks,
                                          const RunNames& known) {
  std::vector<JobClaim> claims = claims_of_runs(submission, tasks, known);
  for (const auto& name : files_.list(directory(submission))) {
    if (!is_claim(name) || known.count(name) > 0) continue;
    if (auto claim = claim_at(directory(submission) / name, name))
      claims.push_back(*std::move(claim));
  }
  return claims;
}

/// Those of jobs of one run lie with it.
std::vector<JobClaim> SweepFolder::claims_of_runs(const Submission& submission,
                                                  const std::vector<std::int64_t>& tasks,
                                                  const RunNames& known) {
  std::vector<JobClaim> claims;
  for (const std::int64_t task : tasks) {
    const auto& runs = submission.tasks[static_cast<std::size_t>(task) - 1].runs;
    if (runs.size() != 1) continue;
    for (const auto& attempt : files_.list(root_ / runs.front())) {
      std::string name = fmt::format("{}/{}", runs.front(), attempt);
      if (!attempt.starts_with(prefix_of(submission)) || known.count(name) > 0) continue;
      if (auto claim = claim_at(root_ / name / "run", name)) claims.push_back(*std::move(claim));
    }
  }
  return claims;
}

bool SweepFolder::has_begun(const Submission& submission) {
  const auto names = files_.list(directory(submission));
  if (std::any_of(names.begin(), names.end(), is_claim)) return true;
  return std::any_of(submission.tasks.begin(), submission.tasks.end(), [&](const auto& task) {
    if (task.runs.size() != 1) return false;
    const auto attempts = files_.list(root_ / task.runs.front());
    return std::any_of(attempts.begin(), attempts.end(), [&](const std::string& name) {
      return name.starts_with(prefix_of(submission));
    });
  });
}

std::string SweepFolder::provenance(const Submission& submission, const Attempt& attempt) {
  if (attempt.record && attempt.record->is_claim) return attempt.record->provenance;
  const fs::path claim = directory(submission) / ("claim-" + attempt.job_id());
  return is_folder(files_, claim) ? files_.read(claim / "provenance").value_or("")
                                  : read_record(files_.read(claim).value_or("")).provenance;
}

}  // namespace pippin
