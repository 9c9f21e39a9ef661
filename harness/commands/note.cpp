// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/text.h"
#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/selections.h"

namespace pippin {

namespace {

/// The run that is meant, or all of the newest campaign of the sweep that is.
std::vector<RunName> runs_meant(const Globals& globals, Database& database,
                                const std::string& name) {
  const bool is_selection =
      database.runs_named(name).empty() && !name.empty() && find_selection_itself(database, name);
  if (is_selection) return database.runs_of(selected(globals, database, name, false).filter);
  return {run_named(globals, database, name)};
}

}  // namespace

ExitCode note(const Globals& globals, const NoteOptions& options) {
  Database database = existing_database(globals);
  const auto runs = runs_meant(globals, database, options.run);
  if (runs.empty()) bad_input("{}: has no runs to note anything of", printable(options.run));
  const std::string text(trim(options.text));
  std::vector<std::int64_t> ids;
  ids.reserve(runs.size());
  for (const auto& run : runs) ids.push_back(run.id);
  database.put_note(ids, text);
  const std::string campaign = text_of(runs.front().campaign);
  const std::string what = runs.size() == 1
                               ? runs.front().name
                               : fmt::format("{} of {}", counted(std::ssize(runs), "run"),
                                             campaign.empty() ? options.run : campaign);
  remark(globals, text.empty() ? fmt::format("{}: has no note any more", printable(what))
                               : fmt::format("{}: {}", printable(what), printable(text)));
  return ExitCode::kDone;
}

}  // namespace pippin
