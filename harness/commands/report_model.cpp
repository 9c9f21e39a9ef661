// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/report.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/model_checks.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/print_table.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/selections.h"

namespace pippin {

namespace {

/// Of what the reader named, one selection after the other.
std::vector<ModelCheck> checks_of(const Globals& globals, const ReportOptions& options,
                                  const GivenMachine& given) {
  Database database = existing_database(globals);
  const std::vector<std::string> names =
      options.selections.empty() ? std::vector<std::string>{""} : options.selections;
  std::vector<ModelCheck> checks;
  for (const std::string& name : names) {
    const Selected selection = selected(globals, database, name, options.pool);
    say_what_is_set_aside(globals, database, selection.filter);
    if (!selection.heading.empty()) remark(globals, selection.heading);
    auto stored = stored_checks(globals, database, selection.filter, given);
    std::vector<const StoredCheck*> all;
    all.reserve(stored.size());
    for (const StoredCheck& one : stored) all.push_back(&one);
    if (const std::string words = what_is_known_better(all, given); !words.empty())
      remark(globals, words);
    for (StoredCheck& one : stored) {
      if (names.size() > 1) one.check.of.selection = selection.name;
      checks.push_back(std::move(one.check));
    }
  }
  return checks;
}

std::string text_for_people(const std::vector<ModelCheck>& checks, const std::string& format) {
  std::ostringstream text;
  for (const EstimateTable& one : model_check_tables(checks)) {
    text << one.heading << "\n\n";
    write_table(one.table, format, text);
    text << '\n';
  }
  for (const std::string& words : what_is_not_judged(checks)) text << words << '\n';
  return text.str();
}

}  // namespace

ExitCode report_against_model(const Globals& globals, const ReportOptions& options) {
  flat_format_named(options.format);  // before anything is read
  const GivenMachine given =
      given_machine(options.cluster, options.accelerator, options.node_gb_per_s);
  const auto checks = checks_of(globals, options, given);
  if (checks.empty())
    remark(globals,
           fmt::format("{}: holds no point of what was asked for", printable(globals.db.string())));
  if (is_for_people(options.format))
    print_text(text_for_people(checks, options.format), options.format);
  else
    print_table(model_check_figures(checks), options.format);
  return ExitCode::kDone;
}

}  // namespace pippin
