#include "reports/estimate.h"

#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/output.h"
#include "sweeps/estimate/analysis_tool.h"
#include "sweeps/estimate/megatron_setup.h"

namespace pippin {

namespace {

void write(FlatTable table, const std::string& format, std::ostream& out) {
  table.width = terminal_width(STDOUT_FILENO);
  flat_format_named(format).write(table, out);
}

bool is_for_people(const std::string& format) {
  return format == "terminal" || format == "markdown";
}

void print(const std::string& text, const std::string& format) {
  format == "terminal" ? write_text(text) : write_output(text);
}

void print(const FlatTable& table, const std::string& format) {
  std::ostringstream text;
  write(table, format, text);
  print(text.str(), format);
}

void say_what_was_taken(const Globals& globals, const MegatronSetup& read) {
  for (const auto& words : read.assumed) remark(globals, "assumed: " + words);
  if (!read.unused.empty()) remark(globals, "not used: " + join(read.unused, " "));
}

std::vector<PointRow> rows_of(const fs::path& file) {
  return read_point_rows(read_input(file), printable(file.string()));
}

std::string fit_words(const ClusterFit& fit) {
  std::string words = fmt::format("{}: rates of {}, errors of {:.1f} %", printable(fit.name),
                                  counted(static_cast<std::int64_t>(fit.calibration.points), "run"),
                                  100 * fit.calibration.spread);
  if (!fit.calibration.at_bounds.empty())
    words += "; at the bound of what can be: " + join(fit.calibration.at_bounds, ", ");
  return words;
}

void print_points(const Globals& globals, const EstimateOptions& options) {
  PointJudge judge;
  if (!options.calibrate_on.empty()) judge.calibrate_on(rows_of(options.calibrate_on));
  for (const ClusterFit& fit : judge.fits()) remark(globals, fit_words(fit));
  std::vector<PointJudgement> all;
  for (const PointRow& row : rows_of(options.points)) all.push_back(judge.judge(row));
  print(judgements_table(all), options.format);
}

void print_figures_of_tool(const Setup& setup, const std::string& format) {
  const std::string why_not = unknown_to_analysis_tool(setup);
  if (!why_not.empty())
    bad_input("estimate --compat: the analysis tool says nothing of this: {}", why_not);
  print(figures_table(analysis_tool_figures(setup)), format);
}

void print_estimate(const Setup& setup, const std::string& format) {
  if (!is_for_people(format)) return print(estimate_figures(setup), format);
  std::ostringstream text;
  text << model_words(setup) << '\n' << layout_words(setup) << '\n';
  for (const EstimateTable& one : estimate_tables(setup)) {
    text << '\n' << one.heading << "\n\n";
    write(one.table, format, text);
  }
  const auto differences = where_analysis_tool_differs(setup);
  if (!differences.empty()) text << "\nMegatron's analysis tool (--compat) says otherwise:\n";
  for (const auto& words : differences) text << "* " << words << '\n';
  print(text.str(), format);
}

}  // namespace

ExitCode estimate(const Globals& globals, const EstimateOptions& options) {
  flat_format_named(options.format);  // before anything is read
  if (!options.points.empty()) {
    print_points(globals, options);
    return ExitCode::kDone;
  }
  const MegatronSetup read =
      megatron_setup(arguments_of_words(options.arguments), options.gpus, options.gpus_per_node);
  say_what_was_taken(globals, read);
  options.compat ? print_figures_of_tool(read.setup, options.format)
                 : print_estimate(read.setup, options.format);
  return ExitCode::kDone;
}

}  // namespace pippin
