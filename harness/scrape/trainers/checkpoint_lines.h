// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "harness/scrape/checkpoints_seen.h"
#include "harness/scrape/trainers/trainer.h"

namespace pippin {

/// How a trainer says something of a checkpoint. Keys stand behind its text, or are it; an empty
/// one: that is not said.
struct CheckpointLine {
  std::size_t text = 0;  ///< of TrainerFormat::texts
  CheckpointWord::What what = CheckpointWord::What::kBegins;
  CheckpointKind kind = CheckpointKind::kSave;
  std::string_view step = {}, path = {}, seconds = {};  ///< keys
  std::string_view at = {};      ///< of seconds since 1970; empty: the prefix may say it
  std::string_view beside = {};  ///< where this follows, training goes on meanwhile
  std::string_view begins = {};  ///< where the text is no beginning: with what words begin
};

/// Takes what a line says of checkpoints by a table. `texts`: those of the trainer.
void see_checkpoints(const TrainerLine& line, std::span<const std::string_view> texts,
                     std::span<const CheckpointLine> table, TrainerLog& log);

/// What a line says behind `at`, where all before that is a prefix; nothing where it is none.
std::optional<CheckpointWord> checkpoint_word_in(std::string_view line, std::size_t at,
                                                 const CheckpointLine& how);

}  // namespace pippin
