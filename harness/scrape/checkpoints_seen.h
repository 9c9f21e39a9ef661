// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/run.h"

namespace pippin {

/// What one line says of a checkpoint.
struct CheckpointWord {
  enum class What {
    kBegins,
    kGoesOnBeside,  ///< the rest is done while training goes on
    kTook,          ///< for how long training stood still, as the log says
    kEnds,
    kPart,  ///< a file of it was written, of `bytes`
  };
  What what = What::kBegins;
  CheckpointKind kind = CheckpointKind::kSave;
  std::string who;                     ///< as Speaker::name
  Count step = {}, bytes = {};         ///< where the line says them
  std::optional<double> seconds = {};  ///< of kTook and kEnds
  std::optional<double> at = {};       ///< when: as Checkpoint::began_at
  std::string path = {};
};

/// The checkpoints that a launch's lines tell of, each once, whoever prints it: of the times of
/// several ranks the slowest counts.
class CheckpointsSeen {
 public:
  /// `rows`: how many lines of steps came before.
  void see(const CheckpointWord& word, std::size_t rows);
  std::size_t size() const { return seen_.size(); }
  /// Whether one of that kind was seen.
  bool has(CheckpointKind kind) const { return last_.contains(kind); }

  /// What became of each where the launch has so many lines of steps, and ended so.
  std::vector<Checkpoint> checkpoints(std::size_t rows, std::optional<RunState> end) const;

 private:
  struct Seen {
    Checkpoint checkpoint;
    std::size_t rows = 0;                 ///< before it
    std::set<std::string> began, timed;   ///< who said so
    std::map<std::string, double> times;  ///< when each began, by its own clock
    bool ended = false;                   ///< a line says so
    double printed_s = 0, derived_s = -1;

    bool is_done() const;
  };

  std::size_t place_of(const CheckpointWord& word, std::size_t rows);
  bool is_same(const Seen& seen, const CheckpointWord& word, std::size_t rows) const;
  static void take(Seen& seen, const CheckpointWord& word);

  std::vector<Seen> seen_;
  std::map<CheckpointKind, std::size_t> last_;
  std::map<std::pair<CheckpointKind, std::int64_t>, std::size_t> by_step_;
};

/// "/x/checkpoint-50", "ckpt/step-00050/model.pth", "checkpoints/50": the step that a path names.
Count step_in_path(std::string_view path);

}  // namespace pippin
