// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/megatron_checkpoints.h"

#include <algorithm>

#include "core/base/units.h"
#include "harness/scrape/megatron_lines.h"
#include "harness/scrape/trainers/checkpoint_lines.h"

namespace pippin {

namespace {

using What = CheckpointWord::What;

struct Words {
  std::string_view text;
  CheckpointLine how;
};

constexpr Words kWords[] = {
    {"saving checkpoint at iteration",
     {.what = What::kBegins, .kind = CheckpointKind::kSave, .step = "iteration ", .path = " to "}},
    {"successfully saved checkpoint",
     {.what = What::kEnds, .kind = CheckpointKind::kSave, .step = "iteration ", .path = " to "}},
    {"scheduled an async checkpoint",
     {.what = What::kGoesOnBeside,
      .kind = CheckpointKind::kSave,
      .step = "iteration ",
      .path = " to "}},
    {"successfully loaded checkpoint from ",
     {.what = What::kEnds,
      .kind = CheckpointKind::kLoad,
      .step = " at iteration ",
      .path = " from "}},
    {"loading checkpoint from ",
     {.what = What::kBegins,
      .kind = CheckpointKind::kLoad,
      .step = " at iteration ",
      .path = " from "}},
    {"loading distributed checkpoint from ",
     {.what = What::kBegins,
      .kind = CheckpointKind::kLoad,
      .step = " at iteration ",
      .path = " from "}},
};

/// "time (ms) | save-checkpoint: 57514.53", "    save-checkpoint ....: (1838.50, 1839.44)": of the
/// latter the slowest rank's.
void add_timers(std::string_view line, std::vector<CheckpointWord>& words) {
  for (const auto& [name, value] : timers_in(line)) {
    const std::string_view timer = name;
    const bool is_save = timer == "save-checkpoint" || timer == "save-checkpoint max";
    const bool is_load = timer == "load-checkpoint" || timer == "load-checkpoint max";
    if ((!is_save && !is_load) || !value.number || *value.number < 0) continue;
    CheckpointWord& word = words.emplace_back();
    word.what = What::kTook;
    word.kind = is_save ? CheckpointKind::kSave : CheckpointKind::kLoad;
    word.seconds = *value.number / kMsPerSecond;
  }
}

}  // namespace

std::vector<CheckpointWord> megatron_checkpoints_in(std::string_view line) {
  std::vector<CheckpointWord> words;
  for (const auto& [text, how] : kWords) {
    const auto at = line.find(text);
    if (at == std::string_view::npos) continue;
    if (auto word = checkpoint_word_in(line, at, how)) {
      words.push_back(*std::move(word));
      return words;
    }
  }
  if (line.find("-checkpoint") != std::string_view::npos) add_timers(line, words);
  return words;
}

}  // namespace pippin
