// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/report.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <unistd.h>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/selections.h"
#include "harness/commands/steps/unread.h"
#include "reports/details.h"
#include "reports/display_text.h"
#include "reports/look_alikes.h"
#include "reports/methods.h"
#include "reports/presets.h"
#include "reports/select.h"
#include "reports/standing.h"
#include "sweeps/accelerators.h"

namespace pippin {

namespace {

/// `answer` where it is one of `answers`.
const std::string& checked(const std::string& option, const std::string& answer,
                           const std::vector<std::string>& answers) {
  if (std::find(answers.begin(), answers.end(), answer) == answers.end())
    bad_input("{} {}: there is {}{}", option, printable(answer), join(answers, ", "),
              did_you_mean(answer, answers));
  return answer;
}

FlopsFormula formula_named(const std::string& name) {
  return *flops_formula_of(
      checked("--flops", name, {"params", "hardware", "model", "megatron", "palm"}));
}

Summing summing_of(const ReportOptions& options) {
  Summing summing;
  summing.samples = checked("--samples", options.samples, {"clean", "all"}) == "all"
                        ? Samples::kAll
                        : Samples::kClean;
  checked("--by", options.by, {"point", "campaign", "day", "allocation", "run"});
  const std::map<std::string, Rows> parts{
      {"day", Rows::kDay}, {"allocation", Rows::kAllocation}, {"run", Rows::kRun}};
  const auto part = parts.find(options.by);
  if (part != parts.end()) summing.by = part->second;
  if (options.dropped && part == parts.end()) summing.by = Rows::kRun;  // each has its reason
  return summing;
}

/// The number types that accelerators have a peak of: the one at hand where it has any, else all.
std::vector<std::string> number_types(const PeakTflops& peaks) {
  std::vector<std::string> types;
  const auto add = [&](const PeakTflops& more) {
    for (const auto& peak : more) {
      if (std::find(types.begin(), types.end(), peak.first) == types.end())
        types.push_back(peak.first);
    }
  };
  add(peaks);
  if (!types.empty()) return types;
  for (const auto& name : accelerator_names()) add(find_accelerator(name)->peak_tflops);
  return types;
}

Rating rating_of(const ReportOptions& options) {
  Rating rating;
  rating.formula = formula_named(options.flops);
  if (!options.accelerator.empty())
    rating.peak_tflops =
        accelerator_named(text_written_at("--accelerator", options.accelerator)).peak_tflops;
  if (!options.precision.empty())
    checked("--precision", options.precision, number_types(rating.peak_tflops));
  rating.number_type = options.precision;
  return rating;
}

std::string columns_of(const ReportOptions& options) {
  if (!options.columns.empty() && !options.preset.empty())
    bad_input("--columns and --preset: name one of them");
  return options.preset.empty() ? options.columns : preset_named(options.preset).columns;
}

/// Errors: Error (bad input) where none of them is there.
std::vector<Column> shown_columns(const std::string& text, const RowRange& rows) {
  auto columns = columns_named(text, rows);
  if (columns.empty())
    bad_input("--columns {}: no row has such an axis, or all have it alike", printable(text));
  return columns;
}

/// The row that --vs names: by point or run, or the first that went well.
std::size_t reference_in(const std::vector<Summary>& rows, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_first =
        name == "first" && rows[i].state == RunState::kOk && rows[i].step_time_s && !rows[i].left;
    names.push_back(rows[i].run.empty() ? rows[i].point.name : rows[i].run);
    if (names.back() == name || is_first) return i;
  }
  if (name == "first") return 0;
  bad_input("--vs {}: no row of the table is named so{}", printable(name),
            did_you_mean(name, names));
}

void compare_rows(std::vector<Summary>& rows, const std::string& with) {
  if (with.empty() || rows.empty()) return;
  const std::size_t reference = reference_in(rows, with);
  if (rows[reference].state != RunState::kOk)
    bad_input("--vs {}: that row is {}; name one that went well", printable(with),
              text_of(rows[reference].state));
  compare_with(rows, reference);
  if (!rows[reference].vs)
    bad_input("--vs {}: that row has no step time, or no batch size and GPUs, to compare with",
              printable(with));
}

/// One selection after the other becomes one point after the other.
std::vector<Summary> by_point(std::vector<Summary> rows) {
  std::unordered_map<std::string, std::size_t> places;
  for (const auto& row : rows) places.try_emplace(row.point.id, places.size());
  std::stable_sort(rows.begin(), rows.end(), [&](const Summary& a, const Summary& b) {
    return places.at(a.point.id) < places.at(b.point.id);
  });
  return rows;
}

/// Rows of what the reader named, each told from the others where there are several.
std::vector<Summary> rows_of(const Globals& globals, Database& database,
                             const std::vector<Selected>& selections, const ReportOptions& options,
                             const AxisNames& axes) {
  const Summing summing = summing_of(options);
  const Rating rating = rating_of(options);
  const bool several = selections.size() > 1 || options.by == "campaign";
  const bool details = wants_details(axes);
  std::vector<Summary> rows;
  for (const auto& selection : selections) {
    SampleFilter filter = selection.filter;
    filter.dropped = options.dropped;
    for (auto& row : report_rows(globals, database, filter, summing, rating, axes, details)) {
      if (several) row.selection = selection.name;
      rows.push_back(std::move(row));
    }
  }
  return several ? by_point(std::move(rows)) : rows;
}

/// One line on what the table leaves out.
std::string words_on_dropped(Database& database, const std::vector<Selected>& selections,
                             bool are_shown) {
  if (are_shown) return "";
  std::map<std::string, std::int64_t> by_reason;
  for (const auto& selection : selections) {
    for (const auto& one : database.dropped(selection.filter)) by_reason[one.reason] += one.runs;
  }
  if (by_reason.empty()) return "";
  std::vector<DroppedRuns> all;
  all.reserve(by_reason.size());
  for (const auto& [reason, runs] : by_reason) all.push_back({reason, runs});
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.runs > b.runs; });
  return dropped_text(all) + "; 'pippin report --dropped' shows them";
}

/// Whether nothing is asked for that needs all rows at once.
bool can_be_made(const ReportOptions& options, const std::vector<Selected>& selections,
                 const AxisNames& axes) {
  return summing_of(options).by == Rows::kRun && options.vs.empty() && selections.size() == 1 &&
         !wants_details(axes);
}

/// Lets each row say by what it differs from those that look like it.
void tell_differences(MadeRows& made, std::map<std::string, std::string> differences) {
  if (differences.empty()) return;
  made.make = [make = std::move(made.make), differences = std::move(differences)](std::uint32_t of,
                                                                                  Summary& row) {
    make(of, row);
    const auto found = differences.find(row.point.id);
    if (found != differences.end()) row.difference = found->second;
  };
}

/// Rows of points that are no longer in the sweep's file come last.
void put_left_last(MadeRows& made) {
  std::vector<std::uint32_t> others, left;
  auto of = made.order.begin();
  for (const Summary& row : RowRange(made)) (row.left ? left : others).push_back(*of++);
  others.insert(others.end(), left.begin(), left.end());
  made.order = std::move(others);
}

/// A row a run: of very many, which are made when they are written.
void add_runs(const Globals& globals, Database& database, const ReportOptions& options,
              const Selected& selection, const std::string& columns, Report& report) {
  SampleFilter filter = selection.filter;
  filter.dropped = options.dropped;
  auto [rows, made] =
      run_report(globals, database, filter, summing_of(options).samples, rating_of(options));
  if (!columns.empty()) report.columns = shown_columns(columns, made);
  const auto& points = rows->points();
  for (const auto& point : points) {
    for (const auto& run : point.runs) report.said.insert(run.notes.begin(), run.notes.end());
  }
  const auto any = [&](auto condition) {
    return std::any_of(points.begin(), points.end(), condition);
  };
  if (any([](const auto& point) { return shares_name(point.point); })) {
    tell_differences(made, differences_in(made, [&](const std::string& point) {
                       return database.environment_of(point);
                     }));
  }
  std::vector<std::string> alone, beside_others;
  for (const auto& clause : options.where)
    (is_of_comparison(clause) ? beside_others : alone).push_back(clause);
  sort_rows(made, options.sort);
  keep_where(made, alone);
  check_sort_applies(made, options.sort);
  keep_where(made, beside_others);
  if (any([](const auto& point) { return point.left; })) put_left_last(made);
  report.made = std::move(made);
}

/// What rows are of, and all that is said of them together.
Report begun_report(Database& database, const std::vector<Selected>& selections,
                    const ReportOptions& options) {
  Report report;
  report.dropped = words_on_dropped(database, selections, options.dropped);
  if (selections.size() == 1) report.heading = selections.front().heading;
  return report;
}

AxisNames axes_for(const ReportOptions& options, const std::string& columns) {
  AxisNames axes = names_to_know(options.where, options.sort);
  if (!columns.empty()) axes.merge(axes_in_columns(columns));
  return axes;
}

}  // namespace

void check_report(const ReportOptions& options) {
  summing_of(options);
  rating_of(options);
  columns_of(options);
  if (options.pool && options.by == "campaign")
    bad_input("--pool and --by campaign: name one of them");
  names_to_know(options.where, options.sort);
}

Report report_to_write(const Globals& globals, Database& database, const ReportOptions& options) {
  const std::string columns = columns_of(options);
  const auto selections = selections_of(globals, database, options);
  if (!can_be_made(options, selections, axes_for(options, columns)))
    return report_of(globals, database, options);
  Report report = begun_report(database, selections, options);
  add_runs(globals, database, options, selections.front(), columns, report);
  return report;
}

std::vector<Selected> selections_of(const Globals& globals, Database& database,
                                    const ReportOptions& options) {
  const std::vector<std::string> names =
      options.selections.empty() ? std::vector<std::string>{""} : options.selections;
  std::vector<Selected> result;
  for (const auto& name : names) {
    if (options.by == "campaign") {
      for (auto& one : campaigns_of(globals, database, name)) result.push_back(std::move(one));
    } else {
      result.push_back(selected(globals, database, name, options.pool || options.dropped));
    }
  }
  return result;
}

Report report_of(const Globals& globals, Database& database, const ReportOptions& options) {
  const std::string columns = columns_of(options);
  const AxisNames axes = axes_for(options, columns);
  const auto selections = selections_of(globals, database, options);
  Report report = begun_report(database, selections, options);
  report.rows = rows_of(globals, database, selections, options, axes);
  // Before rows are left out: an axis is one though none of the rest has it.
  if (!columns.empty()) report.columns = shown_columns(columns, report.rows);
  for (const auto& row : report.rows)
    report.said.insert(row.past_notes.begin(), row.past_notes.end());
  tell_differences(report.rows,
                   [&](const std::string& point) { return database.environment_of(point); });
  sort_rows(report.rows, options.sort);  // the first of them is what --vs first means
  std::vector<std::string> alone, beside_others;
  for (const auto& clause : options.where)
    (is_of_comparison(clause) ? beside_others : alone).push_back(clause);
  report.rows = rows_where(std::move(report.rows), alone);
  if (summing_of(options).by == Rows::kPoint) rank(report.rows);
  compare_rows(report.rows, options.vs);
  check_sort_applies(report.rows, options.sort);
  report.rows = rows_where(std::move(report.rows), beside_others);
  sort_rows(report.rows, options.sort);
  std::stable_partition(report.rows.begin(), report.rows.end(),
                        [](const Summary& row) { return !row.left; });
  return report;
}

void cut_to_limit(Report& table, std::int64_t limit) {
  const auto most = static_cast<std::size_t>(limit);
  const std::size_t rows = rows_of(table).size();
  if (limit <= 0 || rows <= most) return;
  table.left_out = rows - most;
  table.made ? table.made->order.resize(most) : table.rows.resize(most);
}

namespace {

/// Points without runs may have some that nobody has read yet.
void say_if_unread(const Globals& globals, Database& database, const ReportOptions& options,
                   const Report& table) {
  const RowRange rows = rows_of(table);
  const auto is_open = [](const Summary& row) { return row.state == RunState::kNotRun; };
  if (std::none_of(rows.begin(), rows.end(), is_open)) return;
  for (const Selected& selection : selections_of(globals, database, options))
    say_what_is_unread(globals, database, selection.filter);
}

void write(const Globals& globals, Database& database, const ReportOptions& options, Report table,
           std::ostream& out) {
  if (options.methods) {
    out << wrapped(methods_of(table), table.width, 0) << '\n';
  } else if (const Format& format = format_named(options.format); !format.write) {
    write_html_file(page_document(page_of(globals, database, options, std::move(table))), out);
  } else {
    format.write(table, out);
  }
}

}  // namespace

ExitCode report(const Globals& globals, const ReportOptions& options) {
  if (options.checkpoints) return report_checkpoints(globals, options);
  if (options.collectives) return report_collectives(globals, options);
  if (options.against_model) return report_against_model(globals, options);
  if (options.plot) return report_plot(globals, options);
  format_named(options.format);  // before anything is read
  check_report(options);
  Database database = existing_database(globals);
  Report table = report_to_write(globals, database, options);
  say_if_unread(globals, database, options, table);
  table.width = terminal_width(STDOUT_FILENO);
  table.colours = wants_colours();
  table.ascii = wants_ascii();
  cut_to_limit(table, options.limit);
  if (!options.output.empty()) {
    std::ostringstream text;
    write(globals, database, options, std::move(table), text);
    write_named_file(options.output, text.str());
  } else if (options.methods || options.format == "terminal") {
    std::ostringstream text;
    write(globals, database, options, std::move(table), text);
    write_text(text.str());
  } else {
    write(globals, database, options, std::move(table), output());
    end_output();
  }
  return ExitCode::kDone;
}

}  // namespace pippin
