// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/comm/meeting_place.h"
#include "probes/comm/socket.h"

namespace pippin::probes {

/// Seconds for every rank of a run to come.
inline constexpr double kMeetingPatience = 60;

/// One of the processes that were launched together.
struct Newcomer {
  int rank = 0, world = 1;
  std::string node;  ///< what tells its machine from others: see machine_name()
};

/// A rank as the others reach it.
struct Peer {
  std::string node, host;
  std::uint16_t port = 0;
};

/// What a rank knows when all have met.
struct Roster {
  int rank = 0;
  std::uint64_t password = 0;  ///< of this run: what tells its connections from others
  std::vector<Peer> peers;     ///< by rank
  Socket listening;            ///< where ranks of other nodes reach this one
  Socket listening_locally;    ///< where those of its node do: at local_name(port)
};

/// A rank's name among the local connections of its node.
std::string local_name(std::uint16_t port);

/// Waits until all ranks have come to `place`. The first rank listens there, or writes into the
/// file where it listens, with a password: a file that an earlier run has left leads nowhere, or to
/// somebody with another password, and is read again until the first rank has written its own. The
/// first rank removes it when all have come.
/// Requires: a file is one run's own while that run meets.
/// Errors: Error (bad input) of two processes with one rank, of ranks that name another number of
/// them, of a port that another program has; Error (machine) with who did not come, or what could
/// not be reached, in `patience` seconds. Only the first rank and who is at fault have words: the
/// others throw Error (lost rank) without any.
Roster meet(const MeetingPlace& place, const Newcomer& self, double patience = kMeetingPatience);

/// "ranks 1, 4-7 and 9", or "rank 1".
std::string words_of_ranks(const std::vector<int>& ranks);

}  // namespace pippin::probes
