// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/command_words.h"

#include <algorithm>

#include "core/base/text.h"

namespace pippin {

namespace {

/// Of "$NAME" or "${NAME}".
const std::string* held_by(std::string_view word, const Environment& env) {
  word.remove_prefix(1);
  if (word.starts_with('{') && word.ends_with('}')) word = word.substr(1, word.size() - 2);
  const auto known =
      std::find_if(env.begin(), env.end(), [&](const auto& one) { return one.first == word; });
  return known == env.end() ? nullptr : &known->second;
}

}  // namespace

std::vector<std::string> command_words(const std::string& command, const Environment& env) {
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
    const std::string* held = plain.starts_with('$') ? held_by(plain, env) : nullptr;
    words.push_back(held ? *held : plain.starts_with('$') ? "?" : plain);
  }
  return words;
}

}  // namespace pippin
