// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "probes/comm/communicator.h"
#include "probes/device/memory.h"

namespace pippin::probes {

/// Two players of a tournament, a < b.
struct Meeting {
  int a, b;
};

/// Rounds in which every two of the players meet exactly once; nobody is in two meetings of one
/// round, so that those of a round can run at once. Source: the circle method, Kirkman 1847.
std::vector<std::vector<Meeting>> tournament(int players);

/// What every two players reached. Unit: 1e9 bytes per second, each way while both ways run.
struct PairBandwidths {
  int players = 0;
  std::vector<double> gbs;  ///< players × players, symmetric; 0 on the diagonal
  double of(int a, int b) const { return gbs[a * players + b]; }
};

/// Exchanges `bytes` between every two of the players, ranks of `comm`: the median of `iterations`
/// exchanges after one of warm-up, on the slower side. `memory` is what `comm` talks about. Every
/// rank of `comm` calls it.
PairBandwidths measure_pairs(Communicator& comm, const std::vector<int>& players,
                             std::int64_t bytes, std::int64_t iterations, Memory& memory);

/// What the bandwidths of pairs say of their players. Requires two players.
struct PairVerdict {
  Meeting slowest;
  std::vector<double> medians;  ///< of each player's pairs
  std::optional<int> suspect;   ///< the player that slow pairs have in common
};

/// The suspect's median is below kSuspicious of the median of the others' medians. Two players
/// have but one pair, so neither is suspect.
PairVerdict judge(const PairBandwidths& pairs);
inline constexpr double kSuspicious = 0.8;

}  // namespace pippin::probes
