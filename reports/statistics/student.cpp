#include "reports/statistics/student.h"

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>

#include "reports/statistics/sample.h"

namespace pippin {

namespace bm = boost::math;

double t_quantile(double p, double df) { return bm::quantile(bm::students_t(df), p); }

double t_point(double df) {
  constexpr double kUpper = 0.975;
  return t_quantile(kUpper, df);
}

double t_above(double t, double df) {
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  return bm::cdf(bm::complement(bm::students_t(df), t));
}

double f_above(double f, double df1, double df2) {
  if (std::isinf(f)) return 0;
  return bm::cdf(bm::complement(bm::fisher_f(df1, df2), f));
}

double t_detectable(double df, double level, double power) {
  const double point = t_quantile(1 - level / 2, df);
  const auto lacking = [&](double shift) {
    return power - bm::cdf(bm::complement(bm::non_central_t(df, shift), point));
  };
  // The estimated error is above the true one in about half of all tests: a little more than
  // `point` is always enough to begin with.
  std::uintmax_t steps = 200;
  const auto found = bm::tools::bracket_and_solve_root(lacking, point + 1, 1.5, false,
                                                       bm::tools::eps_tolerance<double>(45), steps);
  return (found.first + found.second) / 2;
}

double t_half_width(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  return t_point(n - 1) * sd_of(values) / std::sqrt(n);
}

}  // namespace pippin
