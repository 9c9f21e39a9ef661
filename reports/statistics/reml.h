// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/statistics/nested.h"
#include "reports/statistics/student.h"

namespace pippin {

/// The variance of one level, or of levels that the data cannot tell apart.
struct Component {
  std::string levels;  ///< "run", or "allocation and run" where each allocation has one run
  std::size_t level = kIteration;  ///< the lowest of them
  double variance = 0;             ///< in the data's unit, squared; exactly 0: none was detected
};

/// Where the spread of a measurement comes from.
struct VarianceComponents {
  Variances variances{};
  std::vector<Component> components;  ///< of the levels that were repeated, lowest first
  NestedFit fit;                      ///< of one configuration
  std::optional<double> df;  ///< Satterthwaite's, of its mean; nothing where they are not defined
};

/// Restricted maximum likelihood: the variances, each at least 0, that explain the data best.
/// A level with a single member has no component: its effect cannot be told from the mean.
/// Of several configurations each has a mean of its own. Requires more iterations than
/// configurations and some spread among the values.
/// Source: Patterson and Thompson, Biometrika 58, 1971; degrees of freedom: Satterthwaite 1946 with
/// numeric derivatives, as in Kuznetsova, Brockhoff and Christensen, "lmerTest", 2017. A component
/// at 0 is left out of them.
VarianceComponents components_of(const Nesting& nesting);

/// One for each component, by profile likelihood. Source: Bates et al., "Fitting Linear
/// Mixed-Effects Models Using lme4", 2015, section 5.1.
std::vector<SdInterval> sd_intervals(const Nesting& nesting, const VarianceComponents& found);

}  // namespace pippin
