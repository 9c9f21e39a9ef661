#pragma once

#include <vector>

namespace pippin {

/// Two-sided 95 % point of Student's t: 12.706 for 1 degree of freedom. Requires df > 0, which need
/// not be whole.
double t_point(double df);

/// Half the width of the 95 % interval of a mean of independent values. Requires two values.
/// Source: Student, "The Probable Error of a Mean", 1908.
double t_half_width(const std::vector<double>& values);

}  // namespace pippin
