// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/random.h"
#include "tests/reports/statistics/classical.h"

namespace pippin::test {

/// Bootstraps of means, which pippin has no intervals from: of few units they are too narrow.

using Draws = std::vector<std::vector<std::size_t>>;

/// The lines of a file of 1-based indices.
Draws drawn_in(const std::string& file);
/// As many draws of `size` indices.
Draws drawn(std::size_t draws, std::size_t size, Random& random);
/// All size^size ways to draw.
Draws all_draws(std::size_t size);

/// The mean of each draw.
std::vector<double> drawn_means(const std::vector<double>& values, const Draws& draws);

Ends percentile(const std::vector<double>& means);
/// The same mirrored at the estimate.
Ends basic(double estimate, const std::vector<double>& means);

/// Bias-corrected and accelerated. Source: Efron, "Better Bootstrap Confidence Intervals", 1987;
/// the acceleration from a jackknife.
struct Accelerated {
  double z0 = 0, a = 0;
  Ends probabilities, ends;
};
Accelerated accelerated(const std::vector<double>& values, const std::vector<double>& means);

}  // namespace pippin::test
