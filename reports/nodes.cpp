// SPDX-License-Identifier: Apache-2.0
#include "reports/nodes.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "reports/flat_columns.h"
#include "reports/statistics/sample.h"

namespace pippin {

namespace {

using Rows = std::map<std::string, NodeRow>;
using Measured = std::vector<std::pair<std::string, double>>;  ///< by node

NodeRow& row_of(Rows& rows, const std::string& node) {
  NodeRow& row = rows[node];
  row.node = node;
  return row;
}

void count_runs(Rows& rows, const std::vector<NodeRuns>& runs) {
  for (const auto& one : runs) {
    NodeRow& row = row_of(rows, one.node);
    for (const std::int64_t count : one.runs) row.runs += count;
    row.ok = one.runs.at(static_cast<std::size_t>(RunState::kOk));
    row.failed = row.runs - row.ok;
    row.last_run = one.last_run;
  }
}

void take_notes(Rows& rows, const std::vector<NodeNote>& notes) {
  for (const auto& note : notes) {
    NodeRow& row = row_of(rows, note.node);
    row.failed_launches += note.failed_launches;
    if (row.state != "bad" && !note.state.empty()) row.state = note.state;
    row.lost_runs += note.lost_runs;
    if (!note.because.empty()) row.because += (row.because.empty() ? "" : "; ") + note.because;
  }
  for (auto& entry : rows) {
    NodeRow& row = entry.second;
    if (row.lost_runs == 0) continue;
    row.because =
        fmt::format("the scheduler says that it failed under {}{}{}", counted(row.lost_runs, "run"),
                    row.because.empty() ? "" : "; ", row.because);
  }
}

/// The medians of each node, and what they are by the median of the others'.
struct Compared {
  double median = 0;
  std::optional<double> ratio;
};

/// The median of sorted values without the one at `place`.
double median_without(const std::vector<double>& sorted, std::size_t place) {
  const std::size_t rest = sorted.size() - 1;
  const auto at = [&](std::size_t i) { return sorted[i < place ? i : i + 1]; };
  return rest % 2 == 1 ? at(rest / 2) : (at(rest / 2 - 1) + at(rest / 2)) / 2;
}

std::map<std::string, Compared> compared(const Measured& measured) {
  std::map<std::string, std::vector<double>> values_of;
  for (const auto& [node, value] : measured) values_of[node].push_back(value);
  std::vector<std::pair<double, std::string>> medians;
  medians.reserve(values_of.size());
  for (auto& [node, values] : values_of) {
    medians.emplace_back(median_of(std::move(values)), node);
  }
  std::sort(medians.begin(), medians.end());
  std::vector<double> sorted;
  sorted.reserve(medians.size());
  for (const auto& entry : medians) sorted.push_back(entry.first);
  std::map<std::string, Compared> found;
  for (std::size_t i = 0; i < medians.size(); ++i) {
    Compared& one = found[medians[i].second];
    one.median = medians[i].first;
    const double others = sorted.size() > 1 ? median_without(sorted, i) : 0;
    if (others > 0) one.ratio = one.median / others;
  }
  return found;
}

/// Each reading once, whatever runs have it.
std::map<std::int64_t, std::pair<const CanaryEvidence*, const RunEvidence*>> readings_of(
    const Evidence& evidence) {
  std::map<std::int64_t, std::pair<const CanaryEvidence*, const RunEvidence*>> readings;
  for (const auto& run : evidence.runs) {
    for (const auto* reading : {&run.before, &run.after})
      if (*reading) readings.emplace((*reading)->reading, std::pair(&**reading, &run));
  }
  return readings;
}

using Kind = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

/// Of each node the median over the kinds of what it is by the others there.
std::map<std::string, double> ratios_of(const std::map<Kind, Measured>& by_kind) {
  std::map<std::string, std::vector<double>> ratios;
  for (const auto& kind : by_kind) {
    for (const auto& [node, one] : compared(kind.second))
      if (one.ratio) ratios[node].push_back(*one.ratio);
  }
  std::map<std::string, double> medians;
  for (auto& [node, of_node] : ratios) medians[node] = median_of(std::move(of_node));
  return medians;
}

void compare_canaries(Rows& rows, const Evidence& evidence) {
  Measured all;
  std::map<Kind, Measured> gemms, all_reduces;  // alike: as large; of as many bytes, ranks, nodes
  for (const auto& entry : readings_of(evidence)) {
    const auto& [reading, run] = entry.second;
    for (const auto& node : reading->by_node) {
      if (!node.median_tflops) continue;
      all.emplace_back(node.name, *node.median_tflops);
      gemms[{reading->gemm.m, reading->gemm.n, reading->gemm.k}].push_back(all.back());
    }
    for (const auto& node : run->nodes) {
      ++row_of(rows, node).readings;
      if (reading->all_reduce_us > 0)
        all_reduces[{reading->all_reduce_bytes, reading->ranks, reading->nodes}].emplace_back(
            node, reading->all_reduce_us);
    }
  }
  for (const auto& [node, one] : compared(all)) row_of(rows, node).gemm_tflops = one.median;
  for (const auto& [node, ratio] : ratios_of(gemms)) row_of(rows, node).gemm_ratio = ratio;
  for (const auto& [node, ratio] : ratios_of(all_reduces))
    row_of(rows, node).all_reduce_ratio = ratio;
}

using Columns = FlatColumns<NodeRow>;
constexpr auto kLeft = TextColumn::Align::kLeft;

/// "+3 %" of 1.03.
std::string percent_more(const std::optional<double>& ratio) {
  constexpr double kPercent = 100;
  return ratio ? fmt::format("{:+.0f} %", (*ratio - 1) * kPercent) : "";
}

void add_ratio(Columns& columns, const char* title, const char* name,
               std::optional<double> NodeRow::*ratio) {
  columns.add(
      {title, name, 5}, [=](const auto& row) { return percent_more(row.*ratio); },
      [=](const auto& row) { return row.*ratio; });
}

}  // namespace

std::vector<NodeRow> node_rows(const std::vector<NodeRuns>& runs, const Evidence& evidence,
                               const std::vector<NodeNote>& notes) {
  Rows by_name;
  count_runs(by_name, runs);
  take_notes(by_name, notes);
  compare_canaries(by_name, evidence);
  std::vector<NodeRow> rows;
  rows.reserve(by_name.size());
  for (auto& entry : by_name) rows.push_back(std::move(entry.second));
  std::stable_partition(rows.begin(), rows.end(),
                        [](const NodeRow& row) { return row.state == "bad"; });
  return rows;
}

FlatTable node_table(const std::vector<NodeRow>& rows) {
  Columns columns(rows);
  columns.add(
      {"node", "node", 9, kLeft}, [](const auto& row) { return printable(row.node); },
      [](const auto& row) { return row.node; });
  columns.add_count({"runs", "runs", 7}, &NodeRow::runs);
  columns.add_count({"ok", "runs_ok", 6}, &NodeRow::ok);
  columns.add_count({"not ok", "runs_not_ok", 8}, &NodeRow::failed);
  columns.add_count({"failed launches", "failed_launches", 8}, &NodeRow::failed_launches);
  columns.add_count({"canaries", "canaries", 3}, &NodeRow::readings);
  columns.add_number({"GEMM TFLOPS", "gemm_median_tflops", 4}, &NodeRow::gemm_tflops);
  add_ratio(columns, "by others", "gemm_by_others", &NodeRow::gemm_ratio);
  add_ratio(columns, "all-reduce by others", "all_reduce_time_by_others",
            &NodeRow::all_reduce_ratio);
  columns.add(
      {"last run (UTC)", "last_run_utc", 2, kLeft},
      [](const auto& row) { return utc_text(row.last_run); },
      [](const auto& row) { return utc_text(row.last_run); });
  columns.add(
      {"state", "state", 8, kLeft}, [](const auto& row) { return row.state; },
      [](const auto& row) { return row.state; });
  columns.add(
      {"because", "because", 1, kLeft}, [](const auto& row) { return printable(row.because); },
      [](const auto& row) { return row.because; });
  FlatTable table;
  table.rows_are = "nodes";
  table.columns = columns.take();
  for (const auto& row : rows) {
    if (row.state == "bad")
      table.remarks.push_back(
          fmt::format("{} is bad: {}", printable(row.node), printable(row.because)));
  }
  return table;
}

}  // namespace pippin
