// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/scrape/trainers/figures.h"
#include "harness/scrape/trainers/step_rows.h"

namespace pippin {

/// What PyTorch Lightning draws while it trains: "Epoch 0: 1%| | 795/77225 [9:07:58<878:01:48,
/// 41.36s/it, v_num=, reduced_train_loss=3.090]".
struct LightningBar {
  std::string_view before;  ///< the line's text in front of it
  std::int64_t epoch = 0, done = 0;
  Count total;
  std::optional<Figure> pace_ms;  ///< of a batch; tqdm's moving mean
  std::string_view fields;        ///< "v_num=, reduced_train_loss=3.090"

  std::optional<Figure> field(std::string_view name) const;
  std::optional<std::string_view> text_of(std::string_view name) const;
};

/// Nothing where the line has none of a training epoch, or it is cut.
std::optional<LightningBar> lightning_bar_of(std::string_view line);

/// Steps of bars, one of each speaker, until its bar shows the next: it is drawn several times for
/// a batch, and what the last drawing says counts.
class HeldSteps {
 public:
  using Take = std::function<void(const StepRecord& record, std::string_view before)>;

  /// Takes the step before.
  void hold(const StepRecord& record, std::string_view before, const Take& take);
  /// A speaker is at an end: takes its step, or those of all where it is no rank.
  void end(std::string_view before, const Take& take);
  /// Forgets what is held of this speaker: its bar turned out not to count steps.
  void drop(std::string_view before);
  void flush(const Take& take);

 private:
  struct Held {
    StepRecord record;
    std::string before;
  };
  std::map<std::string, Held> held_;  ///< by speaker
};

}  // namespace pippin
