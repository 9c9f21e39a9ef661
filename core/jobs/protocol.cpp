#include "core/jobs/protocol.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/manifest.h"
#include "core/jobs/plan_file.h"

namespace pippin {

namespace {

constexpr std::string_view kClaim = "claim-";

/// "exit=0 ended=1700000000" → the word after "exit="; empty where it is not there.
std::string_view word_of(std::string_view marker, std::string_view name) {
  for (std::string_view part : split(trim(marker), ' ')) {
    if (part.size() > name.size() && part.substr(0, name.size()) == name &&
        part[name.size()] == '=') {
      return part.substr(name.size() + 1);
    }
  }
  return {};
}

std::optional<std::int64_t> field(std::string_view marker, std::string_view name) {
  return parse_integer(word_of(marker, name));
}

/// The number after `prefix` where `name` is exactly that: "campaign-2" → 2.
std::optional<std::int64_t> number_after(std::string_view name, std::string_view prefix) {
  if (name.substr(0, prefix.size()) != prefix) return std::nullopt;
  return parse_integer(name.substr(prefix.size()));
}

/// "2-local-0" → 2; 0 where the name is no attempt's.
std::int64_t submission_of(std::string_view attempt) {
  return parse_integer(split(attempt, '-').front()).value_or(0);
}

/// "gpt-52b-n4-s12" → 12; nothing where the name is no submission's.
std::optional<std::int64_t> number_of_submission(std::string_view name) {
  const auto mark = name.rfind("-s");
  return mark == std::string_view::npos ? std::nullopt : parse_integer(name.substr(mark + 2));
}

/// Lines of "ATTEMPT<tab>words".
std::map<std::string, std::string, std::less<>> read_refuted(std::string_view text) {
  std::map<std::string, std::string, std::less<>> words_of;
  for (std::string_view line : split(trim(text), '\n')) {
    const auto words = split(line, '\t');
    if (words.size() == 2) words_of[std::string(words[0])] = words[1];
  }
  return words_of;
}

/// A marker that a power cut has torn is none: the attempt was lost.
Attempt read_attempt(FileSystem& files, const fs::path& directory) {
  Attempt attempt;
  attempt.name = directory.filename().string();
  attempt.submission = submission_of(attempt.name);
  attempt.directory = directory;
  if (const auto started = files.read(directory / "started"))
    attempt.started = parse_integer(trim(*started));
  const auto done = files.read(directory / "done").value_or("");
  const auto exit_code = field(done, "exit"), ended = field(done, "ended");
  if (exit_code && ended) {
    attempt.exit_code = static_cast<int>(*exit_code);
    attempt.ended = ended;
    attempt.stopped = word_of(done, "stopped");
    attempt.stopped_after_s = field(done, "after").value_or(0);
  } else if (const auto interrupted = files.read(directory / "interrupted")) {
    attempt.interrupted = true;
    attempt.time_up = field(*interrupted, "time_up") == 1;
  }
  return attempt;
}

constexpr std::pair<End, std::string_view> kEndWords[] = {
    {End::kCompleted, "completed"}, {End::kApplication, "application"},
    {End::kLimit, "limit"},         {End::kInfrastructure, "infrastructure"},
    {End::kUser, "user"},           {End::kUnknown, "unknown"}};

std::string_view word_of(End end) {
  return std::find_if(std::begin(kEndWords), std::end(kEndWords),
                      [&](const auto& entry) { return entry.first == end; })
      ->second;
}

End end_of(std::string_view word) {
  const auto found = std::find_if(std::begin(kEndWords), std::end(kEndWords),
                                  [&](const auto& entry) { return entry.second == word; });
  return found == std::end(kEndWords) ? End::kUnknown : found->first;
}

/// Lines of "TASK<tab>seconds since 1970".
std::map<std::int64_t, std::int64_t> read_times(std::string_view text) {
  std::map<std::int64_t, std::int64_t> time_of;
  for (std::string_view line : split(trim(text), '\n')) {
    const auto words = split(line, '\t');
    const auto task = parse_integer(words.front()), time = parse_integer(words.back());
    if (task && time) time_of[*task] = *time;
  }
  return time_of;
}

std::string journal_text(const Submission& submission) {
  std::string text = fmt::format("{}\nowner\t{}\nsender\t{}\nat\t{}\ntried_until\t{}\n",
                                 submission.token, submission.owner, submission.sender,
                                 submission.journaled_at, submission.tried_until);
  for (const auto& task : submission.tasks)
    text += fmt::format("task\t{}\t{}\n", task.job, fmt::join(task.runs, "\t"));
  return text;
}

/// False where the journal is damaged.
bool read_journal(std::string_view text, Submission& submission) {
  const auto lines = split(trim(text), '\n');
  submission.token = std::string(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto words = split(lines[i], '\t');
    if (words.size() < 2) return false;
    if (words[0] == "owner") submission.owner = words[1];
    if (words[0] == "sender") submission.sender = words[1];
    if (words[0] == "at") submission.journaled_at = parse_integer(words[1]).value_or(0);
    if (words[0] == "tried_until") submission.tried_until = parse_integer(words[1]).value_or(0);
    if (words[0] == "task")
      submission.tasks.push_back({std::string(words[1]), {words.begin() + 2, words.end()}});
  }
  return !submission.token.empty() && !submission.tasks.empty();
}

/// Lines of "TASK<tab>end<tab>evidence".
std::map<std::int64_t, TaskEnd> read_ends(std::string_view text) {
  std::map<std::int64_t, TaskEnd> ends;
  for (std::string_view line : split(trim(text), '\n')) {
    const auto words = split(line, '\t');
    const auto task = parse_integer(words.front());
    if (task && words.size() == 3) ends[*task] = {end_of(words[1]), std::string(words[2])};
  }
  return ends;
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

std::vector<Attempt> SweepFolder::attempts(const std::string& run) {
  std::vector<Attempt> attempts;
  for (const auto& name : files_.list(root_ / run)) {
    if (submission_of(name) == 0) continue;
    const Attempt attempt = read_attempt(files_, root_ / run / name);
    // A job makes folders of short runs before it comes to them.
    if (attempt.started || attempt.done() || !files_.list(attempt.directory).empty())
      attempts.push_back(attempt);
  }
  const auto refuted = read_refuted(files_.read(root_ / "refuted" / run).value_or(""));
  for (auto& attempt : attempts) {
    if (const auto words = refuted.find(attempt.name); words != refuted.end())
      attempt.refuted = words->second;
  }
  std::stable_sort(attempts.begin(), attempts.end(), [](const Attempt& a, const Attempt& b) {
    return std::tie(a.submission, a.started) < std::tie(b.submission, b.started);
  });
  return attempts;
}

void SweepFolder::each_succeeded(const std::function<void(std::string_view run)>& take) {
  files_.each_name(root_ / "succeeded", take);
}

std::vector<bool> SweepFolder::succeeded(const NameTable& runs) {
  std::vector<bool> found(runs.size());
  each_succeeded([&](std::string_view name) {
    if (const auto number = runs.find(name)) found[*number] = true;
  });
  return found;
}

fs::path SweepFolder::listing_file(std::int64_t campaign) const {
  return root_ / fmt::format(".campaign-{}.listing", campaign);
}

std::vector<bool> SweepFolder::succeeded_as_kept(std::int64_t campaign, const NameTable& runs) {
  constexpr std::size_t kMany = 4096;
  const fs::path kept = listing_file(campaign), folder = root_ / "succeeded";
  const auto before = files_.identity(folder);
  if (runs.size() < kMany || !before) return succeeded(runs);
  auto known = listing_of(read_if_allowed(files_, kept), runs, *before);
  if (known && may_be_trusted(kept)) return *std::move(known);
  const bool can_be_kept =
      !may_change_unseen(before->last_ns()) && is_older_than_now(*before, kept);
  auto found = succeeded(runs);
  if (can_be_kept && files_.identity(folder) == before)
    write_if_allowed(files_, kept, listing_text(runs, *before, found));
  return found;
}

/// By the file system's own clock, which may not be this machine's: then no later change leaves the
/// folder's time as it is.
bool SweepFolder::is_older_than_now(const FileIdentity& folder, const fs::path& kept) {
  const auto now = write_if_allowed(files_, kept, "") ? files_.identity(kept) : std::nullopt;
  return now && !may_change_unseen(folder.last_ns(), now->changed_ns);
}

/// Some file systems do not keep the times of folders: there, a file that comes leaves no trace.
bool SweepFolder::may_be_trusted(const fs::path& kept) {
  const auto file = files_.identity(kept), folder = files_.identity(root_);
  return file && folder && folder->written_ns >= file->written_ns;
}

RunNames SweepFolder::failed() { return named("failed"); }

RunNames SweepFolder::refuted() { return named("refuted"); }

RunNames SweepFolder::named(const char* folder) {
  const auto names = files_.list(root_ / folder);
  return {names.begin(), names.end()};
}

void SweepFolder::refute(const std::string& run, const Attempt& attempt, const std::string& words) {
  if (attempt.refuted == printable(words)) return;
  const fs::path file = root_ / "refuted" / run;
  auto refuted = read_refuted(files_.read(file).value_or(""));
  refuted[attempt.name] = printable(words);
  std::string text;
  for (const auto& [name, said] : refuted)
    if (!said.empty()) text += fmt::format("{}\t{}\n", name, said);
  files_.write(file, text);
}

std::string SweepFolder::held_back() {
  return std::string(trim(files_.read(root_ / "held-back").value_or("")));
}

void SweepFolder::note_held_back(const std::string& words) {
  files_.write(root_ / "held-back", words.empty() ? "" : printable(words) + "\n");
}

std::optional<GivenUp> SweepFolder::given_up() {
  const auto text = files_.read(root_ / "given-up");
  if (!text) return std::nullopt;
  const auto lines = split(trim(*text), '\n');
  GivenUp found;
  found.until = field(lines.front(), "until").value_or(0);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto words = split(lines[i], '\t');
    if (words.size() < 4) continue;
    found.host = found.runs.empty() || words[1] == found.host ? std::string(words[1]) : "";
    found.runs.emplace_back(words[0]);
    found.evidence = printable(words[3]);
  }
  return found.until > 0 && !found.runs.empty() ? std::optional(found) : std::nullopt;
}

std::string text_of(const GivenUp& given_up) {
  return fmt::format("{} in a row failed alike{}: {}", counted(given_up.runs.size(), "run"),
                     given_up.host.empty() ? "" : ", all on " + given_up.host, given_up.evidence);
}

std::vector<Submission> SweepFolder::submissions() {
  std::vector<Submission> found;
  for (const auto& name : files_.list(root_ / "jobs")) {
    const auto number = number_of_submission(name);
    if (!number || !files_.exists(root_ / "jobs" / name / "journal")) continue;
    found.push_back(read_submission(name, *number));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  return found;
}

std::int64_t SweepFolder::newest_submission() {
  std::int64_t newest = 0;
  for (const auto& name : files_.list(root_ / "jobs"))
    newest = std::max(newest, number_of_submission(name).value_or(0));
  return newest;
}

Submission SweepFolder::read_submission(const std::string& name, std::int64_t number) {
  const fs::path folder = root_ / "jobs" / name;
  Submission submission;
  submission.number = number;
  submission.name = name;
  if (!read_journal(files_.read(folder / "journal").value_or(""), submission)) {
    machine_failed("{}: a damaged journal; remove {}, and its runs are submitted again",
                   (folder / "journal").string(), folder.string());
  }
  const auto names = files_.list(folder);
  const auto is_there = [&](std::string_view mark) {
    return std::binary_search(names.begin(), names.end(), mark);
  };
  const auto words = [&](const char* mark) {
    return std::string(trim(files_.read(folder / mark).value_or("")));
  };
  if (is_there("handed")) submission.handed = words("handed");
  if (is_there("refused")) submission.refused = words("refused");
  submission.cancelled = is_there("cancelled");
  if (is_there("ended")) submission.ended = read_ends(words("ended"));
  if (is_there("ending")) submission.ending = read_times(words("ending"));
  return submission;
}

void SweepFolder::journal(const Submission& submission) {
  files_.write(directory(submission) / "journal", journal_text(submission));
}

void SweepFolder::mark_handed(Submission& submission, const std::string& id) {
  files_.write(directory(submission) / "handed", id + "\n");
  submission.handed = id;
}

void SweepFolder::mark_refused(Submission& submission, const std::string& words) {
  files_.write(directory(submission) / "refused", words + "\n");
  submission.refused = words;
}

void SweepFolder::mark_cancelled(Submission& submission) {
  files_.write(directory(submission) / "cancelled", "");
  submission.cancelled = true;
}

void SweepFolder::mark_ended(Submission& submission, const std::map<std::int64_t, TaskEnd>& ended) {
  for (const auto& [task, end] : ended) submission.ended[task] = end;
  std::string text;
  for (const auto& [task, end] : submission.ended)
    text += fmt::format("{}\t{}\t{}\n", task, word_of(end.end), printable(end.evidence));
  files_.write(directory(submission) / "ended", text);
}

void SweepFolder::mark_ending(Submission& submission,
                              const std::map<std::int64_t, std::int64_t>& since) {
  submission.ending = since;
  std::string text;
  for (const auto& [task, time] : since) text += fmt::format("{}\t{}\n", task, time);
  files_.write(directory(submission) / "ending", text);
}

std::vector<JobClaim> SweepFolder::claims(const Submission& submission, const RunNames& known) {
  std::vector<JobClaim> claims;
  for (const auto& name : files_.list(directory(submission))) {
    if (!name.starts_with(kClaim) || known.count(name) > 0) continue;
    const auto owner = files_.read(directory(submission) / name / "owner").value_or("");
    const auto fault = files_.read(directory(submission) / name / "fault").value_or("");
    claims.push_back({name, field(owner, "task").value_or(0), std::string(word_of(owner, "view")),
                      printable(trim(fault))});
  }
  return claims;
}

bool SweepFolder::has_begun(const Submission& submission) {
  const auto names = files_.list(directory(submission));
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::string_view(name).substr(0, kClaim.size()) == kClaim;
  });
}

std::string SweepFolder::provenance(const Submission& submission, const Attempt& attempt) {
  return files_.read(directory(submission) / ("claim-" + attempt.job_id()) / "provenance")
      .value_or("");
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

const Attempt* attempt_that_counts(const std::vector<Attempt>& attempts) {
  const Attempt* best = attempts.empty() ? nullptr : &attempts.back();
  for (const auto& attempt : attempts) {
    const bool is_first_success =
        attempt.succeeded() && (!best->succeeded() || attempt.ended < best->ended);
    const bool is_last_failure = attempt.done() && !best->succeeded();
    if (is_first_success || is_last_failure) best = &attempt;
  }
  return best;
}

}  // namespace pippin
