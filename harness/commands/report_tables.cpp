// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unordered_set>

#include "core/base/text.h"
#include "harness/commands/report.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/print_table.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/selections.h"
#include "reports/checkpoints.h"
#include "reports/collectives.h"

namespace pippin {

namespace {

std::vector<std::string> names_in(const ReportOptions& options) {
  return options.selections.empty() ? std::vector<std::string>{""} : options.selections;
}

void say_that_none_is_there(const Globals& globals, const char* what, const char* who) {
  remark(globals, fmt::format("{}: holds no {} of what was asked for; {}",
                              printable(globals.db.string()), what, who));
}

}  // namespace

ExitCode report_checkpoints(const Globals& globals, const ReportOptions& options) {
  flat_format_named(options.format);  // before anything is read
  Database database = existing_database(globals);
  std::vector<RunCheckpoints> runs;
  std::unordered_set<std::int64_t> known;
  for (const auto& name : names_in(options)) {
    const Selected selection = selected(globals, database, name, options.pool);
    say_what_is_set_aside(globals, database, selection.filter);
    for (auto& run : database.checkpoints(selection.filter)) {
      if (known.insert(run.run).second) runs.push_back(std::move(run));
    }
  }
  if (runs.empty())
    say_that_none_is_there(globals, "checkpoint",
                           "logs tell of them where runs saved or loaded some");
  print_table(checkpoint_table(checkpoint_rows(runs)), options.format);
  return ExitCode::kDone;
}

ExitCode report_collectives(const Globals& globals, const ReportOptions& options) {
  flat_format_named(options.format);  // before anything is read
  Database database = existing_database(globals);
  std::vector<CollectiveReading> readings;
  std::unordered_set<std::int64_t> known;
  for (const auto& name : names_in(options)) {
    const SampleFilter filter = selection_named(globals, database, name);
    std::unordered_set<std::int64_t> of_this;
    for (auto& reading : database.collectives(filter)) {
      if (known.contains(reading.reading)) continue;
      of_this.insert(reading.reading);
      readings.push_back(std::move(reading));
    }
    known.merge(of_this);
  }
  if (readings.empty()) {
    say_that_none_is_there(globals, "measurement of the network",
                           "'pippin collect' reads tables of nccl-tests, OSU and our probes");
  }
  print_table(collective_table(collective_rows(readings)), options.format);
  return ExitCode::kDone;
}

}  // namespace pippin
