// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/jobs/protocol.h"

namespace pippin::test {

/// An attempt's record as its job leaves it; without exit code it has only begun.
inline std::string record_of(std::optional<int> exit_code, std::int64_t started = 1,
                             std::int64_t ended = 1) {
  const std::string begun = std::to_string(started);
  std::string text = "pippin: started=" + begun + "\n";
  if (exit_code)
    text += "pippin: exit=" + std::to_string(*exit_code) + " ended=" + std::to_string(ended) +
            " started=" + begun + "\n";
  return text;
}

/// The runs that jobs have said of that they went well, or that they did not.
inline RunNames outcomes_of(SweepFolder folder, bool succeeded) {
  RunNames runs;
  folder.each_outcome([&](std::string_view run, bool ok) {
    if (ok == succeeded) runs.emplace(run);
  });
  return runs;
}
inline RunNames succeeded_of(const SweepFolder& folder) { return outcomes_of(folder, true); }
inline RunNames failed_of(const SweepFolder& folder) { return outcomes_of(folder, false); }

}  // namespace pippin::test
