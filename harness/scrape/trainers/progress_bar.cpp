// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/progress_bar.h"

#include <optional>

#include "core/base/text.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/figures.h"

namespace pippin {

namespace {

/// Takes a count, and what must follow it, off the front.
Count take_count(std::string_view& text, std::string_view behind) {
  const auto figure = figure_at(text);
  if (!figure || !text.substr(figure->size).starts_with(behind)) return std::nullopt;
  text.remove_prefix(figure->size + behind.size());
  return count_of(figure);
}

/// Whether words and a colon stand before its percents. A host's or rank's name ends otherwise, and
/// diffusers and ms-swift call steps so.
bool is_named(std::string_view before) {
  while (!before.empty() && is_digit(before.back())) before.remove_suffix(1);
  before = trim(before);
  if (!before.ends_with(':') || before.ends_with("Steps:") || before.ends_with("Train:"))
    return false;
  before.remove_suffix(1);
  return !before.empty() && (is_letter(before.back()) || before.back() == ')');
}

/// What "05:59<09:57, 59.73s/it]" or "…, 1.64it/s, loss=0.1]" says of one.
double seconds_each_in(std::string_view text) {
  const auto comma = text.find(", ");
  if (comma == std::string_view::npos || text.find(']') < comma) return 0;
  text = left_trim(text.substr(comma + 1));
  const auto rate = figure_at(text.substr(0, text.find_first_of("is")));
  if (!rate || !(rate->value > 0)) return 0;
  return text.substr(rate->size).starts_with("s/it") ? rate->value : 1 / rate->value;
}

/// "6/16 [05:59<…".
std::optional<ProgressBar> counts_at(std::string_view text) {
  ProgressBar bar;
  const Count done = take_count(text, "/"), total = done ? take_count(text, " [") : std::nullopt;
  const auto seconds = total ? duration_at(text) : std::nullopt;
  if (!seconds || text.substr(0, text.find_first_of("<]")).size() == text.size())
    return std::nullopt;
  bar.done = *done;
  bar.total = *total;
  bar.seconds = *seconds;
  bar.seconds_each = seconds_each_in(text);
  return bar;
}

}  // namespace

std::vector<ProgressBar> bars_in(std::string_view line) {
  constexpr std::string_view kPercent = "%|", kEnd = "| ";
  std::vector<ProgressBar> bars;
  for (auto at = line.find(kPercent); at != std::string_view::npos;
       at = line.find(kPercent, at + 1)) {
    const auto end = line.find(kEnd, at + kPercent.size());
    if (end == std::string_view::npos) break;
    if (auto bar = counts_at(left_trim(line.substr(end + kEnd.size())))) {
      bar->is_named = is_named(line.substr(0, at));
      bars.push_back(*bar);
    }
  }
  return bars;
}

}  // namespace pippin
