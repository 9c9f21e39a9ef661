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

void write(const std::vector<FlatTable>& tables, const std::string& format_name) {
  const FlatFormat& format = flat_format_named(format_name);
  std::ostringstream text;
  for (FlatTable table : tables) {
    table.width = terminal_width(STDOUT_FILENO);
    format.write(table, text);
  }
  format_name == "terminal" ? write_text(text.str()) : write_output(text.str());
}

void say_what_was_taken(const Globals& globals, const MegatronSetup& read) {
  for (const auto& words : read.assumed) remark(globals, "assumed: " + words);
  if (!read.unused.empty()) remark(globals, "of no weight: " + join(read.unused, " "));
}

}  // namespace

ExitCode estimate(const Globals& globals, const EstimateOptions& options) {
  if (!options.points.empty()) {
    std::vector<PointJudgement> all;
    for (const PointRow& row :
         read_point_rows(read_input(options.points), printable(options.points.string())))
      all.push_back(judge_point(row));
    write({judgements_table(all)}, options.format);
    return ExitCode::kDone;
  }
  const MegatronSetup read =
      megatron_setup(arguments_of_words(options.arguments), options.gpus, options.gpus_per_node);
  say_what_was_taken(globals, read);
  if (options.compat) {
    const std::string why_not = unknown_to_analysis_tool(read.setup);
    if (!why_not.empty())
      bad_input("estimate --compat: the analysis tool says nothing of this: {}", why_not);
    write({figures_table(analysis_tool_figures(read.setup))}, options.format);
    return ExitCode::kDone;
  }
  return ExitCode::kDone;
}

}  // namespace pippin
