// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/chosen.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/names.h"
#include "harness/commands/steps/selections.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

namespace {

std::vector<std::string> names_of(const Globals& globals, const std::vector<NameKind>& kinds) {
  std::vector<std::string> names;
  for (const NameKind kind : kinds) {
    for (const auto& known : names_in(globals.db, kind, "")) names.push_back(known.name);
  }
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

void add_selection(Database& database, const SampleFilter& filter, Chosen& chosen) {
  if (filter.sweep == "") {
    chosen.logs = true;
    return;
  }
  for (const auto& entry : database.contents(filter))
    chosen.campaigns.push_back({entry.sweep, entry.number});
}

/// Names of runs do not say their sweep: that of another one may be meant, whose files the database
/// has not read yet. By its number, or as SWEEP/RUN, it is this one.
void refuse_unread_namesake(const Globals& globals, const RunName& run, const std::string& name) {
  if (name != run.name || run.campaign.sweep.empty()) return;
  const SweepFolders folders(globals.db);
  const fs::path own = folders.path_of(run.campaign.sweep);
  for (const fs::path& folder : folders.with_run(name)) {
    const std::string sweep = folder.filename().string();
    if (folder == own) continue;
    bad_input(
        "{}: '{}' is a run of {} and of {}, whose newest runs may not be read yet; say {}/{}, "
        "or the number {}",
        printable(globals.db.string()), printable(name), printable(run.campaign.sweep),
        printable(sweep), printable(run.campaign.sweep), printable(name), run.id);
  }
}

void add_named(const Globals& globals, Database& database, const std::string& name,
               Chosen& chosen) {
  const auto selection =
      name.empty() ? std::optional<SampleFilter>() : find_selection_itself(database, name);
  const auto runs = runs_called(database, name);
  if (selection && !runs.empty()) {
    bad_input(
        "{}: '{}' is a sweep, campaign or tag, and a run; name the run by its number, {}, or the "
        "campaign as SWEEP/NUMBER",
        printable(globals.db.string()), printable(name), described(runs.front(), name));
  }
  if (selection) return add_selection(database, *selection, chosen);
  if (runs.empty()) {
    bad_input("{}: no run, campaign, sweep or tag is named '{}'{}", printable(globals.db.string()),
              printable(name),
              did_you_mean(name, names_of(globals, {NameKind::kSelections, NameKind::kRuns})));
  }
  const RunName run = only_one(globals, runs, name);
  refuse_unread_namesake(globals, run, name);
  chosen.runs.push_back(run.id);
}

}  // namespace

std::vector<RunName> runs_called(Database& database, const std::string& name) {
  auto runs = database.runs_named(name);
  const auto slash = name.rfind('/');
  if (!runs.empty() || slash == std::string::npos) return runs;
  const auto of = database.selection(name.substr(0, slash));
  if (!of) return runs;
  const std::string own = name.substr(slash + 1);
  runs = database.runs_named(own);
  std::erase_if(runs, [&](const RunName& run) {
    return run.name != own || run.campaign.sweep != of->sweep ||
           (of->campaign && run.campaign.number != of->campaign);
  });
  return runs;
}

RunName only_one(const Globals& globals, const std::vector<RunName>& runs,
                 const std::string& name) {
  constexpr std::size_t kMost = 20;
  if (runs.size() == 1) return runs.front();
  std::vector<std::string> some;
  for (const auto& run : runs)
    if (some.size() < kMost) some.push_back(described(run, name));
  if (runs.size() > kMost) some.push_back(fmt::format("and {} more", runs.size() - kMost));
  bad_input("{}: {} runs are named '{}'; name one by its number: {}",
            printable(globals.db.string()), runs.size(), printable(name), join(some, ", "));
}

RunName run_named(const Globals& globals, Database& database, const std::string& name) {
  const auto runs = runs_called(database, name);
  if (runs.empty()) {
    bad_input("{}: no run is named '{}'{}", printable(globals.db.string()), printable(name),
              did_you_mean(name, names_of(globals, {NameKind::kRuns})));
  }
  RunName run = only_one(globals, runs, name);
  refuse_unread_namesake(globals, run, name);
  return run;
}

Chosen chosen_by(const Globals& globals, Database& database,
                 const std::vector<std::string>& names) {
  Chosen chosen;
  for (const auto& name : names) add_named(globals, database, name, chosen);
  return chosen;
}

std::string dropped_text(const std::vector<DroppedRuns>& dropped) {
  constexpr std::size_t kMost = 3;
  if (dropped.empty()) return "";
  std::int64_t count = 0, rest = 0;
  std::vector<std::string> reasons;
  for (const auto& one : dropped) {
    count += one.runs;
    if (reasons.size() < kMost) {
      const std::string share = dropped.size() > 1 ? fmt::format(" ({})", one.runs) : "";
      reasons.push_back(printable(one.reason) + share);
    } else {
      rest += one.runs;
    }
  }
  if (rest > 0) reasons.push_back(fmt::format("other reasons ({})", rest));
  return fmt::format("{} {} dropped: {}", counted(count, "run"), count == 1 ? "is" : "are",
                     join(reasons, ", "));
}

void say_what_is_set_aside(const Globals& globals, Database& database, const SampleFilter& filter) {
  const std::string text = dropped_text(database.dropped(filter));
  if (!text.empty()) remark(globals, text);
}

}  // namespace pippin
