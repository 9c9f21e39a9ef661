// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/records/fields.h"
#include "reports/flat_columns.h"
#include "reports/remarks.h"
#include "reports/show/other_sheets.h"
#include "reports/show/run_table.h"
#include "reports/time_text.h"
#include "reports/values.h"

namespace pippin {

namespace {

using Columns = FlatColumns<RowOf>;
constexpr auto kLeft = TextColumn::Align::kLeft;

std::string time_of(const Summary& row) {
  const std::vector<Summary> alone{row};
  return time_text(row, time_style_for(RowRange(alone), std::nullopt, false), std::nullopt);
}

std::string standing_text(const Summary& row) {
  if (!row.standing) return "";
  switch (row.standing->place) {
    case Standing::kBest:
      return "the best";
    case Standing::kTied:
      return "cannot be told from the best";
    case Standing::kBehind:
      break;
  }
  constexpr double kPercent = 100;
  return fmt::format("{:.1f} % behind the best", row.standing->behind * kPercent);
}

std::string sentence_on(const RowOf& one) {
  std::string words = fmt::format("{}: {}", printable(one.of), text_of(one.row.state));
  const std::string time = time_of(one.row), place = standing_text(one.row);
  if (!time.empty()) words += ", " + time + " a step";
  if (one.row.tflops) words += fmt::format(", {} TFLOPS per GPU", short_number(*one.row.tflops));
  if (!place.empty()) words += ", " + place;
  if (!one.row.reason.empty()) words += fmt::format(" ({})", printable(one.row.reason));
  return words + ".";
}

SheetPart configuration_part(const Point& point) {
  FactList facts;
  facts.add("id", "id", point.id);
  facts.add("trainer", "trainer", point.trainer);
  facts.add("size", "model", point.model.size);
  for_each_count(point, [&](std::string_view name, const Count& count) {
    facts.add_count(std::string(name), std::string(name), count);
  });
  for (const auto& [name, value] : point.axes) facts.add("axis " + name, name, value.text);
  return {"configuration", "What it is", facts.take()};
}

SheetPart rows_part(const PointToShow& shown) {
  SheetPart part{"rows", "What it came to"};
  Columns columns(shown.rows);
  columns.add_text({"campaign", "of", 9, kLeft}, [](const auto& one) { return one.of; });
  columns.add(
      {"end", "state", 8, kLeft},
      [](const auto& one) { return one.row.left ? "left" : std::string(text_of(one.row.state)); },
      [](const auto& one) { return std::string(text_of(one.row.state)); });
  columns.add(
      {"allocations", "allocations", 3},
      [](const auto& one) { return std::to_string(one.row.allocations); },
      [](const auto& one) { return std::optional(one.row.allocations); });
  columns.add(
      {"runs", "runs", 4}, [](const auto& one) { return std::to_string(one.row.runs); },
      [](const auto& one) { return std::optional(one.row.runs); });
  columns.add(
      {"step time", "step_time_s", 8}, [](const auto& one) { return time_of(one.row); },
      [](const auto& one) {
        return one.row.step_time_s ? std::optional(one.row.step_time_s->mean) : std::nullopt;
      });
  columns.add(
      {"TFLOPS", "tflops", 6},
      [](const auto& one) { return one.row.tflops ? short_number(*one.row.tflops) : ""; },
      [](const auto& one) { return one.row.tflops; });
  columns.add_text({"standing", "standing", 5, kLeft},
                   [](const auto& one) { return standing_text(one.row); });
  columns.add_text({"why", "reason", 1, kLeft}, [](const auto& one) { return one.row.reason; });
  part.put_table("rows", columns.take());
  RemarkCollector remarks;
  for (const auto& one : shown.rows) remarks.add(one.row);
  part.remarks = remarks.lines();
  if (shown.older > 0)
    part.remarks.push_back(fmt::format(
        "{} before these", counted(static_cast<std::int64_t>(shown.older), "campaign")));
  return part;
}

SheetPart runs_part(const PointToShow& shown) {
  SheetPart part{"newest_first", "Its runs"};
  if (shown.runs.runs.empty()) return part;
  RunTableColumns columns;
  columns.sweeps = columns.allocations = true;
  put_runs(shown.runs, columns, "older than these; 'pippin report --by run' shows all", part);
  for (auto run = shown.runs.runs.rbegin(); run != shown.runs.runs.rend(); ++run) {
    const auto mean = run->dropped ? std::nullopt : mean_ms_of(*run);
    if (mean) part.values.push_back(*mean);
  }
  part.values_are = "the mean step of each run, the newest last";
  if (part.values.size() < 2) part.values.clear();
  return part;
}

}  // namespace

Sheet point_sheet(const PointToShow& shown) {
  Sheet sheet{"point", shown.point.name, {}};
  sheet.said = {shown.rows.empty() ? "It has no runs and no campaign plans it."
                                   : sentence_on(shown.rows.back())};
  sheet.add(configuration_part(shown.point));
  if (!shown.rows.empty()) sheet.add(rows_part(shown));
  sheet.add(runs_part(shown));
  return sheet;
}

}  // namespace pippin
