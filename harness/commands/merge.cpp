// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/jobs/protocol.h"
#include "db/database.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/report_rows.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

namespace {

/// The newest campaign of each sweep that was begun here, whether it is stored yet or not.
std::map<std::string, std::int64_t> begun_here(const fs::path& db) {
  std::map<std::string, std::int64_t> begun;
  const SweepFolders folders(db);
  for (const auto& path : folders.all()) {
    SweepFolder folder(disk(), path);
    const auto numbers = folder.campaigns();
    if (!numbers.empty()) begun[folders.load_plan(folder, numbers.back()).sweep] = numbers.back();
  }
  return begun;
}

std::string words_on(const Merged& merged) {
  if (merged.campaigns + merged.runs + merged.grown == 0) return "nothing added";
  std::string text =
      fmt::format("{}, {}, {} added", counted(merged.campaigns, "campaign"),
                  counted(merged.runs, "run"), counted(merged.iterations, "iteration"));
  if (merged.grown > 0)
    text += fmt::format("; {} had more there than here", counted(merged.grown, "run"));
  return text;
}

}  // namespace

ExitCode merge(const Globals& globals, const MergeOptions& options) {
  if (!disk().exists(options.other))
    bad_input("{}: no such file", printable(options.other.string()));
  Database database(globals.db);
  const Merged merged = database.merge(options.other, begun_here(globals.db));
  keep_sums(globals, database);
  const std::string other = printable(options.other.string());
  remark(globals, fmt::format("{}: {}", other, words_on(merged)));
  if (merged.left_out > 0)
    remark(globals, fmt::format("{}: {} left out: deleted here, or of a log that is here", other,
                                counted(merged.left_out, "run")));
  for (const auto& [there, here] : merged.renumbered)
    remark(globals, fmt::format("{}: {} is {} here; another campaign has that number", other,
                                printable(text_of(there)), printable(text_of(here))));
  for (const auto& tag : merged.tags_left)
    remark(globals, fmt::format("{}: tag '{}' is something else here, and stays so; 'pippin tag' "
                                "names its campaign",
                                other, printable(tag)));
  return ExitCode::kDone;
}

}  // namespace pippin
