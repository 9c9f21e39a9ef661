// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_set>
#include <utility>

#include "core/base/text.h"
#include "db/axis_values.h"
#include "db/drops.h"
#include "db/operations.h"
#include "db/points.h"

namespace pippin::db {

namespace {

constexpr std::string_view kColumns =
    "state, allocations, runs, lines, mean_s, low_s, high_s, sd_s, unit, remark, df, sd_low_s, "
    "sd_high_s, allocation_means, unit_means_s, min_s, p25_s, p75_s, max_s, clean, slowdowns, "
    "unsteady, noted, gbs, recompute, memory_gib, started_at, remarks, axes, place, "
    "median_s, p99_s, reason";

std::vector<double> numbers_in(const std::string& text) {
  std::vector<double> numbers;
  for (const auto& word : split(text, ' ')) {
    if (const auto number = parse_number(word)) numbers.push_back(*number);
  }
  return numbers;
}

std::string text_of(const std::vector<double>& numbers) {
  std::vector<std::string> words;
  words.reserve(numbers.size());
  for (double number : numbers) words.push_back(number_text(number));
  return join(words, " ");
}

/// "SECONDS DAY ALLOCATION", a line each; "-" for a day that is unknown.
std::string text_of(const std::vector<AllocationMean>& means) {
  std::vector<std::string> lines;
  lines.reserve(means.size());
  for (const auto& mean : means) {
    lines.push_back(fmt::format("{} {} {}", number_text(mean.seconds),
                                mean.day.empty() ? "-" : printable(mean.day),
                                printable(mean.allocation)));
  }
  return join(lines, "\n");
}

/// What is no number becomes none (NaN).
std::vector<AllocationMean> allocation_means_in(const std::string& text) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::vector<AllocationMean> means;
  if (text.empty()) return means;
  for (const std::string_view line : split(text, '\n')) {
    const auto day = line.find(' ');
    const auto allocation = line.find(' ', day + 1);
    const std::string_view date = line.substr(day + 1, allocation - day - 1);
    means.push_back({printable(line.substr(allocation + 1)), date == "-" ? "" : printable(date),
                     parse_number(line.substr(0, day)).value_or(kNone)});
  }
  return means;
}

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines;
  if (text.empty()) return lines;
  for (const auto& line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

/// Columns of RowLoader::measured_of().
constexpr int kAxes = 29, kPlace = 30, kMedian = 31, kReason = 33;

/// Fills what is measured from a row whose columns from the second on are kColumns.
void read_measures(const Statement& row, Summary& summary) {
  int column = 1;
  summary.state = state_in(row, column++);
  for (auto* count : {&summary.allocations, &summary.runs, &summary.iterations})
    *count = row.integer(column++);
  if (!row.null(column)) {
    Interval& time = summary.step_time_s.emplace();
    time.mean = row.real(column);
    time.low = row.maybe_real(column + 1);
    time.high = row.maybe_real(column + 2);
    time.sd = row.maybe_real(column + 3);
    time.unit = printable(row.text(column + 4));
    time.remark = printable(row.text(column + 5));
    time.df = row.maybe_real(column + 6);
    time.sd_low = row.maybe_real(column + 7);
    time.sd_high = row.maybe_real(column + 8);
    summary.allocation_means = allocation_means_in(row.text(column + 9));
    summary.unit_means_s = numbers_in(row.text(column + 10));
    summary.lines_s = {row.real(column + 11), row.real(column + 12), row.real(column + 13),
                       row.real(column + 14), row.real(kMedian),     row.real(kMedian + 1)};
  }
  column += 15;
  summary.clean = row.integer(column++) != 0;
  summary.slowdowns = row.integer(column++);
  summary.unsteady = row.integer(column++);
  summary.noted = row.integer(column++) != 0;
  if (const Count gbs = row.maybe_integer(column++)) summary.point.layout.gbs = gbs;
  if (!row.null(column)) summary.recompute = row.text(column);
  summary.memory_gib = row.maybe_real(++column);
  summary.started_at = row.maybe_integer(++column);
  summary.remarks = lines_in(row.text(++column));
  if (!row.null(kReason)) summary.reason = row.text(kReason);
}

/// Whether the figures can be those of runs; somebody else may have written the database.
bool is_possible(const Summary& summary) {
  const auto is_number = [](const std::optional<double>& x) { return !x || std::isfinite(*x); };
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && seconds > 0; };
  const Count& gbs = summary.point.layout.gbs;
  if (!is_number(summary.memory_gib) || (gbs && !is_batch(*gbs))) return false;
  if (!summary.step_time_s) return true;
  const Interval& time = *summary.step_time_s;
  const auto& means = summary.allocation_means;
  const auto& units = summary.unit_means_s;
  const Quantiles of_lines = summary.lines_s.value_or(Quantiles{});
  const double lines[] = {of_lines.min, of_lines.p25,    of_lines.p75,
                          of_lines.max, of_lines.median, of_lines.p99};
  return is_time(time.mean) && is_number(time.low) && is_number(time.high) && is_number(time.sd) &&
         is_number(time.df) && is_number(time.sd_low) && is_number(time.sd_high) &&
         std::all_of(means.begin(), means.end(),
                     [&](const AllocationMean& mean) { return is_time(mean.seconds); }) &&
         std::all_of(units.begin(), units.end(), is_time) &&
         std::all_of(std::begin(lines), std::end(lines),
                     [](double seconds) { return std::isfinite(seconds); });
}

/// What people wrote, by sweep and point: of each run, in the order of runs and then of writing.
class PointNotes {
 public:
  /// `campaign`: only of that number.
  PointNotes(Connection& connection, const std::optional<std::int64_t>& campaign) {
    Statement rows = connection.prepare(fmt::format(
        "SELECT coalesce(sweeps.name, ''), runs.point, runs.id, notes.text FROM notes "
        "JOIN runs ON runs.id = notes.run JOIN allocations ON allocations.id = runs.allocation "
        "LEFT JOIN campaigns ON campaigns.id = allocations.campaign "
        "LEFT JOIN sweeps ON sweeps.id = campaigns.sweep "
        "WHERE (?1 IS NULL OR campaigns.number = ?1) AND {} "
        "ORDER BY campaigns.number, allocations.id, runs.position, runs.id, notes.id",
        kKeptRuns));
    rows.bind(campaign);
    std::int64_t run = 0;
    while (rows.step()) {
      auto& runs = notes_[{rows.text(0), rows.text(1)}];
      if (runs.empty() || rows.integer(2) != run) runs.emplace_back();
      run = rows.integer(2);
      runs.back().push_back(rows.text(3));
    }
  }

  void read(Summary& summary) const {
    const auto found = notes_.find({summary.sweep, summary.point.id});
    if (found == notes_.end()) return;
    for (const auto& of_run : found->second) add_notes(summary, of_run);
  }

 private:
  using NotesOfRuns = std::vector<std::vector<std::string>>;
  std::map<std::pair<std::string, std::string>, NotesOfRuns> notes_;
};

using AxisNames = std::set<std::string, std::less<>>;

/// The rows of one sweep after the other.
class RowLoader {
 public:
  RowLoader(Connection& connection, std::int64_t version, const RowFilter& filter)
      : connection_(connection),
        version_(version),
        campaign_(filter.of.campaign),
        axes_(filter.axes),
        all_or_none_(filter.all_or_none),
        notes_(connection, filter.of.campaign),
        values_(connection) {}

  /// `campaigns`: those of one sweep.
  void load(const std::vector<CampaignRow>& campaigns) {
    const std::string& sweep = campaigns.front().sweep;
    if (all_or_none_ && !measured_of(sweep).step() && has_points(campaigns)) complete_ = false;
    if (is_in_vain()) return;
    PlannedRows planned(connection_, campaigns, bare_points_of);
    const std::size_t first = rows_.size();
    for (auto& point : planned.rows()) {
      Summary& row = rows_.emplace_back(row_of(sweep, std::move(point.point)));
      row.state = point.state;
      row.reason = std::move(point.reason);
      row.left = point.left;
      row.peak_tflops = std::move(point.peak_tflops);
    }
    std::size_t found = 0;
    for (Statement measured = measured_of(sweep); measured.step();) {
      const auto place = planned.place_of(measured.text(0));
      if (!place) continue;
      Summary& row = rows_[first + *place];
      const std::string& dropped = planned.rows()[*place].dropped;
      const bool may_be_set_aside = row.state == RunState::kNotRun && !dropped.empty();
      const std::string planned_reason = row.reason;
      if (may_be_set_aside) row.reason = dropped_reason(dropped);
      read_measures(measured, row);
      complete_ = complete_ && is_possible(row);
      // Other runs of it were not.
      const bool has_run = row.state != RunState::kMissing && row.state != RunState::kNotRun;
      if (may_be_set_aside && has_run && measured.null(kReason)) row.reason = planned_reason;
      for (const auto id : AxisValues::ids_in(measured.text(kAxes))) take_axis(id, row);
      ++found;
    }
    complete_ = complete_ && found == planned.rows().size();
  }

  /// Of the axes, arguments by the dozen, only those that differ between rows, and `axes_`.
  void load_foreign() {
    auto points = bare_points_of(connection_, std::nullopt);
    std::vector<std::pair<std::int64_t, std::size_t>> order;  // by place; SQLite's own sorter
    std::vector<Summary> rows;                                // would carry the axes along
    std::vector<AxisValues::Ids> axes;
    rows.reserve(points.size());
    axes.reserve(points.size());
    for (Statement measured = measured_of(""); measured.step();) {
      const auto point = points.find(measured.text(0));
      if (point == points.end()) continue;
      order.emplace_back(measured.integer(kPlace), rows.size());
      rows.push_back(row_of("", std::move(point->second)));
      read_measures(measured, rows.back());
      complete_ = complete_ && is_possible(rows.back());
      axes.push_back(AxisValues::ids_in(measured.text(kAxes)));
    }
    complete_ = complete_ && rows.size() == points.size();
    const auto wanted = wanted_of(axes);
    std::sort(order.begin(), order.end());
    for (const auto& [place, i] : order) {
      for (const auto id : axes[i]) {
        if (wanted.count(id)) take_axis(id, rows[i]);
      }
      rows_.push_back(std::move(rows[i]));
    }
  }

  bool complete() const { return complete_; }
  /// Whether nobody wants what there is.
  bool is_in_vain() const { return all_or_none_ && !complete_; }
  std::vector<Summary> take() { return std::move(rows_); }

 private:
  /// A summary that names no axis which is stored is none: all is summed up anew.
  void take_axis(std::int64_t id, Summary& row) {
    const auto* axis = values_.axis(id);
    if (axis)
      row.point.axes.push_back(*axis);
    else
      complete_ = false;
  }

  bool has_points(const std::vector<CampaignRow>& campaigns) {
    Statement any = connection_.prepare("SELECT 1 FROM campaign_points WHERE campaign = ? LIMIT 1");
    return std::any_of(campaigns.begin(), campaigns.end(),
                       [&](const CampaignRow& campaign) { return any.bind(campaign.id).step(); });
  }

  Summary row_of(const std::string& sweep, Point point) const {
    Summary row;
    row.campaign = campaign_.value_or(0);
    row.sweep = sweep;
    row.point = std::move(point);
    notes_.read(row);
    return row;
  }

  /// The values of axes that not all rows have alike, and of those that were asked for.
  std::unordered_set<std::int64_t> wanted_of(const std::vector<AxisValues::Ids>& rows) const {
    std::unordered_map<std::int64_t, std::size_t> uses;
    for (const auto& ids : rows) {
      for (const auto id : ids) ++uses[id];
    }
    AxisNames names = axes_;
    for (const auto& [id, count] : uses) {
      if (const auto* axis = values_.axis(id); axis && count < rows.size())
        names.insert(axis->first);
    }
    std::unordered_set<std::int64_t> wanted;
    for (const auto& use : uses) {
      const auto* axis = values_.axis(use.first);
      if (!axis || names.count(axis->first)) wanted.insert(use.first);
    }
    return wanted;
  }

  Statement measured_of(const std::string& sweep) {
    Statement rows = connection_.prepare(fmt::format(
        "SELECT point, {} FROM point_summaries WHERE sweep = ? AND campaign = ? AND version = ?",
        kColumns));
    rows.bind(sweep, campaign_.value_or(0), version_);
    return rows;
  }

  Connection& connection_;
  std::int64_t version_;
  std::optional<std::int64_t> campaign_;
  const AxisNames& axes_;
  bool all_or_none_;
  PointNotes notes_;
  AxisValues values_;
  std::vector<Summary> rows_;
  bool complete_ = true;
};

}  // namespace

std::int64_t moment_of(Connection& connection) { return connection.number("PRAGMA data_version"); }

StoredRows rows(Connection& connection, const RowFilter& filter, std::int64_t version) {
  Transaction transaction(connection, Transaction::Kind::kRead);
  StoredRows result;
  {
    RowLoader loader(connection, version, filter);
    const SampleFilter& of = filter.of;
    for (const auto& campaigns : by_sweep(campaigns_of(connection, of))) {
      if (!loader.is_in_vain()) loader.load(campaigns);
    }
    if (!loader.is_in_vain() && !of.campaign && of.sweep.value_or("").empty())
      loader.load_foreign();
    result.complete = loader.complete();
    result.rows = loader.take();
  }
  transaction.commit();
  std::vector<Point*> points;
  points.reserve(result.rows.size());
  for (auto& row : result.rows) points.push_back(&row.point);
  tell_apart(points);
  return result;
}

namespace {

/// That of a point without runs stands in its plan.
std::optional<std::string> reason_of_runs(const Summary& row) {
  const bool is_planned = row.state == RunState::kOk || row.state == RunState::kInfeasible ||
                          row.reason.starts_with(dropped_reason(""));
  return is_planned ? std::nullopt : known(row.reason);
}

void put_row(Connection& connection, AxisValues& values, const SampleFilter& of, const Summary& row,
             std::int64_t place, std::int64_t version) {
  const Interval* time = row.step_time_s ? &*row.step_time_s : nullptr;
  const auto of_time = [&](auto get) { return time ? std::optional(get(*time)) : std::nullopt; };
  const auto of_lines = [&](double Quantiles::*value) {
    return row.lines_s ? std::optional((*row.lines_s).*value) : std::nullopt;
  };
  static const std::string text = fmt::format(
      "INSERT OR REPLACE INTO point_summaries "
      "(sweep, campaign, point, version, {}) VALUES (?1, ?2, ?3, ?4, ?5, "
      "?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, "
      "?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, "
      "?34, ?35, ?36, ?37)",
      kColumns);
  connection.prepare(text).run(
      row.sweep, of.campaign.value_or(0), row.point.id, version, pippin::text_of(row.state),
      row.allocations, row.runs, row.iterations, of_time([](const auto& t) { return t.mean; }),
      time ? time->low : std::nullopt, time ? time->high : std::nullopt,
      time ? time->sd : std::nullopt, of_time([](const auto& t) { return t.unit; }),
      of_time([](const auto& t) { return t.remark; }), time ? time->df : std::nullopt,
      time ? time->sd_low : std::nullopt, time ? time->sd_high : std::nullopt,
      known(text_of(row.allocation_means)), known(text_of(row.unit_means_s)),
      of_lines(&Quantiles::min), of_lines(&Quantiles::p25), of_lines(&Quantiles::p75),
      of_lines(&Quantiles::max), row.clean, row.slowdowns, row.unsteady, row.noted,
      row.point.layout.gbs, row.recompute, row.memory_gib, row.started_at,
      known(join(row.remarks, "\n")), values.text_of(row.point.axes), place,
      of_lines(&Quantiles::median), of_lines(&Quantiles::p99), reason_of_runs(row));
}

}  // namespace

void put_rows(Connection& connection, const SampleFilter& of, const std::vector<Summary>& rows,
              std::int64_t version) {
  AxisValues values(connection);
  std::int64_t place = 0;
  for (const auto& row : rows) put_row(connection, values, of, row, ++place, version);
}

}  // namespace pippin::db
