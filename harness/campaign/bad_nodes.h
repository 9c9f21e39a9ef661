// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/jobs/node_files.h"

namespace pippin {

/// What failed on a node since the last run that ended well there, or since a person allowed the
/// node; pointed at in the history.
std::vector<const NodeEvent*> last_failures(const NodeHistory& history,
                                            const std::vector<NodeMark>& marks);

/// The nodes that are bad by what jobs of one node noted, and are not marked so yet, with the
/// failures that say so. A node is bad when
/// * runs of `after` different points failed on it in a row, of points that failed nowhere else; a
///   run that lacked memory neither counts nor ends the row;
/// * meanwhile others go on: since the row began a run ended well on another node, or one runs
///   there that began at most an hour before the row and takes twice as long as what failed; nodes
///   that are bad are no others;
/// * by chance that would be rarer than 1 in 20: where f of n other runs failed, so many in a row
///   fail with ((f + 1) / (n + 2)) to their power. Where half of all runs fail, three prove
///   nothing.
/// Jobs decide the same by themselves (core/jobs/script/judge_node.bash). `after` 0: none is.
/// `now`: seconds since 1970. Source of the share: Laplace's rule of succession.
std::vector<NodeMark> find_bad_nodes(const std::vector<NodeHistory>& histories,
                                     const std::vector<NodeMark>& marks, std::int64_t after,
                                     std::int64_t now);

}  // namespace pippin
