// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/log_places.h"

#include <algorithm>

namespace pippin {

namespace {

/// A step of the log.
struct Step {
  std::int64_t number = 0;
  std::size_t line = 0;
};

/// A stretch of a log in which steps are counted up, with what stands before it and in it.
struct Stretch {
  std::vector<Step> steps;
  LogPlaces places;
};

void widen(std::optional<LineRange>& range, std::size_t line) {
  if (!range) range = LineRange{line, line};
  range->last = line;
}

/// Cuts a log where a launch begins, or steps are counted from anew.
class StretchCutter {
 public:
  void take(const ExplainedLine& line) {
    const LineGains& gains = line.gains;
    if (gains.launch || (gains.step && is_anew(*gains.step))) cut();
    LogPlaces& places = stretches_.back().places;
    if (gains.launch) widen(places.launch, line.number);
    if (gains.arguments) widen(places.arguments, line.number);
    if (gains.memory) widen(places.memory, line.number);
    if (gains.timers) widen(places.timers, line.number);
    if (gains.events) widen(places.events, line.number);
    if (gains.step) stretches_.back().steps.push_back({*gains.step, line.number});
  }

  /// Those with steps.
  std::vector<Stretch> stretches() {
    std::erase_if(stretches_, [](const Stretch& stretch) { return stretch.steps.empty(); });
    return std::move(stretches_);
  }

 private:
  bool is_anew(std::int64_t number) const {
    const auto& steps = stretches_.back().steps;
    return !steps.empty() && number < steps.back().number;
  }
  void cut() {
    if (!stretches_.back().steps.empty()) stretches_.emplace_back();
  }

  std::vector<Stretch> stretches_{1};
};

/// The lines of `numbers` in `steps`, where they come in this order; of the rest 0.
std::vector<std::size_t> found(const std::vector<std::int64_t>& numbers,
                               const std::vector<Step>& steps) {
  std::vector<std::size_t> lines(numbers.size(), 0);
  auto step = steps.begin();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto same =
        std::lower_bound(step, steps.end(), numbers[i],
                         [](const Step& one, std::int64_t number) { return one.number < number; });
    if (same == steps.end() || same->number != numbers[i]) continue;
    lines[i] = same->line;
    step = same + 1;
  }
  return lines;
}

auto count_of(const std::vector<std::size_t>& lines) {
  return std::count_if(lines.begin(), lines.end(), [](std::size_t line) { return line > 0; });
}

}  // namespace

LogPlaces places_in(const ReadParts& read, const std::vector<std::int64_t>& numbers,
                    std::size_t ordinal, std::size_t runs, const LogHints& hints,
                    const DocumentSigns& document) {
  StretchCutter cutter;
  explain_lines(
      read, [&](const ExplainedLine& line) { cutter.take(line); }, hints, document);
  std::vector<Stretch> stretches = cutter.stretches();
  const bool is_told_apart = stretches.size() == runs && ordinal < runs;
  LogPlaces best;
  best.steps.assign(numbers.size(), 0);
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (is_told_apart && i != ordinal) continue;
    auto lines = found(numbers, stretches[i].steps);
    if (count_of(lines) <= count_of(best.steps)) continue;
    best = std::move(stretches[i].places);
    best.steps = std::move(lines);
  }
  return best;
}

}  // namespace pippin
