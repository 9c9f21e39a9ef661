// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/chosen.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/names.h"
#include "harness/commands/steps/selections.h"

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

RunName only_one(const Globals& globals, const std::vector<RunName>& runs,
                 const std::string& name) {
  if (runs.size() == 1) return runs.front();
  std::vector<std::string> all;
  all.reserve(runs.size());
  for (const auto& run : runs) all.push_back(described(run, name));
  bad_input("{}: {} runs are named '{}'; name one by its number: {}",
            printable(globals.db.string()), runs.size(), printable(name), join(all, ", "));
}

/// Those of "SWEEP/RUN".
std::vector<RunName> runs_of_sweep(Database& database, const std::string& name) {
  const auto slash = name.rfind('/');
  if (slash == std::string::npos) return {};
  auto runs = database.runs_named(name.substr(slash + 1));
  std::erase_if(runs, [sweep = name.substr(0, slash)](const RunName& run) {
    return run.campaign.sweep != sweep;
  });
  return runs;
}

void add_selection(Database& database, const SampleFilter& filter, Chosen& chosen) {
  if (filter.sweep == "") {
    chosen.logs = true;
    return;
  }
  for (const auto& entry : database.contents(filter))
    chosen.campaigns.push_back({entry.sweep, entry.number});
}

void add_named(const Globals& globals, Database& database, const std::string& name,
               Chosen& chosen) {
  const auto selection =
      name.empty() ? std::optional<SampleFilter>() : find_selection_itself(database, name);
  const auto runs = database.runs_named(name);
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
  chosen.runs.push_back(only_one(globals, runs, name).id);
}

}  // namespace

RunName run_named(const Globals& globals, Database& database, const std::string& name) {
  auto runs = database.runs_named(name);
  if (runs.empty()) runs = runs_of_sweep(database, name);
  if (runs.empty()) {
    bad_input("{}: no run is named '{}'{}", printable(globals.db.string()), printable(name),
              did_you_mean(name, names_of(globals, {NameKind::kRuns})));
  }
  return only_one(globals, runs, name);
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
