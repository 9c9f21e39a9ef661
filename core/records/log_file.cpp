// SPDX-License-Identifier: Apache-2.0
#include "core/records/log_file.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/text_file.h"

namespace pippin {

LogFile::LogFile(fs::path path, std::string_view text)
    : path_(std::move(path)),
      size_bytes_(static_cast<std::int64_t>(text.size())),
      content_hash_(hash_of(text)),
      head_(text.substr(0, kHeadBytes)),
      text_(text) {}

LogFile::LogFile(fs::path path, std::int64_t size_bytes, std::string content_hash, std::string head)
    : path_(std::move(path)),
      size_bytes_(size_bytes),
      content_hash_(std::move(content_hash)),
      head_(std::move(head)) {}

void LogFile::know_beginning(std::int64_t size_bytes, std::string hash) {
  begin_bytes_ = size_bytes;
  beginning_hash_ = std::move(hash);
}

/// … of what follows on what was hashed.
void LogFile::Beginnings::hash_again(std::size_t wanted) {
  auto passed_over = static_cast<std::size_t>(hashed_);
  const auto take = [&](std::string_view part) {
    const std::size_t before = std::min(passed_over, part.size());
    passed_over -= before;
    part = part.substr(before, wanted);
    hasher_.add(part);
    wanted -= part.size();
    return wanted > 0;
  };
  if (file_.as_it_is_) {
    read_parts(file_.path_, std::exchange(passed_over, 0), take);
  } else if (!is_read_once(file_.path_)) {
    read_text(file_.path_, take);
  }
  if (wanted > 0) bad_input("{}: is shorter than it was; repeat the command", file_.path_.string());
}

std::string LogFile::Beginnings::hash(std::int64_t size_bytes) {
  if (size_bytes == file_.size_bytes_) return file_.content_hash_;
  if (size_bytes == file_.begin_bytes_) return file_.beginning_hash_;
  const auto wanted = static_cast<std::size_t>(size_bytes - hashed_);
  if (!file_.text().empty()) {
    hasher_.add(file_.text().substr(static_cast<std::size_t>(hashed_), wanted));
  } else {
    hash_again(wanted);
  }
  hashed_ = size_bytes;
  return hasher_.digest();
}

void LogFileMaker::add(std::string_view part) {
  hasher_.add(part);
  size_bytes_ += static_cast<std::int64_t>(part.size());
  head_ += part.substr(0, LogFile::kHeadBytes - head_.size());
}

LogFile LogFileMaker::file_at(fs::path path) const {
  return {std::move(path), size_bytes_, hasher_.digest(), head_};
}

}  // namespace pippin
