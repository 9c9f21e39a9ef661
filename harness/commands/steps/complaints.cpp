// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/complaints.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "core/base/text.h"

namespace pippin {

bool Complaints::is_new(const fs::path& about, const std::string& line) {
  std::string words = line;
  std::erase_if(words, [](char c) { return c >= '0' && c <= '9'; });
  return said_.insert(about.native() + '\n' + words).second;
}

void Complaints::say(const fs::path& about, const std::string& line) {
  if (!is_new(about, line)) return;
  if (progress_) progress_->wipe();
  errors_ << printable_lines(line) << '\n';
}

}  // namespace pippin
