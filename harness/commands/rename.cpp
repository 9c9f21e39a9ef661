// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <optional>

#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/text.h"
#include "db/database.h"
#include "db/names.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/selections.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

namespace {

void check_name(const std::string& name) {
  const bool is_campaign = campaign_name_of(name).number.has_value();
  if (trim(name).empty() || trim(name) != name || is_campaign || name == kCollected)
    bad_input("'{}': a name is no number behind a '/', not '{}', and has a letter at each end",
              printable(name), kCollected);
}

[[noreturn]] void refuse_unknown(const Globals& globals, const std::string& name) {
  if (campaign_name_of(name).number)
    bad_input("'{}': a campaign has no name of its own; 'pippin tag {} NAME' gives it one",
              printable(name), printable(name));
  std::vector<std::string> names;
  for (const NameKind kind : {NameKind::kSweeps, NameKind::kTags}) {
    for (const auto& known : names_in(globals.db, kind, "")) names.push_back(known.name);
  }
  bad_input("{}: no sweep or tag is named '{}'{}", printable(globals.db.string()), printable(name),
            did_you_mean(name, names));
}

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

}  // namespace

ExitCode rename(const Globals& globals, const RenameOptions& options) {
  check_name(options.to);
  Database database = existing_database(globals);
  const auto filter = database.selection(options.from);
  const bool is_sweep = filter && filter->sweep == options.from && !filter->campaign;
  const SweepFolders folders(globals.db);
  std::optional<FileLock> lock;  // no process may be at work on it under its old name
  fs::path folder;
  if (is_sweep) folder = folders.path_of(options.from);
  if (is_sweep && is_there(folder)) lock.emplace(folder / "lock");
  const fs::path other = sweep_directory(globals.db, options.to);
  if (is_sweep && other != folder && is_there(other))
    bad_input("{}: is of another sweep; choose another name", other.string());
  if (!database.rename(options.from, options.to)) refuse_unknown(globals, options.from);
  remark(globals,
         fmt::format("'{}' is called '{}' now", printable(options.from), printable(options.to)));
  if (lock)
    remark(globals,
           fmt::format("write 'sweep: {}' in its file to go on with it; its logs stay in {}",
                       printable(options.to), printable(folder.string())));
  return ExitCode::kDone;
}

}  // namespace pippin
