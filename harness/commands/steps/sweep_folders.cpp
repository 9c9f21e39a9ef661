// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/sweep_folders.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/database.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/output.h"

namespace pippin {

SweepFolders::SweepFolders(const fs::path& db, bool read_only) : db_(db) {
  std::error_code none;
  if (!fs::exists(db, none)) return;
  OpenDatabase existing;
  existing.create = false;
  existing.read_only = read_only;
  folders_ = Database(db, existing).folders();
  for (const auto& [sweep, folder] : folders_) sweeps_[folder] = sweep;
}

fs::path SweepFolders::path_of(const std::string& sweep) const {
  const auto own = folders_.find(sweep);
  if (own != folders_.end()) return runs_directory(db_) / own->second;
  const auto taken = sweeps_.find(file_name_of(sweep));
  if (taken == sweeps_.end()) return sweep_directory(db_, sweep);
  bad_input(
      "{}: sweep '{}' is called '{}' now: write 'sweep: {}' in its file to go on with it, or give "
      "a "
      "new sweep another name",
      db_.string(), printable(sweep), printable(taken->second), printable(taken->second));
}

namespace {

/// One that another user has closed by their umask is not.
bool may_be_read(const fs::path& folder) { return ::access(folder.c_str(), R_OK | X_OK) == 0; }

}  // namespace

std::vector<fs::path> SweepFolders::all() const {
  std::vector<fs::path> paths;
  for (const auto& name : disk_to_read().list(runs_directory(db_)))
    if (may_be_read(runs_directory(db_) / name)) paths.push_back(runs_directory(db_) / name);
  return paths;
}

void SweepFolders::tell_closed(const Globals& globals) const {
  for (const auto& name : disk_to_read().list(runs_directory(db_)))
    if (!may_be_read(runs_directory(db_) / name))
      remark(globals, fmt::format("{}: left out, as its files may be read by their owner alone",
                                  printable((runs_directory(db_) / name).string())));
}

std::vector<std::string> SweepFolders::with_campaign() const {
  std::vector<std::string> names;
  for (const fs::path& path : all())
    if (!SweepFolder(disk_to_read(), path).campaigns().empty())
      names.push_back(path.filename().string());
  return names;
}

std::vector<fs::path> SweepFolders::with_run(const std::string& run) const {
  std::vector<fs::path> paths = all();
  std::erase_if(paths, [&](const fs::path& path) {
    return SweepFolder(disk_to_read(), path).attempts(run).empty();
  });
  return paths;
}

Campaign SweepFolders::load(SweepFolder& folder, std::int64_t number) const {
  return as_called_today(folder.load_campaign(number), folder);
}

Campaign SweepFolders::load_plan(SweepFolder& folder, std::int64_t number) const {
  return as_called_today(folder.load_plan(number), folder);
}

Campaign SweepFolders::as_called_today(Campaign campaign, const SweepFolder& folder) const {
  const auto renamed = sweeps_.find(folder.root().filename().string());
  if (renamed != sweeps_.end()) campaign.sweep = renamed->second;
  return campaign;
}

}  // namespace pippin
