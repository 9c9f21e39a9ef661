// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/campaign/machine.h"

namespace pippin {

/// Runs a command of the user's (bash) when runs have died, and when the sweep has ended. It finds
/// PIPPIN_EVENT (died, ended), PIPPIN_SWEEP and PIPPIN_MESSAGE in its environment.
class Notifier {
 public:
  /// An empty command: never.
  Notifier(std::string command, std::string sweep);

  void look(const RunCounts& counts);

 private:
  void tell(const std::string& event, const std::string& message);

  std::string command_, sweep_;
  std::int64_t died_ = 0;
  bool first_ = true, ended_ = false;
};

}  // namespace pippin
