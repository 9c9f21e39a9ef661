// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "reports/flat_columns.h"
#include "reports/show/other_sheets.h"
#include "reports/show/run_table.h"
#include "reports/statistics/sample.h"
#include "reports/values.h"

namespace pippin {

namespace {

constexpr double kPercent = 100;

std::string percent_more(double ratio) { return fmt::format("{:+.1f} %", (ratio - 1) * kPercent); }

std::string runs_text(const NodeRow& row) {
  if (row.runs == 0) return "No run that counts was on it.";
  return fmt::format("{} {} on it, {} ended well.", counted(row.runs, "run"),
                     row.runs == 1 ? "was" : "were", row.ok);
}

std::string effect_text(const MachineEffect& effect) {
  return fmt::format("Steps take {} with it (95 %: {} to {}; {}).",
                     percent_more(std::exp(effect.effect)), percent_more(std::exp(effect.low)),
                     percent_more(std::exp(effect.high)),
                     counted(static_cast<std::int64_t>(effect.with), "allocation"));
}

SheetPart machine_part(const NodeToShow& shown) {
  const NodeRow& row = shown.row;
  FactList facts;
  facts.add("state", "state", row.state);
  facts.add("because", "because", row.because);
  facts.add_count("runs", "runs", row.runs);
  facts.add_count("runs_ok", "ended well", row.ok);
  facts.add_count("runs_not_ok", "did not", row.failed);
  facts.add_count("failed_launches", "failed launches", row.failed_launches);
  facts.add_time("last_run_utc", "last run (UTC)", row.last_run);
  facts.add_count("canaries", "canaries", row.readings);
  if (row.gemm_tflops)
    facts.add(
        "gemm_median_tflops", "GEMM, median",
        short_number(*row.gemm_tflops) + " TFLOPS" +
            (row.gemm_ratio ? ", " + percent_more(*row.gemm_ratio) + " than other nodes" : ""),
        *row.gemm_tflops);
  if (row.all_reduce_ratio)
    facts.add("all_reduce_time_by_others", "all-reduce time",
              percent_more(*row.all_reduce_ratio) + " than without it", *row.all_reduce_ratio);
  return {"node", "What is known", facts.take()};
}

SheetPart readings_part(const NodeToShow& shown) {
  SheetPart part{"gemm_tflops", "Its matrix products"};
  for (const auto& reading : shown.readings)
    if (reading.gemm_median_tflops) part.values.push_back(*reading.gemm_median_tflops);
  if (part.values.empty()) return part;
  SheetSeries series;
  series.title = "Every canary";
  series.lead = "Each point is the median of its ranks in one canary.";
  series.x_title = "taken";
  series.y_title = "TFLOPS";
  series.x_is_moment = true;
  for (const auto& reading : shown.readings) {
    if (!reading.gemm_median_tflops) continue;
    series.x.push_back(static_cast<double>(reading.taken_at));
    series.y.push_back(*reading.gemm_median_tflops);
  }
  part.series = std::move(series);
  FlatColumns<NodeReading> columns(shown.readings);
  columns.add_hidden("taken_utc", [](const auto& reading) { return utc_text(reading.taken_at); });
  columns.add_hidden("min_tflops", [](const auto& reading) { return reading.gemm_min_tflops; });
  columns.add_hidden("median_tflops",
                     [](const auto& reading) { return reading.gemm_median_tflops; });
  part.put_table("readings", columns.take());
  const auto [low, high] = std::minmax_element(part.values.begin(), part.values.end());
  part.values_are = fmt::format("{} from {} to {} (UTC): {} to {} TFLOPS",
                                counted(static_cast<std::int64_t>(part.values.size()), "reading"),
                                utc_text(shown.readings.front().taken_at, "%F"),
                                utc_text(shown.readings.back().taken_at, "%F"), short_number(*low),
                                short_number(*high));
  return part;
}

/// A link, by the median of its readings.
struct LinkRow {
  std::string to;
  double median = 0, low = 0, high = 0;
  std::int64_t readings = 0;
};

SheetPart links_part(const NodeToShow& shown) {
  constexpr std::size_t kMost = 20;
  SheetPart part{"links", "Its links, slowest first"};
  std::vector<LinkRow> rows;
  rows.reserve(shown.links.size());
  for (const auto& link : shown.links) {
    const auto [low, high] = std::minmax_element(link.gb_per_s.begin(), link.gb_per_s.end());
    rows.push_back({link.to, median_of(link.gb_per_s), *low, *high,
                    static_cast<std::int64_t>(link.gb_per_s.size())});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const LinkRow& a, const LinkRow& b) { return a.median < b.median; });
  const std::size_t all = rows.size();
  if (all > kMost) rows.resize(kMost);
  FlatColumns<LinkRow> columns(rows);
  columns.add_text({"to", "to", 9, TextColumn::Align::kLeft},
                   [](const auto& row) { return row.to; });
  const auto number = [&](const FlatColumns<LinkRow>::Names& names, double LinkRow::*value) {
    columns.add(
        names, [=](const auto& row) { return short_number(row.*value); },
        [=](const auto& row) { return std::optional(row.*value); });
  };
  number({"GB/s, median", "median_gb_per_s", 8}, &LinkRow::median);
  number({"lowest", "low_gb_per_s", 4}, &LinkRow::low);
  number({"highest", "high_gb_per_s", 4}, &LinkRow::high);
  columns.add_count({"readings", "readings", 5}, &LinkRow::readings);
  part.put_table("links", columns.take());
  part.say_left_out(all - rows.size(), "link", "faster than these");
  return part;
}

SheetPart runs_part(const NodeToShow& shown) {
  SheetPart part{"newest_runs", "Its runs"};
  if (shown.runs.runs.empty()) return part;
  RunTableColumns columns;
  columns.sweeps = columns.points = true;
  put_runs(shown.runs, columns, "older than these", part);
  return part;
}

}  // namespace

Sheet node_sheet(const NodeToShow& shown) {
  Sheet sheet{"node", shown.row.node, {runs_text(shown.row)}};
  if (shown.row.state == "bad")
    sheet.said.push_back(fmt::format("It is bad: {}.", printable(shown.row.because)));
  if (shown.effect) sheet.said.push_back(effect_text(*shown.effect));
  for (const auto& suspect : shown.suspects) sheet.said.push_back(sentence_on(suspect));
  sheet.add(machine_part(shown));
  sheet.add(readings_part(shown));
  sheet.add(links_part(shown));
  sheet.add(runs_part(shown));
  return sheet;
}

}  // namespace pippin
