#include "harness/scrape/scraped_file.h"

#include <algorithm>
#include <utility>

namespace pippin {

namespace {

constexpr std::size_t kTextProbe = 1024;  // a NUL in the first so many bytes: not a text

bool is_binary(std::string_view head) {
  return head.substr(0, kTextProbe).find('\0') != std::string_view::npos;
}

ScrapedFile scrape_pipe(const fs::path& path) {
  ScrapedFile scraped;
  scraped.text = std::make_shared<const std::string>(read_input(path));
  const std::string& text = *scraped.text;
  scraped.file = LogFile(path, text);
  if (text.empty()) scraped.reason = "is empty";
  if (is_binary(text)) scraped.reason = "is a binary file, not a log";
  if (!scraped.reason.empty()) return scraped;
  Scraped found = scrape_parts([&](const auto& take) { take(text); });
  scraped.runs = std::move(found.runs);
  if (scraped.runs.empty() && found.may_hold_tables) scraped.tables = read_network(text);
  return scraped;
}

constexpr std::size_t kEndBytes = 4096;

}  // namespace

ScrapedFile scrape_file(const fs::path& path, Binary binary, const TellBytes& tell) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return scrape_pipe(path);
  ScrapedFile scraped;
  LogFileMaker maker;
  bool first_pass = true;
  const ReadParts read = [&](const auto& take) {
    if (!first_pass) {  // it may have grown meanwhile
      auto left = static_cast<std::size_t>(scraped.file.size_bytes());
      return read_parts(path, 0, [&](std::string_view part) {
        part = part.substr(0, left);
        left -= part.size();
        take(part);
        return left > 0;
      });
    }
    first_pass = false;
    read_parts(path, 0, [&](std::string_view part) {
      const bool is_first = maker.size_bytes() == 0;
      maker.add(part);
      if (is_first && binary == Binary::kRefuse && is_binary(part)) {
        scraped.reason = "is a binary file, not a log";
        return false;
      }
      take(part);
      if (tell) tell(static_cast<std::int64_t>(part.size()));
      return true;
    });
    scraped.file = maker.file_at(path);
  };
  Scraped found = scrape_parts(read);
  if (scraped.file.size_bytes() == 0) scraped.reason = "is empty";
  if (!scraped.reason.empty()) return scraped;
  scraped.runs = std::move(found.runs);
  if (scraped.runs.empty() && found.may_hold_tables) {
    const std::string text = read_input(path);
    scraped.tables = read_network(
        std::string_view(text).substr(0, static_cast<std::size_t>(scraped.file.size_bytes())));
  }
  return scraped;
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

std::optional<ScrapedFile> GrowingFile::read() {
  if (!log_ || !goes_on()) *this = GrowingFile(path_);
  if (!log_) log_.emplace();
  read_parts(path_, static_cast<std::size_t>(maker_.size_bytes()), [&](std::string_view part) {
    if (maker_.size_bytes() == 0 && is_binary(part)) {
      log_.reset();
      return false;
    }
    maker_.add(part);
    log_->add(part);
    keep_end(part);
    return true;
  });
  if (log_ && maker_.size_bytes() == last_.size_bytes() && maker_.size_bytes() > 0)
    return std::nullopt;
  auto found = log_ ? log_->so_far() : std::nullopt;
  if (!found || found->runs.empty()) {
    log_.reset();
    return scrape_file(path_);
  }
  ScrapedFile scraped;
  scraped.file = maker_.file_at(path_);
  if (last_.size_bytes() > 0) scraped.file.know_beginning(last_.size_bytes(), last_.content_hash());
  last_ = scraped.file;
  scraped.runs = std::move(found->runs);
  return scraped;
}

}  // namespace pippin
