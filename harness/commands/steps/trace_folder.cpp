// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/trace_folder.h"

#include <algorithm>

#include "core/base/placeholders.h"
#include "core/base/text.h"

namespace pippin {

namespace {

using Lookup = std::function<std::optional<std::string>(const std::string& variable)>;

constexpr std::string_view kBlanks = " \t\n;", kOption = "--trace";

/// Reads a word of bash; quotes may begin and end within it.
class WordReader {
 public:
  WordReader(std::string_view text, const Lookup& value) : rest_(text), value_(value) {}

  std::optional<std::string> read() {
    while (whole_ && !rest_.empty() && (quote_ || kBlanks.find(rest_[0]) == std::string::npos))
      read_one();
    return whole_ && !quote_ && !word_.empty() ? std::optional(word_) : std::nullopt;
  }

 private:
  void read_one() {
    constexpr std::string_view kMore = "`(){}[]*?~<>|&#";
    const char c = rest_[0];
    rest_.remove_prefix(1);
    if (c == quote_) {
      quote_ = 0;
    } else if (quote_ == '\'') {
      word_ += c;
    } else if (!quote_ && (c == '"' || c == '\'')) {
      quote_ = c;
    } else if (c == '\\' && !rest_.empty()) {
      word_ += rest_[0];
      rest_.remove_prefix(1);
    } else if (c == '$') {
      read_variable();
    } else {
      whole_ = c != '`' && (quote_ || kMore.find(c) == std::string::npos);
      word_ += c;
    }
  }

  /// Behind the dollar sign: NAME or {NAME}.
  void read_variable() {
    const bool braced = rest_.starts_with('{');
    if (braced) rest_.remove_prefix(1);
    std::size_t length = 0;
    while (length < rest_.size() && is_identifier(rest_.substr(0, length + 1))) ++length;
    const auto value = value_(std::string(rest_.substr(0, length)));
    rest_.remove_prefix(length);
    whole_ = value.has_value() && (!braced || rest_.starts_with('}'));
    if (braced && whole_) rest_.remove_prefix(1);
    word_ += value.value_or("");
  }

  std::string_view rest_;
  const Lookup& value_;
  std::string word_;
  char quote_ = 0;
  bool whole_ = true;
};

/// What follows `--trace ` or `--trace=`, the last time that it stands there as a word of its own.
std::optional<std::string_view> behind_option(std::string_view command) {
  std::optional<std::string_view> behind;
  for (auto at = command.find(kOption); at != std::string_view::npos;
       at = command.find(kOption, at + 1)) {
    const auto rest = command.substr(at + kOption.size());
    const bool begins = at == 0 || kBlanks.find(command[at - 1]) != std::string_view::npos;
    if (!begins || rest.empty()) continue;
    if (rest[0] == '=') behind = rest.substr(1);
    if (rest[0] == ' ') behind = trim(rest);
  }
  return behind;
}

/// What the last line "BEFORE…" of a script says behind that; blanks in front do not count.
std::optional<std::string_view> behind_words(std::string_view script, const std::string& before) {
  std::optional<std::string_view> behind;
  for (const auto line : split(script, '\n')) {
    const auto words = trim(line);
    if (words.starts_with(before)) behind = words.substr(before.size());
  }
  return behind;
}

/// What a run's job had in its variables.
class Variables {
 public:
  Variables(const Provenance& from, const fs::path& log)
      : from_(from),
        attempt_(log.parent_path()),  // <db>.runs/SWEEP/RUN/2-ID/log
        script_(from.script.empty() ? "" : disk().read(from.script).value_or("")) {}

  std::optional<std::string> value(const std::string& name) const {
    if (name == "PIPPIN_RUN_DIR" && !attempt_.empty()) return attempt_.string();
    if (name == "pippin_root" && !attempt_.empty())
      return attempt_.parent_path().parent_path().string();
    if (!is_identifier(name)) return std::nullopt;
    for (const std::string* text : {&from_.command, &script_}) {
      const auto word = behind_words(*text, "export " + name + "=");
      if (word) return plain_word(*word, [](const auto&) { return std::nullopt; });
    }
    const auto line = behind_words(from_.environment, name + "=");
    return line ? std::optional<std::string>(*line) : std::nullopt;
  }

  /// Where the script had its commands run; empty where it does not say.
  fs::path directory() const {
    for (const auto line : split(script_, '\n')) {
      if (!line.starts_with("cd ")) continue;
      return plain_word(line.substr(3), [](const auto&) { return std::nullopt; }).value_or("");
    }
    return {};
  }

 private:
  const Provenance& from_;
  fs::path attempt_;
  std::string script_;
};

}  // namespace

std::optional<std::string> plain_word(std::string_view text, const Lookup& value) {
  return WordReader(text, value).read();
}

TraceFolder trace_folder_of(const Provenance& from, const fs::path& log) {
  TraceFolder folder;
  const auto behind = behind_option(from.command);
  if (!behind) return folder;
  folder.named = true;
  folder.word = behind->substr(0, behind->find_first_of(kBlanks));
  const Variables variables(from, log);
  const auto word =
      plain_word(*behind, [&](const std::string& name) { return variables.value(name); });
  if (!word) return folder;
  folder.path = *word;
  if (folder.path.is_relative()) {
    const fs::path directory = variables.directory();
    folder.path = directory.empty() ? fs::path() : directory / folder.path;
  }
  return folder;
}

}  // namespace pippin
