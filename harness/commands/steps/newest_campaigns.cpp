#include "harness/commands/steps/newest_campaigns.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/commands/steps/directories.h"
#include "harness/commands/steps/session.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

std::vector<std::pair<SweepFolder, Campaign>> newest_campaigns(const Globals& globals,
                                                               const std::string& sweep) {
  const fs::path runs = runs_directory(globals.db);
  const SweepFolders known(globals.db);
  const auto folders = sweep.empty() ? known.all() : std::vector<fs::path>{known.path_of(sweep)};
  std::vector<std::pair<SweepFolder, Campaign>> found;
  for (const auto& path : folders) {
    SweepFolder folder(disk(), path);
    const auto numbers = folder.campaigns();
    if (!numbers.empty()) found.emplace_back(folder, known.load(folder, numbers.back()));
  }
  if (found.empty() && !sweep.empty())
    bad_input("{}: no campaign of a sweep named '{}'", runs.string(), sweep);
  if (found.empty()) remark(globals, fmt::format("{}: no campaign yet", printable(runs.string())));
  return found;
}

}  // namespace pippin
