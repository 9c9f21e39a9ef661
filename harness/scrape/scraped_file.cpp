// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/scraped_file.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "core/base/error.h"
#include "harness/scrape/golden_values.h"
#include "harness/scrape/tensorboard.h"

namespace pippin {

namespace {

constexpr std::int64_t kFewLines = 5;

/// Counts lines until they are more than a few.
class LineCount {
 public:
  void add(std::string_view part) {
    for (std::size_t at = 0; !are_many() && (at = part.find('\n', at)) != std::string_view::npos;
         ++at)
      ++lines_;
  }
  bool are_many() const { return lines_ > kFewLines; }

 private:
  std::int64_t lines_ = 0;
};

void take_findings(ScrapedFile& scraped, Scraped&& found) {
  scraped.runs = std::move(found.runs);
  scraped.problems = std::move(found.problems);
  scraped.unused = std::move(found.unused);
  scraped.wrapping = std::move(found.wrapping);
  scraped.quoted = std::move(found.quoted);
}

void refuse_without_text(ScrapedFile& scraped) {
  if (scraped.reason.empty() && scraped.file.size_bytes() == 0)
    scraped.reason = "holds no text, nothing but NULs or lines that they have cut";
}

void take_tables(ScrapedFile& scraped, std::string_view text) {
  NetworkTables found = find_network_tables(text);
  scraped.tables = std::move(found.tables);
  for (auto& problem : found.problems) scraped.problems.push_back(std::move(problem));
}

ScrapedFile scrape_stream(const fs::path& path, const LogHints& hints) {
  ScrapedFile scraped;
  std::string read;
  scraped.reason = read_text(path, [&](std::string_view part) {
                     read += part;
                     return true;
                   }).refused;
  scraped.text = std::make_shared<const std::string>(std::move(read));
  const std::string& text = *scraped.text;
  scraped.file = LogFile(path, text);
  refuse_without_text(scraped);
  if (!scraped.reason.empty()) return scraped;
  LineCount lines;
  lines.add(text);
  scraped.has_lines = lines.are_many();
  Scraped found = scrape_parts([&](const auto& take) { take(text); }, hints);
  const bool may_hold_tables = found.may_hold_tables;
  take_findings(scraped, std::move(found));
  if (scraped.runs.empty() && may_hold_tables) take_tables(scraped, text);
  return scraped;
}

/// Reads a file's text, more than once where the scraper wants that.
class FileReader {
 public:
  FileReader(const fs::path& path, const TextOptions& options) : path_(path), options_(options) {}

  void read(ScrapedFile& scraped, const std::function<void(std::string_view part)>& take) {
    if (is_read_) return read_again(scraped, take);
    is_read_ = true;
    LogFileMaker maker;
    LineCount lines;
    const TextRead text = read_text(
        path_,
        [&](std::string_view part) {
          maker.add(part);
          lines.add(part);
          take(part);
          return true;
        },
        options_);
    options_.tell = {};
    scraped.file = maker.file_at(path_);
    if (text.as_it_is) scraped.file.know_as_it_is();
    scraped.reason = text.refused;
    scraped.has_lines = lines.are_many();
  }

 private:
  /// It may have grown meanwhile.
  void read_again(const ScrapedFile& scraped,
                  const std::function<void(std::string_view part)>& take) const {
    auto left = static_cast<std::size_t>(scraped.file.size_bytes());
    if (!scraped.reason.empty() || left == 0) return;
    read_text(
        path_,
        [&](std::string_view part) {
          part = part.substr(0, left);
          left -= part.size();
          take(part);
          return left > 0;
        },
        options_);
  }

  const fs::path& path_;
  TextOptions options_;
  bool is_read_ = false;
};

/// What an event file or golden values have, as LogReaders gives it of a log.
void take_runs(ScrapedFile& scraped, std::vector<LogRun>&& runs, const LogHints& hints) {
  for (auto& run : runs) {
    run.scraper_version = kScraperVersion;
    tell(run, hints.told);
    scraped.runs.push_back(std::move(run));
  }
}

bool is_event_file(const fs::path& path) {
  std::string head(kEventHeadBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return looks_like_events(head);
}

/// Errors that name no file name this one.
template <typename Read>
auto named(const fs::path& path, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.exit_code() != ExitCode::kBadInput) throw;
    bad_input("{}: {}", path.string(), error.what());
  }
}

ScrapedFile scrape_events(const fs::path& path, const TellBytes& tell_bytes,
                          const LogHints& hints) {
  LogFileMaker maker;
  EventLog events;
  read_parts(path, 0, [&](std::string_view part) {
    maker.add(part);
    named(path, [&] { events.add(part); });
    if (tell_bytes) tell_bytes(static_cast<std::int64_t>(part.size()));
    return true;
  });
  ScrapedFile scraped;
  scraped.file = maker.file_at(path);
  scraped.file.know_as_it_is();
  take_runs(scraped, events.runs(), hints);
  if (scraped.runs.empty())
    scraped.reason = "is an event file of TensorBoard without a step's time that pippin knows";
  return scraped;
}

void take_golden_values(ScrapedFile& scraped, std::string_view text, const LogHints& hints) {
  auto runs = named(scraped.file.path(), [&] { return read_golden_values(text); });
  take_runs(scraped, std::move(runs), hints);
  scraped.problems.clear();
  scraped.unused.clear();
  if (scraped.runs.empty()) scraped.reason = "is a file of golden values without iteration-time";
}

constexpr std::size_t kEndBytes = 4096;

}  // namespace

ScrapedFile scrape_file(const fs::path& path, const LogHints& hints, const TextOptions& options) {
  if (!options.is_file && is_read_once(path)) return scrape_stream(path, hints);
  ScrapedFile scraped;
  FileReader reader(path, options);
  Scraped found = scrape_parts([&](const auto& take) { reader.read(scraped, take); }, hints);
  refuse_without_text(scraped);
  if (!scraped.reason.empty()) {
    if (!options.any && is_event_file(path)) return scrape_events(path, options.tell, hints);
    return scraped;
  }
  const bool may_hold_tables = found.may_hold_tables;
  take_findings(scraped, std::move(found));
  const bool is_golden = scraped.runs.empty() && looks_like_golden_values(scraped.file.head());
  if (scraped.runs.empty() && (may_hold_tables || is_golden)) {
    std::string text;
    reader.read(scraped, [&](std::string_view part) { text += part; });
    is_golden ? take_golden_values(scraped, text, hints) : take_tables(scraped, text);
  }
  return scraped;
}

void read_scraped_text(const ScrapedFile& scraped, const fs::path& path,
                       const std::function<void(std::string_view part)>& take) {
  if (scraped.text) return take(*scraped.text);
  read_text(path, [&](std::string_view part) {
    take(part);
    return true;
  });
}

/// Whether what was read last still stands where it stood: of a file that was cut and has grown
/// again it does not.
bool GrowingFile::goes_on() const {
  const auto bytes = static_cast<std::size_t>(maker_.size_bytes());
  std::string end;
  read_parts(path_, bytes - end_.size(), [&](std::string_view part) {
    end += part.substr(0, end_.size() - end.size());
    return end.size() < end_.size();
  });
  return end == end_;
}

void GrowingFile::keep_end(std::string_view part) {
  end_.append(part.substr(part.size() - std::min(part.size(), kEndBytes)));
  end_.erase(0, end_.size() - std::min(end_.size(), kEndBytes));
}

/// False where the file's text is not its bytes.
bool GrowingFile::add(std::string_view part) {
  const bool is_first = maker_.size_bytes() == 0;
  const bool is_kind_known = !is_first || (part.size() >= kBytesOfKind && is_plain(part));
  if (!is_kind_known || part.find('\0') != std::string_view::npos) {
    log_.reset();
    return false;
  }
  maker_.add(part);
  log_->add(part);
  keep_end(part);
  return true;
}

std::optional<ScrapedFile> GrowingFile::read() try {
  if (!log_ || !goes_on()) *this = GrowingFile(path_, hints_);
  if (!log_) log_.emplace(hints_);
  read_parts(path_, static_cast<std::size_t>(maker_.size_bytes()),
             [&](std::string_view part) { return add(part); });
  if (log_ && log_->must_begin_again()) {
    log_ = log_->begun_again();
    auto left = static_cast<std::size_t>(maker_.size_bytes());
    read_parts(path_, 0, [&](std::string_view part) {
      part = part.substr(0, left);
      left -= part.size();
      log_->add(part);
      return left > 0;
    });
  }
  if (log_ && maker_.size_bytes() == last_.size_bytes() && maker_.size_bytes() > 0)
    return std::nullopt;
  auto found = log_ ? log_->so_far() : std::nullopt;
  if (!found || found->runs.empty()) {
    log_.reset();
    return scrape_file(path_, hints_);
  }
  ScrapedFile scraped;
  scraped.file = maker_.file_at(path_);
  scraped.file.know_as_it_is();
  if (last_.size_bytes() > 0) scraped.file.know_beginning(last_.size_bytes(), last_.content_hash());
  last_ = scraped.file;
  take_findings(scraped, *std::move(found));
  return scraped;
} catch (...) {
  log_.reset();  // which may have read less of the file than is known of it
  throw;
}

}  // namespace pippin
