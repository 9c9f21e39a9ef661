#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/database.h"
#include "db/names.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/selections.h"

namespace pippin {

namespace {

std::vector<std::string> names_of(const Globals& globals, NameKind kind) {
  std::vector<std::string> names;
  for (const auto& known : names_in(globals.db, kind, "")) names.push_back(known.name);
  return names;
}

/// With the number to name it by: "012" where 12 is a name, too.
std::string described(const RunName& run, const std::string& name) {
  const std::string id = std::to_string(run.id);
  const std::string number = id == name ? "0" + id : id;
  if (run.campaign.sweep.empty()) return fmt::format("{} (a log)", number);
  return fmt::format("{} (campaign {} of {})", number, run.campaign.number.value_or(1),
                     printable(run.campaign.sweep));
}

/// The run that is meant, or all of the newest campaign of the sweep that is.
std::vector<RunName> runs_meant(const Globals& globals, Database& database,
                                const std::string& name) {
  auto runs = database.runs_named(name);
  if (runs.size() == 1) return runs;
  if (runs.empty() && !name.empty() && find_selection(database, name))
    return database.runs_of(selected(globals, database, name, false).filter);
  if (runs.empty()) {
    bad_input("{}: no run is named '{}'{}", printable(globals.db.string()), printable(name),
              did_you_mean(name, names_of(globals, NameKind::kRuns)));
  }
  std::vector<std::string> all;
  all.reserve(runs.size());
  for (const auto& run : runs) all.push_back(described(run, name));
  bad_input("{}: {} runs are named '{}'; name one by its number: {}",
            printable(globals.db.string()), runs.size(), printable(name), join(all, ", "));
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
  const std::string what = runs.size() == 1
                               ? runs.front().name
                               : fmt::format("{} of {}", counted(std::ssize(runs), "run"),
                                             text_of(runs.front().campaign));
  remark(globals, text.empty() ? fmt::format("{}: has no note any more", printable(what))
                               : fmt::format("{}: {}", printable(what), printable(text)));
  return ExitCode::kDone;
}

}  // namespace pippin
