// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "probes/comm/communicator.h"
#include "probes/comm/nodes.h"
#include "probes/common/error.h"

namespace pippin::probes {

/// Notices when a rank dies: MPI under srun may wait for it until the job's time is over. Every
/// rank holds a connection to the first; one that closes without a goodbye, or a node that stays
/// silent, ends all ranks at once with ExitCode::kLostRank and one line: "PROGRAM: rank 3 on node2
/// died: …".
class Watch {
 public:
  /// Every rank must make its own. One that the first cannot be reached from is not watched, which
  /// a line on standard error says.
  Watch(const std::string& program, Communicator& world, const Nodes& nodes);
  /// Says goodbye.
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// From now on a rank that says nothing for so long ends all, too: it is stopped, or its node is,
  /// though its connection stands. Every rank calls it with the same time. A time in which this
  /// rank was stopped itself does not count.
  void limit_silence(std::chrono::milliseconds patience);

  /// This rank ends with words of its own and this code: the others need no words, wait until it
  /// has ended and end with the same code, so that a launcher that asks any of them hears it.
  void leave_in_error(ExitCode code);

 private:
  class Post;
  std::unique_ptr<Post> post_;
};

}  // namespace pippin::probes
