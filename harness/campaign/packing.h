// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/records/campaign.h"

namespace pippin {

/// What a job needs beside its runs: its prolog, and the scheduler's own start and end.
inline constexpr double kJobMarginS = 60;

std::int64_t ranks_of(const Point& point);
std::int64_t nodes_of(const Point& point, const Cluster& cluster);

/// How many runs, with their canaries, fit one job of so many nodes; 0 where not even one does,
/// nothing where any number does or the time of one is unknown. One run alone may use the whole
/// limit, several leave a margin.
std::optional<std::int64_t> runs_that_fit(const Sweep& sweep, std::int64_t nodes);

/// The time limit of a job whose runs have so many ranks, one after the other; in whole minutes, or
/// the cluster's limit where that is less. Nothing where the time of a run is unknown.
std::optional<std::int64_t> time_to_ask_for(const Sweep& sweep,
                                            const std::vector<std::int64_t>& ranks);

/// The reference that an earlier plan chose for each node count: an id.
using References = std::map<std::int64_t, std::string>;

/// How each node count is packed, in ascending order. A block that does not fit the time limit is
/// split into incomplete ones, or, where not even a point and the reference fit and the sweep does
/// not ask for blocks, into points.
/// Errors: Error (bad input) where what is asked for does not fit the cluster's time limit.
std::vector<Packing> packings_of(const Sweep& sweep, const References& earlier = {});

}  // namespace pippin
