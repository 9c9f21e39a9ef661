// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/records/run.h"

namespace pippin {

/// Finds out of a launch's lines how it ended.
///
/// A launch that says it is done, or reached its last iteration, is ok whatever its exit says; one
/// that ran out of memory before its first iteration is not.
/// Else the strongest cause wins, the first line of it being the evidence: hardware, out of
/// memory (GPU, host), a lost node, the network, a crash or a collective's timeout (whichever
/// came first), a failing exit status, the scheduler's own "CANCELLED AT …" line or the job's own
/// "pippin: stopped (…", a Python error, then a traceback of which the log has no error. Such a
/// line closes the list: what follows it is its consequence, except that a bare "CANCELLED" may be
/// explained later by memory, hardware or a lost node. A cause after which the launch made more
/// than two further iterations did not end it. "Killing subprocess" and SIGTERM are no causes.
class Ending {
 public:
  /// The texts to look for, in the order of `sign` below.
  static std::vector<std::string_view> signs();

  /// A line in which sign number `sign` occurs, after `iterations` lines of iterations.
  void see(std::size_t sign, std::string_view line, std::size_t iterations);
  void reached_last_iteration(std::string_view line);

  /// Nothing where the lines don't say.
  std::optional<RunState> state(std::size_t iterations) const;
  std::string evidence(std::size_t iterations) const;

 private:
  struct Cause {
    int strength = 0;
    RunState state = RunState::kFailed;
    std::string line;
    std::size_t iterations = 0;
  };
  static bool survived(const Cause& cause, std::size_t iterations);
  bool is_done(std::size_t iterations) const;
  const Cause* strongest(std::size_t iterations) const;

  std::vector<Cause> causes_;
  bool done_ = false;
  std::string done_line_;
};

}  // namespace pippin
