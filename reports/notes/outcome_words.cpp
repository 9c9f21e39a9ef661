// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/outcome_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "reports/notes/quantities.h"

namespace pippin {

std::optional<RunState> outcome_in(std::string_view cell) {
  using Word = std::pair<std::string_view, RunState>;
  static constexpr std::array<Word, 30> kWords{{{"oom", RunState::kOom},
                                                {"cudaoom", RunState::kOom},
                                                {"outofmemory", RunState::kOom},
                                                {"cudaoutofmemory", RunState::kOom},
                                                {"oomd", RunState::kOom},
                                                {"oomed", RunState::kOom},
                                                {"oomkilled", RunState::kOom},
                                                {"fail", RunState::kFailed},
                                                {"fails", RunState::kFailed},
                                                {"failed", RunState::kFailed},
                                                {"failure", RunState::kFailed},
                                                {"error", RunState::kFailed},
                                                {"crash", RunState::kFailed},
                                                {"crashed", RunState::kFailed},
                                                {"killed", RunState::kFailed},
                                                {"died", RunState::kFailed},
                                                {"hang", RunState::kFailed},
                                                {"hung", RunState::kFailed},
                                                {"nan", RunState::kFailed},
                                                {"diverged", RunState::kFailed},
                                                {"timeout", RunState::kTimeout},
                                                {"timedout", RunState::kTimeout},
                                                {"timelimit", RunState::kTimeout},
                                                {"cancelled", RunState::kCancelled},
                                                {"canceled", RunState::kCancelled},
                                                {"aborted", RunState::kCancelled},
                                                {"na", RunState::kMissing},
                                                {"none", RunState::kMissing},
                                                {"missing", RunState::kMissing},
                                                {"tbd", RunState::kMissing}}};
  constexpr std::array<std::string_view, 5> kSigns{"-", "--", "–", "—", "?"};
  const std::string_view text = plain_text(cell);
  if (std::find(kSigns.begin(), kSigns.end(), text) != kSigns.end()) return RunState::kMissing;
  std::string word;
  for (const char c : lower(text)) {
    if (std::string_view(" -/_.!'").find(c) == std::string_view::npos) word += c;
  }
  const auto* found = std::find_if(kWords.begin(), kWords.end(),
                                   [&](const Word& known) { return known.first == word; });
  return found == kWords.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace pippin
