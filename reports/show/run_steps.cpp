// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/digest.h"
#include "reports/flat_columns.h"
#include "reports/show/run_sheet.h"

namespace pippin {

namespace {

constexpr std::size_t kMostGroups = 20;

/// Lines of a run that follow each other and are left out for the same reason.
struct Group {
  std::size_t first = 0, last = 0;  ///< places in the run
  LeftOut why = LeftOut::kNo;
  unsigned flags = 0;
  double min_ms = 0, max_ms = 0;
  std::size_t count() const { return last - first + 1; }
};

std::string words_of_flags(unsigned flags) {
  static const std::vector<std::pair<unsigned, const char*>> kWords{
      {kFirst, "the first of a launch: start-up is in it"},
      {kSkippedStep, "optimizer steps in it were skipped"},
      {kAfterSave, "a checkpoint was saved since the line before"},
      {kAfterEvaluation, "the validation set was run since the line before"},
      {kIntervalMean, "a mean of several iterations"},
      {kNoted, "written down by hand"},
      {kMovingMean, "a moving mean, of steps that the lines before have, too"},
      {kWholeRun, "the mean of a whole run, with start-up and saving"}};
  std::string words;
  for (const auto& [flag, text] : kWords) {
    if ((flags & flag) != 0) words += (words.empty() ? "" : "; ") + std::string(text);
  }
  return words;
}

std::string words_of(const Group& group, const std::optional<std::int64_t>& warmup) {
  switch (group.why) {
    case LeftOut::kNo:
      break;
    case LeftOut::kNoTime:
      return "has no step time";
    case LeftOut::kOtherBatch:
      return "another batch size than that of the last lines";
    case LeftOut::kFlagged:
      return words_of_flags(group.flags);
    case LeftOut::kWarmup:
      return warmup ? fmt::format("warm-up: the sweep's first {}", counted(*warmup, "iteration"))
                    : "warm-up: before the steps were steady";
  }
  return "";
}

std::vector<Group> groups_of(const std::vector<Iteration>& lines,
                             const std::vector<LeftOut>& left_out) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (left_out[i] == LeftOut::kNo) continue;
    const unsigned flags = left_out[i] == LeftOut::kFlagged ? lines[i].flags : 0;
    const double ms = lines[i].step_time_ms;
    const bool goes_on = !groups.empty() && groups.back().last + 1 == i &&
                         groups.back().why == left_out[i] && groups.back().flags == flags;
    if (!goes_on) groups.push_back({i, i, left_out[i], flags, ms, ms});
    Group& group = groups.back();
    group.last = i;
    group.min_ms = std::min(group.min_ms, ms);
    group.max_ms = std::max(group.max_ms, ms);
  }
  return groups;
}

std::string range_text(std::int64_t first, std::int64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

/// "41-44" of the lines where steps stand; empty where that is not known.
std::string where_text(const std::vector<std::size_t>& steps, std::size_t first, std::size_t last) {
  const auto in = std::pair(steps.begin() + static_cast<std::ptrdiff_t>(first),
                            steps.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  if (std::find(in.first, in.second, std::size_t{0}) != in.second) return "";
  const auto [low, high] = std::minmax_element(in.first, in.second);
  return range_text(static_cast<std::int64_t>(*low), static_cast<std::int64_t>(*high));
}

std::string times_text(const Group& group) {
  if (group.max_ms <= 0) return "";
  const std::string low = step_text(group.min_ms), high = step_text(group.max_ms);
  return low == high ? low : low + " to " + high;
}

FlatTable table_of(const std::vector<Group>& groups, const RunToShow& shown) {
  FlatColumns<Group> columns(groups);
  constexpr auto kLeft = TextColumn::Align::kLeft;
  const auto add = [&](const FlatColumns<Group>::Names& names, auto text) {
    columns.add(names, text, text);
  };
  if (shown.places.steps.size() == shown.lines.size())
    add({"lines of the log", "log_lines", 8}, [&](const Group& group) {
      return where_text(shown.places.steps, group.first, group.last);
    });
  add({"iterations", "iterations", 9}, [&](const Group& group) {
    return range_text(shown.lines[group.first].number, shown.lines[group.last].number);
  });
  add({"step time", "step_times", 7, kLeft}, times_text);
  add({"why", "why", 6, kLeft},
      [&](const Group& group) { return words_of(group, shown.run.listed.warmup); });
  FlatTable table;
  table.rows_are = "left_out";
  table.columns = columns.take();
  return table;
}

/// The lines that are in the mean; where none is, all.
void draw(const std::vector<Iteration>& lines, const std::vector<LeftOut>& left_out,
          SheetPart& part) {
  const bool any = std::find(left_out.begin(), left_out.end(), LeftOut::kNo) != left_out.end();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (any && left_out[i] != LeftOut::kNo) continue;
    part.values.push_back(lines[i].step_time_ms / kMsPerSecond);
  }
  const auto [low, high] = std::minmax_element(part.values.begin(), part.values.end());
  part.values_are = fmt::format("{} {}: {} to {}", counted(std::ssize(part.values), "line"),
                                any ? "of the mean" : "of the log", step_text(*low * kMsPerSecond),
                                step_text(*high * kMsPerSecond));
}

/// All lines, those that are not in the mean with why.
SheetSeries series_of(const RunToShow& shown, const std::vector<LeftOut>& left_out) {
  SheetSeries series;
  series.title = "Every line";
  series.lead = "Each point is a line of the log; hollow ones are not in the mean.";
  series.x_title = "iteration";
  series.y_title = "step time";
  series.y_is_seconds = true;
  series.mark_texts.emplace_back();
  std::map<std::string, std::uint32_t> known;
  for (std::size_t i = 0; i < shown.lines.size(); ++i) {
    const unsigned flags = left_out[i] == LeftOut::kFlagged ? shown.lines[i].flags : 0;
    const std::string why = words_of({i, i, left_out[i], flags, 0, 0}, shown.run.listed.warmup);
    const auto next = static_cast<std::uint32_t>(series.mark_texts.size());
    const auto [place, is_new] = known.try_emplace(why, why.empty() ? 0 : next);
    if (is_new && !why.empty()) series.mark_texts.push_back(why);
    series.x.push_back(static_cast<double>(shown.lines[i].number));
    series.y.push_back(shown.lines[i].step_time_ms / kMsPerSecond);
    series.marks.push_back(place->second);
  }
  return series;
}

/// A line of the run, for programs.
struct StepRow {
  std::size_t place = 0;
  LeftOut left_out = LeftOut::kNo;
};

FlatTable table_of_steps(const RunToShow& shown, const std::vector<LeftOut>& left_out) {
  std::vector<StepRow> rows;
  rows.reserve(shown.lines.size());
  for (std::size_t i = 0; i < shown.lines.size(); ++i) rows.push_back({i, left_out[i]});
  FlatColumns<StepRow> columns(rows);
  const auto line_of = [&](const StepRow& row) -> const Iteration& {
    return shown.lines[row.place];
  };
  columns.add_hidden("iteration",
                     [&](const StepRow& row) { return std::optional(line_of(row).number); });
  columns.add_hidden("step_time_s", [&](const StepRow& row) {
    return std::optional(line_of(row).step_time_ms / kMsPerSecond);
  });
  columns.add_hidden("log_line", [&](const StepRow& row) {
    const auto& steps = shown.places.steps;
    const bool is_known = row.place < steps.size() && steps[row.place] > 0;
    return is_known ? std::optional(static_cast<std::int64_t>(steps[row.place])) : std::nullopt;
  });
  columns.add_hidden("left_out", [&](const StepRow& row) {
    const unsigned flags = row.left_out == LeftOut::kFlagged ? line_of(row).flags : 0;
    return words_of({row.place, row.place, row.left_out, flags, 0, 0}, shown.run.listed.warmup);
  });
  FlatTable table;
  table.rows_are = "steps";
  table.columns = columns.take();
  return table;
}

}  // namespace

SheetPart steps_part(const RunToShow& shown) {
  SheetPart part{"step_time", "Step time"};
  if (shown.lines.empty()) return part;
  const RunDigest digest =
      shown.run.listed.digest.value_or(digest_of(shown.lines, shown.run.listed.warmup));
  const bool is_clean = digest.clean.lines > 0;
  const LineSummary& sum = is_clean ? digest.clean : digest.all;
  FactList facts;
  const auto add = [&](const char* name, const char* title, double ms) {
    if (sum.lines > 0) facts.add(name, title, step_text(ms), ms / kMsPerSecond);
  };
  add("mean_s", "mean", sum.mean_ms);
  if (sum.lines > 1 && digest.times == LineTimes::kSteps)
    add("sd_s", "standard deviation", sum.sd_ms);
  add("median_s", "median", sum.median_ms);
  add("min_s", "fastest", sum.min_ms);
  add("max_s", "slowest", sum.max_ms);
  add("p99_s", "99 % quantile", sum.p99_ms);
  facts.add("counted", "of",
            fmt::format("{} of {}{}", sum.lines,
                        counted(static_cast<std::int64_t>(shown.lines.size()), "line"),
                        is_clean ? "" : ", though none is clean"),
            sum.lines);
  part.facts = facts.take();
  if (digest.slowdown) part.remarks.emplace_back("It slowed down on the way.");
  if (digest.unsteady) part.remarks.emplace_back("It found no steady pace.");
  if (shown.run.nan_from)
    part.remarks.push_back(
        fmt::format("From iteration {} on its loss is no number.", *shown.run.nan_from));
  const auto left_out = left_out_of(shown.lines, shown.run.listed.warmup);
  draw(shown.lines, left_out, part);
  part.series = series_of(shown, left_out);
  part.table = table_of_steps(shown, left_out);
  return part;
}

SheetPart left_out_part(const RunToShow& shown) {
  SheetPart part{"left_out", "Lines that are not in the mean"};
  const auto groups = groups_of(shown.lines, left_out_of(shown.lines, shown.run.listed.warmup));
  const std::vector<Group> first(
      groups.begin(),
      groups.begin() + static_cast<std::ptrdiff_t>(std::min(groups.size(), kMostGroups)));
  if (first.empty()) return part;
  part.table = table_of(first, shown);
  std::size_t rest = 0;
  for (std::size_t i = first.size(); i < groups.size(); ++i) rest += groups[i].count();
  part.say_left_out(rest, "line", "behind these");
  return part;
}

SheetPart places_part(const RunToShow& shown) {
  SheetPart part{"places", "Where that stands"};
  FactList facts;
  if (shown.run.log) {
    facts.add("log", "log", shown.run.log->path);
    facts.add_hidden("log_bytes", shown.run.log->size_bytes);
    facts.add_time("collected_utc", "read at (UTC)", shown.run.log->collected_at);
  }
  const auto& steps = shown.places.steps;
  const auto known = std::count_if(steps.begin(), steps.end(), [](auto line) { return line > 0; });
  if (known > 0) {
    std::size_t first = 0, last = 0;
    for (const std::size_t line : steps) {
      if (line == 0) continue;
      first = first == 0 ? line : std::min(first, line);
      last = std::max(last, line);
    }
    facts.add(
        "step_lines", "step times",
        fmt::format("lines {}{}",
                    range_text(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)),
                    static_cast<std::size_t>(known) == steps.size()
                        ? ""
                        : fmt::format(", {} of {} found again", known, steps.size())));
  }
  for (const auto& place : shown.places.others) {
    const std::string lines =
        range_text(static_cast<std::int64_t>(place.first), static_cast<std::int64_t>(place.last));
    facts.add(place.what + "_lines", place.what,
              (place.first == place.last ? "line " : "lines ") + lines);
  }
  for (const auto& file : shown.files) facts.add("file", "beside it", file);
  part.facts = facts.take();
  if (!shown.places.problem.empty()) part.remarks.push_back(shown.places.problem);
  return part;
}

}  // namespace pippin
