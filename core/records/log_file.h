// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/files.h"
#include "core/base/hash.h"

namespace pippin {

/// A log that was read, and what its text is known by, which is not kept: of a compressed file that
/// of the log it holds.
class LogFile {
 public:
  static constexpr std::size_t kHeadBytes = 4096;

  LogFile() = default;
  /// A text at hand, which must outlive it.
  LogFile(fs::path path, std::string_view text);
  /// The text of `path`, which can be read again. `head`: its first kHeadBytes.
  LogFile(fs::path path, std::int64_t size_bytes, std::string content_hash, std::string head);

  const fs::path& path() const { return path_; }
  std::int64_t size_bytes() const { return size_bytes_; }
  const std::string& content_hash() const { return content_hash_; }
  const std::string& head() const { return head_; }
  std::string head_hash() const { return is_all_head() ? content_hash_ : hash_of(head_); }
  /// Tells the hash of its first bytes, of one size, so that they need not be read for it.
  void know_beginning(std::int64_t size_bytes, std::string hash);
  /// The file's bytes are the text: it is read again from any place on.
  void know_as_it_is() { as_it_is_ = true; }
  /// Below kHeadBytes the head is all there is.
  bool is_short() const { return size_bytes_ < static_cast<std::int64_t>(kHeadBytes); }

  /// Gives hashes of its first bytes, of one size after the other, none of them below the last;
  /// what is not at hand is read again. Errors: Error (bad input) where it cannot be read, or is
  /// shorter by now.
  class Beginnings {
   public:
    explicit Beginnings(const LogFile& file) : file_(file) {}
    std::string hash(std::int64_t size_bytes);

   private:
    void hash_again(std::size_t wanted);

    const LogFile& file_;
    Hasher hasher_;
    std::int64_t hashed_ = 0;
  };

 private:
  bool is_all_head() const { return size_bytes_ == static_cast<std::int64_t>(head_.size()); }
  std::string_view text() const { return is_short() ? head_ : text_; }

  fs::path path_;
  std::int64_t size_bytes_ = 0;
  std::string content_hash_, head_;
  std::int64_t begin_bytes_ = -1;  ///< of which beginning_hash_ is; none: -1
  std::string beginning_hash_;
  std::string_view text_;  ///< empty: the file is to be read again
  bool as_it_is_ = false;
};

/// Takes a file's parts as they come, and knows the file once it had all of them.
class LogFileMaker {
 public:
  void add(std::string_view part);
  std::int64_t size_bytes() const { return size_bytes_; }
  LogFile file_at(fs::path path) const;

 private:
  Hasher hasher_;
  std::int64_t size_bytes_ = 0;
  std::string head_;
};

}  // namespace pippin
