// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/point.h"

namespace pippin {

enum class CheckpointKind { kSave, kLoad };

/// What a log says of how a checkpoint ended. The text stands in the database.
enum class CheckpointState {
  kDone,        ///< it says that it was saved or loaded, or how long that took
  kBegun,       ///< it says only that it began, and goes on
  kUnfinished,  ///< it ends behind the beginning
  kFailed,      ///< the run died behind the beginning
};

std::string_view text_of(CheckpointKind kind);
std::string_view text_of(CheckpointState state);
/// Require one of the texts above.
CheckpointKind checkpoint_kind_of(std::string_view text);
CheckpointState checkpoint_state_of(std::string_view text);

/// A checkpoint that was saved or loaded, as far as a log tells; of several ranks the slowest.
struct Checkpoint {
  CheckpointKind kind = CheckpointKind::kSave;
  CheckpointState state = CheckpointState::kBegun;
  Count step;                     ///< as the trainer counts
  std::optional<double> seconds;  ///< nothing where no line says, and no clock
  bool derived = false;           ///< `seconds` is what one clock says between two lines
  Count bytes;                    ///< its size, where that is printed
  /// Whether training went on meanwhile, where that is printed; `seconds` may then be those in
  /// which it did not.
  std::optional<bool> asynchronous;
  std::optional<double> began_at;  ///< seconds since 1970 by the log's own clock, read as UTC
  std::string path;                ///< empty: not printed

  bool operator==(const Checkpoint&) const = default;
};

/// The checkpoints of a run, and what it was.
struct RunCheckpoints {
  std::int64_t run = 0;
  std::string sweep, point_id, point_name, trainer, size;  ///< sweep: empty for a foreign log
  Count gpus, nodes;
  std::optional<double> steps_s;  ///< that all steps took which its log tells of
  std::vector<Checkpoint> checkpoints;
};

}  // namespace pippin
