// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/command_words.h"

#include <algorithm>

#include "core/base/text.h"

namespace pippin {

std::vector<std::string> command_words(const std::string& command) {
  std::vector<std::string> words;
  std::string text = command;
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::string_view word : split(text, ' ')) {
    word = trim(word);
    if (word.empty() || word == "\\") continue;
    if (word.find_first_of("|;&<>") != std::string_view::npos) break;
    std::string plain;
    for (const char c : word)
      if (c != '\'' && c != '"') plain += c;
    words.push_back(plain.starts_with('$') ? "?" : plain);
  }
  return words;
}

}  // namespace pippin
