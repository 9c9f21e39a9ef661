// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace pippin {

/// Starts of the segments that minimise the squared error about their own means plus `penalty` for
/// each: an exact search, in time about linear in the length.
/// Shape: segments of at least `shortest` values, but for the first, which may be shorter. Ties, up
/// to rounding, go to the longer last segment.
/// Requires values, penalty > 0, shortest > 0.
/// Source: Jackson et al., "An algorithm for optimal partitioning of data on an interval", 2005;
/// pruned as in Maidstone et al., "On optimal multiple changepoint algorithms for large data",
/// 2017.
std::vector<std::size_t> level_starts(const std::vector<double>& values, double penalty,
                                      std::size_t shortest);

}  // namespace pippin
