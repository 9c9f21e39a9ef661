// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/collect_files.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "harness/commands/steps/collected.h"
#include "harness/commands/steps/complaints.h"
#include "harness/commands/steps/folder_walk.h"
#include "harness/commands/steps/found_file.h"
#include "harness/commands/steps/growing_files.h"
#include "harness/commands/steps/known_runs.h"
#include "harness/commands/steps/rank_jobs.h"
#include "harness/commands/steps/read_ahead.h"
#include "harness/commands/steps/reading_progress.h"
#include "harness/scrape/scrape.h"

namespace pippin {

namespace {

/// A file that is as it was when it was read.
struct KnownFile {
  fs::path path, log_path;  ///< log_path: of the log that it belongs to; empty: of none
  bool is_log = false;      ///< it counts as one
  bool named = false;
};

/// Whether a file's text is that log, or it has grown to it. One that cannot be read is none.
bool begins_with(const fs::path& path, const ToldLog& log) try {
  Hasher hasher;
  auto left = static_cast<std::size_t>(log.size_bytes);
  read_text(path, [&](std::string_view part) {
    part = part.substr(0, left);
    hasher.add(part);
    left -= part.size();
    return left > 0;
  });
  return left == 0 && hasher.digest() == log.content_hash;
} catch (const Error&) {
  return false;
}

class Collector {
 public:
  Collector(Database& database, const fs::path& own_runs, Complaints& complaints, ToldValues& told,
            RankNames& ranks, bool verbose, GrowingFiles* growing = nullptr)
      : database_(database),
        own_runs_(own_runs),
        complaints_(complaints),
        told_(told),
        ranks_(ranks),
        verbose_(verbose),
        growing_(growing) {}

  /// What a person named: a folder with all below it, or a file.
  void add(const fs::path& path) {
    std::error_code error;
    const bool is_folder = fs::is_directory(path, error);
    const auto known = database_.read_files(known_path(path));
    FolderWalk walk(complaints_);
    std::vector<FolderWalk::File> files =
        is_folder ? walk.files(path) : std::vector<FolderWalk::File>{{path, known_path(path), {}}};
    bad_ = bad_ || walk.is_unlisted();
    broken_ = broken_ || walk.is_broken();
    for (auto& file : files) {
      const bool alone = file.alone;
      Found found = found_at(std::move(file), !is_folder, now_ns_);
      if (found.as_read && found.as_read->path.native().starts_with(own_runs_.native()))
        found.as_read.reset();
      bool is_unlike = false;
      if (found.odd.empty()) found.told = told_.of(found.path, &is_unlike, alone);
      if (is_unlike)
        complaints_.say(found.path, fmt::format("pippin: {}: --from-name does not fit its name",
                                                found.path.string()));
      doubt(found.told);
      if (found.told.empty() && is_known(found, known)) {
        const ReadFile& before = known.at(found.as_read->path.native());
        known_.push_back({found.path, before.log_path, before.is_log, !is_folder});
        continue;
      }
      take_what_was_told(found);
      found.odd.empty() ? found_.push_back(std::move(found)) : pass_over(found);
    }
  }

  /// Reads what was found and stores it, the files in their order. `bar_width`: of a terminal.
  void read(std::size_t bar_width) {
    find_jobs();
    ranks_.refuse_unfit();
    read_all(bar_width);
  }

  /// Reads what has come since to the files that were found, where they are few.
  void read_growing() {
    find_jobs();
    if (found_.size() > GrowingFiles::kMost) return read_all(0);
    for (auto& found : found_) {
      FileRead file = found.job ? read_file(found.path, {found.told, {}})
                                : read_file(found.path, growing_->at(found));
      take(std::move(found), std::move(file));
    }
    flush();
  }

  const Totals& totals() const { return totals_; }
  /// Without its summary.
  PathCollector::Found found() const {
    std::vector<std::string> lines = remarks_;
    for (auto& line : passed_over_.lines(verbose_)) lines.push_back(std::move(line));
    const ExitCode code = bad_      ? ExitCode::kBadInput
                          : broken_ ? ExitCode::kMachine
                                    : ExitCode::kDone;
    return {code, {}, std::move(lines)};
  }

 private:
  void read_all(std::size_t bar_width) {
    std::vector<ReadAhead::Item> items;
    items.reserve(found_.size());
    std::int64_t bytes = 0;
    for (const auto& found : found_) {
      items.push_back({found.path, found.as_read ? found.as_read->stamp.size_bytes : 0,
                       found.as_read.has_value(), found.told});
      bytes += items.back().size_bytes;
    }
    ReadingProgress progress(items.size(), bytes, bar_width);
    complaints_.watch(&progress);
    ReadAhead ahead(std::move(items), [&](std::int64_t part) { progress.read_bytes(part); });
    auto found = found_.begin();
    for (auto files = ahead.next(); !files.empty(); files = ahead.next()) {
      for (auto& file : files) {
        take(std::move(*found++), std::move(file));
        progress.read_file();
      }
    }
    flush();
    complaints_.watch(nullptr);
  }

  /// Whether a file is as it was when it was read: it is not opened again, unless a person named it
  /// and it is not stored.
  bool is_known(const Found& found, const std::unordered_map<std::string, ReadFile>& known) {
    if (!found.as_read) return false;
    const auto before = known.find(found.as_read->path.native());
    if (before == known.end() || before->second.stamp != found.as_read->stamp ||
        before->second.scraper_version != kScraperVersion)
      return false;
    if (found.named && !before->second.stored) return false;
    if (verbose_ && !before->second.is_log) return false;  // it is to say why
    if (has_moved(before->second, found.path)) return false;
    ++(before->second.is_log ? totals_.known : totals_.no_logs);
    return true;
  }

  /// A name that is nearly a known one makes an axis of a person's own, perhaps by mistake.
  void doubt(const NamedValues& told) {
    for (const auto& [name, value] : told) {
      const std::string meant = value.text.empty() ? "" : meant_by(name);
      if (!meant.empty() && complaints_.is_new({}, name))
        remarks_.push_back(fmt::format(
            "'{}' is taken for an axis of your own; if {} was meant, say it and {}=", name, meant,
            name));
    }
  }

  /// What was said of a log before counts, unless a person now says otherwise.
  void take_what_was_told(Found& found) {
    if (!found.odd.empty() || (growing_ && growing_->has(found))) return;
    if (!has_told_) has_told_ = database_.has_told_logs();
    if (!*has_told_) return;
    for (const auto& before : database_.told_logs(found.path, known_path(found.path))) {
      if (!begins_with(found.path, before)) continue;
      add_unsaid(found.told, before.told);
      return;
    }
  }

  /// Whether a file is a copy of a log that lies no more where it was.
  static bool has_moved(const ReadFile& file, const fs::path& path) {
    std::error_code error;
    return file.stored && file.log_path != path && !fs::exists(file.log_path, error);
  }

  /// Finds out which files may be of one job. Those of them that are known are read again with the
  /// others, unless it turned out before that they are no ranks'.
  void find_jobs() {
    if (found_.empty() && !ranks_.are_said()) return;
    const std::size_t fresh = found_.size();
    std::vector<fs::path> paths;
    paths.reserve(fresh + known_.size());
    for (const auto& found : found_) paths.push_back(found.path);
    for (const auto& known : known_) paths.push_back(known.path);
    for (const auto& files : ranks_.find(paths)) {
      std::set<fs::path> logs;
      for (const auto& file : files.files) {
        if (file.place >= fresh && !known_[file.place - fresh].log_path.empty())
          logs.insert(known_[file.place - fresh].log_path);
      }
      const bool has_new = std::any_of(files.files.begin(), files.files.end(),
                                       [&](const auto& file) { return file.place < fresh; });
      const bool is_apart = logs.size() > 1;
      if (files.sign == RankSign::kNumber ? has_new && !is_apart : has_new || is_apart)
        add_job(files, fresh);
    }
  }

  void add_job(const RankFiles& files, std::size_t fresh) {
    for (const auto& file : files.files) {
      const bool is_known = file.place >= fresh;
      if (is_known) read_again(known_[file.place - fresh]);
      Found& found = is_known ? found_.back() : found_[file.place];
      found.job = jobs_.size();
      found.rank = file.rank;
    }
    jobs_.push_back(
        {files.job, files.sign, files.files.size(), files.files.back().rank + 1, false, {}});
  }

  void read_again(const KnownFile& known) {
    Found found = found_at({known.path, known_path(known.path), {}}, known.named, now_ns_);
    found.told = told_.of(found.path);
    take_what_was_told(found);
    --(known.is_log ? totals_.known : totals_.no_logs);
    found_.push_back(std::move(found));
  }

  void take(Found&& found, FileRead&& file) {
    if (!found.job || jobs_[*found.job].is_apart) return take_alone(found, std::move(file));
    RankJob& job = jobs_[*found.job];
    job.read.push_back({std::move(found), std::move(file)});
    if (says_apart(job, job.read.back())) return take_apart(job);
    if (job.read.size() == job.files) take_job(job);
  }

  void take_apart(RankJob& job) {
    job.is_apart = true;
    for (auto& file : job.read) take_alone(file.found, std::move(file.read));
    job.read.clear();
  }

  /// All files of a job were read.
  void take_job(RankJob& job) {
    const JoinedRanks joined = join_files(job);
    if (joined.kinship == Kinship::kTooFew) {
      for (auto& file : job.read) file.found.as_read.reset();  // more lines may say it
    }
    if (joined.contradict && complaints_.is_new(job.name, "contradict"))
      remarks_.push_back(
          fmt::format("{}: by their names the {} files are of one job; what they say "
                      "ran is not the same, so each is a log of its own",
                      printable(job.name), job.files));
    if (joined.kinship != Kinship::kOneJob) return take_apart(job);
    if (job.sign == RankSign::kNumber && complaints_.is_new(job.name, "joined"))
      remarks_.push_back(
          fmt::format("{}: {} files, taken for the ranks of one job, as their steps "
                      "agree (--ranks none: each is a log)",
                      printable(job.name), job.files));
    std::vector<LogPart> parts;
    for (std::size_t i = 0; i < job.read.size(); ++i) {
      auto& [found, read] = job.read[i];
      if (!read.scraped) {
        take_alone(found, std::move(read));
      } else if (i != joined.main) {
        parts.push_back(part_of(found, *read.scraped));
      }
    }
    auto& [found, read] = job.read[joined.main];
    if (found.is_young) found.as_read.reset();
    remark_on(found, *read.scraped);
    store(found, *std::move(read.scraped), std::move(parts));
    job.read.clear();
  }

  LogPart part_of(Found& found, ScrapedFile& scraped) {
    remark_on(found, scraped);
    if (found.is_young) found.as_read.reset();
    if (found.as_read) found.as_read->is_log = true;
    if (scraped.text) texts_.push_back(std::move(scraped.text));
    LogPart part{std::move(scraped.file), {}, std::move(found.as_read)};
    for (const auto& run : scraped.runs) {
      if (!part.first_line && !run.iterations.empty()) part.first_line = run.iterations.bare(0);
    }
    return part;
  }

  void take_alone(Found& found, FileRead&& file) {
    if (found.is_young) found.as_read.reset();
    if (!file.scraped && file.trouble.empty()) {
      ++totals_.known;
      note(found, true);
      return;
    }
    if (!file.scraped) {
      ++totals_.unreadable;
      bad_ = bad_ || found.named || file.is_told_wrong;
      broken_ = broken_ || file.is_broken;
      complaints_.say(found.path, "pippin: " + file.trouble);
      return;
    }
    ScrapedFile& scraped = *file.scraped;
    if (!scraped.runs.empty()) {
      remark_on(found, scraped);
      store(found, std::move(scraped));
    } else if (!scraped.tables.empty()) {
      flush();
      if (found.named) database_.forgive(scraped.file);
      count(database_.add_network_tables(scraped.file, found.written_at, scraped.tables));
      note(found, true);
    } else {
      refuse(found, scraped);
    }
  }

  void remark_on(const Found& found, const ScrapedFile& scraped) {
    for (const auto& remark : remarks_on(scraped)) {
      if (complaints_.is_new(found.path, remark))
        remarks_.push_back(fmt::format("{}: {}", printable(found.path.string()), remark));
    }
  }

  /// To store a log is a step that waits for the disk, and keeps others from writing: many small
  /// ones share one.
  void store(Found& found, ScrapedFile&& scraped, std::vector<LogPart>&& parts = {}) {
    if (found.as_read) found.as_read->is_log = true;
    waiting_bytes_ += scraped.file.size_bytes();
    if (scraped.text) texts_.push_back(std::move(scraped.text));
    waiting_.push_back({std::move(scraped.file), std::move(scraped.runs), std::move(parts),
                        found.named, std::move(found.as_read)});
    if (waiting_.size() >= kMostWaiting || waiting_bytes_ >= kMostWaitingBytes) flush();
  }

  void refuse(const Found& found, const ScrapedFile& scraped) {
    ++totals_.no_logs;
    note(found, false);
    const std::string why = why_nothing(scraped);
    if (found.named) {
      bad_ = true;
      complaints_.say(found.path, fmt::format("pippin: {}: {}{}", found.path.string(), why,
                                              what_is_near(scraped, found.path)));
    } else if (looks_like_log(found.path, scraped) && complaints_.is_new(found.path, why)) {
      passed_over_.add(found.path, why);
    }
  }

  /// What is no file may hold us up, or do something when it is opened.
  void pass_over(Found& found) {
    ++totals_.no_logs;
    if (found.is_young) found.as_read.reset();
    note(found, false);
    const std::string why = fmt::format("is {}, not a file, and was not opened", found.odd);
    if (complaints_.is_new(found.path, why)) passed_over_.add(found.path, why);
  }

  void note(const Found& found, bool is_log) {
    if (!found.as_read) return;
    others_.push_back(*found.as_read);
    others_.back().is_log = is_log;
  }

  /// Stores what was read and is not stored yet.
  void flush() {
    if (waiting_.empty() && others_.empty()) return;
    try {
      for (const Added& added : database_.add_foreign_logs(waiting_, others_)) count(added);
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::kBadInput) throw;
      store_one_by_one();
    }
    waiting_.clear();
    texts_.clear();
    others_.clear();
    waiting_bytes_ = 0;
  }

  /// One that had to be read again has changed or is gone: it is left out, and the others stay.
  void store_one_by_one() {
    for (const auto& log : waiting_) {
      try {
        count(database_.add_foreign_logs({log}).front());
      } catch (const Error& error) {
        if (error.exit_code() != ExitCode::kBadInput) throw;
        const bool is_told_wrong = dynamic_cast<const ToldError*>(&error) != nullptr;
        const std::string where = is_told_wrong ? printable(log.file.path().string()) + ": " : "";
        ++totals_.unreadable;
        bad_ = bad_ || log.forgive || is_told_wrong;
        complaints_.say(log.file.path(), fmt::format("pippin: {}{}", where, error.what()));
      }
    }
    database_.add_foreign_logs({}, others_);
  }

  void count(const Added& added) {
    totals_.added.logs += added.logs;
    totals_.added.runs += added.runs;
    totals_.added.iterations += added.iterations;
    totals_.added.network_tables += added.network_tables;
    totals_.added.described += added.described;
    if (adds_nothing(added) && added.described == 0) ++totals_.known;
  }

  static constexpr std::size_t kMostWaiting = 500;
  static constexpr std::int64_t kMostWaitingBytes = 16 << 20;

  Database& database_;
  const fs::path& own_runs_;
  Complaints& complaints_;
  ToldValues& told_;
  RankNames& ranks_;
  const bool verbose_;
  GrowingFiles* const growing_;  ///< nullptr: nothing is followed
  const std::int64_t now_ns_ = std::time(nullptr) * kNsPerSecond;
  std::vector<Found> found_;
  std::vector<KnownFile> known_;  ///< that are not read
  std::vector<RankJob> jobs_;
  std::vector<ForeignLog> waiting_;
  std::vector<std::shared_ptr<const std::string>> texts_;  ///< of those in waiting_
  std::vector<ReadFile> others_;                           ///< that hold no runs
  std::int64_t waiting_bytes_ = 0;
  std::optional<bool> has_told_;  ///< whether something was said of a log
  Totals totals_;
  PassedOver passed_over_;
  std::vector<std::string> remarks_;
  bool bad_ = false;     ///< what was named cannot be read, or is no log
  bool broken_ = false;  ///< something else cannot be read, as a machine fails
};

}  // namespace

struct PathCollector::State {
  Database& database;
  const std::vector<fs::path> paths;
  const fs::path own_runs;  ///< with a slash at the end
  const bool verbose;
  Complaints complaints;
  ToldValues told;
  RankNames ranks;
  GrowingFiles growing;
};

PathCollector::PathCollector(Database& database, std::vector<fs::path> paths,
                             const fs::path& own_runs, std::ostream& errors, bool verbose,
                             ToldValues told, RankNames ranks)
    : state_(new State{database,
                       std::move(paths),
                       known_path(own_runs) / "",
                       verbose,
                       Complaints(errors),
                       std::move(told),
                       std::move(ranks),
                       {}}) {}

PathCollector::~PathCollector() = default;

PathCollector::Found PathCollector::read(std::size_t bar_width) {
  Collector collector(state_->database, state_->own_runs, state_->complaints, state_->told,
                      state_->ranks, state_->verbose);
  for (const auto& path : state_->paths) collector.add(path);
  collector.read(bar_width);
  Found found = collector.found();
  // One file that is no log has said so in its own line.
  if (found.code == ExitCode::kDone || state_->paths.size() > 1)
    found.summary = summary_of(collector.totals());
  return found;
}

PathCollector::Found PathCollector::read_on() {
  Collector collector(state_->database, state_->own_runs, state_->complaints, state_->told,
                      state_->ranks, false, &state_->growing);
  for (const auto& path : state_->paths) {
    if (!is_read_once(path)) collector.add(path);  // a pipe gave all at once
  }
  collector.read_growing();
  Found found = collector.found();
  if (!adds_nothing(collector.totals().added)) found.summary = text_of(collector.totals().added);
  return found;
}

}  // namespace pippin
