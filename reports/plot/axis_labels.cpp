// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/axis_labels.h"

#include <algorithm>
#include <cmath>

#include "reports/display_text.h"
#include "reports/plot/legend.h"

namespace pippin {

namespace {

std::vector<AxisLabel> all_labels(const PlotAxis& axis, const Columns& columns,
                                  const PlotStyle& style) {
  constexpr std::size_t kShort = 8, kShare = 4;
  const std::size_t longest = std::max(columns.count / kShare, kShort);
  std::vector<AxisLabel> labels;
  for (const auto& tick : axis.ticks) {
    const auto column = column_of(axis, tick.at, columns.count);
    if (!column) continue;
    const std::string text = label_text(tick.text, longest, style.ascii);
    const std::size_t width = display_width(text), at = columns.first + *column;
    const std::size_t half = width == 0 ? 0 : (width - 1) / 2;
    const std::size_t start = std::min(at - std::min(at, half), style.width - width);
    labels.push_back({start, width, *column, text});
  }
  return labels;
}

/// Every so manieth of them; empty where two of those would touch.
std::vector<AxisLabel> chosen(const std::vector<AxisLabel>& labels, std::size_t every) {
  std::vector<AxisLabel> some;
  for (std::size_t i = 0; i < labels.size(); i += every) {
    if (!some.empty() && some.back().start + some.back().width + 1 >= labels[i].start) return {};
    some.push_back(labels[i]);
  }
  return some;
}

}  // namespace

double share_of(const PlotAxis& axis, double value) {
  if (axis.is_log && value <= 0) return -1;  // below all that it can show
  if (axis.is_log)
    return (std::log(value) - std::log(axis.low)) / (std::log(axis.high) - std::log(axis.low));
  return (value - axis.low) / (axis.high - axis.low);
}

std::optional<std::size_t> column_of(const PlotAxis& axis, double value, std::size_t columns) {
  const double share = share_of(axis, value);
  if (!(share >= 0 && share <= 1)) return std::nullopt;
  return std::min(static_cast<std::size_t>(share * static_cast<double>(columns)), columns - 1);
}

std::vector<AxisLabel> labels_below(const PlotAxis& axis, const Columns& columns,
                                    const PlotStyle& style) {
  const auto labels = all_labels(axis, columns, style);
  for (std::size_t every = 1; every <= labels.size(); ++every) {
    if (auto some = chosen(labels, every); !some.empty()) return some;
  }
  return {};
}

}  // namespace pippin
