// SPDX-License-Identifier: Apache-2.0
#include "reports/time_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/probe_rates.h"
#include "reports/values.h"

namespace pippin {

namespace {

/// The larger side: an interval that was cut at 0 shows what it is above.
std::optional<double> half_width(const Interval& time) {
  if (!time.low || !time.high) return std::nullopt;
  return std::max(*time.high - time.mean, time.mean - *time.low);
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string marks_of(const Summary& row) {
  const bool wave = row.slowdowns + row.unsteady > 0;
  if (row.clean && !wave) return "";
  return std::string(" ") + (row.clean ? "" : "*") + (wave ? "~" : "");
}

MeanText parts_of(const Summary& row, const TimeStyle& style, std::optional<int> decimals) {
  const double mean = row.step_time_s->mean * style.units_per_s;
  auto half = half_width(*row.step_time_s);
  if (half) *half *= style.units_per_s;
  if (decimals)
    return {fmt::format("{:.{}f}", mean, *decimals),
            half ? fmt::format("{:.{}f}", *half, *decimals) : ""};
  if (row.noted && row.runs == 1) return {exact_number(mean), ""};
  return mean_text(mean, half);
}

/// Behind a figure that people noted: how often they did and how far those are apart, or the spread
/// that they noted beside it. An average alone would hide why they noted it again.
std::string noted_text(const Summary& row, const TimeStyle& style) {
  if (!row.noted || !row.step_time_s->sd) return "";
  const auto text = [&](double seconds) { return exact_number(seconds * style.units_per_s); };
  if (row.runs == 1) return fmt::format(" (± {})", text(*row.step_time_s->sd));
  return fmt::format(" ({}: {}–{})", row.runs, text(row.lines_s->min), text(row.lines_s->max));
}

}  // namespace

TimeStyle time_style_for(const RowRange& rows, std::optional<int> decimals, bool aligned) {
  constexpr double kShort = 0.1;
  const bool all_short = std::all_of(rows.begin(), rows.end(), [](const Summary& row) {
    return !row.step_time_s || row.step_time_s->mean < kShort;
  });
  const bool of_machine = std::all_of(
      rows.begin(), rows.end(), [](const Summary& row) { return measures_machine(row.point); });
  TimeStyle style = all_short ? TimeStyle{"ms", kMsPerSecond} : TimeStyle{};
  if (all_short && of_machine) style = {"µs", kUsPerSecond};
  if (!aligned) return style;
  for (const auto& row : rows) {
    if (!row.step_time_s) continue;
    const MeanText text = parts_of(row, style, decimals);
    style.mean = std::max(style.mean, text.mean.size());
    style.half_width = std::max(style.half_width, text.half_width.size());
  }
  return style;
}

std::string time_text(const Summary& row, const TimeStyle& style, std::optional<int> decimals) {
  if (!row.step_time_s) return "";
  const MeanText text = parts_of(row, style, decimals);
  std::string cell = right_aligned(text.mean, style.mean) + " " + style.unit;
  if (!text.half_width.empty()) cell += " ± " + right_aligned(text.half_width, style.half_width);
  return cell + noted_text(row, style) + marks_of(row);
}

}  // namespace pippin
