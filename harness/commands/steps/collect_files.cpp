#include "harness/commands/steps/collect_files.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <ostream>
#include <set>
#include <string>
#include <sys/stat.h>

#include "core/base/text.h"
#include "harness/scrape/network.h"
#include "harness/scrape/scrape.h"
#include "sweeps/estimate/parameters.h"

namespace pippin {

namespace {

constexpr std::size_t kTextProbe = 1024;  // a NUL in the first so many bytes: not a text

struct Totals {
  Added added;
  std::int64_t known = 0;    ///< logs that brought nothing new
  std::int64_t no_logs = 0;  ///< files without records
  std::int64_t unreadable = 0;
};

bool adds_nothing(const Added& added) {
  return added.logs + added.runs + added.iterations + added.network_tables == 0;
}

/// "3 logs, 3 runs, 33 iterations added; 4 files are no logs"
std::string summary_of(const Totals& totals) {
  const Added& added = totals.added;
  std::string text = "nothing added";
  if (!adds_nothing(added)) {
    text = fmt::format("{}, {}, {}", counted(added.logs, "log"), counted(added.runs, "run"),
                       counted(added.iterations, "iteration"));
    const std::string tables = counted(added.network_tables, "network table");
    if (added.runs + added.iterations == 0 && added.network_tables > 0) {
      text = tables;
    } else if (added.network_tables > 0) {
      text += ", " + tables;
    }
    text += " added";
  }
  if (totals.known > 0) text += fmt::format("; {} known already", counted(totals.known, "log"));
  if (totals.no_logs == 1) text += "; 1 file is no log";
  if (totals.no_logs > 1) text += fmt::format("; {} files are no logs", totals.no_logs);
  if (totals.unreadable > 0)
    text += fmt::format("; {} cannot be read", counted(totals.unreadable, "file"));
  return text;
}

/// All regular files below a folder, sorted; each folder once, however many links lead to it.
class Walk {
 public:
  explicit Walk(std::ostream& errors) : errors_(errors) {}

  std::vector<fs::path> files(const fs::path& folder) {
    std::vector<fs::path> found;
    walk(folder, found);
    return found;
  }

 private:
  void walk(const fs::path& folder, std::vector<fs::path>& found) {
    std::error_code error;
    if (!visited_.insert(fs::canonical(folder, error)).second) return;
    std::vector<fs::path> entries;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      entries.push_back(entry->path());
    }
    if (error)
      errors_ << fmt::format("pippin: {}: cannot list: {}\n", folder.string(), error.message());
    std::sort(entries.begin(), entries.end());
    for (const auto& entry : entries) {
      const auto status = fs::status(entry, error);
      if (fs::is_directory(status)) {
        walk(entry, found);
      } else if (fs::is_regular_file(status) || !fs::exists(status)) {
        found.push_back(entry);  // a link to nothing is reported when it is read
      }
    }
  }

  std::ostream& errors_;
  std::set<fs::path> visited_;
};

bool is_binary(std::string_view text) {
  return text.substr(0, kTextProbe).find('\0') != std::string_view::npos;
}

/// Enough to tell a binary file; nothing of what is no regular file, as a pipe can be read but
/// once.
std::string beginning_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  std::string text(kTextProbe, ' ');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), kTextProbe);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

/// When a file was last written, in seconds since 1970; now for what keeps no time.
std::int64_t written_at(const fs::path& path) {
  struct stat status {};
  const bool is_file = ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? status.st_mtime : std::time(nullptr);
}

/// Why a text cannot be a log; empty where it may be one.
std::string reason_against(std::string_view text) {
  if (text.empty()) return "is empty";
  return is_binary(text) ? "is a binary file, not a log" : "";
}

class Collector {
 public:
  Collector(Database& database, std::ostream& errors) : database_(database), errors_(errors) {}

  void folder(const fs::path& path) {
    for (const auto& file : Walk(errors_).files(path)) {
      std::string text;
      if (read(file, text) && !store(file, std::move(text))) ++totals_.no_logs;
    }
  }

  void file(const fs::path& path) {
    std::string text;
    if (!read(path, text)) {
      bad_ = true;
      return;
    }
    if (reason_against(text).empty()) database_.forgive(text);  // it was named itself
    std::string reason = reason_against(text);
    if (store(path, std::move(text))) return;
    bad_ = true;
    ++totals_.no_logs;
    if (reason.empty())
      reason = "holds no iterations of a trainer that pippin knows, nor a network table";
    errors_ << fmt::format("pippin: {}: {}\n", path.string(), reason);
  }

  /// Stores what was read and is not stored yet.
  void flush() {
    if (waiting_.empty()) return;
    std::vector<Waiting> read;
    read.swap(waiting_);
    waiting_bytes_ = 0;
    std::vector<ForeignLog> logs;
    logs.reserve(read.size());
    for (auto& log : read) logs.push_back({{log.path, log.text}, std::move(log.runs)});
    for (const Added& added : database_.add_foreign_logs(logs)) count(added);
  }

  bool bad() const { return bad_; }
  const Totals& totals() const { return totals_; }

 private:
  /// Of a binary file only the beginning: a folder of runs holds checkpoints of many gigabytes.
  bool read(const fs::path& path, std::string& text) {
    try {
      text = beginning_of(path);
      if (!is_binary(text)) text = read_input(path);
      return true;
    } catch (const Error& error) {
      ++totals_.unreadable;
      errors_ << "pippin: " << error.what() << '\n';
      return false;
    }
  }

  /// False where the text is no log. To store one is a step that waits for the disk, and keeps
  /// others from writing: many small logs share one.
  bool store(const fs::path& path, std::string text) {
    if (!reason_against(text).empty()) return false;
    auto runs = scrape(text);
    if (runs.empty()) return store_tables(path, text);
    for (auto& run : runs) fill_in_params(run.point.model);
    waiting_bytes_ += text.size();
    waiting_.push_back({path, std::move(text), std::move(runs)});
    if (waiting_.size() >= kMostWaiting || waiting_bytes_ >= kMostWaitingBytes) flush();
    return true;
  }

  bool store_tables(const fs::path& path, const std::string& text) {
    const auto tables = read_network(text);
    if (tables.empty()) return false;
    count(database_.add_network_tables({path, text}, written_at(path), tables));
    return true;
  }

  void count(const Added& added) {
    totals_.added.logs += added.logs;
    totals_.added.runs += added.runs;
    totals_.added.iterations += added.iterations;
    totals_.added.network_tables += added.network_tables;
    if (adds_nothing(added)) ++totals_.known;
  }

  struct Waiting {
    fs::path path;
    std::string text;
    std::vector<LogRun> runs;
  };
  static constexpr std::size_t kMostWaiting = 500;
  static constexpr std::size_t kMostWaitingBytes = 16U << 20U;

  Database& database_;
  std::ostream& errors_;
  std::vector<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  Totals totals_;
  bool bad_ = false;
};

}  // namespace

ExitCode collect_paths(Database& database, const std::vector<fs::path>& paths, std::ostream& errors,
                       std::ostream& remarks) {
  Collector collector(database, errors);
  try {
    for (const auto& path : paths) {
      std::error_code error;
      if (fs::is_directory(path, error)) {
        collector.folder(path);
      } else {
        collector.file(path);
      }
    }
  } catch (const Error&) {
    collector.flush();  // what was read stays
    throw;
  }
  collector.flush();
  // One file that is no log has said so in its own line.
  if (!collector.bad() || paths.size() > 1) remarks << summary_of(collector.totals()) << '\n';
  return collector.bad() ? ExitCode::kBadInput : ExitCode::kDone;
}

}  // namespace pippin
