// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/counted_reasons.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace pippin {

namespace {

constexpr std::size_t kMost = 3;

}  // namespace

void CountedReasons::add(const std::string& why) {
  ++count_;
  if (points_[why]++ == 0 && first_.size() < kMost) first_.push_back(why);
}

std::string CountedReasons::words() const {
  std::vector<std::string> words = first_;
  if (points_.size() > 1)
    for (std::string& why : words) why += fmt::format(" ({})", counted(points_.at(why), "point"));
  if (points_.size() > kMost) words.push_back(counted(points_.size() - kMost, "other reason"));
  return join(words, "; ");
}

}  // namespace pippin
