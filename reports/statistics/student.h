// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace pippin {

/// Two-sided 95 % point of Student's t: 12.706 for 1 degree of freedom. Requires df > 0, which need
/// not be whole.
double t_point(double df);

/// The value below which a share `p` in (0, 1) of Student's t lies. Requires df > 0.
double t_quantile(double p, double df);

/// The share of Student's t above `t`. Requires df > 0.
double t_above(double t, double df);

/// The share of F above `f`. Requires both degrees of freedom > 0.
double f_above(double f, double df1, double df2);

/// How many standard errors a true difference must measure so that a two-sided t test at `level`
/// finds it with probability `power`. Requires df > 0, 0 < level < power < 1.
/// Source: the non-central t of R's power.t.test, strict = FALSE.
double t_detectable(double df, double level, double power);

/// The same in standard errors as they were estimated, so that of many who plan by their estimate a
/// share `power` finds what they called detectable: an error that came out too small promises too
/// much. Takes about a millisecond.
double t_detectable_as_estimated(double df, double level, double power);

/// Where an sd may lie, 95 %.
struct SdInterval {
  double low = 0, high = 0;
};

/// Of independent normal values whose sd was estimated as `sd`. Requires df > 0.
SdInterval sd_interval(double sd, double df);

/// Half the width of the 95 % interval of a mean of independent values. Requires two values.
/// Source: Student, "The Probable Error of a Mean", 1908.
double t_half_width(const std::vector<double>& values);

}  // namespace pippin
