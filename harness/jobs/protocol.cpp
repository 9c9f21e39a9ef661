#include "harness/jobs/protocol.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/text.h"
#include "harness/jobs/manifest.h"

namespace pippin {

namespace {

/// "exit=0 ended=1700000000" → the value after "exit="; nothing where it is not there.
std::optional<std::int64_t> field(std::string_view marker, std::string_view name) {
  for (std::string_view part : split(trim(marker), ' ')) {
    if (part.size() > name.size() && part.substr(0, name.size()) == name &&
        part[name.size()] == '=') {
      return parse_integer(part.substr(name.size() + 1));
    }
  }
  return std::nullopt;
}

/// The number after `prefix` where `name` is exactly that: "submission-2" → 2.
std::optional<std::int64_t> number_after(std::string_view name, std::string_view prefix) {
  if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
  return parse_integer(name.substr(prefix.size()));
}

/// "2-local-0" → 2; 0 where the name is no attempt's.
std::int64_t submission_of(std::string_view attempt) {
  return parse_integer(split(attempt, '-').front()).value_or(0);
}

/// A marker that a power cut has torn is none: the attempt was lost.
Attempt read_attempt(FileSystem& files, const fs::path& directory) {
  Attempt attempt;
  attempt.name = directory.filename().string();
  attempt.submission = submission_of(attempt.name);
  attempt.directory = directory;
  if (const auto started = files.read(directory / "started"))
    attempt.started = parse_integer(trim(*started));
  const auto done = files.read(directory / "done");
  if (!done) return attempt;
  const auto exit_code = field(*done, "exit"), ended = field(*done, "ended");
  if (!exit_code || !ended) return attempt;
  attempt.exit_code = static_cast<int>(*exit_code);
  attempt.ended = ended;
  return attempt;
}

}  // namespace

fs::path SweepFolder::script(const std::string& job, std::int64_t submission) const {
  return job_directory(job) / fmt::format("job-{}.sh", submission);
}

fs::path SweepFolder::job_log(const std::string& job, std::int64_t submission) const {
  return job_directory(job) / fmt::format("job-{}.log", submission);
}

std::vector<Attempt> SweepFolder::attempts(const std::string& run) {
  std::vector<Attempt> attempts;
  for (const auto& name : files_.list(root_ / run)) {
    if (submission_of(name) > 0) attempts.push_back(read_attempt(files_, root_ / run / name));
  }
  std::stable_sort(attempts.begin(), attempts.end(),
                   [](const Attempt& a, const Attempt& b) { return a.submission < b.submission; });
  return attempts;
}

std::vector<Submission> SweepFolder::submissions(const std::string& job) {
  std::vector<Submission> found;
  const auto names = files_.list(job_directory(job));
  for (const auto& name : names) {
    const auto number = number_after(name, "submission-");
    if (!number) continue;
    const std::string text = files_.read(job_directory(job) / name).value_or("");
    const auto lines = split(trim(text), '\n');
    if (lines[0].empty())
      machine_failed("{}: a damaged journal; remove it, and the job is handed over again",
                     (job_directory(job) / name).string());
    const auto marked = [&](std::string_view mark) {
      return std::binary_search(names.begin(), names.end(), fmt::format("{}-{}", mark, *number));
    };
    found.push_back({*number,
                     std::string(lines[0]),
                     {lines.begin() + 1, lines.end()},
                     marked("handed"),
                     marked("cancelled")});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  return found;
}

void SweepFolder::journal(const std::string& job, const Submission& submission) {
  files_.write(job_directory(job) / fmt::format("submission-{}", submission.number),
               fmt::format("{}\n{}\n", submission.token, fmt::join(submission.runs, "\n")));
}

void SweepFolder::mark_handed(const std::string& job, std::int64_t submission) {
  files_.write(job_directory(job) / fmt::format("handed-{}", submission), "");
}

void SweepFolder::mark_cancelled(const std::string& job, std::int64_t submission) {
  files_.write(job_directory(job) / fmt::format("cancelled-{}", submission), "");
}

std::string SweepFolder::provenance(const std::string& job, const Attempt& attempt) {
  return files_.read(job_directory(job) / ("claim-" + attempt.name) / "provenance").value_or("");
}

std::vector<std::int64_t> SweepFolder::campaigns() {
  std::vector<std::int64_t> numbers;
  for (const auto& name : files_.list(root_)) {
    if (name.size() < 5 || name.substr(name.size() - 5) != ".json") continue;
    if (const auto number = number_after(name.substr(0, name.size() - 5), "campaign-"))
      numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Campaign SweepFolder::load_campaign(std::int64_t number) {
  const fs::path file = root_ / fmt::format("campaign-{}.json", number);
  const auto text = files_.read(file);
  if (!text) bad_input("{}: no such campaign", file.string());
  return campaign_of(*text, file.string());
}

void SweepFolder::save_campaign(const Campaign& campaign) {
  files_.write(root_ / fmt::format("campaign-{}.json", campaign.number), manifest_of(campaign));
}

const Attempt* counted(const std::vector<Attempt>& attempts) {
  for (const auto& attempt : attempts) {
    if (attempt.done()) return &attempt;
  }
  return attempts.empty() ? nullptr : &attempts.back();
}

}  // namespace pippin
