// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pippin {

/// One pass over the points, split into blocks: each point (0-based) stands in one of them.
using Replicate = std::vector<std::vector<std::size_t>>;

/// A resolvable design of incomplete blocks in which pairs of points share a block about equally
/// often, labelled at random by `seed`; the same on every platform.
/// Shape: in each replicate `blocks` blocks whose sizes are within one of each other. The first
/// replicates of a longer design are those of a shorter one.
/// Exactly balanced after all (s^n - 1) / (s - 1) replicates where points = s^n in s = blocks, s a
/// prime or a power of 2: 9 in 3 over 4, 16 in 4 over 5, 8 in 2 over 7. Where there are such an s
/// of blocks, none of them larger than s, no pair meets twice in s replicates. Else, and beyond, up
/// to 200 points a search makes pairs meet as equally as it finds in bounded time, and more than 64
/// replicates repeat those; more points are dealt out at random.
/// Requires 1 <= blocks <= points.
/// Source: affine geometry: R. C. Bose, Annals of Eugenics 9 (1939); lattices: W. G. Cochran,
/// G. M. Cox, Experimental Designs, 2nd ed., ch. 10; the cyclic ones: H. D. Patterson, E. R.
/// Williams, Biometrika 63 (1976), and unequal sizes: J. A. John, E. R. Williams, Cyclic and
/// Computer Generated Designs, 2nd ed., ch. 4.
std::vector<Replicate> resolvable_design(std::size_t points, std::size_t blocks,
                                         std::size_t replicates, std::uint64_t seed);

}  // namespace pippin
