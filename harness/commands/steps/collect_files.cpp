#include "harness/commands/steps/collect_files.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <list>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <sys/stat.h>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "harness/commands/steps/known_runs.h"
#include "harness/commands/steps/read_ahead.h"
#include "harness/commands/steps/reading_progress.h"
#include "harness/scrape/scrape.h"

namespace pippin {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

struct Totals {
  Added added;
  std::int64_t known = 0;    ///< logs that brought nothing new
  std::int64_t no_logs = 0;  ///< files without records
  std::int64_t unreadable = 0;
};

bool adds_nothing(const Added& added) {
  return added.logs + added.runs + added.iterations + added.network_tables == 0;
}

std::string text_of(const Added& added) {
  if (adds_nothing(added)) return "nothing added";
  std::string text =
      fmt::format("{}, {}, {}", counted(added.logs, "log"), counted(added.runs, "run"),
                  counted(added.iterations, "iteration"));
  const std::string tables = counted(added.network_tables, "network table");
  if (added.runs + added.iterations == 0 && added.network_tables > 0) {
    text = tables;
  } else if (added.network_tables > 0) {
    text += ", " + tables;
  }
  return text + " added";
}

/// "3 logs, 3 runs, 33 iterations added; 4 files are no logs"
std::string summary_of(const Totals& totals) {
  std::string text = text_of(totals.added);
  if (totals.known > 0) text += fmt::format("; {} known already", counted(totals.known, "log"));
  if (totals.no_logs == 1) text += "; 1 file is no log";
  if (totals.no_logs > 1) text += fmt::format("; {} files are no logs", totals.no_logs);
  if (totals.unreadable > 0)
    text += fmt::format("; {} cannot be read", counted(totals.unreadable, "file"));
  return text;
}

/// What is said on standard error: each line once, however often it comes up.
class Complaints {
 public:
  explicit Complaints(std::ostream& errors) : errors_(errors) {}

  void say(const std::string& line) {
    if (!said_.insert(line).second) return;
    if (progress_) progress_->wipe();
    errors_ << line << '\n';
  }
  /// What is drawn there meanwhile; nothing: nullptr.
  void watch(ReadingProgress* progress) { progress_ = progress; }

 private:
  std::ostream& errors_;
  ReadingProgress* progress_ = nullptr;
  std::set<std::string> said_;
};

/// Files that change while they are followed, the last few.
class GrowingFiles {
 public:
  static constexpr std::size_t kMost = 64;

  GrowingFile& at(const fs::path& path) {
    const auto known = std::find_if(files_.begin(), files_.end(),
                                    [&](const auto& file) { return file.first == path; });
    if (known != files_.end()) {
      files_.splice(files_.end(), files_, known);
    } else {
      files_.emplace_back(path, GrowingFile(path));
    }
    if (files_.size() > kMost) files_.pop_front();
    return files_.back().second;
  }

 private:
  std::list<std::pair<fs::path, GrowingFile>> files_;  ///< the one that changed last comes last
};

/// All regular files below a folder, sorted; each folder once, however many links lead to it.
class Walk {
 public:
  /// A file, and what it is called in the database.
  struct File {
    fs::path path, known_as;
  };

  explicit Walk(Complaints& complaints) : complaints_(complaints) {}

  std::vector<File> files(const fs::path& folder) {
    std::vector<File> found;
    walk(folder, found);
    return found;
  }

 private:
  /// What a folder has says mostly what kind it is of, without a look at itself.
  static bool is_file(const fs::directory_entry& entry) {
    std::error_code error;
    // A link to nothing is reported when it is read.
    return entry.is_regular_file(error) || !entry.exists(error);
  }

  void walk(const fs::path& folder, std::vector<File>& found) {
    std::error_code error;
    if (!visited_.insert(fs::canonical(folder, error)).second) return;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      entries.push_back(*entry);
    }
    if (error)
      complaints_.say(fmt::format("pippin: {}: cannot list: {}", folder.string(), error.message()));
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.path().native() < b.path().native();  // of one folder
    });
    const fs::path known_folder = known_path(folder);
    for (const auto& entry : entries) {
      if (entry.is_directory(error)) {
        walk(entry.path(), found);
      } else if (is_file(entry)) {
        found.push_back({entry.path(), known_folder / entry.path().filename()});
      }
    }
  }

  Complaints& complaints_;
  std::set<fs::path> visited_;
};

/// A file that is to be read.
struct Found {
  fs::path path;
  bool named = false;               ///< by itself, not by its folder
  std::int64_t written_at = 0;      ///< seconds since 1970; now for what keeps no time
  std::optional<ReadFile> as_read;  ///< to be known again by
  bool is_young = false;            ///< it may change unseen, so that it is not to be known again
};

Found found_at(Walk::File&& file, bool named, std::int64_t now_ns) {
  Found found{std::move(file.path), named, now_ns / kNsPerSecond, {}};
  struct stat status {};
  if (::stat(found.path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return found;
  found.written_at = status.st_mtim.tv_sec;
  const std::int64_t written_ns = status.st_mtim.tv_sec * kNsPerSecond + status.st_mtim.tv_nsec;
  found.as_read = ReadFile{std::move(file.known_as),
                           {status.st_size, written_ns, static_cast<std::int64_t>(status.st_ino)},
                           kScraperVersion};
  found.is_young = may_change_unseen(found.as_read->stamp.written_ns);
  return found;
}

class Collector {
 public:
  Collector(Database& database, const fs::path& own_runs, Complaints& complaints)
      : database_(database), own_runs_(own_runs), complaints_(complaints) {}

  /// What a person named: a folder with all below it, or a file.
  void add(const fs::path& path) {
    std::error_code error;
    const bool is_folder = fs::is_directory(path, error);
    const auto known = database_.read_files(known_path(path));
    std::vector<Walk::File> files = is_folder ? Walk(complaints_).files(path)
                                              : std::vector<Walk::File>{{path, known_path(path)}};
    for (auto& file : files) {
      Found found = found_at(std::move(file), !is_folder, now_ns_);
      if (found.as_read && found.as_read->path.native().starts_with(own_runs_.native()))
        found.as_read.reset();
      if (!is_known(found, known)) found_.push_back(std::move(found));
    }
  }

  /// Reads what was found and stores it, the files in their order. `bar_width`: of a terminal.
  void read(std::size_t bar_width) {
    std::vector<ReadAhead::Item> items;
    items.reserve(found_.size());
    std::int64_t bytes = 0;
    for (const auto& found : found_) {
      items.push_back({found.path, found.as_read ? found.as_read->stamp.size_bytes : 0});
      bytes += items.back().size_bytes;
    }
    ReadingProgress progress(items.size(), bytes, bar_width);
    complaints_.watch(&progress);
    ReadAhead ahead(std::move(items), [&](std::int64_t part) { progress.read_bytes(part); });
    auto found = found_.begin();
    for (auto files = ahead.next(); !files.empty(); files = ahead.next()) {
      for (auto& file : files) {
        take(*found++, std::move(file));
        progress.read_file();
      }
    }
    flush();
    complaints_.watch(nullptr);
  }

  /// Reads what has come since to the files that were found, where they are few.
  void read(GrowingFiles& growing) {
    if (found_.size() > GrowingFiles::kMost) return read(0);
    for (auto& found : found_) {
      std::error_code none;
      const auto status = fs::status(found.path, none);
      if (fs::exists(status) && !fs::is_regular_file(status)) continue;  // a pipe gives all at once
      take(found, read_file(found.path, growing.at(found.path)));
    }
    flush();
  }

  bool bad() const { return bad_; }
  const Totals& totals() const { return totals_; }

 private:
  /// Whether a file is as it was when it was read: it is not opened again, unless a person named it
  /// and it is not stored.
  bool is_known(const Found& found, const std::unordered_map<std::string, ReadFile>& known) {
    if (!found.as_read) return false;
    const auto before = known.find(found.as_read->path.native());
    if (before == known.end() || before->second.stamp != found.as_read->stamp ||
        before->second.scraper_version != kScraperVersion)
      return false;
    if (found.named && !before->second.stored) return false;
    if (has_moved(before->second, found.path)) return false;
    ++(before->second.is_log ? totals_.known : totals_.no_logs);
    return true;
  }

  /// Whether a file is a copy of a log that lies no more where it was.
  static bool has_moved(const ReadFile& file, const fs::path& path) {
    std::error_code error;
    return file.stored && file.log_path != path && !fs::exists(file.log_path, error);
  }

  void take(Found& found, FileRead&& file) {
    if (found.is_young) found.as_read.reset();
    if (!file.scraped && file.trouble.empty()) {
      ++totals_.known;
      note(found, true);
      return;
    }
    if (!file.scraped) {
      ++totals_.unreadable;
      bad_ = bad_ || found.named;
      complaints_.say("pippin: " + file.trouble);
      return;
    }
    ScrapedFile& scraped = *file.scraped;
    if (!scraped.runs.empty()) {
      store(found, std::move(scraped));
    } else if (!scraped.tables.empty()) {
      flush();
      if (found.named) database_.forgive(scraped.file);
      count(database_.add_network_tables(scraped.file, found.written_at, scraped.tables));
      note(found, true);
    } else {
      refuse(found, scraped.reason);
    }
  }

  /// To store a log is a step that waits for the disk, and keeps others from writing: many small
  /// ones share one.
  void store(Found& found, ScrapedFile&& scraped) {
    if (found.as_read) found.as_read->is_log = true;
    waiting_bytes_ += scraped.file.size_bytes();
    if (scraped.text) texts_.push_back(std::move(scraped.text));
    waiting_.push_back(
        {std::move(scraped.file), std::move(scraped.runs), found.named, std::move(found.as_read)});
    if (waiting_.size() >= kMostWaiting || waiting_bytes_ >= kMostWaitingBytes) flush();
  }

  void refuse(const Found& found, const std::string& reason) {
    ++totals_.no_logs;
    note(found, false);
    if (!found.named) return;
    bad_ = true;
    complaints_.say(fmt::format(
        "pippin: {}: {}", found.path.string(),
        reason.empty() ? "holds no iterations of a trainer that pippin knows, nor a network table"
                       : reason));
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
        ++totals_.unreadable;
        bad_ = bad_ || log.forgive;
        complaints_.say(fmt::format("pippin: {}", error.what()));
      }
    }
    database_.add_foreign_logs({}, others_);
  }

  void count(const Added& added) {
    totals_.added.logs += added.logs;
    totals_.added.runs += added.runs;
    totals_.added.iterations += added.iterations;
    totals_.added.network_tables += added.network_tables;
    if (adds_nothing(added)) ++totals_.known;
  }

  static constexpr std::size_t kMostWaiting = 500;
  static constexpr std::int64_t kMostWaitingBytes = 16 << 20;

  Database& database_;
  const fs::path& own_runs_;
  Complaints& complaints_;
  const std::int64_t now_ns_ = std::time(nullptr) * kNsPerSecond;
  std::vector<Found> found_;
  std::vector<ForeignLog> waiting_;
  std::vector<std::shared_ptr<const std::string>> texts_;  ///< of those in waiting_
  std::vector<ReadFile> others_;                           ///< that hold no runs
  std::int64_t waiting_bytes_ = 0;
  Totals totals_;
  bool bad_ = false;
};

}  // namespace

struct PathCollector::State {
  Database& database;
  const std::vector<fs::path> paths;
  const fs::path own_runs;  ///< with a slash at the end
  Complaints complaints;
  GrowingFiles growing;
};

PathCollector::PathCollector(Database& database, std::vector<fs::path> paths,
                             const fs::path& own_runs, std::ostream& errors)
    : state_(new State{
          database, std::move(paths), known_path(own_runs) / "", Complaints(errors), {}}) {}

PathCollector::~PathCollector() = default;

PathCollector::Found PathCollector::read(std::size_t bar_width) {
  Collector collector(state_->database, state_->own_runs, state_->complaints);
  for (const auto& path : state_->paths) collector.add(path);
  collector.read(bar_width);
  Found found{collector.bad() ? ExitCode::kBadInput : ExitCode::kDone, {}};
  // One file that is no log has said so in its own line.
  if (!collector.bad() || state_->paths.size() > 1) found.summary = summary_of(collector.totals());
  return found;
}

PathCollector::Found PathCollector::read_on() {
  Collector collector(state_->database, state_->own_runs, state_->complaints);
  for (const auto& path : state_->paths) collector.add(path);
  collector.read(state_->growing);
  Found found{collector.bad() ? ExitCode::kBadInput : ExitCode::kDone, {}};
  if (!adds_nothing(collector.totals().added)) found.summary = text_of(collector.totals().added);
  return found;
}

}  // namespace pippin
