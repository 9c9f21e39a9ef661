// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/quoting.h"
#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/chosen.h"
#include "harness/commands/steps/newest_campaigns.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/schedulers.h"
#include "harness/commands/steps/session.h"

namespace pippin {

namespace {

std::string listed_names(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  all.reserve(names.size());
  for (const auto& name : names) all.push_back(printable(name));
  return join(all, ", ");
}

/// Jobs go on, whatever becomes of what they measure.
void say_what_goes_on(const Globals& globals, const Chosen& chosen) {
  for (const auto& name : chosen.campaigns) {
    const std::string text = text_of(name);
    try {
      auto open = find_campaign(globals, text);
      if (!open) continue;
      const auto scheduler = scheduler_of(globals.db, open->second.scheduler);
      CampaignMachine machine = observer_of(open->first, std::move(open->second), *scheduler);
      const RunCounts counts = machine.observe();
      const std::int64_t under_way = counts.waiting + counts.running;
      if (under_way == 0) continue;
      remark(globals,
             fmt::format("{}: {} still under way; '{} cancel {}' ends them", printable(text),
                         counted(under_way, "run"), program_words(globals), bash_word(text)));
    } catch (const Error& error) {
      remark(globals, fmt::format("{}: whether jobs of it still run is not known: {}",
                                  printable(text), error.what()));
    }
  }
}

ExitCode undo(const Globals& globals, Database& database, const DropOptions& options) {
  if (database.take_back(chosen_by(globals, database, options.names)) == 0) {
    bad_input(
        "{}: {}: not dropped by that name; 'pippin list' shows what is: a run of a dropped "
        "campaign comes back with the campaign",
        printable(globals.db.string()), listed_names(options.names));
  }
  remark(globals, fmt::format("{}: no longer dropped", listed_names(options.names)));
  return ExitCode::kDone;
}

ExitCode delete_forever(const Globals& globals, Database& database, const DropOptions& options) {
  const Chosen chosen = chosen_by(globals, database, options.names);
  const std::string names = listed_names(options.names);
  const std::string what = fmt::format("{}: delete {} with all that was measured, for ever",
                                       printable(globals.db.string()), names);
  if (!agrees(globals, what + "? The logs stay where they are."))
    bad_input("{}: nothing was deleted; say --yes to do it", what);
  const std::int64_t runs = database.delete_forever(chosen);
  keep_sums(globals, database);
  say_what_goes_on(globals, chosen);
  remark(globals, fmt::format("{}: {} deleted; 'pippin collect FILE' with the very file of a log "
                              "brings it back",
                              names, counted(runs, "run")));
  return ExitCode::kDone;
}

}  // namespace

ExitCode drop(const Globals& globals, const DropOptions& options) {
  const std::string reason(trim(options.because));
  if (!options.undo && !options.forever && reason.empty())
    bad_input("drop: say why: --because 'node r7i2n0 was broken'; reports show it");
  if (options.undo && options.forever) bad_input("--undo and --forever: name one of them");
  Database database = existing_database(globals);
  if (options.undo) return undo(globals, database, options);
  if (options.forever) return delete_forever(globals, database, options);
  const Chosen chosen = chosen_by(globals, database, options.names);
  database.drop(chosen, reason);
  say_what_goes_on(globals, chosen);
  std::vector<std::string> words;
  for (const auto& name : options.names) words.push_back(bash_word(name));
  remark(globals, fmt::format("{}: dropped, {}; '{} drop --undo {}' takes it back",
                              listed_names(options.names), printable(reason),
                              program_words(globals), join(words, " ")));
  return ExitCode::kDone;
}

}  // namespace pippin
