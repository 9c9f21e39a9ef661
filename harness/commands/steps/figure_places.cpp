// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/figure_places.h"

#include <fmt/format.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/records/fields.h"
#include "harness/commands/steps/attempt_logs.h"
#include "harness/commands/steps/sweep_folders.h"
#include "harness/scrape/log_places.h"
#include "harness/scrape/quoted_lines.h"
#include "harness/scrape/wrapped_lines.h"

namespace pippin {

namespace {

/// A file in which the steps of a run stand, and how it is read.
struct StepsFile {
  fs::path path;
  LogHints hints;
  std::string content_hash;  ///< that it had when it was read; empty: unknown
};

/// The campaign as it was planned; nothing where its folder is not here.
std::optional<Campaign> plan_of(const Globals& globals, const WholeRun& run) {
  if (run.listed.sweep.empty() || !run.listed.campaign) return std::nullopt;
  const SweepFolders folders(globals.db, globals.for_readers);
  const fs::path path = folders.path_of(run.listed.sweep);
  if (!disk().exists(path)) return std::nullopt;
  SweepFolder folder(globals.for_readers ? disk_to_read() : disk(), path);
  return folders.load_plan(folder, *run.listed.campaign);
}

StepsFile steps_file(const Globals& globals, const WholeRun& run) {
  StepsFile file{run.log->path, {run.log->told, {}}, run.log->content_hash};
  const auto campaign = plan_of(globals, run);
  if (!campaign) return file;
  file.hints = {campaign->scrape, counts_of(run.point)};
  if (campaign->log.empty()) return file;
  Attempt attempt;
  attempt.directory = file.path.parent_path();
  return {file_of_steps(attempt, *campaign), file.hints, ""};
}

ReadParts reader_of(const ScrapedFile& scraped, const fs::path& path) {
  ReadParts read = [&scraped, path](const auto& part) { read_scraped_text(scraped, path, part); };
  if (scraped.quoted.is_marked) read = without_marks(read);
  if (scraped.wrapping) read = unwrapped(read, *scraped.wrapping);
  return read;
}

void take(const char* what, const std::optional<LineRange>& range, FigurePlaces& places) {
  if (range) places.others.push_back({what, range->first, range->last});
}

FigurePlaces places_in_file(const StepsFile& file, const WholeRun& run,
                            const std::vector<Iteration>& lines) {
  FigurePlaces places;
  std::error_code none;
  if (!disk().exists(file.path) ||
      (fs::exists(file.path, none) && !fs::is_regular_file(file.path, none))) {
    places.problem = fmt::format("The lines of its log are not told: {} is no file any more",
                                 printable(file.path.string()));
    return places;
  }
  const ScrapedFile scraped = scrape_file(file.path, file.hints, {.any = true});
  if (!file.content_hash.empty() && scraped.file.content_hash() != file.content_hash) {
    places.problem = fmt::format(
        "{} has changed since it was read, so that its lines are not told; 'pippin collect' reads "
        "it again",
        printable(file.path.string()));
    return places;
  }
  std::vector<std::int64_t> numbers;
  numbers.reserve(lines.size());
  for (const auto& line : lines) numbers.push_back(line.number);
  LogPlaces found = places_in(reader_of(scraped, file.path), numbers, run.log->ordinal,
                              run.log->runs_with_steps, file.hints, scraped.quoted.document);
  places.steps = std::move(found.steps);
  take("launch", found.launch, places);
  take("arguments", found.arguments, places);
  take("memory", found.memory, places);
  take("timers", found.timers, places);
  take("saves and evaluations", found.events, places);
  return places;
}

}  // namespace

FigurePlaces figure_places(const Globals& globals, const WholeRun& run,
                           const std::vector<Iteration>& lines) {
  FigurePlaces places;
  if (!run.log) {
    places.problem =
        run.point.trainer == kNotedTrainer ? "It was noted by hand." : "It has no log.";
    return places;
  }
  try {
    return places_in_file(steps_file(globals, run), run, lines);
  } catch (const Error& error) {
    places.problem = fmt::format("The lines of its log are not told: {}", error.what());
  }
  return places;
}

std::vector<std::string> files_beside(const WholeRun& run) {
  std::vector<std::string> files;
  if (!run.log || run.listed.sweep.empty()) return files;
  const fs::path folder = fs::path(run.log->path).parent_path();
  for (const char* name : {"run", "canary-before", "canary-after"})
    if (disk().exists(folder / name)) files.push_back((folder / name).string());
  return files;
}

}  // namespace pippin
