// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <set>
#include <string>

#include "core/base/files.h"
#include "harness/commands/steps/reading_progress.h"

namespace pippin {

/// What is said of files while they are collected, again and again with --follow: each once.
class Complaints {
 public:
  explicit Complaints(std::ostream& errors) : errors_(errors) {}

  /// Writes the line, unless it was said of that file, be it with other numbers.
  void say(const fs::path& about, const std::string& line);
  /// Whether nothing of the kind was said of that file; and now it is.
  bool is_new(const fs::path& about, const std::string& line);
  /// What is drawn there meanwhile; nothing: nullptr.
  void watch(ReadingProgress* progress) { progress_ = progress; }

 private:
  std::ostream& errors_;
  ReadingProgress* progress_ = nullptr;
  std::set<std::string> said_;
};

}  // namespace pippin
