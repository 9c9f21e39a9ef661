// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/command_words.h"

#include <algorithm>

#include "core/base/text.h"
#include "harness/commands/steps/trace_folder.h"

namespace pippin {

namespace {

/// In quotes it is one word, else as many as it has. A variable in it is another's.
void add_held(const std::string& held, bool is_quoted, std::vector<std::string>& words) {
  std::string text = held;
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  const auto parts = split(trim(text), ' ');
  if (is_quoted && parts.size() > 1) {
    words.emplace_back("?");
    return;
  }
  for (const std::string_view part : parts)
    if (!part.empty()) words.emplace_back(part.starts_with('$') ? "?" : part);
}

}  // namespace

Environment exports_in(const std::string& command) {
  constexpr std::string_view kExport = "export ";
  Environment env;
  for (std::string_view line : split(command, '\n')) {
    line = trim(line);
    const auto equals = line.find('=');
    if (!line.starts_with(kExport) || equals == std::string_view::npos) continue;
    std::string_view value = line.substr(equals + 1);
    if (value.ends_with(';')) value.remove_suffix(1);
    if (const auto word = plain_word(value, [](const auto&) { return std::nullopt; }))
      env.emplace_back(std::string(line.substr(kExport.size(), equals - kExport.size())), *word);
  }
  return env;
}

std::vector<std::string> command_words(const std::string& command, const Environment& env) {
  const auto value = [&](const std::string& name) -> std::optional<std::string> {
    const auto known =
        std::find_if(env.begin(), env.end(), [&](const auto& one) { return one.first == name; });
    return known == env.end() ? std::nullopt : std::optional(known->second);
  };
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
    if (!plain.starts_with('$'))
      words.push_back(plain);
    else if (const auto held = plain_word(plain, value))
      add_held(*held, plain.size() < word.size(), words);
    else
      words.emplace_back("?");
  }
  return words;
}

}  // namespace pippin
