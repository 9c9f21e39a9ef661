#include "reports/statistics/student.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "reports/statistics/sample.h"

namespace pippin {

double t_point(double df) {
  constexpr double kUpper = 0.975;
  return boost::math::quantile(boost::math::students_t(df), kUpper);
}

double t_half_width(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  return t_point(n - 1) * sd_of(values) / std::sqrt(n);
}

}  // namespace pippin
