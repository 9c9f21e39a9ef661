// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/records/summary.h"
#include "reports/statistics/nested.h"

namespace pippin {

/// The mean time of one point and its 95 % interval, in the unit of the data.
/// Shape: the unit is the highest replicated level: the day where there are three or more, else the
/// allocation; one allocation has a mean and no interval. Repeats of equal size: Student's t on the
/// units' means, and the mean is the mean of those means. Else generalised least squares with
/// Satterthwaite's degrees of freedom, which weighs a unit by what it tells; but t on the units'
/// means where no variance is detected between units, or where those degrees are below 1 or
/// undefined: they would then count iterations as if they were independent.
/// Of two units, which may agree by chance, never narrower than their iterations alone would make
/// it, were they independent. Of more it is left: what recurs within a run is no noise.
/// Times that were rounded may all be off by half a step in the same way: that is added to the half
/// width, as independent errors are.
/// Everything is on the scale of the data, not of its logarithm: the headline is an arithmetic
/// mean, and its interval is about that. The lower end is at least 0, as times are. Requires times
/// above 0 and at least one run. Source: shares of intervals that hold the truth, for 3 and 5 units
/// with 0 to 8 % spread between them, balanced or not: tests/reports/statistics/coverage_test.cpp.
Interval interval_of(const std::vector<RunMoments>& runs);

}  // namespace pippin
