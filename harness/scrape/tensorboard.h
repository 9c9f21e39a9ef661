// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "core/records/run.h"

namespace pippin {

/// Whether the beginning of a file is that of TensorBoard's events (events.out.tfevents.*), of
/// which so many bytes suffice.
inline constexpr std::size_t kEventHeadBytes = 64;
bool looks_like_events(std::string_view head);

/// An event file, taken in parts.
class EventLog {
 public:
  EventLog();
  ~EventLog();

  /// Errors: Error (bad input) of a broken record before the end, and of one that is too large.
  void add(std::string_view part);

  /// The launches whose scalars came: one, and one more wherever the steps go back. Empty where
  /// there is no time of a trainer that is known.
  /// Shape: model, layout and arguments are those of Megatron-LM, which writes its arguments as
  /// texts; unknown of other trainers. Scalars over samples or tokens instead of steps are left
  /// out. What is torn at the end is left out.
  std::vector<LogRun> runs() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same of a file that is at hand.
std::vector<LogRun> read_events(std::string_view file);

}  // namespace pippin
