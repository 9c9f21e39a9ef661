// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/checkpoint_lines.h"

#include <algorithm>

#include "core/base/text.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/figures.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

namespace {

/// What follows a key; nothing where the key is empty or does not stand there.
std::optional<std::string_view> behind(std::string_view said, std::string_view key) {
  const auto at = key.empty() ? std::string_view::npos : said.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  return left_trim(said.substr(at + key.size()));
}

/// "25.537" of "25.537s", "5.53" of "5.53 seconds." Nothing where it is negative, too.
std::optional<double> seconds_at(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  const auto end = std::min(text->find_first_not_of("0123456789.e-+"), text->size());
  const auto number = parse_number(text->substr(0, end));
  return number && *number >= 0 ? number : std::nullopt;
}

/// "1000" of "  1000 to /x"; commas are no part of it.
Count step_at(std::optional<std::string_view> text) {
  if (!text) return std::nullopt;
  const auto end = std::find_if_not(text->begin(), text->end(), is_digit);
  return parse_integer(text->substr(0, static_cast<std::size_t>(end - text->begin())));
}

/// The word at the front, without the quotes around it and the dots that end its sentence.
std::string path_at(std::optional<std::string_view> text) {
  if (!text) return {};
  auto path = *text;
  if (path.starts_with("PosixPath(")) path.remove_prefix(std::string_view("PosixPath(").size());
  const char quote = path.empty() ? ' ' : path.front();
  if (quote == '\'' || quote == '"') {
    path.remove_prefix(1);
    path = path.substr(0, path.find(quote));
  } else {
    path = path.substr(0, path.find_first_of(" \t"));
    while (path.ends_with('.') || path.ends_with(',')) path.remove_suffix(1);
  }
  return printable(path);
}

}  // namespace

std::optional<CheckpointWord> checkpoint_word_in(std::string_view line, std::size_t at,
                                                 const CheckpointLine& how) {
  const auto before = line.substr(0, at), said = line.substr(at);
  if (!is_prefix(before)) return std::nullopt;
  CheckpointWord word;
  word.what = how.what;
  word.kind = how.kind;
  word.who = speaker_of(before).name;
  word.step = step_at(behind(said, how.step));
  word.path = path_at(behind(said, how.path));
  if (!word.step && !word.path.empty()) word.step = step_in_path(word.path);
  word.seconds = seconds_at(behind(said, how.seconds));
  word.at = how.at.empty() ? time_of(before) : seconds_at(behind(said, how.at));
  return word;
}

void see_checkpoints(const TrainerLine& line, std::span<const std::string_view> texts,
                     std::span<const CheckpointLine> table, TrainerLog& log) {
  for (const auto& how : table) {
    if (!line.has(how.text)) continue;
    auto at = line.text.find(texts[how.text]);
    if (!how.begins.empty()) at = line.text.rfind(how.begins, at);
    if (at == std::string_view::npos) continue;
    auto word = checkpoint_word_in(line.text, at, how);
    if (!word) continue;
    const bool untimed = !how.seconds.empty() && !word->seconds;
    if (untimed && word->what == CheckpointWord::What::kTook) continue;
    TrainerLaunch& launch = log.launch();
    launch.checkpoints.see(*word, launch.row_count());
    if (how.beside.empty() || line.text.find(how.beside, at) == std::string_view::npos) continue;
    word->what = CheckpointWord::What::kGoesOnBeside;
    launch.checkpoints.see(*word, launch.row_count());
  }
}

}  // namespace pippin
