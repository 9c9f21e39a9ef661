// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/legend.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/display_text.h"
#include "reports/plain_text.h"
#include "reports/plot/pens.h"

namespace pippin {

namespace {

constexpr std::size_t kLongestName = 42;

/// A mark and what it stands for.
struct Entry {
  std::string mark, text;
  std::size_t pen = kOtherPen;
  bool coloured = true;
};

std::string state_words(RunState state) {
  return state == RunState::kOk ? "ok without a value" : std::string(text_of(state));
}

std::string in_style(const std::string& text, bool ascii) { return ascii ? ascii_of(text) : text; }

/// None of a single series that needs no name.
std::vector<Entry> series_entries(const Plot& plot, const PlotStyle& style, bool dots) {
  std::vector<Entry> entries;
  if (plot.series.size() == 1 && plot.series.front().name.empty()) return entries;
  const auto mark = [&](std::size_t pen) { return dots ? "⠿" : mark_of(pen, style.ascii); };
  const std::size_t named = std::min(plot.series.size(), kPens);
  const std::size_t longest = std::min(kLongestName, style.width - 2);
  for (std::size_t i = 0; i < named; ++i)
    entries.push_back({mark(i), label_text(plot.series[i].name, longest, style.ascii), i});
  if (plot.series.size() > named)
    entries.push_back(
        {mark(kOtherPen), fmt::format("and {} more", plot.series.size() - named), kOtherPen});
  return entries;
}

std::vector<Entry> other_entries(const Plot& plot, const PlotStyle& style) {
  std::vector<Entry> entries;
  for (const auto& [state, count] : plot.lost)
    entries.push_back({mark_of(state, style.ascii), fmt::format("{} {}", count, state_words(state)),
                       kOtherPen, false});
  return entries;
}

/// Entries beside one another as far as a line has room.
void append_flowing(std::vector<std::string>& lines, const std::vector<Entry>& entries,
                    const PlotStyle& style) {
  constexpr std::size_t kGap = 3;
  std::size_t used = style.width + 1;  // the first begins a line
  for (const auto& entry : entries) {
    const std::size_t width = display_width(entry.mark) + 1 + display_width(entry.text);
    const bool fits = used + kGap + width <= style.width;
    if (!fits) lines.emplace_back();
    used = fits ? used + kGap + width : width;
    lines.back() += std::string(fits ? kGap : 0, ' ') +
                    coloured(entry.mark, entry.pen, style.colours && entry.coloured) + ' ' +
                    entry.text;
  }
}

}  // namespace

const char* mark_of(RunState state, bool ascii) {
  switch (state) {
    case RunState::kOk:
      return "0";
    case RunState::kFailed:
      return ascii ? "x" : "×";
    case RunState::kTimeout:
      return "T";
    case RunState::kOom:
      return "M";
    case RunState::kCancelled:
      return "C";
    case RunState::kInfeasible:
      return "-";
    case RunState::kNotRun:
      return ".";
    case RunState::kMissing:
      return "?";
  }
  return "?";
}

std::string label_text(const std::string& text, std::size_t width, bool ascii) {
  // Twice: other signs may be wider, and what is cut out leaves one.
  return in_style(shortened(in_style(printable(text), ascii), width), ascii);
}

std::vector<std::string> paragraph_lines(const std::string& text, const PlotStyle& style) {
  std::vector<std::string> lines;
  const std::string whole =
      wrapped(label_text(text, std::string::npos, style.ascii), style.width, 2);
  for (const auto line : split(whole, '\n'))
    lines.push_back(label_text(std::string(line), style.width, style.ascii));  // a word may be long
  return lines;
}

std::string losses_text(const std::map<RunState, std::int64_t>& lost) {
  std::vector<std::string> words;
  words.reserve(lost.size());
  for (const auto& [state, count] : lost)
    words.push_back(fmt::format("{} {}", count, state_words(state)));
  return join(words, ", ");
}

std::vector<std::string> legend_lines(const Plot& plot, const PlotStyle& style,
                                      const ShownMarks& shown) {
  std::vector<std::string> lines;
  append_flowing(lines, series_entries(plot, style, shown.dots), style);
  append_flowing(lines, other_entries(plot, style), style);
  const auto append = [&](const std::string& text) {
    for (auto& line : paragraph_lines(text, style)) lines.push_back(std::move(line));
  };
  if (shown.bars && !plot.bars_are.empty()) append((style.ascii ? "| " : "│ ") + plot.bars_are);
  if (!plot.lines_are.empty()) append("lines: " + plot.lines_are);
  return lines;
}

}  // namespace pippin
