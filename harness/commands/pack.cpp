// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <optional>

#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/packer.h"
#include "core/base/text.h"
#include "harness/commands/commands.h"
#include "harness/commands/steps/follow.h"
#include "harness/commands/steps/newest_campaigns.h"
#include "harness/commands/steps/packable.h"
#include "harness/commands/steps/sweep_folders.h"

namespace pippin {

namespace {

/// "40,706"
std::string grouped(std::int64_t number) {
  constexpr std::size_t kGroup = 3;
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % kGroup == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string grouped(std::int64_t count, const char* noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

/// "168 MB", "1.5 kB"
std::string bytes_text(std::int64_t bytes) {
  constexpr double kStep = 1000, kWhole = 10;
  auto size = static_cast<double>(bytes);
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; size >= kStep && unit + 1 < std::size(units); ++unit) size /= kStep;
  return fmt::format("{:.{}f} {}", size, unit == 0 || size >= kWhole ? 0 : 1, units[unit]);
}

/// "6 runs are not done; 2 are not in the database: 'pippin collect' first"
std::string words_on_rest(const Globals& globals, const Packable& found) {
  std::vector<std::string> words;
  if (found.unfinished > 0)
    words.push_back(fmt::format("{} under way or to come", grouped(found.unfinished, "run")));
  if (found.unrecorded > 0)
    words.push_back(fmt::format("{} not in the database yet ('{} collect' stores them)",
                                grouped(found.unrecorded, "run"), program_words(globals)));
  if (found.on_the_way > 0)
    words.push_back(
        fmt::format("{} not over yet by the scheduler", counted(found.on_the_way, "job")));
  return join(words, ", ");
}

/// A job whose runs are all done is over a moment later.
Packable packable_soon(const Globals& globals, const SweepFolders& folders, SweepFolder& folder) {
  constexpr double kShortest_s = 0.1, kLongest_s = 2, kPatience_s = 10;
  PollPace pace(kShortest_s, kLongest_s);
  double waited_s = 0;
  for (;;) {
    Packable found = packable(globals, folders, folder);
    if (found.on_the_way == 0 || waited_s >= kPatience_s) return found;
    waited_s += pace.seconds();
    Interruptible::pause(pace.seconds());
    pace.unchanged();
  }
}

ExitCode undo(const Globals& globals, const fs::path& root) {
  const PackingDone done = Packer(root).unpack();
  remark(globals, done.files == 0
                      ? fmt::format("{}: nothing is packed", printable(root.string()))
                      : fmt::format("unpacked {} and folders, {}", grouped(done.files, "file"),
                                    bytes_text(done.bytes)));
  return ExitCode::kDone;
}

}  // namespace

ExitCode pack(const Globals& globals, const PackOptions& options) {
  if (options.undo && options.dry_run) bad_input("--undo and --dry-run: name one of them");
  auto campaigns = newest_campaigns(globals, options.sweep);
  if (campaigns.empty()) return ExitCode::kDone;
  SweepFolder& folder = campaigns.front().first;
  const FileLock lock(folder.root() / "lock");
  if (options.undo) return undo(globals, folder.root());
  const SweepFolders folders(globals.db);
  const Packable found = packable_soon(globals, folders, folder);
  Packer packer(folder.root());
  const PackingDone done =
      options.dry_run ? packer.would_pack(found.folders) : packer.pack(found.folders);
  const std::string rest = words_on_rest(globals, found);
  const std::string what =
      fmt::format("{}: {} and folders", grouped(found.runs, "run"), grouped(done.files, "file"));
  if (done.files == 0) {
    remark(globals, "nothing to pack");
  } else if (options.dry_run) {
    remark(globals, fmt::format("would pack {}, {}", what, bytes_text(done.bytes)));
  } else {
    remark(globals, fmt::format("packed {} -> {}, {} -> {}", what, grouped(done.archive_files),
                                bytes_text(done.bytes), bytes_text(done.archive_bytes)));
  }
  if (!rest.empty()) remark(globals, "left as they are: " + rest);
  return ExitCode::kDone;
}

}  // namespace pippin
