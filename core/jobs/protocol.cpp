// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/protocol.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/manifest.h"
#include "core/jobs/plan_file.h"

namespace pippin {

namespace {

/// The number after `prefix` where `name` is exactly that: "campaign-2" → 2.
std::optional<std::int64_t> number_after(std::string_view name, std::string_view prefix) {
  if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
  constexpr std::int64_t kMost = 1'000'000'000;  // there must be a next one
  const auto number = parse_integer(name.substr(prefix.size()));
  return number && *number <= kMost ? number : std::nullopt;
}

std::string read_if_allowed(FileSystem& files, const fs::path& path) {
  try {
    return files.read(path).value_or("");
  } catch (const Error&) {
    return "";
  }
}

/// False in somebody else's folder, or on a full disk.
bool write_if_allowed(FileSystem& files, const fs::path& path, std::string_view text) {
  try {
    files.write(path, text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

std::string SweepFolder::held_back() {
  return std::string(trim(files_.read(root_ / "held-back").value_or("")));
}

std::string SweepFolder::cancelled() { return files_.read(root_ / "cancelled").value_or(""); }

void SweepFolder::note_cancelled(const std::string& words) {
  files_.write(root_ / "cancelled", words + "\n");
}

std::string SweepFolder::place() {
  return std::string(trim(files_.read(root_ / "scheduler").value_or("")));
}

void SweepFolder::note_place(const std::string& place) {
  files_.write(root_ / "scheduler", place + "\n");
}

void SweepFolder::note_held_back(const std::string& words) {
  files_.write(root_ / "held-back", words.empty() ? "" : printable(words) + "\n");
}

namespace {

/// What the jobs wrote; nothing where that is no such file.
std::optional<GivenUp> read_given_up(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto lines = split(trim(*text), '\n');
  GivenUp found;
  found.until = number_of(lines.front(), "until").value_or(0);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto words = split(lines[i], '\t');
    if (words.size() < 4) continue;
    found.host = found.runs.empty() || words[1] == found.host ? std::string(words[1]) : "";
    found.runs.emplace_back(words[0]);
    found.evidence = printable(words[3]);
  }
  return found.until > 0 && !found.runs.empty() ? std::optional(found) : std::nullopt;
}

}  // namespace

std::optional<GivenUp> SweepFolder::given_up() {
  auto found = read_given_up(files_.read(root_ / "given-up"));
  if (!found) return std::nullopt;
  const std::string text = files_.read(root_ / "given-up-handed").value_or("");
  const std::string_view handed = trim(text);
  if (number_of(handed, "until") == found->until)
    found->until = std::max(found->until, number_of(handed, "newest").value_or(0));
  return found;
}

void SweepFolder::note_given_up(std::int64_t newest) {
  const auto written = read_given_up(files_.read(root_ / "given-up"));
  if (!written) return;
  files_.write(root_ / "given-up-handed",
               fmt::format("until={} newest={}\n", written->until, newest));
}

std::string text_of(const GivenUp& given_up) {
  return fmt::format("{} in a row failed alike{}: {}", counted(given_up.runs.size(), "run"),
                     given_up.host.empty() ? "" : ", all on " + given_up.host, given_up.evidence);
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

fs::path SweepFolder::campaign_file(std::int64_t number) const {
  return root_ / fmt::format("campaign-{}.json", number);
}

Campaign SweepFolder::load_campaign(std::int64_t number) {
  const fs::path file = campaign_file(number);
  const auto text = files_.read(file);
  if (!text) bad_input("{}: no such campaign", file.string());
  return campaign_of(*text, file.string());
}

fs::path SweepFolder::plan_file(std::int64_t number) const {
  return root_ / fmt::format(".campaign-{}.plan", number);
}

Campaign SweepFolder::load_plan(std::int64_t number) {
  constexpr std::int64_t kLarge_bytes = std::int64_t{256} << 10;
  const auto before = files_.identity(campaign_file(number));
  const bool is_large = before && before->size_bytes >= kLarge_bytes;
  if (is_large) {
    if (auto plan = plan_of(read_if_allowed(files_, plan_file(number)), *before))
      return *std::move(plan);
  }
  Campaign campaign = load_campaign(number);
  if (is_large && files_.identity(campaign_file(number)) == before)
    keep_plan(number, campaign, *before);
  return campaign;
}

/// One that could change unseen, as its file system's times may be coarse, is not kept.
void SweepFolder::keep_plan(std::int64_t number, const Campaign& campaign,
                            const FileIdentity& manifest) {
  if (may_change_unseen(manifest.last_ns())) return;
  if (const auto text = plan_text(campaign, manifest))
    write_if_allowed(files_, plan_file(number), *text);
}

void SweepFolder::save_campaign(const Campaign& campaign) {
  files_.write(campaign_file(campaign.number), manifest_of(campaign));
}

}  // namespace pippin
